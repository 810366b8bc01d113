"""Files beside the journal: the last entry at the broker (`cursor`), and inputs that ended the process (`crashes`)."""

import errno
import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

import msgspec
from msgspec.structs import replace

from firmware_bridge import __version__
from firmware_bridge.facts.inputs import AnyInput

SLOT: Final = 512
"""Bytes between the two slots: a sector each, so that one write cannot damage both."""

ENOUGH: Final = 3
"""Crashes of one software version on the same input, after which the daemon only observes."""

TIMELESS: Final = {"salt": "", "at": 0, "mono": 0, "nonce": ""}
"""Defaults for fields that differ when the same input comes again."""


class Cursor(NamedTuple):
    """Everything up to entry `seq` of `journal` was acknowledged by the broker."""

    journal: str
    seq: int


class CursorFile:
    """The cursor on disk, mostly written without a sync: losing the newest causes repeats, never losses."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._turn, self.value = _newest(self._fd)

    def store(self, cursor: Cursor, *, sync: bool = False) -> None:
        """Write `cursor`; sync: so that it survives a power cut. Raises OSError, and keeps the one before."""
        turn = self._turn + 1
        text = f"{turn} {cursor.journal} {cursor.seq}"
        data = f"{text} {crc32(text.encode()):08x}\n".encode()
        if os.pwrite(self._fd, data, turn % 2 * SLOT) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if sync:
            os.fdatasync(self._fd)
        self._turn, self.value = turn, cursor

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


def read_cursor(path: Path) -> Cursor | None:
    """Return the cursor in a file that a daemon may be writing; None where there is none. Raises OSError."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return _newest(fd)[1]
    finally:
        os.close(fd)


class Crashes:
    """The file `crashes` beside the journal: a line per crash, of software version and input."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "crashes"

    def note(self, fact: AnyInput) -> None:
        """Note that `fact` is about to end the process. Raises OSError."""
        fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "a") as file:
            file.write(f"{_name(fact)}\n")

    def too_many(self) -> bool:
        """Return whether this version crashed `ENOUGH` times on one input."""
        try:
            names = self.path.read_text("utf-8", "replace").split("\n")
        except OSError:
            return False
        mine = [name for name in names if name.startswith(f"{__version__} ")]
        return any(mine.count(name) >= ENOUGH for name in mine)


def _newest(fd: int) -> tuple[int, Cursor | None]:
    """Return turn and cursor of the later slot."""
    slots = [_parse(os.pread(fd, SLOT, number * SLOT)) for number in (0, 1)]
    return max(slots, key=lambda slot: slot[0])


_SLOT: Final = re.compile(rb"([0-9]{1,18}) ([0-9]{1,16}-[0-9a-f]{1,64}) ([0-9]{1,18})")


def _parse(slot: bytes) -> tuple[int, Cursor | None]:
    """Return turn and cursor of a slot; (0, None) for one that is empty or torn."""
    text, _, checksum = slot.partition(b"\n")[0].rpartition(b" ")
    found = _SLOT.fullmatch(text)
    if not found or checksum != b"%08x" % crc32(text):
        return 0, None
    return int(found[1]), Cursor(found[2].decode("ascii", "replace"), int(found[3]))


def _name(fact: AnyInput) -> str:
    """Return the name of an input: the same at any time and with any nonce."""
    timeless = {name: value for name, value in TIMELESS.items() if name in fact.__struct_fields__}
    return f"{__version__} {sha256(msgspec.json.encode(replace(fact, **timeless))).hexdigest()[:16]}"
