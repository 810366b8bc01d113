"""Keeps the hashes of a record's tree in files (C2SP tlog-tiles), from which proofs of any age are made."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from firmware_bridge.record.verify import EMPTY_ROOT, HASH_BYTES, node_hash

HEIGHT: Final = 8
WIDTH: Final = 1 << HEIGHT
"""Hashes in a full tile."""

TILE_BYTES: Final = WIDTH * HASH_BYTES


def tile_name(level: int, number: int) -> str:
    """Return the path of a full tile: `0/x001/234` is tile 1,234 of the leaves."""
    groups = [f"{number % 1000:03}"]
    while number := number // 1000:
        groups.insert(0, f"x{number % 1000:03}")
    return "/".join((str(level), *groups))


class Tiles:
    """The tiles of one tree in a directory: `size` leaves in whole ones, and `rest`, those behind them.

    A tile appears whole; it is on disk for certain once it was synced. rest: leaves that are only in journals.
    """

    def __init__(self, directory: Path, rest: Sequence[bytes] = ()) -> None:
        self.directory, self.rest = directory, tuple(rest)
        self.size = WIDTH * self._count()

    def append(self, leaves: Sequence[bytes]) -> None:
        """Write the next tile of leaves, and those above it that become full with it. Raises OSError."""
        level, hashes, number = 0, list(leaves), self.size // WIDTH
        while True:
            self.write(level, number, hashes)
            if (number + 1) % WIDTH:
                break
            level, first = level + 1, number + 1 - WIDTH
            hashes = [_root(self._tile(level - 1, first + n) or ()) for n in range(WIDTH)]
            number = first // WIDTH
        self.size += WIDTH

    def write(self, level: int, number: int, hashes: Sequence[bytes]) -> None:
        """Write a tile; one of the last leaves of a tree that has ended may be partial. Raises OSError."""
        name = tile_name(level, number)
        path = self.directory / (name if len(hashes) == WIDTH else f"{name}.p/{len(hashes)}")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.new")
        new.write_bytes(b"".join(hashes))
        new.replace(path)

    def leaves(self, number: int) -> tuple[bytes, ...]:
        """Return the leaves in a tile; fewer than `WIDTH` at the end of a tree, none where there is no such tile."""
        if whole := self._tile(0, number):
            return whole
        try:
            partial = max((self.directory / f"{tile_name(0, number)}.p").iterdir(), key=lambda path: int(path.name))
            return _hashes(partial.read_bytes())
        except (OSError, ValueError):
            return ()

    def sync(self, begin: int, end: int) -> None:
        """Sync all tiles that hold something of these leaves, and their directories. Raises OSError."""
        level, first, last = 0, begin // WIDTH, (max(begin, end - 1)) // WIDTH
        folders = {self.directory, self.directory.parent}
        while (self.directory / str(level)).is_dir():
            for number in range(first, last + 1):
                path = self.directory / tile_name(level, number)
                for each in (path, *path.with_name(f"{path.name}.p").glob("*")):
                    if each.exists():
                        sync_path(each)
                        folders |= {parent for parent in each.parents if self.directory in (parent, *parent.parents)}
            level, first, last = level + 1, first // WIDTH, last // WIDTH
        for folder in folders:
            sync_path(folder)

    def root(self, size: int) -> bytes:
        """Return the root of the tree of the first `size` leaves. Raises LookupError where a leaf is missing."""
        return self._range(0, size) if size else EMPTY_ROOT

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the proof that a leaf is in the tree of `size` (RFC 6962, 2.1.1). Raises LookupError."""
        begin, end, path = 0, size, list[bytes]()
        while end - begin > 1:
            middle = begin + _split(end - begin)
            if index < middle:
                path.append(self._range(middle, end))
                end = middle
            else:
                path.append(self._range(begin, middle))
                begin = middle
        return path[::-1]

    def consistency(self, old: int, size: int) -> list[bytes]:
        """Return the proof that the tree of `size` begins with `old` leaves (RFC 6962, 2.1.2). Raises LookupError."""
        begin, end, path, is_whole = 0, size, list[bytes](), True
        if old in (0, size):
            return []
        while old != end:
            middle = begin + _split(end - begin)
            if old <= middle:
                path.append(self._range(middle, end))
                end = middle
            else:
                path.append(self._range(begin, middle))
                begin, is_whole = middle, False
        return [*([] if is_whole else [self._range(begin, end)]), *path[::-1]]

    def leaf(self, index: int) -> bytes:
        """Return a leaf. Raises LookupError where it is missing."""
        (found,) = self._entries(0, index, 1)
        return found

    def _range(self, begin: int, end: int) -> bytes:
        """Return the hash above these leaves; `begin` is a multiple of the power of two not below their count."""
        count = end - begin
        if count & (count - 1):
            middle = begin + _split(count)
            return node_hash(self._range(begin, middle), self._range(middle, end))
        height = count.bit_length() - 1
        level, width = height // HEIGHT, 1 << height % HEIGHT
        return _root(self._entries(level, begin >> HEIGHT * level, width))

    def _entries(self, level: int, begin: int, count: int) -> Sequence[bytes]:
        """Return the hashes of a level, all of one tile."""
        number, place = divmod(begin, WIDTH)
        if whole := self._tile(level, number):
            return whole[place : place + count]
        if level:
            return [_root(self._entries(level - 1, n * WIDTH, WIDTH)) for n in range(begin, begin + count)]
        behind = begin - self.size
        found = self.rest[behind : behind + count] if behind >= 0 else ()
        if not found:
            found = self.leaves(number)[place : place + count]
        if len(found) < count:
            raise LookupError(f"leaf {begin} is neither in a tile nor in a journal")
        return found

    def _tile(self, level: int, number: int) -> tuple[bytes, ...]:
        """Return the hashes of a full tile; none where it is missing, or was cut off by a power cut."""
        try:
            data = (self.directory / tile_name(level, number)).read_bytes()
        except OSError:
            return ()
        return _hashes(data) if len(data) == TILE_BYTES else ()

    def _count(self) -> int:
        """Return the number of whole tiles of leaves, found in steps: a year has 13,000."""
        step, count = 1, 0
        while self._is_whole(count + step - 1):
            count, step = count + step, step * 2
        while step:
            if self._is_whole(count + step - 1):
                count += step
            step //= 2
        return count

    def _is_whole(self, number: int) -> bool:
        try:
            return (self.directory / tile_name(0, number)).stat().st_size == TILE_BYTES
        except OSError:
            return False


def _hashes(data: bytes) -> tuple[bytes, ...]:
    return tuple(data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES))


def _root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a tree with a power of two of leaves."""
    if not hashes:
        raise LookupError("a tile is missing")
    while len(hashes) > 1:
        hashes = [node_hash(hashes[n], hashes[n + 1]) for n in range(0, len(hashes), 2)]
    return hashes[0]


def _split(count: int) -> int:
    """Return the largest power of two below a count."""
    return 1 << (count - 1).bit_length() - 1


def sync_path(path: Path) -> None:
    """Sync a file or a directory to disk. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
