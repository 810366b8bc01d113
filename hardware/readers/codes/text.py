"""The part that decoders of printed codes share: where a code ends, and which codes are believed."""

from abc import abstractmethod
from collections.abc import Callable

from hardware.readers.codes.first_line import FirstLine
from hardware.readers.codes.line_ends import tail_pattern
from hardware.readers.codes.one_way import OneWay
from hardware.readers.codes.sightings import Sightings
from hardware.readers.messages import Message, Read, Unread
from hardware.readers.settings import ReaderSettings


class TextDecoder(OneWay):
    """The part of a text decoder that judges lines; `feed` finds them.

    A line without a code was a card that nobody can name: `Unread("unreadable")`; so is a line that may have begun
    before the port was opened, as what is left of `112` may be another card's `12`. Blank lines are nothing. The
    same code within `hold` seconds of its last sighting is the same card.
    """

    def __init__(self, settings: ReaderSettings, clock: Callable[[], float]) -> None:
        self.good = 0
        self.bad = 0
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
