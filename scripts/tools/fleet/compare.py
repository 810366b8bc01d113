"""Compares what the journals of a fleet make with what its store has, key by key and byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.reader import Walk

EXAMPLES: Final = 5
"""Keys that are named of each kind."""


class Key(NamedTuple):
    """What makes a message the only one of its kind."""

    topic: str
    table: str
    journal: str
    seq: int
    n: int


class Compared(Struct, frozen=True, kw_only=True):
    """What was found. made: messages that the journals make; stored: messages that the store has.

    missing: made, and not stored. twice: stored once more. other: stored with other bytes. unmade: stored, and made by
    no journal. examples: some of these keys.
    """

    made: int
    stored: int
    missing: int
    twice: int
    other: int
    unmade: int
    examples: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether the store has every message once, and nothing else."""
        return not (self.missing or self.twice or self.other or self.unmade)


class _Stored(Struct, frozen=True):
    """A line of `shoe-floor export messages`."""

    topic: str
    table: str
    journal: str
    seq: int
    n: int
    body: Raw


class _Waiting(Struct, frozen=True):
    """A line of `shoe-floor export pending`."""

    topic: str
    table: str
    journal: str
    seq: int
    n: int
    body: bytes
    state: str


def compare(folder: Path, export: Path, pending: Path | None = None) -> Compared:
    """Compare the journals below a folder, one of a table each, with an export. Raises JournalError, OSError.

    pending: an export of the messages that wait for a checkpoint, which are stored too.
    """
    made = {key: _digest(payload) for key, payload in _made(folder)}
    seen: set[Key] = set()
    kinds: dict[str, list[Key]] = {"twice": [], "other": [], "unmade": []}
    count = 0
    for key, body in chain(_stored(export), _waiting(pending) if pending else ()):
        count += 1
        if key in seen:
            kinds["twice"].append(key)
        elif key not in made:
            kinds["unmade"].append(key)
        elif made[key] != _digest(body):
            kinds["other"].append(key)
        seen.add(key)
    missing = [key for key in made if key not in seen]
    named = [f"{kind}: {' '.join(map(str, key))}" for kind, keys in kinds.items() for key in keys[:EXAMPLES]]
    named += [f"missing: {' '.join(map(str, key))}" for key in missing[:EXAMPLES]]
    counts = {kind: len(keys) for kind, keys in kinds.items()}
    return Compared(made=len(made), stored=count, missing=len(missing), **counts, examples=named)


def _made(folder: Path) -> Iterator[tuple[Key, bytes]]:
    """Yield every message that the journals make; each journal is checked on the way."""
    for table in sorted(folder.iterdir()):
        for path in journal_files(table):
            with path.open("rb") as file:
                for line in Walk(path.name).lines(file):
                    for each in messages(line):
                        yield Key(each.topic, table.name, each.journal, each.seq, each.n), each.payload


def _stored(export: Path) -> Iterator[tuple[Key, bytes]]:
    decode = msgspec.json.Decoder(_Stored).decode
    with export.open("rb") as lines:
        for line in lines:
            each = decode(line)
            yield Key(each.topic, each.table, each.journal, each.seq, each.n), bytes(each.body)


def _waiting(export: Path) -> Iterator[tuple[Key, bytes]]:
    decode = msgspec.json.Decoder(_Waiting).decode
    with export.open("rb") as lines:
        for line in lines:
            each = decode(line)
            if each.state == "waits":
                yield Key(each.topic, each.table, each.journal, each.seq, each.n), each.body


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).digest()


def count_lines(path: Path) -> int:
    """Return the number of rows of an export."""
    with path.open("rb") as lines:
        return sum(1 for _ in lines)
