"""Roots and proofs of a log, made from the leaves that a store has (RFC 9162, 2.1.3 and 2.1.4)."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from firmware_bridge.record.verify import EMPTY_ROOT, grow, node_hash, root_of

KEPT_LEAVES: Final = 256
"""Leaves of the smallest subtree that is kept by its hash, a power of two; smaller ones are read again."""

MOST_KEPT: Final = 200_000
"""Most hashes that are kept in memory, 30 MB; all are forgotten when there are more."""


class Leaves(Protocol):
    """What a store knows of logs: all leaves from the first one on that verified checkpoints cover."""

    def size(self, origin: str) -> int:
        """Return the number of leaves of a log that are there without a gap; 0 for an unknown log."""

    def leaves(self, origin: str, first: int, end: int) -> Sequence[bytes]:
        """Return the leaf hashes of a log, from index `first` up to but without `end`; all of them are below `size`."""


class Proofs:
    """Makes roots and proofs, and keeps hashes of whole subtrees, which never change."""

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves
        self._kept: dict[tuple[str, int, int], bytes] = {}

    def root(self, origin: str, size: int) -> bytes:
        """Return the root of the first `size` entries, which the store must have."""
        return self._hash(origin, 0, size) if size else EMPTY_ROOT

    def consistency(self, origin: str, old: int, size: int) -> list[bytes]:
        """Return the proof that the tree of `size` begins with that of `old` entries; empty for none or all of them."""
        if not 0 < old < size:
            return []
        return _subproof(old, 0, size, True, lambda first, end: self._hash(origin, first, end))

    def inclusion(self, origin: str, index: int, size: int) -> list[bytes]:
        """Return the proof that the tree of `size` has this entry, counted from 0 and below `size`."""
        path, first, end = list[bytes](), 0, size
        while end - first > 1:
            middle = first + _split(end - first)
            if index < middle:
                path.append(self._hash(origin, middle, end))
                end = middle
            else:
                path.append(self._hash(origin, first, middle))
                first = middle
        return path[::-1]

    def _hash(self, origin: str, first: int, end: int) -> bytes:
        """Return the hash over the leaves from `first` to `end`; `first` is where a subtree of that size begins."""
        count = end - first
        if count <= KEPT_LEAVES and count & (count - 1):
            return self._read(origin, first, end)
        if count & (count - 1):
            half = _split(count)
            return node_hash(self._hash(origin, first, first + half), self._hash(origin, first + half, end))
        key = (origin, first, end)
        if (found := self._kept.get(key)) is not None:
            return found
        if count <= KEPT_LEAVES:
            made = self._read(origin, first, end)
        else:
            half = count // 2
            made = node_hash(self._hash(origin, first, first + half), self._hash(origin, first + half, end))
        if count >= KEPT_LEAVES:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = made
        return made

    def _read(self, origin: str, first: int, end: int) -> bytes:
        edge: list[bytes] = []
        for size, leaf in enumerate(self._leaves.leaves(origin, first, end)):
            grow(edge, size, leaf)
        return root_of(edge)


def _split(count: int) -> int:
    """Return the largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1


def _subproof(old: int, first: int, end: int, is_whole: bool, hash_of: Callable[[int, int], bytes]) -> list[bytes]:
    """Return RFC 9162's proof (2.1.4.1) for the subtree `first` to `end`, of which `old` leaves are in the old tree."""
    count = end - first
    if old == count:
        return [] if is_whole else [hash_of(first, end)]
    half = _split(count)
    if old <= half:
        return [*_subproof(old, first, first + half, is_whole, hash_of), hash_of(first + half, end)]
    return [*_subproof(old - half, first + half, end, False, hash_of), hash_of(first, first + half)]
