"""Events of a shoe that is over, as one compressed block: written in one transaction, and read as if they were rows."""

import lzma
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from firmware_bridge.facts.decoding import Undecodable, msgpack_of
from firmware_bridge.floor.record.message import EVENT, Key, Row
from firmware_bridge.floor.store.errors import DamagedBlock

PRESET: Final = 6
"""Of LZMA (docs/adr/016-events-in-blocks.md has the sizes and the times beside others)."""

KEPT: Final = 4
"""Blocks that are kept decoded: one has some 3 MB, and is read a page after the other."""

_Packed = tuple[int, int, int, int, str, str, bytes, bytes | None]
"""What of an event's row is its own: seq, n, of, shoe, at, received_at, body, digest."""

_decode = msgpack_of(list[_Packed])


class Block(NamedTuple):
    """A row of the table `block`. hidden_seq: the last entry with replaced names, 0 if there is none."""

    table: str
    journal: str
    shoe: int
    messages: int
    last_seq: int
    hidden_seq: int
    first_at: str
    last_at: str
    received_at: str
    body: bytes
    digest: bytes


class BlockShoe(NamedTuple):
    """A row of the table `block_shoe`: what a block has of one shoe."""

    table: str
    journal: str
    shoe: int
    messages: int
    last_seq: int
    first_at: str
    last_at: str


def packed(rows: Sequence[Row]) -> Block:
    """Return the block of all events of a journal. Raises ValueError without an event."""
    content = msgspec.msgpack.encode([_own(row) for row in rows])
    return Block(
        *rows[0].key,
        max(row.shoe for row in rows),
        len(rows),
        max(row.seq for row in rows),
        max((row.seq for row in rows if row.digest is not None), default=0),
        min(row.at for row in rows),
        max(row.at for row in rows),
        max(row.received_at for row in rows),
        lzma.compress(content, preset=PRESET),
        sha256(content).digest(),
    )


def shoes(rows: Iterable[Row]) -> list[BlockShoe]:
    """Return what a block of events has of each shoe: a journal goes on where cards are shuffled after each round."""
    of: dict[int, list[Row]] = {}
    for row in rows:
        of.setdefault(row.shoe, []).append(row)
    return [
        BlockShoe(
            *some[0].key,
            shoe,
            len(some),
            max(row.seq for row in some),
            min(row.at for row in some),
            max(row.at for row in some),
        )
        for shoe, some in of.items()
    ]


def unpacked(key: Key, body: bytes, digest: bytes) -> list[Row]:
    """Return the rows of a block, in the order in which they were packed. Raises DamagedBlock."""
    try:
        content = lzma.decompress(body)
        found = _decode(content) if sha256(content).digest() == digest else None
    except (lzma.LZMAError, EOFError, Undecodable, MemoryError):
        found = None
    if found is None:
        what = f"the events of journal {key.journal} of table {key.table} are damaged in their block"
        raise DamagedBlock(what, "restore the last backup, or back-fill the journal (docs/floor.md)")
    return [
        Row(EVENT, *key, seq, n, of, shoe, at, received_at, None, None, None, None, None, None, body, came_as)
        for seq, n, of, shoe, at, received_at, body, came_as in found
    ]


class Decoded:
    """The events of the blocks that were read last."""

    def __init__(self) -> None:
        self._kept = OrderedDict[tuple[Key, bytes, bytes], dict[tuple[int, int], Row]]()

    def of(self, *block: *tuple[Key, bytes, bytes]) -> dict[tuple[int, int], Row]:
        """Return entry and number -> the row of each event in a block: journal, body, digest. Raises DamagedBlock."""
        if block not in self._kept:
            self._kept[block] = {(row.seq, row.n): row for row in unpacked(*block)}
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(block)
        return self._kept[block]


def merged(rows: Iterable[Row], events: Iterable[Row]) -> list[Row]:
    """Return rows and the events of a block in the order of their keys, each key once."""
    return sorted({row[:5]: row for row in (*rows, *events)}.values(), key=lambda row: (row.seq, row.n, row.topic))


def _own(row: Row) -> _Packed:
    return row.seq, row.n, row.of, row.shoe, row.at, row.received_at, bytes(row.body), row.digest
