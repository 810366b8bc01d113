"""Verifies what a store holds against the checkpoints that its tables signed: a row that was changed is found."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from firmware_bridge.client.entry import begun_by
from firmware_bridge.client.heads import Part, follows, is_round_of, part, public_bytes, round_of, signed_part
from firmware_bridge.facts.wire import UnknownVersion
from firmware_bridge.floor.record.message import EVENT, Row, now
from firmware_bridge.floor.record.state import Incident, Leaf, Log
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.errors import DamagedBlock
from firmware_bridge.floor.verified.keys import Keys
from firmware_bridge.journal.line import NO_PROOF, exported
from firmware_bridge.record.verify import ExportLine, Play, Refused, grow, leaf_hash, parse_line, root_of

PAGE: Final = 500
"""Entries of one fetch."""

BEFORE: Final = 256
"""Verified entries of a journal that are read to know which round is open behind them."""

OF_A_RECORD: Final = 20
"""Most findings of a record; more say nothing new."""


class Mark(NamedTuple):
    """A verified beginning of a record: its size, its whole subtrees, and the head of its last entry."""

    size: int = 0
    edge: tuple[bytes, ...] = ()
    head: str = ""


class Audit:
    """Verifies all records of a store. marks: origin -> where the last complete verification ended.

    hidden: entries with replaced names so far, of which only the head could be compared.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.marks: dict[str, Mark] = {}
        self.entries = self.hidden = 0

    def again(self, store: Store) -> "Audit":
        """Return the next audit, from the marks of this one. store: opened again."""
        made = Audit(store)
        made.marks = self.marks
        return made

    def run(self, *, whole: bool) -> Iterator[Incident | None]:
        """Verify everything, or what came since the last complete verification; yield after each page of entries.

        None for a page without a finding. Raises StoreError.
        """
        keys = {log.table: Keys(self._store.state_of(log.table).keys) for log in self._store.logs()}
        for log in self._store.logs():
            if not log.size:
                continue
            before, count = (Mark() if whole else self.marks.get(log.origin, Mark())), 0
            for found in self._of(log, keys[log.table], before):
                if isinstance(found, Mark):
                    if before.size == 0 and not count:
                        self.marks[log.origin] = found
                    continue
                count += found is not None
                if count <= OF_A_RECORD:
                    yield found

    def _of(self, log: Log, keys: Keys, mark: Mark) -> Iterator[Incident | Mark | None]:
        """Verify a record from a mark on; yield the mark at its end at last."""
        edge, head, at = list(mark.edge), mark.head, mark.size
        while at < log.size:
            leaves = self._store.some_leaves(log.origin, at, min(PAGE, log.size - at))
            if [each.idx for each in leaves] != list(range(at, at + len(leaves))) or not leaves:
                yield _found(log, log.origin, f"entry {at} of the record {log.origin} is not in the store")
                return
            damaged: list[DamagedBlock] = []
            rows = rows_of(leaves, partial(self._stored_rows, damaged))
            for each in damaged:
                yield _found(log, log.origin, str(each))
            for leaf in leaves:
                if why := self._wrong(log, keys, leaf, rows[leaf.journal, leaf.seq], head):
                    yield _found(log, f"{leaf.journal}:{leaf.seq}", f"entry {leaf.seq} of {leaf.journal}: {why}")
                head = leaf.head
                grow(edge, leaf.idx, leaf_hash(bytes.fromhex(head)))
            at += len(leaves)
            self.entries += len(leaves)
            yield None
        try:
            stated, _ = keys.verified(log.note, log.size)
            if (stated.origin, stated.size, stated.root) != (log.origin, log.size, root_of(edge)):
                raise Refused("it is of another tree than the entries in the store")
        except Refused as error:
            yield _found(log, log.origin, f"the checkpoint of {log.size} entries of {log.origin}: {error}")
        yield Mark(at, tuple(edge), head)

    def _stored_rows(self, damaged: list[DamagedBlock], *place: Any) -> list[Row]:
        """Return the messages of some entries, none where their block is damaged."""
        try:
            return self._store.stored_rows(*place)
        except DamagedBlock as error:
            damaged.append(error)
            return []

    def _wrong(self, log: Log, keys: Keys, leaf: Leaf, rows: list[Row], before: str) -> str:
        """Return what is wrong with the stored messages of an entry; "" for nothing."""
        if not any(row.topic == EVENT for row in rows):
            if not self._store.is_expired(log.table, leaf.journal):
                return "its messages are not in the store"
            signed = (is_round_of(keys.publics, log.origin, row.body, signed_part(row.body)[0]) for row in rows)
            return "" if all(signed) else "its round is not signed by its table"
        if any(row.digest is not None for row in rows):
            self.hidden += 1
            is_same = all(b',"head":"%b"' % leaf.head.encode() in row.body for row in rows)
            return "" if is_same else "a message is of another entry"
        if not (parts := parts_of(rows)):
            return "an event is not as its table sent it"
        if not leaf.idx:
            before = _before(parts)
        if parts[0].head != leaf.head or not follows(before, parts):
            return f"its messages do not give its head {leaf.head[:8]}.."
        rounds = {row.n: row.body for row in rows if row.topic != EVENT}
        for each in parts:
            expected, came = round_of(each), rounds.pop(each.n, None)
            if expected is None and came is None:
                continue
            if expected is None or came is None or not is_round_of(keys.publics, log.origin, came, expected):
                return "its round is not the one of its event"
        return "it has a round without an event" if rounds else ""


def behind(store: Store, table: str = "") -> Iterator[str]:
    """Yield what waits behind the last checkpoint of each table, in words; "" for all tables. Raises StoreError."""
    newest = {each.table: each for each in sorted(store.logs(), key=attrgetter("birth")) if each.size}
    for log in newest.values() if not table else filter(None, [newest.get(table)]):
        waiting = [each for each in store.waiting_rows(log.table) if each.topic == EVENT]
        if not waiting:
            continue
        size = log.size + len({(each.journal, each.seq) for each in waiting})
        is_open = all(_fit(store, store.some_leaves(log.origin, log.size - 1, 1), waiting))
        words = "the open round behind it is" if is_open else "those behind it are"
        other = "" if is_open else ", and of no open round"
        yield f"{log.table}: verified up to entry {log.size} of {size}; {words} not signed yet{other}"


def _fit(store: Store, last: Sequence[Leaf], waiting: Sequence[Row]) -> Iterator[bool]:
    """Yield whether each waiting entry follows from the last verified one, and is of the round that was open there."""
    play, leaf = Play(), last[0]
    stored = store.stored_rows(leaf.table, leaf.journal, max(1, leaf.seq - BEFORE), leaf.seq)
    for _, rows in groupby(stored, attrgetter("seq")):
        if line := _shown(parts_of(rows)):
            play = play.followed(line, [event["type"] for _, event in line.events])
    head = leaf.head
    for seq, ((journal, found), rows) in enumerate(groupby(waiting, attrgetter("journal", "seq")), leaf.seq + 1):
        parts = parts_of(rows)
        line = _shown(parts)
        if (journal, found) != (leaf.journal, seq) or line is None or not follows(head, parts):
            yield False
            return
        yield play.fits(line, [event["type"] for _, event in line.events])
        head = line.head


def _shown(parts: Sequence[Part]) -> ExportLine | None:
    """Return the line of an entry, without its proof; None for parts that make none."""
    try:
        return parse_line(exported(parts[0].head, public_bytes(parts), parts[-1].sealed, NO_PROOF)) if parts else None
    except (Refused, UnknownVersion):
        return None


def rows_of(
    leaves: Sequence[Leaf], read: Callable[[str, str, int, int], Iterable[Row]]
) -> dict[tuple[str, int], list[Row]]:
    """Return the messages of each of these entries of a table, [] where there is none. read: those of some entries."""
    rows: dict[tuple[str, int], list[Row]] = {(each.journal, each.seq): [] for each in leaves}
    for journal in dict.fromkeys(each.journal for each in leaves):
        seqs = [each.seq for each in leaves if each.journal == journal]
        for row in read(leaves[0].table, journal, min(seqs), max(seqs)):
            if (found := rows.get((journal, row.seq))) is not None:
                found.append(row)
    return rows


def parts_of(rows: Iterable[Row]) -> list[Part]:
    """Return the events among the messages of an entry, by `n`; [] where one of them is not as its table sent it."""
    events = sorted((row for row in rows if row.topic == EVENT), key=lambda row: row.n)
    parts = [each for row in events if (each := part(row.body))]
    return parts if len(parts) == len(events) else []


def _before(parts: Sequence[Part]) -> str:
    """Return the head before the first entry of a record."""
    begun = begun_by(parts[-1])
    return begun.follows.head if begun else ""


def _found(log: Log, place: str, text: str) -> Incident:
    return Incident(log.table, "rewritten", place, now(), f"in the store, {text}")
