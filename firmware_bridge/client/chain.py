"""Follows the heads of one table's entries from the last verified one, through repeats, gaps and forged branches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Generic, NamedTuple

from firmware_bridge.client.entry import Begun, Bounds, Entry, EntryKeys, M, Made, Message, Tree
from firmware_bridge.client.heads import part
from firmware_bridge.record.verify import SIGNED_KINDS

Form = tuple[bytes, bytes, int]
"""What all messages of an entry have in common: how they begin, its head, and its number of events."""


class Place(NamedTuple):
    """An entry of a table."""

    journal: str
    seq: int


class Node(NamedTuple, Generic[M]):
    """An entry with a head that follows from the node before.

    before: the head of that node. tree: of the record with it. note: its checkpoint, "" without one.
    """

    place: Place
    head: str
    before: str = ""
    tree: Tree = Tree()
    note: str = ""
    kinds: frozenset[str] = frozenset()
    messages: tuple[M, ...] = ()
    begun: Begun | None = None

    @property
    def origin(self) -> str:
        """Its record, "" for none."""
        return self.tree.origin

    @property
    def size(self) -> int:
        """Entries of its record with it."""
        return self.tree.size

    @property
    def needs_note(self) -> bool:
        """Whether an entry of its kinds carries a checkpoint."""
        return not self.kinds.isdisjoint(SIGNED_KINDS)


class Chain(Generic[M]):
    """The entries of a table from the last verified one on, `root`; None where none is known.

    The oldest place of entries that do not follow gives way to a new one; with none, the new one is dropped.
    """

    def __init__(self, root: Node[M] | None, keys: EntryKeys, bounds: Bounds) -> None:
        self.keys, self.bounds = keys, bounds
        self.reset(root)

    def reset(self, root: Node[M] | None) -> None:
        """Go on from this entry; forget all others."""
        self.root = root
        self._nodes: dict[str, Node[M]] = {root.head: root} if root else {}
        self._at: dict[Place, list[Node[M]]] = {root.place: [root]} if root else {}
        self._entries: dict[Place, dict[Form, Entry[M]]] = {}
        self._firsts: set[Place] = set()
        self._loose: dict[Place, None] = {}

    @property
    def nodes(self) -> Iterator[Node[M]]:
        """The root, and all that follows from it, each behind the one before."""
        return iter(self._nodes.values())

    def is_past(self, place: Place) -> bool:
        """Return whether an entry is the root, or before it."""
        if self.root is None:
            return False
        mine, root = number(place.journal), number(self.root.place.journal)
        return mine < root or (place.journal == self.root.place.journal and place.seq <= self.root.place.seq)

    def add(self, message: M) -> list[Node[M]]:
        """Add a message of an entry behind the root; return the entries that follow from known ones now, in order."""
        place = Place(message.journal, message.seq)
        if not self._has_room(place):
            return []
        entries, form = self._entries.setdefault(place, {}), form_of(message)
        if (entry := entries.get(form)) is None:
            if len(entries) >= self.bounds.forms:
                self._give_way(entries)
            entry = entries[form] = Entry(form[1].decode("ascii", "replace"), message.of)
        known = part(message.body) if message.topic == "event" else None
        if not entry.add(message, known, self.bounds.forms):
            return []
        return self._improved(place, entry) if entry.is_attached else self._appended(place, entry)

    def has(self, node: Node[M]) -> bool:
        """Return whether an entry follows from the root."""
        return node.head in self._nodes

    def heads(self, place: Place) -> list[str]:
        """Return the heads of the entries at a place that follow from the root, or are it."""
        return [each.head for each in self._at.get(place, ())]

    def before(self, node: Node[M]) -> Node[M] | None:
        """Return the entry before another, if it is known."""
        return self._nodes.get(node.before)

    def path(self, node: Node[M]) -> list[Node[M]]:
        """Return the entries from behind the root up to this one."""
        found = []
        while node.head != (self.root.head if self.root else ""):
            found.append(node)
            before = self.before(node)
            if before is None:
                break
            node = before
        return found[::-1]

    def advance(self, to: Node[M]) -> list[M]:
        """Make an entry the root; return the messages up to it that are of no entry on the path to it."""
        path = self.path(to)
        kept = {id(message) for node in path for message in node.messages}
        gone = [entry for node in path for entry in self._forget(node.place).values()]
        self.root = to
        later = self._descendants(to)
        self._nodes = {node.head: node for node in later}
        self._at = {}
        for node in later:
            self._at.setdefault(node.place, []).append(node)
        for place in [each for each in self._entries if self.is_past(each)]:
            gone += self._forget(place).values()
        for place, entries in self._entries.items():
            for entry in entries.values():
                entry.is_attached = entry.head in self._nodes
            if place not in self._at:
                self._loose.setdefault(place)
        return [message for entry in gone for message in entry.messages if id(message) not in kept]

    def _has_room(self, place: Place) -> bool:
        """Make a place in memory for an entry; return whether it may be there."""
        if place in self._entries:
            return True
        if len(self._entries) >= self.bounds.places:
            if not self._loose:
                return False
            self._forget(next(iter(self._loose)))
        self._loose[place] = None
        if place.seq == 1:
            self._firsts.add(place)
        return True

    def _give_way(self, entries: dict[Form, Entry[M]]) -> None:
        """Forget an entry of a place: one that does not follow, or else the oldest with all that follow from it."""
        form = next((key for key, each in entries.items() if not each.is_attached), next(iter(entries)))
        gone = entries.pop(form)
        if not gone.is_attached:
            return
        for node in self._descendants(self._nodes[gone.head]):
            del self._nodes[node.head]
            self._at[node.place].remove(node)
            for entry in self._entries.get(node.place, {}).values():
                entry.is_attached = entry.is_attached and entry.head != node.head
            if not self._at[node.place]:
                del self._at[node.place]
                self._loose[node.place] = None

    def _forget(self, place: Place) -> dict[Form, Entry[M]]:
        self._loose.pop(place, None)
        self._firsts.discard(place)
        return self._entries.pop(place, {})

    def _descendants(self, root: Node[M]) -> list[Node[M]]:
        found, known = [root], {root.head}
        for node in self._nodes.values():  # in the order in which they were attached
            if node.before in known and node.head not in known:
                known.add(node.head)
                found.append(node)
        return found

    def _appended(self, place: Place, entry: Entry[M]) -> list[Node[M]]:
        nodes: list[Node[M]] = []
        todo = [(place, entry)]
        while todo:
            place, entry = todo.pop(0)
            if entry.is_attached or (node := self._attached(place, entry)) is None:
                continue
            entry.is_attached = True
            self._nodes[node.head] = node
            self._at.setdefault(place, []).append(node)
            self._loose.pop(place, None)
            nodes.append(node)
            following = Place(place.journal, place.seq + 1)
            todo += [(following, each) for each in self._entries.get(following, {}).values()]
            mine = number(place.journal)
            for other in self._firsts:
                if number(other.journal) > mine:
                    todo += [(other, each) for each in self._entries[other].values()]
        return nodes

    def _improved(self, place: Place, entry: Entry[M]) -> list[Node[M]]:
        """Return an entry that follows already, if other messages of it are better than those before."""
        for at, node in enumerate(self._at.get(place, ())):
            better = self._made(place, entry, node.before, self.before(node)) if node.head == entry.head else None
            if better and better.messages != node.messages and self._rank(better) >= self._rank(node):
                self._nodes[node.head] = self._at[place][at] = better
                return [better]
        return []

    def _rank(self, node: Node[M]) -> int:
        return self.keys.rank(node.note, node.tree)

    def _attached(self, place: Place, entry: Entry[M]) -> Node[M] | None:
        """Return the entry as a node, where its head follows from that of a node, or it begins a record."""
        if place.seq > 1:
            parents = self._at.get(Place(place.journal, place.seq - 1), [])
        else:
            parents = [each for each in self._nodes.values() if number(each.place.journal) < number(place.journal)]
        for parent in parents:
            if node := self._made(place, entry, parent.head, parent):
                return node
        for before in self._beginnings(place, entry):
            if node := self._made(place, entry, before, None):
                return node
        return None

    def _beginnings(self, place: Place, entry: Entry[M]) -> Iterator[str]:
        """Yield the heads of nothing that is known from which an entry may follow."""
        if self.root is None:
            yield from entry.begins_behind

    def _made(self, place: Place, entry: Entry[M], before: str, parent: Node[M] | None) -> Node[M] | None:
        made = entry.made(before, parent.tree if parent else Tree(), self.keys, self.bounds.ways)
        return _node(place, before, made) if made else None


@lru_cache(4096)
def number(journal: str) -> int:
    """Return the number of a journal, by which a table's journals follow each other; -1 for what is none."""
    found = journal.partition("-")[0]
    return int(found) if found.isascii() and found.isdigit() and len(found) < 20 else -1


def form_of(message: Message) -> Form:
    """Return what a message has in common with all of its entry; a `round` message too."""
    at = message.body.find(b',"head":"')
    return message.body[: max(at, 0)], message.body[at + 9 : at + 73], message.of


def _node(place: Place, before: str, made: Made[M]) -> Node[M]:
    kinds = frozenset(each.kind for each in made.parts)
    head = made.parts[0].head
    return Node(place, head, before, made.tree, made.parts[-1].note, kinds, made.messages, made.begun)
