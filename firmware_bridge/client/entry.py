"""One entry of a table, put together from its messages, some of which may be forged."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Annotated, Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from firmware_bridge.client.heads import Part, follows, is_round_of, part, round_of
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.record.verify import ROUND_KINDS, Checkpoint, grow, leaf_hash, root_of

LONGEST_ORIGIN: Final = 200

_BEGUN: Final = b'{"type":"RecordBegun",'


class Message(Protocol):
    """A message `n` of the `of` of an entry, which is `seq` of its journal. body: the bytes as they came."""

    @property
    def topic(self) -> str:
        """`event` or `round`."""

    @property
    def journal(self) -> str: ...
    @property
    def seq(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def of(self) -> int: ...
    @property
    def body(self) -> bytes: ...


M = TypeVar("M", bound=Message)
_T = TypeVar("_T")


class _Before(msgspec.Struct, frozen=True):
    """What a record goes on from."""

    head: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Begun(msgspec.Struct, frozen=True):
    """The event that begins a record, as far as it is read."""

    origin: Annotated[str, msgspec.Meta(max_length=LONGEST_ORIGIN)]
    key: Annotated[str, msgspec.Meta(max_length=2 * LONGEST_ORIGIN)]
    follows: _Before


class Tree(NamedTuple):
    """The tree of a record with some of its entries. origin "": no record."""

    origin: str = ""
    size: int = 0
    edge: tuple[bytes, ...] = ()

    @property
    def stated(self) -> Checkpoint:
        """What its checkpoint says."""
        return Checkpoint(self.origin, self.size, root_of(self.edge))

    def extended(self, head: str) -> Tree:
        """Return the tree with one more entry."""
        if not self.origin:
            return self
        edge = list(self.edge)
        grow(edge, self.size, leaf_hash(bytes.fromhex(head)))
        return Tree(self.origin, self.size + 1, tuple(edge))


class EntryKeys(Protocol):
    """What the keys of a table say of an entry. note: its checkpoint, "" for none. tree: with it."""

    def rank(self, note: str, tree: Tree) -> int:
        """Return how good its checkpoint is; the best one is the highest."""

    def takes(self, note: str, tree: Tree, begun: Begun | None) -> bool:
        """Return whether it may follow. begun: the record that it begins."""

    def of_rounds(self, origin: str, note: str) -> Sequence[tuple[bytes, ...]]:
        """Return the public keys that may have signed its rounds, () for any; those that are preferred come first."""


class Bounds(NamedTuple):
    """How much of a table may be in memory, and how long an entry is tried.

    places: of entries. forms: entries of one place, and forms of one message. ways: to put an entry together from
    messages in several forms.
    """

    places: int = sys.maxsize
    forms: int = sys.maxsize
    ways: int = 4096


class Made(NamedTuple, Generic[M]):
    """An entry that follows. parts: by `n`; messages: events and rounds in order; tree: with it."""

    parts: tuple[Part, ...]
    messages: tuple[M, ...]
    tree: Tree
    begun: Begun | None


class Entry(Generic[M]):
    """Messages with one beginning, head and number: those of an entry, some perhaps forged.

    parts, rounds: `n` -> the forms in which it came, by their bytes, the newest one last.
    """

    def __init__(self, head: str, of: int) -> None:
        self.head, self.of = head, of
        self.parts: dict[int, dict[bytes, tuple[Part, M]]] = {}
        self.rounds: dict[int, dict[bytes, M]] = {}
        self.is_attached = False

    def add(self, message: M, known: Part | None, forms: int) -> bool:
        """Add a message; return whether it is new, or again the newest. forms: beyond so many the oldest gives way."""
        if known is None:
            return _put(self.rounds.setdefault(message.n, {}), message.body, message, forms)
        return _put(self.parts.setdefault(message.n, {}), message.body, (known, message), forms)

    def drop(self, message: M) -> bool:
        """Remove a message; return whether none is left."""
        self.parts.get(message.n, {}).pop(message.body, None)
        self.rounds.get(message.n, {}).pop(message.body, None)
        return not any(self.parts.values()) and not any(self.rounds.values())

    @property
    def messages(self) -> Iterator[M]:
        """All its messages."""
        for parts in self.parts.values():
            yield from (message for _, message in parts.values())
        for rounds in self.rounds.values():
            yield from rounds.values()

    @property
    def is_whole(self) -> bool:
        """Whether all its messages are here, each in one form at least."""
        events = [next(iter(each.values()))[0] for each in self.parts.values() if each]
        return len(events) == self.of and all(self.rounds.get(each.n) for each in events if each.kind in ROUND_KINDS)

    @property
    def lasts(self) -> list[Part]:
        """Its last message, in each form."""
        return [each for each, _ in self.parts.get(self.of, {}).values()]

    @property
    def begins_behind(self) -> Iterator[str]:
        """The heads behind which it says that it begins a record, in each form."""
        return (begun.follows.head for each in self.lasts if (begun := begun_by(each)))

    def made(self, before: str, after: Tree, keys: EntryKeys, ways: int) -> Made[M] | None:
        """Return the entry by the best of its messages, if it is whole and follows a head. after: tree before it."""
        if len(self.parts) < self.of or self._lacks_round:
            return None
        choices = [[*self.parts.get(n, {}).values()][::-1] for n in range(1, self.of + 1)]
        if len(choices[-1]) > 1:
            choices[-1].reverse()
            choices[-1].sort(key=lambda form: -keys.rank(form[0].note, self._tree(begun_by(form[0]), after)))
        for way in islice(product(*choices), ways):
            parts = tuple([each for each, _ in way])
            if follows(before, parts):
                note, begun = parts[-1].note, begun_by(parts[-1])
                tree = self._tree(begun, after)
                messages = self._with_rounds(way, keys.of_rounds(tree.origin, note), tree.origin)
                if messages and keys.takes(note, tree, begun):
                    return Made(parts, messages, tree, begun)
        return None

    @property
    def _lacks_round(self) -> bool:
        """Whether a round is missing, in whatever form its event came."""
        for n, forms in self.parts.items():
            if forms and not self.rounds.get(n) and all(each.kind in ROUND_KINDS for each, _ in forms.values()):
                return True
        return False

    def _tree(self, begun: Begun | None, after: Tree) -> Tree:
        return (Tree(begun.origin) if begun else after).extended(self.head)

    def _with_rounds(
        self, way: Sequence[tuple[Part, M]], keys: Sequence[tuple[bytes, ...]], origin: str
    ) -> tuple[M, ...]:
        """Return the messages of an entry with its rounds; () if a round is missing, or signed by none of the keys."""
        found = list[M]()
        for each, message in way:
            found.append(message)
            if (expected := round_of(each)) is not None:
                came = self.rounds.get(each.n, {})
                good = (came[raw] for some in keys for raw in came if is_round_of(some, origin, raw, expected))
                if (own := next(good, None)) is None:
                    return ()
                found.append(own)
        return tuple(found)


def begun_by(last: Part) -> Begun | None:
    """Return the event in the last message of an entry, if it begins a record."""
    if not last.raw.startswith(_BEGUN):
        return None
    try:
        return from_json(last.raw, Begun)
    except Undecodable:
        return None


def begun_in(body: bytes) -> Begun | None:
    """Return the event in a message of the topic `event`, if it begins a record."""
    found = part(body) if _BEGUN in body else None
    return begun_by(found) if found else None


def _put(kept: dict[bytes, _T], body: bytes, new: _T, forms: int) -> bool:
    if kept and next(reversed(kept)) == body:
        return False
    kept[body] = kept.pop(body, new)
    if len(kept) > forms:
        del kept[next(iter(kept))]
    return True
