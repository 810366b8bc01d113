"""Keeps the tree of a record beside the journals, so that proofs outlive them."""

import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from msgspec import UnsetType

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.decoding import Undecodable, base64, text_in
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.record_tree import RecordTree, begun_by, record_of
from firmware_bridge.record.tiles import WIDTH, Tiles, sync_path
from firmware_bridge.record.verify import grow, leaf_hash, root_of

log = logging.getLogger(__name__)

FOLDER: Final = "tree"
"""The present record's tiles, in the directory of the journals; those of an earlier one are in `tree-BIRTH`."""


_ORIGIN: Final = re.compile(r"[^\x00-\x20\x7f]+/[0-9a-f]{1,64}")


class Leaf(NamedTuple):
    """An entry's place in a record.

    number: from 0. seq: the entry's in its journal. hash: the leaf of the tree. edge: of the tree before it, base64, as
    the first line of a file states it.
    """

    origin: str
    number: int
    seq: int
    hash: bytes
    edge: tuple[str, ...] | UnsetType


def leaves_of(path: Path) -> Iterator[Leaf]:
    """Yield the entries of a journal that are in a record. Raises JournalError, OSError."""
    origin, index = "", 0
    for line, _ in read_lines(Place(path, 0)):
        if isinstance(line.proof.size, int):
            origin, index = origin_of(line), line.proof.size
        if origin:
            yield Leaf(origin, index, line.public.seq, leaf_hash(bytes.fromhex(line.chain)), line.proof.edge)
        index += 1


def origin_of(line: Line) -> str:
    """Return the record of a line that says where the tree stands before it; "" if unknown."""
    begun = begun_by(line) or record_of(line)
    return begun.origin if begun else line.proof.note.partition("\n")[0]


def leaves_from(files: Sequence[Path], origin: str, index: int) -> list[Leaf]:
    """Return the leaves of a record from an index on, by the journals, oldest first. Raises JournalError, OSError."""
    found: list[Leaf] = []
    for path in reversed(files):
        here = [leaf for leaf in leaves_of(path) if leaf.origin == origin]
        found[:0] = [leaf for leaf in here if leaf.number >= index]
        if (here and here[0].number <= index) or (found and not here):
            break
    return found


def root_at(files: Sequence[Path], origin: str, size: int) -> bytes | None:
    """Return the root of the first entries of a record, by the one journal with the last of them; None where that is
    gone.

    Raises JournalError, OSError.
    """
    for path in reversed(files):
        edge = list[bytes]()
        for leaf in (leaf for leaf in leaves_of(path) if leaf.origin == origin):
            if leaf.number >= size:
                break
            if isinstance(leaf.edge, tuple):
                edge = [base64(each) for each in leaf.edge]
            grow(edge, leaf.number, leaf.hash)
            if leaf.number + 1 == size:
                return root_of(edge)
    return None


def tiles_of(directory: Path, origin: str) -> Tiles:
    """Return the tiles of a record; of none where there are none yet."""
    present = directory / FOLDER
    ended = _ended(directory, origin)
    return Tiles(ended if ended.is_dir() and _origin_in(present) != origin else present)


class RecordTiles:
    """Writes the tiles of a table's record from its journals, step by step.

    They are not synced: journals give them back, until `secure` is called before one is deleted.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._tiles: Tiles | None = None
        self._origin, self._is_broken = "", False
        self._lock = Lock()

    def wants(self, tree: RecordTree) -> bool:
        """Return whether a tile can be written, or an earlier record be set aside."""
        if tree.origin is None or self._is_broken:
            return False
        return self._tiles is None or tree.origin != self._origin or tree.size - self._tiles.size >= WIDTH

    def known(self, tree: RecordTree) -> list[bytes]:
        """Return the leaves of the next tile for `step`, as far as the tree still has them in memory."""
        return tree.leaves(self._tiles.size, WIDTH) if self._tiles and tree.origin == self._origin else []

    def step(self, tree: RecordTree, files: Sequence[Path], known: Sequence[bytes] = ()) -> None:
        """Write the next tile, from entries that are on disk. files: oldest first; read for leaves that are not known.

        To read a journal takes longer than a card may wait for the thread, and more memory. Raises OSError.
        """
        origin, size = tree.origin, tree.size
        if origin is None:
            return
        with self._lock:
            try:
                self._write(origin, size, files, known)
            except JournalError as error:
                self._is_broken = True
                log.warning("the tree of the record is not kept any further: %s", error)

    def secure(self, path: Path) -> bool:
        """Return whether a journal may be deleted: all its leaves are in tiles on disk, or can never be.

        False until the tile that its last entries are in is whole. Raises OSError.
        """
        try:
            leaves = list(leaves_of(path))
        except JournalError as error:
            log.warning("the tree of the record has not all leaves of %s: %s", path.name, error)
            return True
        with self._lock:
            return all(self._secured(origin, leaves) for origin in {leaf.origin for leaf in leaves})

    def _write(self, origin: str, size: int, files: Sequence[Path], known: Sequence[bytes]) -> None:
        if origin != self._origin:
            self._take_up(origin, files)
            known = ()
        assert self._tiles
        if size - self._tiles.size >= WIDTH:
            self._tiles.append(known if len(known) == WIDTH else self._read(origin, files))

    def _read(self, origin: str, files: Sequence[Path]) -> list[bytes]:
        """Return the leaves of the next tile by the journals."""
        assert self._tiles
        begin = self._tiles.size
        leaves = leaves_from(files, origin, begin)[:WIDTH]
        if [leaf.number for leaf in leaves] != list(range(begin, begin + WIDTH)):
            raise JournalError(f"entries behind {begin} are in no journal", "restore the journals")
        return [leaf.hash for leaf in leaves]

    def _take_up(self, origin: str, files: Sequence[Path]) -> None:
        """Take up the tiles of a record; those of the one before it are completed and set aside."""
        folder = self._directory / FOLDER
        if (before := _origin_in(folder)) not in (origin, ""):
            tiles = Tiles(folder)
            leaves = [leaf.hash for leaf in leaves_from(files, before, tiles.size)]
            while len(leaves) >= WIDTH:
                tiles.append(leaves[:WIDTH])
                del leaves[:WIDTH]
            if leaves:
                tiles.write(0, tiles.size // WIDTH, leaves)
            folder.rename(_ended(self._directory, before))
        folder.mkdir(mode=0o700, exist_ok=True)
        new = folder / ".origin.new"
        new.write_text(f"{origin}\n", "utf-8")
        sync_path(new)  # an empty name after a power cut would take up the tiles of another record
        new.replace(folder / "origin")
        self._origin, self._tiles = origin, Tiles(folder)

    def _secured(self, origin: str, leaves: Sequence[Leaf]) -> bool:
        own = [leaf for leaf in leaves if leaf.origin == origin]
        tiles, end = tiles_of(self._directory, origin), own[-1].number + 1
        if end > tiles.size and not _ended(self._directory, origin).is_dir():
            return self._is_broken
        for number in range(own[0].number // WIDTH, (end - 1) // WIDTH + 1):
            there = list(tiles.leaves(number))
            mended = {leaf.number % WIDTH: leaf.hash for leaf in own if leaf.number // WIDTH == number}
            wrong = {place: each for place, each in mended.items() if there[place : place + 1] != [each]}
            if wrong and len(there) == WIDTH:
                tiles.write(0, number, [wrong.get(place, each) for place, each in enumerate(there)])
            elif wrong:
                log.warning("the tree of the record %s lacks leaves of tile %d", origin, number)
        tiles.sync(own[0].number, end)
        return True


def _ended(directory: Path, origin: str) -> Path:
    """Return where the tiles of a record are kept once another has begun."""
    return directory / f"{FOLDER}-{origin.rpartition('/')[2]}"


def _origin_in(folder: Path) -> str:
    try:
        origin = text_in(folder / "origin").strip()
    except (OSError, Undecodable):
        return ""
    return origin if _ORIGIN.fullmatch(origin) else ""
