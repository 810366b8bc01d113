"""What one table's streams have brought: which messages are new, what is missing, and up to where all is stored."""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple

from firmware_bridge.client.items import Conflict, Item, Received, Stream, Unreadable
from firmware_bridge.client.payload import MessageError, event_message, look_whose, round_message
from firmware_bridge.client.received import EntryCount, RoundChain
from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.wire import EventMessage, Identity

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
