"""Code books: what a reader's codes stand for."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.cards import FACES, TILES, Card
from firmware_bridge.errors import ConfigError

FACE_BITS: Final = 6
"""Native codes: bits 0-5 are the face, bits 6-15 the pack lot (readers.md)."""

NATIVE_FACES: Final[dict[int, Card]] = dict(enumerate((*FACES, *TILES)))
NATIVE_CUT_CARD: Final = 63


class Known(NamedTuple):
    """What a code says: a card of a pack lot (None: the code tells no lot), or the cut card (`card` None)."""

    card: Card | None
    lot: int | None = None


CUT_CARD: Final = Known(None)

CodeBook = Mapping[str, Known]


@cache
def native(code: int) -> Known | None:
    """The meaning of a native code; None for a code that stands for nothing."""
    face, lot = code & (1 << FACE_BITS) - 1, code >> FACE_BITS
    if face == NATIVE_CUT_CARD:
        return CUT_CARD
    card = NATIVE_FACES.get(face)
    return Known(card, lot) if card else None


def native_code(card: Card, lot: int = 0) -> int:
    """The inverse of `native` for a card."""
    return next(face for face, each in NATIVE_FACES.items() if each is card) | lot << FACE_BITS


def plain() -> CodeBook:
    """The book for readers that print the cards themselves: `As`, `Td`, and `cut` for the cut card."""
    return {card.value: Known(card) for card in Card} | {"cut": CUT_CARD}


def load(path: Path) -> CodeBook:
    """The code book in a CSV file (`code,card[,serial]`) or a TOML file (`code = "As"`).

    A serial is for people: it is not read. Raises ConfigError with every line that is wrong: no card, or a code
    used twice.
    """
    try:
        rows = _toml_rows(path) if path.suffix == ".toml" else _csv_rows(path)
    except (OSError, ValueError, csv.Error) as error:
        raise ConfigError(f"code book {path}: {error}", "record it again, or correct [reader] code_book") from None
    book: dict[str, Known] = {}
    mistakes = []
    for where, code, face in rows:
        known = plain().get(face)
        if known is None:
            mistakes.append(f"{path}, {where}: {face!r} is no card: write As, Td, .. or cut")
        elif code in book:
            mistakes.append(f"{path}, {where}: code {code!r} is there twice")
        else:
            book[code] = known
    if mistakes:
        raise ConfigError("\n".join(mistakes))
    return book


def _csv_rows(path: Path) -> list[tuple[str, str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = [(n, [cell.strip() for cell in row]) for n, row in enumerate(csv.reader(file), 1)]
    rows = [(f"line {n}", cells[0], cells[1] if len(cells) > 1 else "") for n, cells in lines if any(cells)]
    return [(where, code, face) for where, code, face in rows if (code, face) != ("code", "card")]


def _toml_rows(path: Path) -> list[tuple[str, str, str]]:
    document = tomllib.loads(path.read_text("utf-8"))
    return [(f"key {code}", code, str(face)) for code, face in document.items()]
