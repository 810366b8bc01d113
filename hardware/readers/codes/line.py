"""Any reader that prints one code per line."""

import re
import time
from collections.abc import Callable, Iterator
from typing import Final

from hardware.errors import ReaderError
from hardware.readers.codes.text import TextDecoder
from hardware.readers.messages import Message
from hardware.readers.protocol import Protocol
from hardware.readers.settings import ReaderSettings

LONGEST_LINE = 256  # bytes; more than any barcode, and the bound of the buffer


class LineDecoder(TextDecoder):
    """Yields the pattern's group of each line as a `Read`; see `hardware.readers.Decoder`."""

    def __init__(self, settings: ReaderSettings | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        settings = settings or ReaderSettings()
        super().__init__(settings, clock)
        self._pattern = _compiled(settings.pattern)

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """See `Decoder.feed`."""
        self._opening.hear(chunk)
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


PROTOCOL: Final = Protocol(LineDecoder, baud=9_600, board="hardware.sim.line_board:LineBoard")
