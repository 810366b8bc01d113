"""Whether the messages of a topic came once each and without gaps, or what to ask for again with `resend`.

Gaps are told up to the newest message that came, those of events inside a journal, those of rounds across journals;
which journal is the present one, and what its next entry is, the topic `status` says.
"""

from __future__ import annotations

from itertools import count

from firmware_bridge.client.payload import MessageError, Payload, event_message, fingerprint, round_message
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
