"""The files of a table with two shoes, and changes by somebody who knows their format."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import pytest

from firmware_bridge.journal.preallocate import padded
from tests.kit import command
from tests.kit.delivered_record import record

TWO_SHOES = "shoe 9sTdTsTc 2s3h4dTcTh6d ?? !void misread shoe 5c 2d2d2d2d2d 9sTdTsTc 3s4h5d"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The files of a table that was commissioned and then had two shoes; the second begins with a burn."""
    (tmp_path / "j").mkdir()
    record(tmp_path / "j", TWO_SHOES.split(" shoe")[0], burn="none")
    return record(tmp_path / "j", "shoe" + TWO_SHOES.split(" shoe")[1])


@pytest.fixture
def journal(shoe: command.Run, tmp_path: Path) -> Callable[..., command.Ran]:
    return lambda action, *words: shoe("journal", action, "--dir", tmp_path / "j", *words)


def edit(path: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    """Change a line (from 1)."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    path.write_bytes(b"".join(lines))


def forged(line: bytes, old: bytes, new: bytes) -> bytes:
    """A change by somebody who knows how to make the checksum right."""
    version, _, body = line.rstrip(b" \n").split(b"\t", 2)
    body = body.replace(old, new)
    return padded(b"%b\t%08x\t%b" % (version, crc32(version + body), body))


def rechained(files: list[Path], number: int, old: bytes, new: bytes) -> None:
    """Change a line (from 1) of the first file, and make checksums and chains right to the end of the last."""
    chain = b""
    for path in files:
        lines = path.read_bytes().splitlines(keepends=True)
        for n, line in enumerate(lines, 1):
            if path == files[0] and n < number:
                chain = line.split(b"\t")[2]
                continue
            was, shown, hidden, proof = line.rstrip(b" \n").split(b"\t")[2:]
            shown, hidden = (part.replace(old, new) if n == number else part for part in (shown, hidden))
            chain = sha256(chain + sha256(hidden).hexdigest().encode() + shown).hexdigest().encode()
            lines[n - 1] = forged(b"\t".join([*line.split(b"\t")[:3], shown, hidden, proof]), was, chain)
        path.write_bytes(b"".join(lines))


def count(path: Path) -> int:
    return path.read_bytes().count(b"\n")
