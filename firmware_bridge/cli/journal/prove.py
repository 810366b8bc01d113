"""`shoe journal prove` and `heads`: what shows an outsider that one entry is in the record."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.decoding import Undecodable, from_json, text_in
from firmware_bridge.journal.files import chosen, files_in
from firmware_bridge.journal.line import FIRST_CHAIN, Line, unseal, without_sealed
from firmware_bridge.journal.preallocate import is_fill
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.record_tiles import leaves_from, leaves_of, origin_of, tiles_of
from firmware_bridge.journal.recovery import last_chain
from firmware_bridge.record.tiles import Tiles
from firmware_bridge.record.verify import (
    Checkpoint,
    Note,
    Proof,
    Refused,
    leaf_hash,
    parse_checkpoint,
    parse_note,
    root_by_inclusion,
    text_of_proof,
)

_ROUNDS: Final = ("RoundClosed", "RoundVoided", "RoundCorrected")
_WHICH: Final = "write JOURNAL:SEQ, the number of a round, or @N for entry N of the record"


class Found(NamedTuple):
    """An entry to prove. number: in the record, from 0. extra: the head before it and its line, b"" if gone."""

    number: int
    extra: bytes


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe journal prove`."""
    parser.add_argument("entry", metavar="JOURNAL:SEQ|ROUND|@N", help="an entry; a round of the newest shoe; entry N")
    parser.add_argument("--note", type=Path, metavar="FILE", help="a checkpoint that witnesses have cosigned")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a .tlog-proof (default: stdout)")


def run(arguments: argparse.Namespace) -> int:
    """Write the proof of an entry; return 0. Raises JournalError where there is none."""
    files = files_in(arguments.dir)
    note = _note(arguments.note) if arguments.note else _newest(files)
    stated = _stated(note)
    tiles = _tiles(arguments.dir, files, stated.origin)
    found = _found(files, arguments.entry, stated.origin)
    if found.number >= stated.size:
        what = f"{arguments.entry} is entry {found.number + 1}, and the checkpoint has {stated.size}"
        raise JournalError(what, "wait for the end of the round, or give a newer checkpoint with --note")
    proof = _proof(tiles, stated, found, note)
    if arguments.output:
        fresh = arguments.output.with_name(f".{arguments.output.name}.{os.getpid()}")
        fresh.write_text(proof, "utf-8")
        fresh.replace(arguments.output)
    else:
        sys.stdout.write(proof)
    holds = "with the entry in it" if found.extra else "without the entry: its journal was deleted"
    print(f"entry {found.number + 1} of {stated.size} of {stated.origin}, {holds}", file=sys.stderr)
    return 0


def heads_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe journal heads`."""
    parser.add_argument("journal", metavar="JOURNAL", help="file, id or number")


def heads(arguments: argparse.Namespace) -> int:
    """Print `SEQ TAB N TAB HEAD TAB LEAF` for each entry in a record; return 0. N counts from 1 in the record.

    The head of a line that cannot be read is `-`; its leaf comes from the tiles, `-` where it is in none yet.
    """
    (path,) = chosen(arguments.dir, [arguments.journal])
    lines = path.read_bytes().split(b"\n")
    origin, number, tiles = "", 0, Tiles(arguments.dir / "none")
    for seq, data in enumerate(lines, 1):
        if is_fill(data):
            break
        line = _read(data + b"\n")
        if line and isinstance(line.proof.size, int):
            origin, number = origin_of(line), line.proof.size
            tiles = tiles_of(arguments.dir, origin)
        if origin:
            head = line.chain if line else "-"
            leaf = leaf_hash(bytes.fromhex(head)).hex() if line else _leaf(tiles, number)
            print(seq, number + 1, head, leaf, sep="\t")
        number += 1
    return 0


def _read(data: bytes) -> Line | None:
    try:
        return unseal(data)
    except JournalError:
        return None


def _leaf(tiles: Tiles, number: int) -> str:
    try:
        return tiles.leaf(number).hex()
    except LookupError:
        return "-"


def _note(path: Path) -> str:
    try:
        return text_in(path)
    except Undecodable:
        raise JournalError(f"{path} is no text", "give a signed note, as witnesses answer with") from None


def _stated(note: str) -> Checkpoint:
    try:
        return parse_checkpoint(parse_note(note).text)
    except Refused as error:
        raise JournalError(f"the checkpoint: {error}", "give a signed note with --note") from None


def _newest(files: Sequence[Path]) -> str:
    """Return the newest checkpoint on disk."""
    for path in reversed(files):
        if notes := [line.proof.note for line, _ in read_lines(Place(path, 0)) if line.proof.note]:
            return notes[-1]
    raise JournalError("no entry of these journals is signed", "see shoe key show")


def _tiles(directory: Path, files: Sequence[Path], origin: str) -> Tiles:
    tiles = tiles_of(directory, origin)
    leaves = leaves_from(files, origin, tiles.size)
    if not leaves or leaves[0].number == tiles.size:
        tiles.rest = tuple(leaf.hash for leaf in leaves)
    return tiles


def _found(files: Sequence[Path], entry: str, origin: str) -> Found:
    if numbered := re.fullmatch(r"@([1-9]\d{0,18})", entry):
        return _at(files, origin, int(numbered[1]) - 1)
    if re.fullmatch(r"\d{1,9}", entry):
        path, seq = _of_round(files, int(entry))
    elif named := re.fullmatch(r"(.+):(\d{1,9})", entry):
        (path,), seq = chosen(files[0].parent if files else Path(), [named[1]]), int(named[2])
    else:
        raise JournalError(f"{entry!r} names no entry", _WHICH)
    for leaf in leaves_of(path):
        if leaf.seq == seq:
            if leaf.origin != origin:
                what = f"{entry} is in the record {leaf.origin}, the checkpoint is of {origin}"
                raise JournalError(what, "give a checkpoint of that record with --note")
            return Found(leaf.number, _extra(files, path, seq))
    raise JournalError(f"{entry} is in no record", f"see shoe journal list; {_WHICH}")


def _at(files: Sequence[Path], origin: str, number: int) -> Found:
    for path in files:
        for leaf in leaves_of(path):
            if (leaf.origin, leaf.number) == (origin, number):
                return Found(number, _extra(files, path, leaf.seq))
    return Found(number, b"")


def _of_round(files: Sequence[Path], number: int) -> tuple[Path, int]:
    """Return the last entry about a round, in the newest shoe with that round."""
    for path in reversed(files):
        seqs = [line.public.seq for line, _ in read_lines(Place(path, 0)) if _is_round(line, number)]
        if seqs:
            return path, seqs[-1]
    raise JournalError(f"no shoe here has a round {number}", "see shoe journal show")


def _is_round(line: Line, number: int) -> bool:
    events = map(from_json, line.public.events)
    return any(event["type"] in _ROUNDS and event["round"] == number for event in events)


def _extra(files: Sequence[Path], path: Path, seq: int) -> bytes:
    """Return the head before an entry, and its line in the form of an export; b"" where the journal before is gone."""
    before: str | None = None
    at = list(files).index(path) if path in files else 0
    if at:
        before = last_chain(files[at - 1])
    for line, _ in read_lines(Place(path, 0)):
        if line.public.seq == seq:
            if before is None and line.public.journal.startswith("0-"):
                before = FIRST_CHAIN
            return before.encode() + without_sealed(line) if before is not None else b""
        before = line.chain
    return b""


def _proof(tiles: Tiles, stated: Checkpoint, found: Found, note: str) -> str:
    """Return the text of a proof, which was tried."""
    try:
        leaf, hashes = tiles.leaf(found.number), tiles.inclusion(found.number, stated.size)
        if root_by_inclusion(found.number, stated.size, leaf, hashes) != stated.root:
            raise JournalError("the tree on this disk is not that of the checkpoint", "keep both for the auditor")
    except LookupError as error:
        raise JournalError(f"no proof can be made: {error}", "ask the store: shoe-floor record prove") from None
    return text_of_proof(Proof(found.extra, found.number, tuple(hashes), Note("", ())), note)
