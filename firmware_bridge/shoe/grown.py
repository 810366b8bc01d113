"""A sequence that grows at its end and never changes: one item more costs the same, however many there are."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import eq
from typing import Any, Generic, TypeVar, overload

Item = TypeVar("Item")


class Grown(Sequence[Item]):
    """The items of a shoe so far, as a value: `plus` gives another one, and this one stays as it is.

    Values that grew from one another share one list, of which each sees only its own items; where two go on
    differently the later one copies it. Items are counted, and looked for, by an index of the list.
    """

    __slots__ = ("_length", "_shared")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._shared = _Shared(list(items))
        self._length = len(self._shared.items)

    def plus(self, *items: Item) -> Grown[Item]:
        """These items, and those behind them."""
        grown = Grown.__new__(Grown)
        shared, length = self._shared, self._length
        for item in items:
            if length == len(shared.items):
                shared.items.append(item)
            elif shared.items[length] != item:
                shared = _Shared([*shared.items[:length], item])
            length += 1
        grown._shared, grown._length = shared, length
        return grown

    def begins_with(self, other: Grown[Item]) -> bool:
        """Whether this is known to have grown from `other`: no item is looked at."""
        return self._shared is other._shared and other._length <= self._length

    def counts(self) -> Counter[Item]:
        """How often each item is there, in the order of their first times. The items must be hashable."""
        return Counter({item: count for item in self._shared.places() if (count := self.count(item))})

    def count(self, value: Any) -> int:
        """How often an item is there; it must be hashable."""
        return bisect_left(self._shared.places().get(value, ()), self._length)

    def __contains__(self, value: object) -> bool:
        return self.count(value) > 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Item]:
        return islice(self._shared.items, self._length)

    @overload
    def __getitem__(self, at: int) -> Item: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Item, ...]: ...

    def __getitem__(self, at: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(at, slice):
            return tuple([self._shared.items[n] for n in range(*at.indices(self._length))])
        return self._shared.items[range(self._length)[at]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Grown, tuple)):
            return NotImplemented
        if len(other) != self._length:
            return False
        is_one = isinstance(other, Grown) and other._shared is self._shared
        return is_one or all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class _Shared(Generic[Item]):
    """A list that only grows, and where in it each item is."""

    __slots__ = ("_indexed", "_places", "items")

    def __init__(self, items: list[Item]) -> None:
        self.items = items
        self._places: dict[Item, list[int]] = {}
        self._indexed = 0

    def places(self) -> dict[Item, list[int]]:
        """Item -> its places, in order."""
        for item in self.items[self._indexed :]:
            self._places.setdefault(item, []).append(self._indexed)
            self._indexed += 1
        return self._places
