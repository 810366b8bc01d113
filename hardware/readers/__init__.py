"""One decoder per serial protocol: bytes in, messages out, no port and no clock of its own."""

from collections.abc import Callable, Iterator
from typing import Protocol

from hardware.readers.angel_eye.decoder import AngelEyeDecoder
from hardware.readers.codes.grow import GrowDecoder
from hardware.readers.codes.line import LineDecoder
from hardware.readers.codes.rdm6300 import Rdm6300Decoder
from hardware.readers.codes.ssi import REPEATS_WITHIN_S, SsiDecoder
from hardware.readers.messages import Hello, Message, ReportNo
from hardware.readers.native.decoder import NativeDecoder
from hardware.readers.settings import ReaderSettings


class Decoder(Protocol):
    """Turns one reader's bytes into messages, and says what to answer.

    `good` and `bad` count frames since the decoder was made, for the health of the line.
    """

    @property
    def good(self) -> int:
        """Frames that were whole."""

    @property
    def bad(self) -> int:
        """Frames that were damaged."""

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """The messages that end in `chunk`, lazily: acknowledge each before asking for the next.

        An empty chunk tells that the line has been quiet since the port was opened, long enough for a line to end.
        Run it to its end, or the rest of `chunk` is lost as if the cable had dropped it. Never raises.
        """

    def acknowledge(self, report: ReportNo) -> bytes:
        """Bytes for the board, once `report` (or any repeat of it) is durable, never before."""

    def resume(self, report: ReportNo | None) -> bytes:
        """Bytes for the board at every (re)open of the port; `report` is the last report that is durable."""

    def greet(self, hello: Hello) -> bytes:
        """Bytes for the board in answer to its introduction."""


READERS: dict[str, Callable[[ReaderSettings], Decoder]] = {
    "native": NativeDecoder,
    "angel-eye": AngelEyeDecoder,
    "grow": GrowDecoder,
    "ssi": SsiDecoder,
    "rdm6300": Rdm6300Decoder,
    "line": LineDecoder,
}

BAUD: dict[str, int] = {
    "native": 115_200,
    "angel-eye": 4_800,
    "grow": 9_600,
    "ssi": 9_600,
    "rdm6300": 9_600,
    "line": 9_600,
}
"""8N1 all; what a config leaves out."""

KEEPS_REPORTS = ("native",)
"""Readers that keep every report until it is acknowledged, and beat every second."""

SAYS_AGAIN_S = {"ssi": REPEATS_WITHIN_S}
"""Seconds in which a reader without beats may say a card again that nobody acknowledged; others: `USUAL_AGAIN_S`."""

USUAL_AGAIN_S = 2.5

__all__ = ["BAUD", "KEEPS_REPORTS", "READERS", "SAYS_AGAIN_S", "USUAL_AGAIN_S", "Decoder", "ReaderSettings"]
