"""Any reader that prints one code per line."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Final

from hardware.errors import ReaderError
from hardware.readers.codes.first_line import Opening
from hardware.readers.codes.line_ends import tail_pattern
from hardware.readers.codes.one_way import Deaf
from hardware.readers.codes.sightings import Sightings
from hardware.readers.messages import Message, Read, Unread
from hardware.readers.protocol import Protocol
from hardware.readers.settings import ReaderSettings

LONGEST_LINE = 256  # bytes; more than any barcode, and the bound of the buffer


class LineDecoder(Deaf):
    """Yields the pattern's group of each line as a `Read`; see `hardware.readers.Decoder`.

    A line without the pattern was a card that nobody can name: `Unread("unreadable")`; so is one that may have begun
    before the port was opened, as what is left of `112` may be another card's `12`. Blank lines are nothing. The
    same code within `hold` seconds of its last sighting is the same card.
    """

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        settings = settings or ReaderSettings()
        self.good = 0
        self.bad = 0
        self._pattern = _compiled(settings.pattern)
        self._tail = tail_pattern(settings.line_end)
        self._keep = len(settings.line_end)  # bytes that show a tail which came in two portions
        self._sightings = Sightings(settings.hold, clock)
        self._opening = Opening()
        self._begun = b""

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """See `Decoder.feed`."""
        self._opening.hear(chunk)
        *lines, begun = self._tail.split(self._begun + chunk)
        self._begun = begun if len(begun) <= LONGEST_LINE else begun[:LONGEST_LINE] + begun[-self._keep :]
        for line in lines:
            message = self._message(line.strip())
            if message is not None:
                yield message

    def forget(self) -> None:
        """Drop a line begun before the port closed; the next may have begun too."""
        self._begun = b""
        self._opening.begin()

    def _message(self, line: bytes) -> Message | None:
        is_cut = self._opening.cuts()
        if not line:
            return None
        found = self._pattern.search(line.decode("latin-1")) if len(line) <= LONGEST_LINE else None
        if is_cut or found is None or not found[1]:
            self.bad += not is_cut
            return Unread("unreadable")
        self.good += 1
        return None if self._sightings.again(found[1]) else Read(found[1])


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


PROTOCOL: Final = Protocol(LineDecoder, baud=9_600, board="hardware.sim.line_board:LineBoard")
