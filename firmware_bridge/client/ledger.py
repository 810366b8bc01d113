"""Counts a table's messages of the topics `event` and `round`, without clock and connection: the one receiver.

It drops repeats, detects other bytes under a known identity, counts complete entries, and finds gaps inside a journal
and across journals. A backend drives `Events` and `Rounds`; `Floor` drives `TableLedger` (batches.py); a store and the
demo drive `Entries`. Gaps reach up to the newest message that came; the topic `status` names the present journal and
its next entry.
"""

from hashlib import sha256
from typing import Final, NamedTuple

from firmware_bridge.client.messages import Conflict, Item, Received, Stream, Unreadable
from firmware_bridge.client.payload import (
    MessageError,
    Payload,
    StoredMessage,
    event_message,
    fingerprint,
    round_message,
    verify_table,
)
from firmware_bridge.facts.events import EntryName
from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.wire import EventMessage, Identity, RoundMessage, StreamMessage

ROUND_EVENTS: Final = ("RoundClosed", "RoundVoided", "RoundCorrected")
"""Types of events that come with a message of the topic `round`, with the same identity."""

KEPT_JOURNALS: Final = 3
"""Newest journals of a table in memory, for repeats; older ones are dropped once they are complete."""


class Events:
    """Receiver of the topic `event`: `seq` counts a journal's entries from 1, `n` the events of an entry up to `of`."""

    def __init__(self) -> None:
        self._seen = Digests()
        self._journals: dict[str, Entries] = {}

    def __contains__(self, identity: Identity) -> bool:
        return self._seen.has("event", identity)

    def take(self, payload: Payload) -> EventMessage | None:
        """Decode and count a message, in any order; None for a repeat. Raises MessageError."""
        message = event_message(payload)
        if not self._seen.is_new("event", message.identity, payload):
            return None
        self._journals.setdefault(message.journal, Entries()).event(message.seq, message.n, message.of)
        return message

    def has_all_before(self, identity: Identity) -> bool:
        """Return whether every message of the journal before this one has come."""
        return self._journals.get(identity.journal, Entries()).has_all_before(identity.seq, identity.n)

    def gaps(self, journal: str) -> tuple[Resend, ...]:
        """Return orders for the entries that are missing, or not complete, before the newest one that came."""
        return tuple(_order(journal, gap) for gap in self._journals.get(journal, Entries()).gaps())

    def forget(self, journal: str) -> None:
        """Drop a journal once all its messages are stored."""
        self._seen.forget(journal)
        self._journals.pop(journal, None)


class Rounds:
    """Receiver of the topic `round` of one table: each message names the entry of the one before it (`prev`).

    The first round message of a table names none.
    """

    def __init__(self) -> None:
        self._seen = Digests()
        self._chain = RoundChain()

    def take(self, payload: Payload) -> RoundMessage | None:
        """Decode and count a message, in any order; None for a repeat. Raises MessageError."""
        message = round_message(payload)
        if not self._seen.is_new("round", message.identity, payload):
            return None
        self._chain.put(message, message.prev)
        return message

    def gaps(self) -> tuple[Resend, ...]:
        """Return orders for missing rounds, in all journals that are not forgotten.

        Each begins behind the round that came before the gap, in its journal, and ends at the missing round.
        """
        return self._chain.gaps()

    def forget(self, journal: str) -> None:
        """Drop a journal once all its rounds are settled: nothing is asked of it again, even if it is incomplete."""
        self._seen.forget(journal)
        self._chain.forget(journal)


class Digests:
    """Digests of the messages under each identity, of 32 bytes each."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[tuple[Stream, int, int], tuple[bytes, ...]]] = {}

    def add(self, topic: Stream, identity: Identity, digest: bytes) -> tuple[bytes, ...]:
        """Add a message; return the different digests that its identity had before, () for a new message."""
        of_journal, key = self._seen.setdefault(identity.journal, {}), (topic, identity.seq, identity.n)
        before = of_journal.get(key, ())
        if digest not in before:
            of_journal[key] = (*before, digest)
        return before

    def is_new(self, topic: Stream, identity: Identity, payload: Payload) -> bool:
        """Return whether the message is new. Raises MessageError if another one came under its identity."""
        content = fingerprint(payload)
        before = self.add(topic, identity, content)
        if before and before[0] != content:
            place = f"number {identity.n} of entry {identity.seq} of journal {identity.journal}"
            hint = "keep both and compare them with the journal of the shoe: one of them is not from it"
            raise MessageError(f"two different messages are {place}", hint)
        return not before

    def has(self, topic: Stream, identity: Identity) -> bool:
        """Return whether a message came under the identity."""
        return (topic, identity.seq, identity.n) in self._seen.get(identity.journal, ())

    def forget(self, journal: str) -> None:
        """Drop a journal; a repeat from it is new again."""
        self._seen.pop(journal, None)


class _Entry:
    """Parts of an entry that came: n of each event, -n of each round message. announced: n of events that have one."""

    __slots__ = ("announced", "came", "events", "of")

    def __init__(self) -> None:
        self.of = self.events = 0
        self.came: set[int] = set()
        self.announced: tuple[int, ...] = ()

    @property
    def is_whole(self) -> bool:
        return 0 < self.of == self.events and all(-n in self.came for n in self.announced)


class Entries:
    """The entries of a journal: complete up to `whole`, and known to exist up to `known`.

    Messages come in any order, repeats too. If rounds are not read, they are not announced.
    """

    def __init__(self, whole: int = 0, known: int = 0) -> None:
        self.whole, self.known = whole, known
        self._behind: dict[int, _Entry] = {}

    def event(self, seq: int, n: int, of: int, *, has_round: bool = False) -> None:
        """Add event `n` of the `of` events of an entry. has_round: whether a round message comes with it."""
        self.reach(seq)
        if seq > self.whole:
            entry = self._behind.setdefault(seq, _Entry())
            if n not in entry.came:
                entry.of = entry.of or of
                entry.came.add(n)
                entry.events += 1
                entry.announced += (n,) if has_round else ()
            self._count()

    def round(self, seq: int, n: int) -> None:
        """Add the round message that comes with event `n` of an entry."""
        self.reach(seq)
        if seq > self.whole:
            self._behind.setdefault(seq, _Entry()).came.add(-n)
            self._count()

    def reach(self, seq: int) -> None:
        """Record that the journal has this entry."""
        self.known = max(self.known, seq)

    def has(self, seq: int) -> bool:
        """Return whether every message of an entry came."""
        return seq <= self.whole or (seq in self._behind and self._behind[seq].is_whole)

    def has_all_before(self, seq: int, n: int) -> bool:
        """Return whether every event before event `n` of an entry came, and every message of the entries before it."""
        if seq <= self.whole:
            return True
        came = self._behind[seq].came if seq in self._behind else set()
        return seq == self.whole + 1 and all(before in came for before in range(1, n))

    def gaps(self, to: int = 0) -> list[range]:
        """Return the entries that are missing, or not complete, up to the last known one. to: a further known entry."""
        gaps, start, last = [], self.whole + 1, max(self.known, to)
        for seq in sorted(seq for seq, entry in self._behind.items() if entry.is_whole):
            if seq > start:
                gaps.append(range(start, seq))
            start = seq + 1
        return [*gaps, range(start, last + 1)] if start <= last else gaps

    def span(self, start: int, most: int) -> range:
        """Return the next missing entries from `start` on, at most `most` from first to last; empty if all came."""
        while start <= self.known and self.has(start):
            start += 1
        last = min(self.known, start + most - 1)
        while last > start and self.has(last):
            last -= 1
        return range(start, last + 1)

    def _count(self) -> None:
        while (entry := self._behind.get(self.whole + 1)) and entry.is_whole:
            del self._behind[self.whole + 1]
            self.whole += 1


class RoundChain:
    """Round messages of a table, each with the entry of the one before it."""

    def __init__(self) -> None:
        self._prev: dict[EntryName, EntryName | None] = {}
        self.forgotten: set[str] = set()
        """Journals of which nothing is asked."""

    def put(self, message: StreamMessage, prev: EntryName | None) -> None:
        """Add a new message. prev: the entry of the one before it."""
        self._prev[EntryName(message.journal, message.seq)] = prev

    def gaps(self) -> tuple[Resend, ...]:
        """Return orders for missing rounds, in all journals that are not forgotten.

        Each begins behind the round that came before the gap, in its journal, and ends at the missing round.
        """
        missing = {each for each in self._prev.values() if each and each not in self._prev}
        wanted = sorted((each.journal, each.seq) for each in missing if each.journal not in self.forgotten)
        return tuple(_order(journal, range(self.last(journal, seq) + 1, seq + 1)) for journal, seq in wanted)

    def last(self, journal: str, before: int | None = None) -> int:
        """Return the last entry of a journal with a round message, or the last one before `before`; 0 for none."""
        came = (each.seq for each in self._prev if each.journal == journal)
        return max((seq for seq in came if before is None or seq < before), default=0)

    def forget(self, journal: str) -> None:
        """Drop a journal: nothing is asked of it again, even if it is incomplete."""
        self._prev = {entry: prev for entry, prev in self._prev.items() if entry.journal != journal}
        self.forgotten.add(journal)


class _End(NamedTuple):
    """The last entry of a journal, and its shoe."""

    shoe: int
    seq: int


class TableLedger:
    """One table's messages in memory: which are new, what is missing, and up to where they are complete.

    events: whether the topic `event` is read too; if not, only rounds can be missing.
    """

    def __init__(self, table: str, *, events: bool) -> None:
        self.table, self.events = table, events
        self._seen, self._chain = Digests(), RoundChain()
        self._journals: dict[str, Entries] = {}
        self._shoes: dict[str, int] = {}
        self._ends: dict[str, _End] = {}
        self._ended: set[str] = set()

    def receive(self, topic: Stream, raw: bytes) -> Item | None:
        """Decode and count a message; None for a repeat."""
        try:
            message = event_message(raw) if topic == "event" else round_message(raw)
            verify_table(self.table, message.table)
        except MessageError as error:
            return Unreadable(self.table, topic, raw, str(error))
        digest = sha256(raw).digest()
        before = self._seen.add(topic, message.identity, digest)
        if digest in before:
            return None
        if before:
            return Conflict(self.table, topic, message.identity, raw, before[0].hex())
        if isinstance(message, EventMessage):
            self._count_event(message, str(message.event.get("type")))
        else:
            self._count_round(message, message.prev)
        return Received(self.table, topic, message, raw)

    def load(self, message: StoredMessage, raw: bytes) -> None:
        """Count a message that is stored already."""
        topic: Stream = "round" if message.event is None else "event"
        if self._seen.add(topic, message.identity, sha256(raw).digest()):
            return
        if message.event:
            self._count_event(message, message.event.type)
        else:
            self._count_round(message, message.prev)

    def _count_event(self, message: StreamMessage, type: str) -> None:
        journal = self._journal(message)
        journal.event(message.seq, message.n, message.of, has_round=type in ROUND_EVENTS)

    def _count_round(self, message: StreamMessage, prev: EntryName | None) -> None:
        journal = self._journal(message)
        if not self.events:
            self._chain.put(message, prev)
            return
        journal.round(message.seq, message.n)
        if prev and prev.journal not in self._chain.forgotten:
            self._journals.setdefault(prev.journal, Entries()).reach(prev.seq)

    def _journal(self, message: StreamMessage) -> Entries:
        self._shoes.setdefault(message.journal, message.shoe)
        return self._journals.setdefault(message.journal, Entries())

    def reaches(self, journal: str, next_seq: int, shoe: int) -> None:
        """Record a `status`: the next entry of the journal of a shoe. Ends of older shoes are final and dropped.

        A late status of an older shoe does not remove the end of the newest one.
        """
        newest = [known for known in self._ends.items() if known[1].shoe > shoe][:1]
        before = self._ends.get(journal)
        self._ends = dict([*newest, (journal, _End(shoe, max(next_seq - 1, before.seq if before else 0)))])

    def answered(self, asked: Resend) -> None:
        """Record the answer to an order: the end of a journal, which may be empty, is not asked for again."""
        if asked.journal and asked.to is None:
            self._ended.add(asked.journal)

    def gaps(self) -> tuple[Resend, ...]:
        """Return orders for what is missing in between; with events also for what `status` announced behind the newest.

        With events also, once, for the end of each journal that another one followed: no message says where it is.
        """
        if not self.events:
            return self._chain.gaps()
        gaps, forgotten = [], self._chain.forgotten
        for name in sorted({*self._journals, *self._ends} - forgotten):
            end = self._ends[name].seq if name in self._ends else 0
            gaps += [_order(name, gap) for gap in self._journals.get(name, Entries()).gaps(end)]
        for name in self._by_age()[-KEPT_JOURNALS:-1]:
            if name not in self._ended | forgotten:
                gaps.append(Resend(journal=name, start=self._journals[name].whole + 1))
        return tuple(gaps)

    def tail(self) -> Resend | None:
        """Return the order for the entries behind the newest round that came, None for none; they may hold no round.

        With events this is part of `gaps`.
        """
        for journal, end in () if self.events else self._ends.items():
            last = self._chain.last(journal)
            if last < end.seq and journal not in self._chain.forgotten:
                return Resend(journal=journal, start=last + 1, to=end.seq)
        return None

    def stored_up_to(self, journal: str, unsaved: int | None) -> int:
        """Return the last entry up to which a journal is complete; 0 for none, and if events are not read.

        unsaved: the first that is not stored.
        """
        whole = self._journals[journal].whole if journal in self._journals else 0
        return whole if unsaved is None else min(whole, unsaved - 1)

    def lacks_older(self, journal: str, unsaved: set[str]) -> bool:
        """Return whether an older journal has missing entries, or is in `unsaved`, the journals that are not stored."""
        lacking = unsaved | {each.journal for each in self.gaps() if each.journal} - (
            self._ends.keys() - self._journals
        )
        shoe = self._shoes.get(journal, 0)
        return any(each != journal and self._shoes.get(each, -1) < shoe for each in lacking)

    def forget(self, journal: str) -> None:
        """Drop a journal: nothing is asked of it again, and its messages are new again."""
        for each in (self._journals, self._shoes, self._ends):
            each.pop(journal, None)
        self._ended.discard(journal)
        self._seen.forget(journal)
        self._chain.forget(journal)

    def forget_old(self, pending: set[str]) -> list[tuple[str, int]]:
        """Drop all but the newest journals, if nothing is missing; return each with its last entry.

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


def _order(journal: str, gap: range) -> Resend:
    """Return the order for a range of entries of a journal."""
    return Resend(journal=journal, start=gap.start, to=gap.stop - 1)
