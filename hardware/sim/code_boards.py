"""Simulated readers that send only codes: text lines, GM65 modules, SSI engines, RFID modules."""

from abc import ABC, abstractmethod
from collections import deque
from typing import ClassVar

from hardware.readers import grow, rdm6300, ssi
from hardware.sim.pty import Papers

RESEND_MS = 500  # how long an SSI engine waits for an acknowledgement
NEAR_MS = 50  # interval at which an RFID module sends a near tag
SIGHTINGS = 3  # of a tag while its card passes


class CodeBoard(ABC):
    """Base of boards with text codes; sends `_out` with the next tick, and accepts no commands.

    papers: what its cards carry. misreads: whether it can be given an unreadable card.
    """

    papers: ClassVar[Papers]
    misreads: ClassVar[bool] = False

    def __init__(self) -> None:
        self._out = bytearray()

    @abstractmethod
    def pull(self, code: str) -> None:
        """Pass a card with `code`; raise ValueError for a code that no card of this reader carries."""

    def receive(self, chunk: bytes) -> None:  # noqa: B027  # most accept no commands
        """Take bytes from the host."""

    def tick(self, now_ms: int) -> bytes:
        """Return the bytes that the reader sends up to `now_ms`."""
        out, self._out = self._out, bytearray()
        return bytes(out)


class LineBoard(CodeBoard):
    """Peer of `LineDecoder`: keeps no reports, accepts no commands."""

    papers: ClassVar[Papers] = "names"
    misreads = True

    def __init__(self, line_end: bytes = b"\r\n") -> None:
        super().__init__()
        self._end = line_end

    def pull(self, code: str) -> None:
        self._out += code.encode("latin-1") + self._end


class GrowBoard(LineBoard):
    """Peer of `GrowDecoder`: keeps no reports, answers every command.

    every_ms: in its factory mode, continuous, it reads the card that lies before it again each so many ms; 0: once.
    """

    papers = "labels"

    def __init__(self, every_ms: int = 0) -> None:
        super().__init__(grow.TAIL)
        self._every_ms = every_ms
        self._lies: str | None = None
        self._due_ms = 0

    def pull(self, code: str) -> None:
        super().pull(code)
        self._lies, self._due_ms = code, -1

    def read_again(self) -> None:
        """Read what lies before it once more."""
        if self._lies is not None:
            super().pull(self._lies)

    def take_away(self) -> None:
        """Take away what lies before the reader."""
        self._lies = None

    def tick(self, now_ms: int) -> bytes:
        if self._due_ms < 0:
            self._due_ms = now_ms + self._every_ms
        elif self._every_ms and self._lies is not None and now_ms >= self._due_ms:
            self._due_ms += self._every_ms
            super().pull(self._lies)
        return super().tick(now_ms)

    def receive(self, chunk: bytes) -> None:
        self._out += grow.answer(b"\0") * chunk.count(grow.COMMAND)


class SsiBoard(CodeBoard):
    """Peer of `SsiDecoder`: repeats the oldest code until it is acknowledged, then sends the next."""

    papers = "labels"

    def __init__(self) -> None:
        super().__init__()
        self._codes: deque[str] = deque()
        self._sent_ms: int | None = None
        self._is_repeat = False
        self._received = b""

    @property
    def waiting(self) -> int:
        return len(self._codes)

    def pull(self, code: str) -> None:
        """Pass a card with `code`; raise ValueError if it is too long for a packet."""
        self._packet(code, 0)
        self._codes.append(code)

    def receive(self, chunk: bytes) -> None:
        """Handle packets from the host: START is answered, and an ACK is for the code sent last."""
        self._out += ssi.encode(ssi.Packet(ssi.ACK, ssi.ENGINE)) * chunk.count(ssi.encode(ssi.Packet(ssi.START)))
        acknowledged = ssi.encode(ssi.Packet(ssi.ACK))
        self._received = (self._received + chunk)[-ssi.LONGEST :]
        while acknowledged in self._received:
            self._received = self._received.partition(acknowledged)[2]
            if self._sent_ms is not None:
                self._codes.popleft()
                self._sent_ms, self._is_repeat = None, False

    def tick(self, now_ms: int) -> bytes:
        answers = super().tick(now_ms)
        if not self._codes or (self._sent_ms is not None and now_ms - self._sent_ms < RESEND_MS):
            return answers
        status = ssi.RETRANSMITTED if self._is_repeat else 0
        self._sent_ms, self._is_repeat = now_ms, True
        return answers + self._packet(self._codes[0], status)

    @staticmethod
    def _packet(code: str, status: int) -> bytes:
        return ssi.encode(ssi.Packet(ssi.DECODED, ssi.ENGINE, status, b"\x01" + code.encode("latin-1")))


class Rdm6300Board(CodeBoard):
    """Peer of `Rdm6300Decoder`: sends a tag a few times while its card passes."""

    papers = "tags"

    def __init__(self) -> None:
        super().__init__()
        self._near: tuple[str, int] | None = None  # tag, sightings left
        self._due_ms = 0

    def pull(self, code: str) -> None:
        """Pass a card with the tag `code` (10 hex digits); the card before it is gone."""
        self._out += rdm6300.encode(code)
        self._near, self._due_ms = (code, SIGHTINGS - 1), -1

    def tick(self, now_ms: int) -> bytes:
        if self._due_ms < 0:
            self._due_ms = now_ms + NEAR_MS
        if self._near and now_ms >= self._due_ms:
            tag, left = self._near
            self._out += rdm6300.encode(tag)
            self._near, self._due_ms = ((tag, left - 1) if left > 1 else None), now_ms + NEAR_MS
        return super().tick(now_ms)
