"""Base of reader protocols: registry entry, settings, decoder and frames."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from hardware.readers.messages import Hello, Message, ReportNo


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Settings of all protocols; each decoder uses some of them.

    `min_quality` 0..255: below it a card counts as unreadable (0: the board's own limit alone decides).
    `pattern`: regular expression with exactly one group, the code. `line_end`: what ends a line.
    `hold` seconds: the same code again within this time is the same card (0: never). `repeats` seconds: behind `hold`
    and within this time it may be the same card, for a device that reports what lies before it more than once (0: it
    reports each card once).
    `not_read`: lines, in capitals, by which the reader says that it could not read a card.
    """

    min_quality: int = 0
    pattern: str = r"(\S+)"
    line_end: str = "\n"
    hold: float = 0.5
    repeats: float = 0.0
    not_read: frozenset[str] = frozenset()


MASKED: Final = "?? .."
"""Masked bytes without their length: a long code may mean a ten."""

LONGEST: Final = 128
"""Longest unfinished frame kept, in bytes."""


class Frames:
    """Splits a protocol's stream into frames and formats them; this base neither splits nor shows them."""

    def split(self, seen: bytes) -> tuple[list[bytes], bytes]:
        """Return the frames in `seen`, noise included, and the bytes of an unfinished frame."""
        return whole([seen], b"")

    def clear(self, frame: bytes) -> str:
        """Return the whole frame in hex."""
        return frame.hex(" ")

    def masked(self, frame: bytes) -> str:
        """Return the frame without anything that reveals a card: only the head of a frame that could."""
        return MASKED


UNFRAMED: Final = Frames()


def whole(ended: list[bytes], begun: bytes) -> tuple[list[bytes], bytes]:
    """Return the non-empty frames, and the last `LONGEST` bytes of the unfinished one."""
    return [frame for frame in ended if frame], begun[-LONGEST:]


class Decoder(ABC):
    """Turns one reader's bytes into messages, and makes the bytes of the answers (none if the reader accepts none).

    good, bad: whole and damaged frames since the decoder was made, for the health of the line. unanswered: how often
    the present command was sent without an answer, 0 where none waits for one.
    """

    good = 0
    bad = 0
    unanswered = 0
    _not_read: frozenset[str] = frozenset()
    _sightings: "Sightings | None" = None

    def set(self, settings: ReaderSettings) -> None:
        """Take over what a calibration may have changed, where the protocol uses it: `repeats` and `not_read`."""
        self._not_read = settings.not_read
        if self._sightings:
            self._sightings.repeats = settings.repeats

    @abstractmethod
    def feed(self, chunk: bytes) -> Iterator[Message]:
        """Yield the messages that end in `chunk`, lazily: acknowledge each before the next.

        An empty chunk means that the line has been quiet since the port was opened, long enough for a line to end, or
        for `waits_s`. Exhaust it, or the rest of `chunk` is lost. Never raises.
        """

    @property
    def waits_s(self) -> float | None:
        """Seconds of quiet from now on after which an empty chunk is due; None if nothing waits for quiet.

        A damaged frame is an unread card only if the same card is not read whole in that time.
        """
        return None

    def acknowledge(self, report: ReportNo) -> bytes:
        """Return the bytes that acknowledge `report`; send them only once the report is durable."""
        return b""

    def resume(self, report: ReportNo | None) -> bytes:
        """Return the bytes for the board after each (re)open of the port; `report` is the last durable report."""
        self.forget()
        return b""

    def again(self) -> bytes:
        """Return the bytes of an unanswered command, to be sent again; called once a second on an open port."""
        return b""

    def greet(self, hello: Hello) -> bytes:
        """Return the bytes that acknowledge a Hello."""
        return b""

    @abstractmethod
    def forget(self) -> None:
        """Drop the unfinished message."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """Registry entry of a reader protocol.

    baud: the default, 8N1. board: module and class of its simulator, by name because no reader imports a simulator.
    frames: how its stream is shown. repeats_within_s: seconds within which a reader without beats may repeat an
    unacknowledged card.
    """

    decoder: Callable[[ReaderSettings], Decoder]
    baud: int
    board: str
    mode: str
    """The mode that the reader must be in."""

    suspects: str
    """What to look at where bytes come and none is understood."""

    speaks: str
    """How to make it speak."""

    frames: Frames = UNFRAMED
    repeats_within_s: float = 2.5
    keeps_reports: bool = False
    """It keeps every report until acknowledged, and sends a beat every second."""

    has_fixed_codes: bool = False
    """Its codes are the same in every pack: no code book."""

    has_tags: bool = False
    """Each card has its own code: a code book holds all packs, and the same code twice is one card."""

    has_signal: bool = False
    """Its raw signal and parameters can be read: it can be calibrated, and measures how a card passes."""

    judges: bool = False
    """It applies the game's rules and reports results."""

    repeats: float = 0.0
    """Seconds within which a device in its factory mode reports again what still lies before it; 0: it does not."""

    cannot_send: Callable[[str, ReaderSettings], str] = lambda code, settings: ""
    """Why a device of this protocol never reports a code, in words; "" if it can."""

    report_once: str = "its trigger or presentation mode: scan its code in the device's manual"
    """What to set at a device that repeats, so that it reports each card once."""


Sighting = Literal["new", "same", "again"]
"""What a code is that a reader sees: of a new card, of the same card, or of either: the same one, or one like it."""


class Sightings:
    """Recognizes repeats: the same code within `hold` seconds of its last sighting is the same card (0: never).

    Behind that and within `repeats` seconds, with no other code in between, it may be either: the same card, or another
    one with this code. keeps: how many codes are remembered. 1 if two cards may have the same code, so that another
    code in between means another card; more if each card has its own code, which is then the same card.
    """

    def __init__(self, hold: float, clock: Callable[[], float], keeps: int = 1, repeats: float = 0.0) -> None:
        self._hold, self.repeats = hold, repeats
        self._clock = clock
        self._keeps = keeps
        self._seen: dict[str, float] = {}

    def seen(self, code: str) -> Sighting:
        """Record a sighting of `code`; return what it is."""
        now, last = self._clock(), next(reversed(self._seen), None)
        before = self._seen.pop(code, None)
        self._seen[code] = now
        if len(self._seen) > self._keeps:
            del self._seen[next(iter(self._seen))]
        since = math.inf if before is None else now - before
        if since < self._hold:
            return "same"
        if since < self.repeats and code == last:
            return "same" if self._keeps > 1 else "again"
        return "new"
