"""Follows the heads of one table's entries from the last verified one, through repeats, gaps and forged branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from firmware_bridge.client.heads import Part, part, round_of
from firmware_bridge.floor.record.message import EVENT, Row
from firmware_bridge.floor.verified.entry import ANY_KEY, BEGUN, Begun, ChainKeys, Entry, begun_by, begun_in
from firmware_bridge.record.verify import FIRST_HEAD, SIGNED_KINDS, Checkpoint, grow, leaf_hash, root_of

WINDOW: Final = 20_000
"""Entries behind the last verified one that are in memory: a record signs each 64th, while it has a key."""

UNROOTED: Final = 64
"""Most entries in memory while no entry of a table is verified."""

JOURNALS: Final = 3
"""Journals behind that of the last verified entry with their first entries in memory."""


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

    def root_with(self, head: str) -> bytes:
        """The root of the tree with one more entry."""
        edge = list(self.edge)
        grow(edge, self.size, leaf_hash(bytes.fromhex(head)))
        return root_of(edge)

    @property
    def needs_note(self) -> bool:
        """Whether an entry of its kinds carries a checkpoint."""
        return not self.kinds.isdisjoint(SIGNED_KINDS)


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
        self._entries: dict[Place, dict[bytes, Entry]] = {}
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
        begins = known is not None and known.raw.startswith(BEGUN)
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
            entry = entries[start] = Entry(row.of)
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

    def is_other_history(
        self, row: Row, signed: Callable[[str], Checkpoint | None], head_at: Callable[[str, int], str]
    ) -> bool:
        """Whether the entry of a message is signed, and never follows: its place in the tree is taken, or all is here.

        signed: what a checkpoint says that a key signed which counts. head_at: the head of a verified entry by its
        index in a record, "" for none.
        """
        place, root = Place(row.journal, row.seq), self.root
        entry = self._entries.get(place, {}).get(_start(row))
        if root is None or entry is None or entry.is_attached or entry.signed is None:
            return False
        last = entry.signed
        if (stated := signed(last.note)) is None:
            return False
        if head := head_at(stated.origin, stated.size - 1):
            return head != last.head
        size = (stated.origin, stated.size - 1)
        if before := [each for each in self._nodes.values() if (each.origin, each.size) == size]:
            return all(each.root_with(last.head) != stated.root for each in before)
        seqs = range(root.place.seq + 1, place.seq + 1)
        return place.journal == root.place.journal and all(self._is_whole(Place(place.journal, seq)) for seq in seqs)

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

    def _is_whole(self, place: Place) -> bool:
        return place in self._at or any(each.is_whole for each in self._entries.get(place, {}).values())

    def _forget(self, place: Place) -> dict[bytes, Entry]:
        self._firsts.discard(place)
        return self._entries.pop(place, {})

    def _descendants(self, root: Node) -> list[Node]:
        found, known = [root], {root.head}
        for node in self._nodes.values():  # in the order in which they were attached
            if node.before in known and node.head not in known:
                known.add(node.head)
                found.append(node)
        return found

    def _appended(self, place: Place, entry: Entry) -> list[Node]:
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

    def _improved(self, place: Place, entry: Entry) -> list[Node]:
        """An entry that follows already, if other messages of it are better than those before."""
        for at, node in enumerate(self._at.get(place, ())):
            before = self._nodes.get(node.before)
            found = entry.made(node.before, self.keys, before.origin if before else "")
            if found and tuple(found[1]) != node.rows and found[0][0].head == node.head:
                better = node._replace(note=found[0][-1].note, rows=tuple(found[1]))
                self._nodes[node.head] = self._at[place][at] = better
                return [better]
        return []

    def _attached(self, place: Place, entry: Entry) -> Node | None:
        """The entry as a node, where its head follows from that of a node, or it begins a record."""
        if place.seq > 1:
            parents: Sequence[Node] = self._at.get(Place(place.journal, place.seq - 1), ())
        else:
            parents = [each for each in self._nodes.values() if number(each.place.journal) < number(place.journal)]
        for parent in parents:
            if found := entry.made(parent.head, self.keys, parent.origin):
                return _node(place, parent.head, *found, parent)
        begun = begun_in(entry)
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
    begun = begun_by(parts[-1])
    if begun:
        origin, size, edge = begun.origin, 0, []
    head = parts[0].head
    if origin:
        grow(edge, size, leaf_hash(bytes.fromhex(head)))
        size += 1
    kinds = frozenset(each.kind for each in parts)
    return Node(place, head, before, origin, size, tuple(edge), parts[-1].note, kinds, tuple(rows), begun)


def _start(row: Row) -> bytes:
    """What all messages of an entry begin with, and its head; of a `round` message too."""
    at = row.body.find(b',"head":"')
    return row.body[: max(at, 0)] + row.body[at + 9 : at + 73]
