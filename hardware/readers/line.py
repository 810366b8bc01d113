"""Readers that print codes as text: where a line ends, which code is believed, and a reader with one code per line."""

import re
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Final

from hardware.errors import ReaderError
from hardware.readers.messages import Message, Read, Unread
from hardware.readers.protocol import Decoder, Protocol, ReaderSettings, Sightings

LONGEST_LINE = 256  # bytes; more than any barcode, and the bound of the buffer


class FirstLine:
    """A line whose first byte came after a quiet time is whole; nothing else shows that in text without a check sum."""

    def __init__(self) -> None:
        self._is_fresh = False
        self._may_be_cut = False

    def begin(self) -> None:
        """The port was opened."""
        self._is_fresh, self._may_be_cut = True, False

    def feed(self, chunk: bytes) -> None:
        """Bytes came; none: the line has been quiet since the port was opened."""
        if self._is_fresh:
            self._is_fresh, self._may_be_cut = False, bool(chunk)

    def cuts(self) -> bool:
        """Whether the line that has ended now may lack its head; the next one does not."""
        may_be_cut, self._may_be_cut = self._may_be_cut, False
        return may_be_cut


def tail_pattern(line_end: str) -> re.Pattern[bytes]:
    """Finds the tails; of CR LF any part will do, so that a lost byte of it does not join two codes."""
    if not line_end:
        raise ReaderError('reader.line_end is empty: give what ends a line, usually "\\n" or "\\r\\n"')
    if set(line_end) <= {"\r", "\n"}:
        return re.compile(rb"[\r\n]+")
    return re.compile(re.escape(line_end.encode("latin-1")))


class TextDecoder(Decoder):
    """The part of a text decoder that judges lines; `feed` finds them.

    A line without a code was a card that nobody can name: `Unread("unreadable")`; so is a line that may have begun
    before the port was opened, as what is left of `112` may be another card's `12`. Blank lines are nothing. The
    same code within `hold` seconds of its last sighting is the same card.
    """

    def __init__(self, settings: ReaderSettings, clock: Callable[[], float]) -> None:
        self._tail = tail_pattern(settings.line_end)
        self._keep = len(settings.line_end)  # bytes that show a tail which came in two portions
        self._sightings = Sightings(settings.hold, clock)
        self._opening = FirstLine()
        self._begun = b""

    def forget(self) -> None:
        """Drop a line begun before the port closed; the next may have begun too."""
        self._begun = b""
        self._opening.begin()

    @abstractmethod
    def _code(self, line: bytes) -> str | None:
        """The code in a line that is not blank."""

    def _message(self, line: bytes) -> Message | None:
        """What a line without its tail says; None for nothing new."""
        is_cut = self._opening.cuts()
        if not line:
            return None
        code = self._code(line)
        if is_cut or code is None:
            self.bad += not is_cut
            return Unread("unreadable")
        self.good += 1
        return None if self._sightings.again(code) else Read(code)


class LineDecoder(TextDecoder):
    """Yields the pattern's group of each line as a `Read`."""

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        settings = settings or ReaderSettings()
        super().__init__(settings, clock)
        self._pattern = _compiled(settings.pattern)

    def feed(self, chunk: bytes) -> Iterator[Message]:
        self._opening.feed(chunk)
        *lines, begun = self._tail.split(self._begun + chunk)
        self._begun = begun if len(begun) <= LONGEST_LINE else begun[:LONGEST_LINE] + begun[-self._keep :]
        for line in lines:
            if message := self._message(line.strip()):
                yield message

    def _code(self, line: bytes) -> str | None:
        found = self._pattern.search(line.decode("latin-1")) if len(line) <= LONGEST_LINE else None
        return found and (found[1] or None)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ReaderError(f"reader.pattern {pattern!r} is no regular expression: {error}") from None
    if compiled.groups != 1:
        raise ReaderError(
            f"reader.pattern {pattern!r} has {compiled.groups} groups: put exactly one pair of brackets, "
            "around the code"
        )
    return compiled


PROTOCOL: Final = Protocol(LineDecoder, baud=9_600, board="hardware.sim.code_boards:LineBoard")
