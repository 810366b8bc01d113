"""Simulated seat keypad: bytes in, bytes out, with the clock of `tick`."""

from collections import deque
from dataclasses import dataclass, field

from hardware import framing
from hardware.framing import Framing
from hardware.keypads import KINDS, PROTOCOL, Ack, Beat, Hello, Mark, Packet, Turn, pack, unpack

KEEPS = 32  # unacknowledged marks
REPEAT_MS = 100
HELLO_MS = 500
BEAT_MS = 1000


@dataclass(slots=True)
class _Kept:
    mark: Mark
    sent_ms: int | None = None


@dataclass(slots=True)
class KeypadBoard:
    """Peer of `KeypadLink`: keeps its last 32 marks until they are acknowledged.

    seats: the numbers of its seats, in a row. shown: seat -> the marks it may give, as the host sent them last.
    """

    seats: tuple[int, ...]
    session: int = 1
    shown: dict[int, Turn] = field(default_factory=dict)
    turn: int = 0
    acknowledged: int = 0
    is_silent: bool = False
    _now: int = 0
    _next: int = 0
    _kept: deque[_Kept] = field(default_factory=deque)
    _framing: Framing = field(default_factory=Framing)
    _greeted: bool = False
    _hello_due: int = 0
    _beat_due: int = BEAT_MS

    def press(self, seat: int, word: str, value: str = "", hand: int = 0, turn: int | None = None) -> None:
        """Press a key; its mark leaves with the next tick. turn: the one the pad showed, None for the present one."""
        mark = Mark(self._next, self.session, self.turn if turn is None else turn, seat, hand, word, value)
        self._next = (self._next + 1) % 256
        if len(self._kept) == KEEPS:
            self._kept.popleft()
        self._kept.append(_Kept(mark))

    def reset(self) -> None:
        """Switch the pad off and on: another session; unacknowledged marks are lost."""
        self.session = (self.session + 1) % 65536
        self._next, self._greeted, self._hello_due = 0, False, self._now
        self._kept.clear()
        self.shown.clear()

    def receive(self, chunk: bytes) -> None:
        """Handle bytes from the host."""
        for frame in self._framing.feed(chunk):
            match None if frame is None else unpack(frame):
                case Ack(seq=seq, kind=kind, session=session) if session == self.session:
                    self._on_ack(seq, kind)
                case Turn() as turn:
                    self._on_turn(turn)

    def tick(self, now_ms: int) -> bytes:
        """Return the bytes for the host up to `now_ms`, which never goes back."""
        self._now = now_ms
        if self.is_silent:
            return b""
        out = bytearray()
        if not self._greeted and now_ms >= self._hello_due:
            self._hello_due = now_ms + HELLO_MS
            out += _framed(Hello(self.session, PROTOCOL, self.seats[0], len(self.seats)))
        if now_ms >= self._beat_due:
            self._beat_due = now_ms + BEAT_MS
            out += _framed(Beat(self.session))
        for n, kept in enumerate(self._kept):
            if kept.sent_ms is None or (n == 0 and now_ms - kept.sent_ms >= REPEAT_MS):
                kept.sent_ms = now_ms
                out += _framed(kept.mark)
        return bytes(out)

    def _on_ack(self, seq: int, kind: int) -> None:
        if kind == KINDS[Hello]:
            self._greeted = True
        numbers = [kept.mark.seq for kept in self._kept if kept.sent_ms is not None]
        if kind == KINDS[Mark] and seq in numbers:
            for _ in range(numbers.index(seq) + 1):
                self._kept.popleft()
                self.acknowledged += 1

    def _on_turn(self, turn: Turn) -> None:
        if turn.turn != self.turn or turn.seat == 0:
            self.shown.clear()
        self.turn = turn.turn
        if turn.seat in self.seats:
            self.shown[turn.seat] = turn


def _framed(packet: Packet) -> bytes:
    return framing.encode(pack(packet))
