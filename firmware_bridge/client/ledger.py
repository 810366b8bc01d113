"""Whether the messages of a topic came once each and without gaps, or what to ask for again with `resend`.

Gaps are told up to the newest message that came, those of events inside a journal, those of rounds across journals;
which journal is the present one, and what its next entry is, the topic `status` says.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import count
from typing import Final, NamedTuple

from firmware_bridge.client.items import Conflict, Item, Received, Stream, Unreadable
from firmware_bridge.client.payload import MessageError, Payload, event_message, fingerprint, look_whose, round_message
from firmware_bridge.facts.events import EntryName
from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.wire import EventMessage, Identity, RoundMessage


class Once:
    """Tells new messages of one topic from repeats."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[tuple[int, int], bytes]] = {}

    def __contains__(self, identity: Identity) -> bool:
        return identity[1:] in self._seen.get(identity.journal, ())

    def is_new(self, identity: Identity, payload: Payload) -> bool:
        """Whether the message did not come before. Raises MessageError if another one came under its identity."""
        seen, content = self._seen.setdefault(identity.journal, {}), fingerprint(payload)
        if identity[1:] not in seen:
            seen[identity[1:]] = content
            return True
        if seen[identity[1:]] == content:
            return False
        what = f"two different messages are number {identity.n} of entry {identity.seq} of journal {identity.journal}"
        raise MessageError(what, "keep both and compare them with the journal of the shoe: one of them is not from it")

    def forget(self, journal: str) -> None:
        """Let go of a journal; a repeat from it would be new again."""
        self._seen.pop(journal, None)


class EntryCount:
    """The entries of each journal that are whole: `seq` counts from 1, `n` the events of an entry up to `of`."""

    def __init__(self) -> None:
        self._left: dict[str, dict[int, int]] = {}
        self._whole: dict[str, int] = {}

    def put(self, told: EventMessage) -> None:
        """Count a message that did not come before."""
        left = self._left.setdefault(told.journal, {})
        left[told.seq] = left.get(told.seq, told.of) - 1
        whole = self._whole.get(told.journal, 0)
        self._whole[told.journal] = next(seq for seq in count(whole) if left.get(seq + 1) != 0)

    def whole(self, journal: str) -> int:
        """The last entry up to which all have come whole, 0 for none."""
        return self._whole.get(journal, 0)

    def gaps(self, journal: str, at_least: int = 0) -> tuple[Resend, ...]:
        """The entries that are missing, or not whole, up to the newest one that came, or to entry `at_least`."""
        left = self._left.get(journal, {})
        gaps, start = [], self.whole(journal) + 1
        for seq in sorted(seq for seq in left if seq >= start and left[seq] == 0):
            if seq > start:
                gaps.append(Resend(journal=journal, start=start, to=seq - 1))
            start = seq + 1
        newest = max(max(left, default=0), at_least)
        return (*gaps, Resend(journal=journal, start=start, to=newest)) if newest >= start else tuple(gaps)

    def forget(self, journal: str) -> None:
        """Let go of a journal."""
        self._left.pop(journal, None)
        self._whole.pop(journal, None)


class Events:
    """The topic `event`: `seq` counts a journal's entries from 1, `n` the events of an entry up to `of`."""

    def __init__(self) -> None:
        self._once = Once()
        self._entries = EntryCount()

    def __contains__(self, identity: Identity) -> bool:
        return identity in self._once

    def take(self, payload: Payload) -> EventMessage | None:
        """The message, None for a repeat; in any order. Raises MessageError."""
        told = event_message(payload)
        if not self._once.is_new(told.identity, payload):
            return None
        self._entries.put(told)
        return told

    def has_all_before(self, identity: Identity) -> bool:
        """Whether every message of the journal before this one has come."""
        if self._entries.whole(identity.journal) < identity.seq - 1:
            return False
        return all(identity._replace(n=n) in self for n in range(1, identity.n))

    def gaps(self, journal: str) -> tuple[Resend, ...]:
        """What to ask for: the entries that are missing, or not whole, before the newest one that came."""
        return self._entries.gaps(journal)

    def forget(self, journal: str) -> None:
        """Let go of a journal whose messages are all stored."""
        self._once.forget(journal)
        self._entries.forget(journal)


class RoundChain:
    """The round messages of a table that have come, each with the one that it names before it."""

    def __init__(self) -> None:
        self._prev: dict[EntryName, EntryName | None] = {}
        self._done: set[str] = set()

    def put(self, told: RoundMessage) -> None:
        """Add a message that did not come before."""
        self._prev[EntryName(told.journal, told.seq)] = told.prev

    def gaps(self) -> tuple[Resend, ...]:
        """What to ask for, in all journals that are not forgotten.

        From behind the round that came before each gap, in its journal, up to the round known to be missing.
        """
        missing = {each for each in self._prev.values() if each and each not in self._prev}
        wanted = sorted((each.journal, each.seq) for each in missing if each.journal not in self._done)
        return tuple(Resend(journal=journal, start=self._before(journal, seq) + 1, to=seq) for journal, seq in wanted)

    @property
    def forgotten(self) -> set[str]:
        """The journals of which nothing is asked."""
        return self._done

    def came(self, journal: str) -> list[int]:
        """The entries of a journal whose round message came."""
        return [each.seq for each in self._prev if each.journal == journal]

    def forget(self, journal: str) -> None:
        """Let go of a journal: nothing is asked of it again, whether any of it came."""
        self._prev = {entry: prev for entry, prev in self._prev.items() if entry.journal != journal}
        self._done.add(journal)

    def _before(self, journal: str, seq: int) -> int:
        """The last entry of a journal before this one whose round message came, 0 for none."""
        return max((each for each in self.came(journal) if each < seq), default=0)


class Rounds:
    """The topic `round`: each message names the entry of the one before it at its table (`prev`).

    One table; the first round message of its life names none.
    """

    def __init__(self) -> None:
        self._once = Once()
        self._chain = RoundChain()

    def take(self, payload: Payload) -> RoundMessage | None:
        """The message, None for a repeat; in any order. Raises MessageError."""
        told = round_message(payload)
        if not self._once.is_new(told.identity, payload):
            return None
        self._chain.put(told)
        return told

    def gaps(self) -> tuple[Resend, ...]:
        """What to ask for, in all journals that are not forgotten.

        From behind the round that came before each gap, in its journal, up to the round known to be missing.
        """
        return self._chain.gaps()

    def forget(self, journal: str) -> None:
        """Let go of a journal whose rounds are all settled: nothing is asked of it again, whether any of it came."""
        self._once.forget(journal)
        self._chain.forget(journal)


KEPT_JOURNALS: Final = 3
"""Newest journals of a table whose repeats are still known; older ones are let go of once they are whole."""

_ROUNDS: Final = frozenset({"RoundClosed", "RoundVoided", "RoundCorrected"})


class _End(NamedTuple):
    """The last entry of a journal, and the shoe that was in then."""

    shoe: int
    seq: int


class Arrived:
    """One table's messages so far, in memory: 32 bytes for each.

    events: whether the topic `event` is read too; else only rounds can be missing.
    """

    def __init__(self, table: str, *, events: bool) -> None:
        self.table, self.events = table, events
        self._seen: dict[str, dict[tuple[Stream, Identity], list[bytes]]] = {}
        self._chain, self._entries = RoundChain(), EntryCount()
        self._awaited: dict[str, set[Identity]] = {}
        self._shoes: dict[str, int] = {}
        self._ends: dict[str, _End] = {}
        self._ended: set[str] = set()

    def take(self, topic: Stream, raw: bytes) -> Item | None:
        """What the bytes are, None for a repeat."""
        try:
            told = event_message(raw) if topic == "event" else round_message(raw)
            look_whose(self.table, told.table)
        except MessageError as error:
            return Unreadable(self.table, topic, raw, str(error))
        digest, key = sha256(raw).digest(), (topic, told.identity)
        came = self._seen.setdefault(told.journal, {}).setdefault(key, [])
        if digest in came:
            return None
        came.append(digest)
        if len(came) > 1:
            return Conflict(self.table, topic, told.identity, raw, came[0].hex())
        self._shoes.setdefault(told.journal, told.shoe)
        awaited = self._awaited.setdefault(told.journal, set())
        if isinstance(told, EventMessage):
            self._entries.put(told)
            if told.event.get("type") in _ROUNDS and ("round", told.identity) not in self._seen[told.journal]:
                awaited.add(told.identity)
        else:
            self._chain.put(told)
            awaited.discard(told.identity)
        return Received(self.table, topic, told, raw)

    def reaches(self, journal: str, next_seq: int, shoe: int) -> None:
        """The table says which entry comes next in the journal of a shoe; of older shoes this is the last word.

        What it says late of an older one takes no newer end away: the end of the newest shoe is kept beside it.
        """
        newest = [known for known in self._ends.items() if known[1].shoe > shoe][:1]
        before = self._ends.get(journal)
        self._ends = dict([*newest, (journal, _End(shoe, max(next_seq - 1, before.seq if before else 0)))])

    def answered(self, asked: Resend) -> None:
        """The table sends what was asked for: the end of a journal, which may be empty, is not asked for again."""
        if asked.journal and asked.to is None:
            self._ended.add(asked.journal)

    def gaps(self) -> tuple[Resend, ...]:
        """What to ask for: what is missing in between; of events also what the table said to have behind the newest.

        With events also, once, the end of each journal that another one followed: no message says where it is.
        """
        rounds = self._chain.gaps()
        if not self.events:
            return rounds
        journals = {*self._shoes, *self._ends} - self._chain.forgotten
        ends = {journal: end.seq for journal, end in self._ends.items()}
        gaps = [gap for each in sorted(journals) for gap in self._entries.gaps(each, ends.get(each, 0))]
        for journal in sorted(journals):
            gaps += [_alone(each) for each in sorted(self._awaited.get(journal, ()))]
        for journal in self._by_age()[-KEPT_JOURNALS:-1]:
            if journal not in self._ended | self._chain.forgotten:
                gaps.append(Resend(journal=journal, start=self._entries.whole(journal) + 1))
        return tuple(gaps) + tuple(each for each in rounds if not _covered(each, gaps))

    def tail(self) -> Resend | None:
        """What the table has behind its newest round that came, None for nothing: nobody says whether rounds are in it.

        Where events are read too, `gaps` has it.
        """
        for journal, end in () if self.events else self._ends.items():
            last = max(self._chain.came(journal), default=0)
            if last < end.seq and journal not in self._chain.forgotten:
                return Resend(journal=journal, start=last + 1, to=end.seq)
        return None

    def stored_up_to(self, journal: str, unsaved: int | None) -> int:
        """The last entry of a journal up to which all is there; 0 for none, and where events are not read.

        unsaved: the first that is not stored.
        """
        limits = [unsaved] if unsaved is not None else []
        limits += [each.seq for each in self._awaited.get(journal, ())]
        limits += [each.to for each in self._chain.gaps() if each.journal == journal and each.to]
        return min(self._entries.whole(journal), *(limit - 1 for limit in limits), 2**53)

    def lacks_older(self, journal: str, unsaved: set[str]) -> bool:
        """Whether anything of a journal before this one is missing, or not stored. unsaved: journals with such."""
        lacking = unsaved | {each.journal for each in self.gaps() if each.journal} - (self._ends.keys() - self._shoes)
        shoe = self._shoes.get(journal, 0)
        return any(each != journal and self._shoes.get(each, -1) < shoe for each in lacking)

    def forget(self, journal: str) -> None:
        """Let go of a journal: nothing is asked of it again, and what comes of it looks new."""
        for each in (self._seen, self._awaited, self._shoes, self._ends):
            each.pop(journal, None)
        self._ended.discard(journal)
        self._entries.forget(journal)
        self._chain.forget(journal)

    def forget_old(self, pending: set[str]) -> list[tuple[str, int]]:
        """Let go of all but the newest journals, where nothing is missing; which, and the last entry of each.

        pending: journals not stored yet.
        """
        old = [journal for journal in self._by_age()[:-KEPT_JOURNALS] if journal not in pending]
        if not old or self.gaps():
            return []
        ends = [(journal, self.stored_up_to(journal, None)) for journal in old]
        for journal in old:
            self.forget(journal)
        return ends

    def _by_age(self) -> list[str]:
        return sorted(self._shoes, key=lambda each: self._shoes[each])


def _alone(identity: Identity) -> Resend:
    return Resend(journal=identity.journal, start=identity.seq, to=identity.seq)


def _covered(round_: Resend, gaps: list[Resend]) -> bool:
    """Whether one of the gaps holds the round that is known to be missing."""
    to = round_.to or 0
    return any(each.journal == round_.journal and (each.start or 0) <= to <= (each.to or to) for each in gaps)
