"""Readers that send codes as text lines: line ends, cut lines, and a decoder with one code per line."""

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
    """Tracks whether a line may lack its head. Text has no checksum: only quiet before a line shows it is whole."""

    def __init__(self) -> None:
        self._is_fresh = False
        self._may_be_cut = False

    def begin(self) -> None:
        """Start after each open of the port."""
        self._is_fresh, self._may_be_cut = True, False

    def feed(self, chunk: bytes) -> None:
        """Look at each chunk; an empty one means a quiet line since the open."""
        if self._is_fresh:
            self._is_fresh, self._may_be_cut = False, bool(chunk)

    def cuts(self) -> bool:
        """Return whether the line that ended now may lack its head. Resets: the next line is whole."""
        may_be_cut, self._may_be_cut = self._may_be_cut, False
        return may_be_cut


def tail_pattern(line_end: str) -> re.Pattern[bytes]:
    """Return the pattern of line ends; CR, LF or both match, so that a lost byte does not join two codes."""
    if not line_end:
        raise ReaderError('reader.line_end is empty: set the characters that end a line, usually "\\n" or "\\r\\n"')
    if set(line_end) <= {"\r", "\n"}:
        return re.compile(rb"[\r\n]+")
    return re.compile(re.escape(line_end.encode("latin-1")))


UNREAD: Final = ""
"""What is remembered in place of a code for a card that the reader says it could not read."""


def says_unread(text: str, words: frozenset[str]) -> bool:
    """Return whether the reader says by one of `words` (in capitals) that it could not read a card."""
    return text.strip().upper() in words


class TextDecoder(Decoder):
    """Base of text decoders: turns lines into messages; `feed` of a subclass splits the stream into lines.

    A line without a code is `Unread("unreadable")`; so is the reader's own word for that, and a line that may have
    begun before the port was opened, as the rest of `112` may be another card's `12`. Blank lines are skipped. The same
    code within `hold` seconds of its last sighting is the same card.
    """

    def __init__(self, settings: ReaderSettings, clock: Callable[[], float]) -> None:
        self._tail = tail_pattern(settings.line_end)
        self._keep = len(settings.line_end)  # bytes of a line end that may arrive in two chunks
        self._sightings: Sightings = Sightings(settings.hold, clock, repeats=settings.repeats)
        self._opening = FirstLine()
        self._not_read = settings.not_read
        self._begun = b""

    def forget(self) -> None:
        """Drop the unfinished line; the next line may lack its head."""
        self._begun = b""
        self._opening.begin()

    @abstractmethod
    def _code(self, line: bytes) -> str | None:
        """Return the code in a non-blank line, None if it has none."""

    def _message(self, line: bytes) -> Message | None:
        """Return the message of a line without its tail; None for a blank line or a card seen before."""
        is_cut = self._opening.cuts()
        if not line:
            return None
        if not is_cut and says_unread(line.decode("latin-1"), self._not_read):
            self.good += 1
            return None if self._sightings.seen(UNREAD) == "same" else Unread("unreadable")
        code = self._code(line)
        if is_cut or code is None:
            self.bad += not is_cut
            return Unread("unreadable")
        self.good += 1
        seen = self._sightings.seen(code)
        return None if seen == "same" else Read(code, again=seen == "again")


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
        raise ReaderError(f"reader.pattern {pattern!r} is not a valid regular expression: {error}") from None
    if compiled.groups != 1:
        raise ReaderError(
            f"reader.pattern {pattern!r} has {compiled.groups} groups: put exactly one pair of round "
            "brackets, around the code"
        )
    return compiled


def cannot_be_text(code: str, most: int) -> str:
    """Return why a code is no text of a reader that sends bytes, at most so many; "" if it can be."""
    try:
        size = len(code.encode("latin-1"))
    except UnicodeEncodeError as error:
        letter = code[error.start]
        return f"no reader sends {letter} (U+{ord(letter):04X}), which may only look like a letter of the code"
    return f"it has {size} letters, at most {most} can be read" if size > most else ""


def cannot_send(code: str, settings: ReaderSettings) -> str:
    """Return why no line has a code at the place of the pattern's group, "" if one can."""
    if why := cannot_be_text(code, LONGEST_LINE):
        return why
    if tail_pattern(settings.line_end).search(code.encode("latin-1")):
        return "it has a line end in it"
    group = _group(settings.pattern)
    if group is None or re.fullmatch(group, code):
        return ""
    return f"[reader] pattern = {settings.pattern!r} finds no such code"


def _group(pattern: str) -> str | None:
    """Return what is in the one group of a pattern; None where what is around it may change what it matches."""
    found = _ONE_GROUP.fullmatch(pattern)
    return found and found[1]


_ONE_GROUP: Final = re.compile(r"\^?[\w :-]*\(([^()?][^()]*)\)[\w :-]*\$?")
"""A pattern with no other brackets than those of its group, and plain letters around it."""

PROTOCOL: Final = Protocol(
    LineDecoder,
    baud=9_600,
    board="hardware.sim.code_boards:LineBoard",
    mode="it reads by itself, and ends each code as [reader] line_end says",
    suspects="[reader] baud, pattern and line_end, and that it sends a line end behind each code",
    speaks="between two shoes, hold a code before it, or draw a card",
    cannot_send=cannot_send,
)
