"""The entries of one table that the back office has in memory, behind the last verified one."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from firmware_bridge.client.chain import Chain, Node, Place, form_of, number
from firmware_bridge.client.entry import Begun, Bounds, Entry, EntryKeys, Tree, begun_in
from firmware_bridge.client.heads import round_of
from firmware_bridge.floor.record.message import EVENT, Row
from firmware_bridge.record.verify import FIRST_HEAD, Checkpoint

WINDOW: Final = 20_000
"""Entries behind the last verified one that are in memory: a record signs each 64th, while it has a key."""

UNROOTED: Final = 64
"""Most entries in memory while no entry of a table is verified."""

JOURNALS: Final = 3
"""Journals behind that of the last verified entry with their first entries in memory."""


class Window(Chain[Row]):
    """The entries of a table in memory; `Waiting` bounds their messages.

    is_behind: whether a message came that is not in memory. A table may have no record, or begin another one with
    another device.
    """

    def __init__(self, root: Node[Row] | None, keys: EntryKeys) -> None:
        super().__init__(root, keys, Bounds())

    def reset(self, root: Node[Row] | None) -> None:
        """Go on from this entry; forget all others."""
        super().reset(root)
        self.is_behind = False

    @property
    def is_stuck(self) -> bool:
        """Whether many entries of a table without a record do not follow from the root."""
        return self.root is not None and not self.root.origin and len(self._entries) > UNROOTED

    def in_window(self, place: Place) -> bool:
        """Return whether an entry is close enough behind the root to be in memory."""
        if self.root is None:
            return True
        if place.journal == self.root.place.journal:
            return place.seq <= self.root.place.seq + WINDOW
        ahead = number(place.journal) - number(self.root.place.journal)
        return place.seq <= WINDOW and ahead <= JOURNALS

    def add(self, message: Row) -> list[Node[Row]]:
        """Add a message; return the entries that follow from known ones now, in order."""
        place = Place(message.journal, message.seq)
        if not self.in_window(place) and not (message.topic == EVENT and begun_in(message.body)):
            self.is_behind = True
            return []
        if self.root is None and place not in self._entries and len(self._entries) >= UNROOTED:
            self._forget(next(iter(self._entries)))
            self.is_behind = True
        return super().add(message)

    def drop(self, row: Row) -> None:
        """Remove a message of an entry that does not follow from the root."""
        place, form = Place(row.journal, row.seq), form_of(row)
        entries = self._entries.get(place, {})
        if (entry := entries.get(form)) and not entry.is_attached and entry.drop(row):
            del entries[form]
            if not entries:
                self._forget(place)

    def adopt(self, place: Place) -> bool:
        """Make a whole entry the root, of no record, with nothing known before it; return whether it could."""
        for entry in self._entries.get(place, {}).values():
            parts = [part for _, each in sorted(entry.parts.items()) if len(each) == 1 for part, _ in each.values()]
            rounds = sum(1 for each in parts if round_of(each) is not None)
            if len(parts) == entry.of and parts[-1].sealed and len(entry.rounds) >= rounds:
                self.reset(Node(place, entry.head))
                return True
        return False

    def is_other_history(
        self, row: Row, signed: Callable[[str], Checkpoint | None], head_at: Callable[[str, int], str]
    ) -> bool:
        """Return whether a message's entry is signed and never follows: its place in the tree is taken, or all is here.

        signed: what a checkpoint says that a key signed which counts. head_at: the head of a verified entry by its
        index in a record, "" for none.
        """
        place, root = Place(row.journal, row.seq), self.root
        entry = self._entries.get(place, {}).get(form_of(row))
        if root is None or entry is None or entry.is_attached:
            return False
        found = (signed(each.note) for each in entry.lasts if each.note)
        if (stated := next((each for each in found if each), None)) is None:
            return False
        if head := head_at(stated.origin, stated.size - 1):
            return head != entry.head
        before = [each.tree for each in self.nodes if (each.origin, each.size + 1) == stated[:2]]
        if before:
            return all(tree.extended(entry.head).stated != stated for tree in before)
        seqs = range(root.place.seq + 1, place.seq + 1)
        return place.journal == root.place.journal and all(self._is_whole(Place(place.journal, seq)) for seq in seqs)

    def last(self, journal: str) -> int:
        """Return the last entry of a journal that alone follows from the root, entry by entry; 0 for none."""
        found = [place.seq for place in self._at if place.journal == journal]
        forks = [place.seq for place, nodes in self._at.items() if place.journal == journal and len(nodes) > 1]
        return min(max(found, default=0), min(forks, default=max(found, default=0) + 1) - 1)

    def _beginnings(self, place: Place, entry: Entry[Row]) -> Iterator[str]:
        """Yield heads that are of nothing known, and from which an entry may follow."""
        yield from (head for head in entry.begins_behind if self.root is None or head == FIRST_HEAD)
        if self.root is None and place.seq == 1:
            yield FIRST_HEAD

    def _is_whole(self, place: Place) -> bool:
        return place in self._at or any(each.is_whole for each in self._entries.get(place, {}).values())


class ChainKeys(NamedTuple):
    """The keys of a table, as they count for its entries; an entry with any checkpoint may follow, and is judged later.

    publics: those that may have signed a round, () for any. stated: what a checkpoint says that a key signed which
    counts.
    """

    publics: tuple[bytes, ...]
    stated: Callable[[str], Checkpoint | None]

    def rank(self, note: str, tree: Tree) -> int:
        """Return how good an entry's checkpoint is: 0 for none, 1 by no known key, 2 of another tree, 3 of this one."""
        stated = self.stated(note) if note else None
        return bool(note) if stated is None else 2 + (stated == tree.stated)

    def takes(self, note: str, tree: Tree, begun: Begun | None) -> bool:
        """Return whether an entry may follow."""
        return True

    def of_rounds(self, origin: str, note: str) -> Sequence[tuple[bytes, ...]]:
        """Return the keys that may have signed a round; an entry without a checkpoint was written without a key."""
        return (self.publics,) if note else (self.publics, ())
