"""A reader protocol as one row: all that other parts need to know of it."""

import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hardware.readers.frames import UNFRAMED, Frames
from hardware.readers.messages import Hello, Message, ReportNo
from hardware.readers.settings import ReaderSettings


class Decoder(typing.Protocol):
    """Turns one reader's bytes into messages, and gives the bytes to answer with.

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
        """Bytes for the board, once the report of `report` (or all its repeats) is durable, never before."""

    def resume(self, report: ReportNo | None) -> bytes:
        """Bytes for the board at every (re)open of the port; `report` is the last report that is durable."""

    def greet(self, hello: Hello) -> bytes:
        """Bytes for the board in answer to its introduction."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """All that is known of one reader protocol.

    baud: 8N1, where a config gives no other. board: module and class of its simulator, by name because no reader
    imports a simulator. frames: how its stream is shown. says_again_s: seconds in which a reader without beats may
    send a card again that nobody acknowledged.
    """

    decoder: Callable[[ReaderSettings], Decoder]
    baud: int
    board: str
    frames: Frames = UNFRAMED
    says_again_s: float = 2.5
    keeps_reports: bool = False
    """Every report until it is acknowledged; and the reader beats every second."""

    knows_cards: bool = False
    """Its codes mean the same in every pack: no code book."""

    has_tags: bool = False
    """Each card carries a code of its own: a code book holds all packs, and a code that comes twice is one card."""

    has_signal: bool = False
    """Its raw signal and its parameters can be read: it can be calibrated, and sees how a card passes."""

    judges: bool = False
    """It knows the game and reports results."""
