"""Whether a reader reports what lies before it more than once: by its settings, and card by card."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from firmware_bridge.config import calibration
from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import ConfigError
from firmware_bridge.shoe.state import HeldCard, Shoe
from hardware.readers import READERS
from hardware.readers.messages import CutCard, Message, Read, Unread

OfWhich = Literal["same", "another", "soon", "unknown"]
"""Which card a code is of that is read again: the same card's, another one's, soon known, or never."""

Behind = Literal["", "equal", "other", "nothing"]
"""What came behind a code that is read again: nothing yet, the same code, another one, or nothing in time."""

SOON_S: Final = 1.5
"""Seconds within which a card that was reported comes to the exit."""


def repeats_of(config: ReaderConfig, directory: Path) -> float:
    """Return the seconds within which the reader may report a card again: as set, else calibrated, else the factory's.

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
    """Return whether a reader of this protocol may report a card again, by a code that other cards have too."""
    protocol = READERS[config.protocol]
    return not (protocol.has_fixed_codes or protocol.has_tags or protocol.judges or protocol.keeps_reports)


def has_own_codes(book: code_books.CodeBook) -> bool:
    """Return whether the book has more than one code for a face: then each code is one card's alone."""
    codes = {code_books.reported_code(code): known.card for code, known in book.items()}
    return any(count > 1 for card, count in Counter(codes.values()).items() if card)


def is_last_face(shoe: Shoe, read: Read, book: code_books.CodeBook) -> bool:
    """Return whether a code is of the face that this shoe saw last."""
    known = code_books.native(read.code) if isinstance(read.code, int) else book.get(read.code)
    held = [each.card for each in shoe.held if isinstance(each, HeldCard)]
    last = [*shoe.seen, *held][-1:]
    return known is not None and known.card is not None and last == [known.card]


class ReadAgain:
    """Judges what a reader reports again: calls `drop` with a report of the card before, `handle` with all others.

    In order, and marked where it may be either card; what comes behind one that is soon known waits for it.
    """

    def __init__(
        self,
        config: ReaderConfig,
        table: Table,
        handle: Callable[[Message], None],
        drop: Callable[[Read], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._config, self._table, self._handle, self._drop, self._loop = config, table, handle, drop, loop
        self.repeats = repeats_of(config, table.journal.directory)
        self.of_which: Callable[[Behind], OfWhich] = lambda _: "unknown"
        """Which card a code that is read again is of, by the sensor at the exit."""

        self.has_exit: Callable[[], bool] = lambda: False
        """Whether that sensor has seen cards: then it is asked about each code like the one before."""

        self.is_fresh = False
        """Whether no card was read since the port was opened: whether the last one lay there is then not known."""

        self._before: int | str | None = None
        """The code before, None at a start."""

        self._waiting: list[Message] = []
        self._timer: asyncio.TimerHandle | None = None
        self._book = code_books.plain()

    def measured(self) -> float:
        """Read `repeats` again, which may have been calibrated."""
        self.repeats = repeats_of(self._config, self._table.journal.directory)
        return self.repeats

    def receive(self, message: Message, book: code_books.CodeBook) -> None:
        """Handle or drop a message, or keep it for a moment."""
        self._book = book
        if self._waiting:
            self._waiting.append(message)
            if isinstance(message, Read) and message.code == self._before:
                self._settle("equal")
            elif isinstance(message, Read | CutCard) or (isinstance(message, Unread) and message.concerns == "card"):
                self._settle("other")
        elif not isinstance(message, Read):
            self._handle(message)
        elif (which := self._judged(message)) == "soon":
            self._waiting = [message]
            self._wait()
        else:
            self._end(message, which)

    def settle(self, behind: Behind = "") -> None:
        """Handle what waits, if it is known now which card it is of: a card has come to the exit, or none will."""
        if self._waiting:
            self._settle(behind)

    def _wait(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_later(SOON_S, self._settle, "nothing")

    def _settle(self, behind: Behind) -> None:
        if (which := self.of_which(behind)) == "soon":
            self._wait()  # for the report of the card at the exit
            return
        if self._timer:
            self._timer.cancel()
        (first, *others), self._waiting, self._timer = self._waiting, [], None
        if isinstance(first, Read):
            self._end(first, which)
        for message in others:
            self.receive(message, self._book)

    def _end(self, read: Read, which: OfWhich) -> None:
        if which == "same":
            self._drop(read)
        else:
            self._handle(replace(read, again=which == "unknown"))

    def _judged(self, read: Read) -> OfWhich:
        """Return which card a code is of: by itself where it is one card's alone, else by the sensor at the exit."""
        is_fresh, self.is_fresh = self.is_fresh and self.repeats > 0, False
        before, self._before = self._before, read.code
        may_be_same = is_fresh or self.has_exit()
        if not read.again and not (may_be_same and is_last_face(self._table.shoe, read, self._book)):
            return "another"
        is_cut = isinstance(read.code, str) and self._book.get(read.code) is code_books.CUT_CARD
        if not is_cut and has_own_codes(self._book):
            return "same" if read.again or before in (read.code, None) else "another"
        return "same" if is_cut else self.of_which("")
