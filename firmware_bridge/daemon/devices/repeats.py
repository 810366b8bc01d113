"""Whether a reader reports what lies before it more than once: by its settings, and card by card."""

from collections import Counter
from pathlib import Path
from typing import Final, Literal

from firmware_bridge.config import calibration
from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.errors import ConfigError
from firmware_bridge.shoe.state import HeldCard, Shoe
from hardware.readers import READERS
from hardware.readers.messages import Read

OfWhich = Literal["same", "another", "soon", "unknown"]
"""Which card a code is of that is read again: the same card's, another one's, soon known, or never."""

SOON_S: Final = 1.5
"""Seconds within which a card that was reported comes to the exit."""


def repeats_of(config: ReaderConfig, directory: Path) -> float:
    """Seconds within which the reader may report a card again: as set, else as calibrated, else the factory's.

    directory: of the journal.
    """
    if config.repeats is not None:
        return config.repeats
    try:
        section = calibration.load(directory / calibration.FILE).reader
    except ConfigError:
        section = None  # `shoe check` names it
    measured = section.after.get("repeats") if section and section.protocol in ("", config.protocol) else None
    return READERS[config.protocol].repeats if measured is None else measured


def may_repeat(config: ReaderConfig) -> bool:
    """Whether a reader of this protocol may report a card again, by a code that other cards have too."""
    protocol = READERS[config.protocol]
    return not (protocol.has_fixed_codes or protocol.has_tags or protocol.judges or protocol.keeps_reports)


def has_own_codes(book: code_books.CodeBook) -> bool:
    """Whether the book has more than one code for a face: then each code is one card's alone."""
    codes = {code_books.reported_code(code): known.card for code, known in book.items()}
    return any(count > 1 for card, count in Counter(codes.values()).items() if card)


def is_last_face(shoe: Shoe, read: Read, book: code_books.CodeBook) -> bool:
    """Whether a code is of the face that this shoe saw last: unknown for how long the port was closed."""
    known = code_books.native(read.code) if isinstance(read.code, int) else book.get(read.code)
    held = [each.card for each in shoe.held if isinstance(each, HeldCard)]
    last = [*shoe.seen, *held][-1:]
    return known is not None and known.card is not None and last == [known.card]
