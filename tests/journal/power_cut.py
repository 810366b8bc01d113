"""A disk that remembers what was synced, and what a power cut may leave of all that was not.

A cut keeps, loses or spoils each sector (or page) that was written and not synced, if its content changed; all others
stay. Names that were made, changed or removed and not synced are there in the order of their making, up to some point.
A disk that ignores syncs has not carried out the newest ones: what they named is lost as if there had been none.
"""

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

from firmware_bridge.journal.cursor import Cursor, CursorFile
from firmware_bridge.journal.record_tiles import FOLDER

SECTOR: Final = 512
PAGE: Final = 4_096

IGNORED: Final = 24
"""Syncs at most that a disk ignores."""


class File:
    """A file as the process sees it (`now`), and as it is on the disk for certain (`synced`)."""

    def __init__(self) -> None:
        self.now, self.synced = bytearray(), b""

    def write(self, data: bytes, at: int) -> None:
        """Write to the page cache."""
        self.now.extend(bytes(max(0, at - len(self.now))))
        self.now[at : at + len(data)] = data

    def resize(self, size: int) -> None:
        """Cut the file off, or let it grow."""
        del self.now[size:]
        self.now.extend(bytes(size - len(self.now)))

    def left(self, random: Random) -> bytes:
        """What a power cut leaves of it."""
        if self.now == self.synced:
            return self.synced
        old, new = sorted((len(self.synced), len(self.now)))
        size = random.choice([len(self.synced), len(self.now), random.randint(old, new)])
        before = self.synced[:size].ljust(size, b"\0")
        after = bytes(self.now[:size]) + before[len(self.now) :]  # what is cut off is not written: it stays, or is gone
        unit = random.choice([SECTOR, PAGE])
        fates = random.choice([["kept", "lost"], ["kept", "lost", "spoiled"], ["lost", "spoiled"], ["kept", "spoiled"]])
        out = bytearray(before)
        for page in range(0, size, unit):
            fate = random.choice(fates)
            for at in range(page, min(page + unit, size), SECTOR):
                was, will = before[at : at + SECTOR], after[at : at + SECTOR]
                if was != will and fate != "lost":
                    out[at : at + SECTOR] = will if fate == "kept" else spoiled(was, will, random)
        return bytes(out)


def spoiled(was: bytes, will: bytes, random: Random) -> bytes:
    """A sector that is neither what it was nor what it should be."""
    size = len(will)
    middle = random.randrange(size)
    bit = bytearray(will)
    bit[middle] ^= 1 << random.randrange(8)
    ways = (random.randbytes(size), bytes(size), b"\xff" * size, will[:middle] + was[middle:], bytes(bit), b"\n" * size)
    if way := random.randrange(len(ways) + 1):
        return ways[way - 1]
    return bytes(random.choices(b"\n\t 2{}\0", k=size))


class Disk:
    """Follows what is done to the files of one directory while `watching`; each change calls `moment`."""

    def __init__(self, directory: Path, moment: Callable[[], None]) -> None:
        self.directory, self._moment = directory, moment
        self._files: dict[int, File] = {}
        self._names: dict[str, File] = {}
        self._pending: list[Callable[[dict[str, File]], None]] = []
        self._history = deque[dict[str, bytes]]([{}], maxlen=IGNORED)
        self.short: Callable[[bytes], int | None] = lambda _: None

    def left(self, random: Random) -> dict[str, bytes]:
        """The files that a power cut leaves now."""
        names = dict(self._names)
        for change in self._pending[: random.randint(0, len(self._pending))]:
            change(names)
        return {name: file.left(random) for name, file in names.items()}

    def left_unsynced(self, random: Random) -> dict[str, bytes]:
        """The files that a power cut leaves now if the disk ignored some of the newest syncs."""
        before = random.choice(self._history)
        if random.random() < 0.7:
            return dict(before)  # its write cache is gone as a whole
        left = dict(before)
        for name, now in self._names.items():
            if name in before or random.random() < 0.5:
                file = File()
                file.now, file.synced = now.now, before.get(name, b"")
                left[name] = file.left(random)
        return left

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Follow what is done with `os` meanwhile."""
        names = ("open", "pwrite", "ftruncate", "truncate", "fdatasync", "fsync", "rename", "unlink")
        real = {name: getattr(os, name) for name in names}
        for name in names:
            setattr(os, name, self._followed(getattr(self, f"_{name}"), real[name]))
        try:
            yield
        finally:
            for name in names:
                setattr(os, name, real[name])

    def _followed(self, follow: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            return follow(real, *arguments, **more)

        return call

    def _is_ours(self, path: Any) -> bool:
        return isinstance(path, str | Path) and Path(path).parent == self.directory and Path(path).name != "lock"

    def _of(self, fd: int) -> File | None:
        return self._files.get(os.fstat(fd).st_ino)

    def _change(self, change: Callable[[dict[str, File]], None]) -> None:
        self._pending.append(change)
        self._moment()

    def _open(self, real: Any, path: Any, flags: int, *more: Any, **named: Any) -> int:
        is_new = bool(self._is_ours(path) and flags & os.O_CREAT and not Path(path).exists())
        fd: int = real(path, flags, *more, **named)
        if is_new:
            file = self._files[os.fstat(fd).st_ino] = File()
            self._change(lambda names: names.update({Path(path).name: file}))
        elif flags & os.O_TRUNC and (there := self._of(fd)):
            there.resize(0)
        return fd

    def _pwrite(self, real: Any, fd: int, data: bytes, at: int) -> int:
        fitting = self.short(data)
        written: int = real(fd, data if fitting is None else data[:fitting], at)
        if file := self._of(fd):
            file.write(data[:written], at)
            self._moment()
        return written

    def _ftruncate(self, real: Any, fd: int, size: int) -> None:
        real(fd, size)
        if file := self._of(fd):
            file.resize(size)
            self._moment()

    def _truncate(self, real: Any, path: Path, size: int) -> None:
        real(path, size)
        if file := self._files.get(path.stat().st_ino):
            file.resize(size)
            self._moment()

    def _fdatasync(self, real: Any, fd: int) -> None:
        if file := self._of(fd):
            file.synced = bytes(file.now)
            self._history.append({name: each.synced for name, each in self._names.items()})

    def _fsync(self, real: Any, fd: int) -> None:
        if os.fstat(fd).st_ino == self.directory.stat().st_ino:
            for change in self._pending:
                change(self._names)
            self._pending.clear()
        self._fdatasync(real, fd)

    def _rename(self, real: Any, path: Path, target: Path) -> None:
        real(path, target)
        if self._is_ours(path):
            self._change(lambda names: names.update({Path(target).name: names.pop(Path(path).name)}))

    def _unlink(self, real: Any, path: Path, **named: Any) -> None:
        if self._is_ours(path) and Path(path).exists():
            self._files.pop(Path(path).stat().st_ino)

            def forget(names: dict[str, File]) -> None:
                names.pop(Path(path).name)

            self._change(forget)
        real(path, **named)


def leave_cursor(path: Path, cursors: Sequence[Cursor], random: Random) -> None:
    """Write these cursors, one after the other; the sector of one of them is perhaps spoiled then."""
    file = CursorFile(path)
    for each in cursors:
        file.store(each)
    file.close()
    if random.random() < 0.3:
        data, at = path.read_bytes().ljust(2 * SECTOR, b"\0"), SECTOR * random.randrange(2)
        sector = data[at : at + SECTOR]
        path.write_bytes(data[:at] + spoiled(sector, sector, random) + data[at + SECTOR :])


def leave_key(path: Path, seed: bytes, random: Random) -> None:
    """Write the file of a key: mostly whole, or missing, short, long, of zeros."""
    kept = random.choice([*[seed] * 12, None, b"", seed[:16], seed + b"\0", bytes(len(seed))])
    path.unlink(missing_ok=True)
    if kept is not None:
        path.write_bytes(kept)


def leave_tiles(source: Path, target: Path, random: Random) -> int:
    """Copy the tiles from one directory to another, as a cut leaves files that were never synced; how many it spoiled.

    The file `origin` is synced before it has its name: it is whole.
    """
    if not (source / FOLDER).is_dir() or random.random() < 0.2:
        return 0
    shutil.copytree(source / FOLDER, target / FOLDER)
    spoiled_ones = 0
    for path in [path for path in (target / FOLDER).rglob("*") if path.is_file() and path.name != "origin"]:
        if random.random() < 0.4:
            continue
        data = path.read_bytes()
        half = data[: random.randrange(len(data) + 1)]
        path.write_bytes(random.choice([half, b"", bytes(len(data)), data[::-1], half.ljust(len(data), b"\0")]))
        if random.random() < 0.3:
            path.rename(path.with_name(f".{path.name}.new"))
        spoiled_ones += 1
    return spoiled_ones
