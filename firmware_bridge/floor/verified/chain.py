"""Follows the heads of one table's entries from the last verified one, through repeats, gaps and forged branches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Annotated, Final, NamedTuple

import msgspec

from firmware_bridge.client.heads import Part, follows, is_round_of, part, round_of
from firmware_bridge.floor.record.message import EVENT, Row
from firmware_bridge.record.verify import FIRST_HEAD, SIGNED_KINDS, grow, leaf_hash, root_of

WINDOW: Final = 20_000
"""Entries behind the last verified one that are in memory: a record signs each 64th, while it has a key."""

UNROOTED: Final = 64
"""Most entries in memory while no entry of a table is verified."""

LONGEST_ORIGIN: Final = 200

JOURNALS: Final = 3
"""Journals behind that of the last verified entry with their first entries in memory."""

TRIES: Final = 4096
"""Most ways to put an entry together from messages with the same key and other bytes."""

_BEGUN: Final = b'{"type":"RecordBegun",'


class _Before(msgspec.Struct, frozen=True):
    """What a record goes on from."""

    head: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Begun(msgspec.Struct, frozen=True):
    """The event that begins a record, as far as it is read."""

    origin: Annotated[str, msgspec.Meta(max_length=LONGEST_ORIGIN)]
    key: Annotated[str, msgspec.Meta(max_length=2 * LONGEST_ORIGIN)]
    follows: _Before


class Place(NamedTuple):
    """An entry of a table."""

    journal: str
    seq: int


class Node(NamedTuple):
    """An entry with a head that follows from the node before.

    size, edge: of the record's tree with it; origin "": no record.

    note: its checkpoint, "" without one. before: the head of the node before; rows: its messages.
    """

    place: Place
    head: str
    before: str
    origin: str
    size: int
    edge: tuple[bytes, ...]
    note: str = ""
    kinds: frozenset[str] = frozenset()
    rows: tuple[Row, ...] = ()
    begun: Begun | None = None

    @property
    def root(self) -> bytes:
        """The root of the tree with it."""
        return root_of(self.edge)

    @property
    def needs_note(self) -> bool:
        """Whether an entry of its kinds carries a checkpoint."""
        return not self.kinds.isdisjoint(SIGNED_KINDS)


class _Entry:
    """Messages with one beginning and head: those of an entry, some perhaps forged."""

    def __init__(self, of: int) -> None:
        self.of = of
        self.parts: dict[int, list[tuple[Part, Row]]] = {}
        self.rounds: dict[int, list[Row]] = {}
        self.is_attached = False

    def add(self, row: Row, known: Part | None) -> bool:
        """Add a message; whether it is new."""
        if known is None:
            rounds = self.rounds.setdefault(row.n, [])
            if any(each.body == row.body for each in rounds):
                return False
            rounds.append(row)
            return True
        parts = self.parts.setdefault(row.n, [])
        if any(each.body == row.body for _, each in parts):
            return False
        parts.append((known, row))
        return True

    def drop(self, row: Row) -> bool:
        """Remove a message; whether none is left."""
        if row.topic == EVENT:
            self.parts[row.n] = [each for each in self.parts.get(row.n, ()) if each[1].body != row.body]
        else:
            self.rounds[row.n] = [each for each in self.rounds.get(row.n, ()) if each.body != row.body]
        return not any(self.parts.values()) and not any(self.rounds.values())

    @property
    def rows(self) -> Iterator[Row]:
        """All its messages."""
        for parts in self.parts.values():
            yield from (row for _, row in parts)
        for rounds in self.rounds.values():
            yield from rounds

    def made(self, before: str, keys: ChainKeys, origin: str) -> tuple[list[Part], list[Row]] | None:
        """Its parts and rows, events and rounds in order, if it is whole and follows a head; the best of each."""
        if len(self.parts) != self.of:
            return None
        choices = [self.parts.get(n, []) for n in range(1, self.of + 1)]
        if any(len(each) > 1 for each in choices):
            choices = [sorted(each, key=lambda found: keys.rank(found[0].note), reverse=True) for each in choices]
        for way in islice(product(*choices), TRIES):
            parts = [each for each, _ in way]
            if follows(before, parts) and (rows := self._with_rounds(way, keys, _origin_of(parts) or origin)):
                return parts, rows
        return None

    def _with_rounds(self, way: Sequence[tuple[Part, Row]], keys: ChainKeys, origin: str) -> list[Row] | None:
        """The rows of an entry with those of its rounds; None if a round is missing, or signed by no key that counts.

        An entry without a checkpoint was written without a key, and so were its rounds.
        """
        rows, needs_key = [], bool(way[-1][0].note)
        for each, row in way:
            rows.append(row)
            if (expected := round_of(each)) is not None:
                came = self.rounds.get(each.n, ())
                found = next((r for r in came if is_round_of(keys.publics, origin, r.body, expected)), None)
                if found is None and not needs_key:
                    found = next((r for r in came if is_round_of((), origin, r.body, expected)), None)
                if found is None:
                    return None
                rows.append(found)
        return rows


class ChainKeys(NamedTuple):
    """The keys of a table.

    publics: those that may have signed a round, () for any. is_signed: whether a key that counts signed a checkpoint.
    """

    publics: tuple[bytes, ...] = ()
    is_signed: Callable[[str], bool] = bool

    def rank(self, note: str) -> tuple[bool, bool]:
        """Sorts checkpoints of one entry, the best one last."""
        return bool(note) and self.is_signed(note), bool(note)


ANY_KEY: Final = ChainKeys()


class Chain:
    """The entries of a table from the last verified one on, `root`; None where none is known."""

    def __init__(self, root: Node | None = None, keys: ChainKeys = ANY_KEY) -> None:
        self.keys = keys
        self.reset(root)

    def reset(self, root: Node | None) -> None:
        """Go on from this entry; forgets all others."""
        self.root = root
        self._nodes: dict[str, Node] = {root.head: root} if root else {}
        self._at: dict[Place, list[Node]] = {root.place: [root]} if root else {}
        self._entries: dict[Place, dict[bytes, _Entry]] = {}
        self._firsts: set[Place] = set()
        self.is_behind = False
        """Whether a message came that is not in memory."""

    @property
    def is_stuck(self) -> bool:
        """Whether many entries of a table without a record do not follow from the root."""
        return self.root is not None and not self.root.origin and len(self._entries) > UNROOTED

    def is_past(self, place: Place) -> bool:
        """Whether an entry is the root, or before it."""
        if self.root is None:
            return False
        mine, root = number(place.journal), number(self.root.place.journal)
        return mine < root or (place.journal == self.root.place.journal and place.seq <= self.root.place.seq)

    def in_window(self, place: Place) -> bool:
        """Whether an entry is close enough behind the root to be in memory."""
        if self.root is None:
            return True
        if place.journal == self.root.place.journal:
            return place.seq <= self.root.place.seq + WINDOW
        ahead = number(place.journal) - number(self.root.place.journal)
        return place.seq <= WINDOW and ahead <= JOURNALS

    def add(self, row: Row) -> list[Node]:
        """Add a message; returns the entries that follow from known ones now, in order."""
        known, place = part(row.body) if row.topic == EVENT else None, Place(row.journal, row.seq)
        begins = known is not None and known.raw.startswith(_BEGUN)
        if not begins and not self.in_window(place):
            self.is_behind = True
            return []
        start = _start(row)
        entries = self._entries.setdefault(place, {})
        if place.seq == 1:
            self._firsts.add(place)
        if self.root is None and len(self._entries) > UNROOTED:
            self._forget(next(iter(self._entries)))
            self.is_behind = True
        entry = entries.get(start)
        if entry is None:
            entry = entries[start] = _Entry(row.of)
        if not entry.add(row, known):
            return []
        return self._improved(place, entry) if entry.is_attached else self._appended(place, entry)

    def drop(self, row: Row) -> None:
        """Remove a message of an entry that does not follow from the root."""
        place, start = Place(row.journal, row.seq), _start(row)
        entries = self._entries.get(place, {})
        if (entry := entries.get(start)) and not entry.is_attached and entry.drop(row):
            del entries[start]
            if not entries:
                self._forget(place)

    def has(self, node: Node) -> bool:
        """Whether an entry follows from the root."""
        return node.head in self._nodes

    def adopt(self, place: Place) -> bool:
        """Make a whole entry the root, of which nothing before is known and that is of no record; whether it could."""
        for entry in self._entries.get(place, {}).values():
            parts = [each[0][0] for n, each in sorted(entry.parts.items()) if len(each) == 1]
            rounds = sum(1 for each in parts if round_of(each) is not None)
            if len(parts) == entry.of and parts[-1].sealed and len(entry.rounds) >= rounds:
                self.reset(Node(place, parts[0].head, "", "", 0, ()))
                return True
        return False

    def heads(self, place: Place) -> list[str]:
        """The heads of the entries at a place that follow from the root, or are it."""
        return [each.head for each in self._at.get(place, ())]

    def path(self, node: Node) -> list[Node]:
        """The entries from behind the root up to this one."""
        found = []
        while node.head != (self.root.head if self.root else ""):
            found.append(node)
            before = self._nodes.get(node.before)
            if before is None:
                break
            node = before
        return found[::-1]

    def advance(self, to: Node) -> list[Row]:
        """Make an entry the root; returns the messages up to it that are of no entry on the path to it."""
        path = self.path(to)
        kept = {id(row) for node in path for row in node.rows}
        left = []
        for node in path:
            for entry in self._forget(node.place).values():
                left += [row for row in entry.rows if id(row) not in kept]
        self.root = to
        later = self._descendants(to)
        self._nodes = {node.head: node for node in later}
        self._at = {}
        for node in later:
            self._at.setdefault(node.place, []).append(node)
        for place in [each for each in self._entries if self.is_past(each)]:
            for entry in self._forget(place).values():
                left += list(entry.rows)
        heads = self._nodes.keys()
        for entries in self._entries.values():
            for start, entry in entries.items():
                entry.is_attached = start[-64:].decode() in heads
        return left

    def last(self, journal: str) -> int:
        """The last entry of a journal that alone follows from the root, entry by entry; 0 for none."""
        found = [place.seq for place in self._at if place.journal == journal]
        forks = [place.seq for place, nodes in self._at.items() if place.journal == journal and len(nodes) > 1]
        return min(max(found, default=0), min(forks, default=max(found, default=0) + 1) - 1)

    def _forget(self, place: Place) -> dict[bytes, _Entry]:
        self._firsts.discard(place)
        return self._entries.pop(place, {})

    def _descendants(self, root: Node) -> list[Node]:
        found, known = [root], {root.head}
        for node in self._nodes.values():  # in the order in which they were attached
            if node.before in known and node.head not in known:
                known.add(node.head)
                found.append(node)
        return found

    def _appended(self, place: Place, entry: _Entry) -> list[Node]:
        nodes: list[Node] = []
        todo = [(place, entry)]
        while todo:
            place, entry = todo.pop(0)
            if entry.is_attached or (node := self._attached(place, entry)) is None:
                continue
            entry.is_attached = True
            self._nodes[node.head] = node
            self._at.setdefault(place, []).append(node)
            nodes.append(node)
            following = Place(place.journal, place.seq + 1)
            todo += [(following, each) for each in self._entries.get(following, {}).values()]
            mine = number(place.journal)
            for other in self._firsts:
                if number(other.journal) > mine:
                    todo += [(other, each) for each in self._entries[other].values()]
        return nodes

    def _improved(self, place: Place, entry: _Entry) -> list[Node]:
        """An entry that follows already, if other messages of it are better than those before."""
        for at, node in enumerate(self._at.get(place, ())):
            before = self._nodes.get(node.before)
            found = entry.made(node.before, self.keys, before.origin if before else "")
            if found and tuple(found[1]) != node.rows and found[0][0].head == node.head:
                better = node._replace(note=found[0][-1].note, rows=tuple(found[1]))
                self._nodes[node.head] = self._at[place][at] = better
                return [better]
        return []

    def _attached(self, place: Place, entry: _Entry) -> Node | None:
        """The entry as a node, where its head follows from that of a node, or it begins a record."""
        if place.seq > 1:
            parents: Sequence[Node] = self._at.get(Place(place.journal, place.seq - 1), ())
        else:
            parents = [each for each in self._nodes.values() if number(each.place.journal) < number(place.journal)]
        for parent in parents:
            if found := entry.made(parent.head, self.keys, parent.origin):
                return _node(place, parent.head, *found, parent)
        begun = _begun_in(entry)
        if begun and (self.root is None or begun.follows.head == FIRST_HEAD):
            if found := entry.made(begun.follows.head, self.keys, begun.origin):
                return _node(place, begun.follows.head, *found, None)
            return None
        if self.root is None and place.seq == 1 and (found := entry.made(FIRST_HEAD, self.keys, "")):
            return _node(place, FIRST_HEAD, *found, None)
        return None


def number(journal: str) -> int:
    """The number of a journal; a table's journals count upwards."""
    return int(journal.partition("-")[0])


def _node(place: Place, before: str, parts: list[Part], rows: list[Row], parent: Node | None) -> Node:
    origin, size, edge = (parent.origin, parent.size, list(parent.edge)) if parent else ("", 0, list[bytes]())
    begun = _begun(parts[-1])
    if begun:
        origin, size, edge = begun.origin, 0, []
    head = parts[0].head
    if origin:
        grow(edge, size, leaf_hash(bytes.fromhex(head)))
        size += 1
    kinds = frozenset(each.kind for each in parts)
    return Node(place, head, before, origin, size, tuple(edge), parts[-1].note, kinds, tuple(rows), begun)


def _begun(last: Part) -> Begun | None:
    if not last.raw.startswith(_BEGUN):
        return None
    try:
        return msgspec.json.decode(last.raw, type=Begun)
    except msgspec.MsgspecError:
        return None


def _begun_in(entry: _Entry) -> Begun | None:
    return next((found for each, _ in entry.parts.get(entry.of, ()) if (found := _begun(each))), None)


def _origin_of(parts: Sequence[Part]) -> str:
    found = _begun(parts[-1])
    return found.origin if found else ""


def _start(row: Row) -> bytes:
    """What all messages of an entry begin with, and its head; of a `round` message too."""
    at = row.body.find(b',"head":"')
    return row.body[: max(at, 0)] + row.body[at + 9 : at + 73]
