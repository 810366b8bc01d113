"""What a reader protocol is made of: its row in the registry, its settings, and what its decoder can build on."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from hardware.readers.messages import Hello, Message, ReportNo


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Settings of all protocols; each decoder takes what it needs.

    `min_quality` 0..255: below it a card counts as unreadable (0: the board's own limit alone decides).
    `pattern`: regular expression with exactly one group, the code. `line_end`: what ends a line.
    `hold` seconds: the same code again within this time is the same card (0: never).
    """

    min_quality: int = 0
    pattern: str = r"(\S+)"
    line_end: str = "\n"
    hold: float = 0.5


MASKED: Final = "?? .."
"""Something, of unsaid length: a long code may mean a ten."""

LONGEST: Final = 128
"""Bytes kept of a frame that does not end."""


class Frames:
    """Splits a protocol's stream into frames, and shows each; this one knows none, or all of them may tell a card."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        """The frames in some bytes, noise among them, and the bytes of a frame that has only begun."""
        return whole([seen], b"")

    def clear(self, frame: bytes) -> str:
        """All of a frame."""
        return frame.hex(" ")

    def masked(self, frame: bytes) -> str:
        """A frame without anything that could tell a card: of a frame that could, its head alone."""
        return MASKED


UNFRAMED: Final = Frames()


def whole(ended: list[bytes], begun: bytes) -> tuple[list[bytes], bytes]:
    """The frames that ended, empty ones left out, and what may be kept of one that has begun."""
    return [frame for frame in ended if frame], begun[-LONGEST:]


class Decoder(ABC):
    """Turns one reader's bytes into messages, and gives the bytes to answer with: none, where the reader takes none.

    good, bad: whole and damaged frames since the decoder was made, for the health of the line.
    """

    good = 0
    bad = 0

    @abstractmethod
    def feed(self, chunk: bytes) -> Iterator[Message]:
        """The messages that end in `chunk`, lazily: acknowledge each before asking for the next.

        An empty chunk tells that the line has been quiet since the port was opened, long enough for a line to end.
        Run it to its end, or the rest of `chunk` is lost as if the cable had dropped it. Never raises.
        """

    def acknowledge(self, report: ReportNo) -> bytes:
        """Bytes for the board, once the report of `report` (or all its repeats) is durable, never before."""
        return b""

    def resume(self, report: ReportNo | None) -> bytes:
        """Bytes for the board at every (re)open of the port; `report` is the last report that is durable."""
        self.forget()
        return b""

    def greet(self, hello: Hello) -> bytes:
        """Bytes for the board in answer to its introduction."""
        return b""

    @abstractmethod
    def forget(self) -> None:
        """Drop a message begun before the port closed."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """All that is known of one reader protocol.

    baud: 8N1, where a config gives no other. board: module and class of its simulator, by name because no reader
    imports a simulator. frames: how its stream is shown. repeats_within_s: seconds in which a reader without beats may
    send a card again that nobody acknowledged.
    """

    decoder: Callable[[ReaderSettings], Decoder]
    baud: int
    board: str
    frames: Frames = UNFRAMED
    repeats_within_s: float = 2.5
    keeps_reports: bool = False
    """Every report until it is acknowledged; and the reader beats every second."""

    has_fixed_codes: bool = False
    """Its codes mean the same in every pack: no code book."""

    has_tags: bool = False
    """Each card carries a code of its own: a code book holds all packs, and a code that comes twice is one card."""

    has_signal: bool = False
    """Its raw signal and its parameters can be read: it can be calibrated, and sees how a card passes."""

    judges: bool = False
    """It knows the game and reports results."""


class Sightings:
    """The same code within `hold` seconds of its last sighting is the same card; 0: never.

    `keeps`: of how many codes the last sighting is remembered. 1 where two cards may have the same code, so that
    another code in between means another card; more where each card has a code of its own.
    """

    def __init__(self, hold: float, clock: Callable[[], float], keeps: int = 1) -> None:
        self._hold = hold
        self._clock = clock
        self._keeps = keeps
        self._seen: dict[str, float] = {}

    def again(self, code: str) -> bool:
        """Whether this sighting of `code` is of a card seen before."""
        now = self._clock()
        before = self._seen.pop(code, None)
        self._seen[code] = now
        if len(self._seen) > self._keeps:
            del self._seen[next(iter(self._seen))]
        return before is not None and now - before < self._hold
