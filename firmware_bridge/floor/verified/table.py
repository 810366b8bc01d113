"""The record of one table at the back office: verifies its entries as they come, and finds what should not be."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Final

import msgspec

from firmware_bridge.client.chain import Node, Place, number
from firmware_bridge.client.entry import Begun, Tree, begun_in
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire_states import Record
from firmware_bridge.floor.record.message import EVENT, Row, now
from firmware_bridge.floor.record.state import Changes, Found, Incident, Leaf, Log, ProvedRound, TrustedKey
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.verified.keys import Keys
from firmware_bridge.floor.verified.rounds import Rounds
from firmware_bridge.floor.verified.waiting import Waiting, pending_key
from firmware_bridge.floor.verified.window import ChainKeys, Window
from firmware_bridge.record.verify import Refused

LOADED: Final = 500
"""Entries of one fetch from the store."""

LOGS: Final = 100
"""Most records of a table that are remembered before one of them is verified."""

LONGEST: Final = 400
"""Longest place of an incident; a longer one is hashed. A text may be twice as long."""

OF_A_KIND: Final = 100
"""Most incidents of a kind that are written one by one in a run, against a sender who makes them without end."""


class TableRecord:
    """One table's record. hide: replaces names in rows that are stored. quota: bytes of messages that wait.

    Messages of a table with an enrolled key wait until a checkpoint verifies them; those of another table are stored
    at once. What came of a batch is in `verified` (rows to store), `chained` (rows that follow from the last verified
    entry, for the count of what is complete) and `changes`.
    """

    def __init__(self, table: str, store: Store, hide: Callable[[Row], Row], quota: int, hours: str | None) -> None:
        self.table, self._store, self._hide, self._quota = table, store, hide, quota
        self.rounds = Rounds(table, store, hours)
        self.incidents = _Incidents(table)
        self.changes = Changes()
        self.verified: list[Row] = []
        self.chained: list[Row] = []
        self._past: list[Row] = []
        self.reload()

    def reload(self) -> None:
        """Read keys and logs from the store again."""
        state = self._store.state_of(self.table)
        self._keys = Keys(state.keys)
        self._logs = {each.origin: each for each in state.logs}
        self.rounds.firsts = set(state.firsts)
        self.chain = Window(self.root(), self._chain_keys())
        self._read_to: Place | None = None
        self._waiting = Waiting(state.pending, self._quota, self._hide, lambda row: self.chain.drop(row))
        self.chain.is_behind = True

    @property
    def is_enrolled(self) -> bool:
        """Whether only what a checkpoint verifies is stored."""
        return self._keys.is_enrolled

    # ------------------------------------------------------------------------------------------------- messages

    def add(self, row: Row) -> None:
        """Handle a message."""
        for found in self.rounds.look(row):
            self.incident(found)
        place = Place(row.journal, row.seq)
        if row.topic == EVENT and (begun := begun_in(row.body)):
            self._begin(row, begun)
        if not self.is_enrolled or self._is_before_all(place):
            self.verified.append(row)
            self.chained.append(row)
            if not self.is_enrolled and not self.chain.is_past(place):
                self._follow(row)
        elif self.chain.is_past(place) or self._is_of_another_record(place):
            self._past.append(row)
        else:
            self._wait(row)
            self._follow(row)

    def heard(self, record: Record) -> None:
        """Compare what a status says of the record with what is known."""
        if record.key is not None and record.origin is not None:
            self._show(record.key, record.origin)

    def load(self) -> bool:
        """Read the next entries from the store, where some are not in memory; return whether to read on."""
        chain = self.chain
        if not chain.is_behind:
            return False
        for log in tuple(self._logs.values()):
            if self._keys.counts(log.vkey) and (chain.root is None or not log.size):
                self._read(log.begun_journal, log.begun_seq, log.begun_seq)
        root = chain.root
        if root is None:
            return False
        at = self._read_to if self._read_to and not chain.is_past(self._read_to) else root.place
        last = self._read(at.journal, at.seq + 1, at.seq + LOADED)
        if last:
            self._read_to = Place(at.journal, last)
            chain.is_behind = chain.in_window(self._read_to)
            return chain.is_behind
        mine = number(at.journal)
        later = {each for each in self._store.journals_from(self.table, mine) if number(each) > mine}
        for each in sorted(later, key=number)[:1]:
            self._read_to = Place(each, 0)
        chain.is_behind = bool(later) and chain.in_window(self._read_to or root.place)
        return chain.is_behind

    def finish(self) -> None:
        """Compare messages of verified entries with what is stored, at the end of a batch."""
        fresh = {row[:5]: row.body for row in self.verified}
        for row in self._past:
            if row[:5] in fresh:
                same = fresh[row[:5]] == row.body
            elif (stored := self._store.stored_bytes(row)) is not None:
                same = (stored[1] or sha256(stored[0]).digest()) == sha256(row.body).digest()
            else:
                same = self._store.is_expired(self.table, row.journal)
            if not same:
                self._waiting.convict(row, self.changes)
                self.clash(row)
        self._past.clear()

    def clash(self, row: Row) -> None:
        """Record that other bytes are stored under the key of a message."""
        place = Place(row.journal, row.seq)
        heads = self._store.heads_of(self.table, *place) or self.chain.heads(place)
        if not heads and (stored := self._store.stored_bytes(row)):
            heads = [_head(stored[0])]
        is_other = bool(heads) and all(each.encode() not in row.body for each in heads if each)
        self.incident(_two_heads(place) if is_other else _foreign(place, "that is stored"))

    def incident(self, found: Found) -> None:
        """Record what should not be, once."""
        self.incidents.add(found, self.changes)

    def stored(self, journal: str, whole: int) -> tuple[Place, str]:
        """Return the entry to name in `stored`, of those complete up to `whole`, and its head; "" if not known."""
        if self.is_enrolled:
            is_past = self.chain.is_past(Place(journal, whole)) or self._is_before_all(Place(journal, whole))
            whole = min(whole, max(self.chain.last(journal), whole if is_past else 0))
        heads = self.chain.heads(Place(journal, whole))
        if len(heads) == 1:
            return Place(journal, whole), heads[0]
        found = self._store.heads_of(self.table, journal, whole) if whole and self._logs else []
        return Place(journal, whole), found[0] if len(found) == 1 else ""

    # ----------------------------------------------------------------------------------------------- verification

    def _follow(self, row: Row) -> None:
        chain, nodes = self.chain, self.chain.add(row)
        for node in filter(chain.has, nodes):
            self._judge(node)
        if not nodes and chain.is_other_history(row, self._keys.stated, self._head_at):
            self.incident(_two_heads(Place(row.journal, row.seq)))
        if not self.is_enrolled and (chain.root is None or chain.is_stuck):
            chain.adopt(Place(row.journal, row.seq))

    def _head_at(self, origin: str, index: int) -> str:
        return next((each.head for each in self._store.some_leaves(origin, index, 1)), "")

    def _judge(self, node: Node[Row]) -> None:
        """Verify an entry that follows from the last verified one, and go on from it where it is verified."""
        if self.is_enrolled:
            self._chain(node)
        if len(self.chain.heads(node.place)) > 1:
            self.incident(_two_heads(node.place))
        if not node.origin:
            if not self.is_enrolled:
                self.chain.advance(node)
            return
        if not node.note:
            if node.needs_note and self.is_enrolled:
                what = f"entry {_name(node.place)} closes or opens something, and carries no checkpoint"
                self.incident(Found("bad_checkpoint", _name(node.place), what))
            return
        try:
            stated, vkey = self._keys.verified(node.note, node.size)
            if stated != node.tree.stated:
                raise Refused(f"it is of another tree than its {node.size} entries here")
            self._verify_begin(path := self.chain.path(node))
        except Refused as error:
            self._refuse(node, str(error))
            return
        self._advance(path, vkey)

    def _chain(self, node: Node[Row]) -> None:
        """Count the messages of an entry that follows as stored, where there is room for them."""
        if self._waiting.chain(node.messages, self.changes):
            self.chained += node.messages
        else:
            what = f"more entries follow than may wait for a checkpoint that verifies; the last: {_name(node.place)}"
            self.incident(Found("flood", f"chain {now()[:13]}", what))

    def _verify_begin(self, path: Iterable[Node[Row]]) -> None:
        """Raise Refused where a record begins a second time."""
        for each in path:
            log = self._logs.get(each.origin)
            if each.begun and log and log.size and (log.begun_journal, log.begun_seq) != each.place:
                raise Refused(f"the record begins again, after {log.size} entries")

    def _advance(self, path: list[Node[Row]], vkey: str) -> None:
        """Go on from the last entry of a path, which this key signed."""
        node = path[-1]
        left = self.chain.advance(node)
        self._read_to = None
        self.changes.leaves += [
            Leaf(each.origin, each.size - 1, self.table, *each.place, each.head) for each in path if each.origin
        ]
        self.changes.proved += [
            ProvedRound(row if row.digest else self._hide(row), each.origin, each.size - 1)
            for each in path
            if each.origin
            for row in each.messages
            if row.topic != EVENT
        ]
        log = self._logs.get(node.origin) or Log(self.table, node.origin, self._births + 1, vkey, *path[0].place)
        is_first = not any(each.size for each in self._logs.values())
        for each in path:
            if each.begun:
                log = log._replace(begun_journal=each.place.journal, begun_seq=each.place.seq)
        self._put_log(log._replace(
            vkey=vkey, size=node.size, edge=b"".join(node.tree.edge), journal=node.place.journal, seq=node.place.seq,
            head=node.head, note=node.note,
        ))  # fmt: skip
        if self.is_enrolled:
            self._settle(path, [*left, *(self._store.waiting_rows(self.table) if is_first else ())])
        for row in (row for each in path if "KeyChanged" in each.kinds for row in each.messages):
            self._rotate(row)

    def _settle(self, path: list[Node[Row]], left: Iterable[Row]) -> None:
        """Store the messages of verified entries, and keep others in their place as evidence."""
        rows = [row for each in path for row in each.messages]
        keys = {pending_key(row) for row in rows}
        for row in rows:
            if self._waiting.is_over(row):
                self.chained.append(row)
            self._waiting.settle(row, self.changes)
        self.verified += rows
        heads = {each.place: each.head for each in path}
        for row in left:
            place = Place(row.journal, row.seq)
            if self._is_before_all(place):
                self._waiting.settle(row, self.changes)
                self.verified.append(row)
                self.chained.append(row)
            elif self.chain.is_past(place) and pending_key(row) not in keys:
                self._waiting.convict(row, self.changes)
                is_other = place in heads and heads[place].encode() not in row.body
                self.incident(_two_heads(place) if is_other else _foreign(place, "in the table's journal"))

    def _refuse(self, node: Node[Row], why: str) -> None:
        """Record a checkpoint that does not verify: by another key, or of another tree."""
        if node.origin not in self._keys.origins:
            return
        if (other := self._keys.stranger(node.note, node.origin)) and node.begun is None:
            what = f"entry {_name(node.place)} is signed by a key of {node.origin} that is not the one that is known"
            self.incident(Found("two_keys", other, what))
        self.incident(Found("bad_checkpoint", _name(node.place), f"the checkpoint of entry {_name(node.place)}: {why}"))

    def _begin(self, row: Row, begun: Begun) -> None:
        """Handle a message that begins a record, wherever it stands."""
        self._show(begun.key, begun.origin)
        counts = self._keys.counts(begun.key)
        if begun.origin not in self._logs and (counts or len(self._logs) < LOGS):
            self._put_log(Log(self.table, begun.origin, self._births + 1, begun.key, row.journal, row.seq))
        root = self.chain.root
        if root is not None and not root.origin and counts:
            self.chain.reset(None)
            self.chain.is_behind = True

    def _show(self, vkey: str, origin: str) -> None:
        """Handle a key that a table shows."""
        match self._keys.shown(self.table, vkey, origin, now()):
            case TrustedKey() as first:
                self.changes.keys.append(first)
            case Found() as found:
                self.incident(found)

    def _rotate(self, row: Row) -> None:
        """Handle a message of a verified entry that changes the key."""
        if row.topic != EVENT or b'"event":{"type":"KeyChanged"' not in row.body:
            return
        with suppress(Undecodable):
            if key := self._keys.changed(self.table, from_json(row.body, _ChangedMessage).event.new, now()):
                self.changes.keys.append(key)
                what = f"the key was changed to one that nobody enrolled: {key.vkey}"
                self.incident(Found("rotation", key.vkey, what))
                self.chain.keys = self._chain_keys()

    def _wait(self, row: Row) -> None:
        if not self._waiting.add(row, self.changes):
            what = "more messages came that no checkpoint verifies than may wait; the oldest were dropped"
            self.incident(Found("foreign", f"quota {now()[:10]}", what))

    def _read(self, journal: str, first: int, last: int) -> int:
        """Add entries from the store; return the last of them, 0 for none."""
        rows = self._store.rows_behind(self.table, journal, first, last)
        for row in rows:
            if row.digest is None:  # without the names it had, its head cannot be checked
                for node in self.chain.add(row):
                    if self.chain.has(node):
                        self._judge(node)
        return rows[-1].seq if rows else 0

    def _is_before_all(self, place: Place) -> bool:
        """Return whether an entry is older than the first record of the table: no checkpoint can verify it."""
        verified = [each for each in self._logs.values() if each.size]
        if not verified:
            return False
        first = min(verified, key=lambda each: each.birth)
        if place.journal == first.begun_journal:
            return place.seq < first.begun_seq
        return number(place.journal) < number(first.begun_journal)

    def _is_of_another_record(self, place: Place) -> bool:
        """Return whether an entry is of a verified record that is not the newest one."""
        is_second = sum(1 for each in self._logs.values() if each.size) > 1
        return is_second and bool(self._store.heads_of(self.table, *place))

    def root(self) -> Node[Row] | None:
        """Return the last verified entry of the newest record with a key that counts."""
        for log in sorted(self._logs.values(), key=lambda each: -each.birth):
            if log.size and self._keys.counts(log.vkey):
                return Node(Place(log.journal, log.seq), log.head, "", Tree(log.origin, log.size, log.hashes), log.note)
        return None

    def _chain_keys(self) -> ChainKeys:
        return ChainKeys(self._keys.publics if self.is_enrolled else (), self._keys.stated)

    @property
    def _births(self) -> int:
        return max((each.birth for each in self._logs.values()), default=0)

    def _put_log(self, log: Log) -> None:
        self._logs[log.origin] = self.changes.logs[(log.table, log.origin)] = log


class _Changed(msgspec.Struct, frozen=True):
    new: str


class _ChangedMessage(msgspec.Struct, frozen=True):
    event: _Changed


def _head(body: bytes) -> str:
    at = body.find(b',"head":"')
    return body[at + 9 : at + 73].decode("ascii", "replace") if at > 0 else ""


class _Incidents:
    """The incidents of a table, for `changes` of the batch."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._counts = Counter[str]()

    def add(self, found: Found, changes: Changes) -> None:
        """Record what should not be."""
        place = escaped(found.place)
        if len(place) > LONGEST:
            place = sha256(place.encode()).hexdigest()
        made = Incident(self._table, found.kind, place, now(), escaped(found.text)[: 2 * LONGEST])
        if made[:3] in changes.incidents:
            return
        self._counts[found.kind] += 1
        if self._counts[found.kind] > OF_A_KIND:
            made = made._replace(
                place=f"more {made.at[:10]}", text=f"more than {OF_A_KIND} of this kind; the last: {made.text}"
            )
        changes.incidents.setdefault(made[:3], made)


def _name(place: Place) -> str:
    """Return an entry as people read it."""
    return f"{place.journal}:{place.seq}"


def _two_heads(place: Place) -> Found:
    """Return an entry that came with two heads."""
    return Found("two_heads", _name(place), f"entry {_name(place)} came with two heads")


def _foreign(place: Place, where: str) -> Found:
    """Return a message that is not of the entry in its place. where: where that entry is."""
    return Found("foreign", _name(place), f"a message of entry {_name(place)} is not the one {where}")
