"""Boards and keypads that repeat a report until it is acknowledged, on a bad cable: each comes once, and as it was."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final, Protocol

import pytest

from hardware.keypads import Hello as PadsHello
from hardware.keypads import KeypadLink, Mark, greeting
from hardware.readers import READERS, ReaderSettings
from hardware.readers.messages import Hello, Read, Repeat, ReportNo, Unread
from hardware.sim.board import REPEAT_MS, NativeBoard
from hardware.sim.keypads import KeypadBoard
from tests.hardware.streams import spoiled
from tests.kit.nightly import share

FRAMES: Final = share(1_000_000, of=100)
REPORTS: Final = 40  # of a board that is switched on
TICKS: Final = (1, 2, 6, 10, 20, 50)  # repeats from one report to the next
ENDS: Final = 1_000  # repeats after which the last report has come


class Cable:
    """Damages packets by chance, both ways, and counts those of the board."""

    def __init__(self, rng: Random) -> None:
        self.frames, self._rng, self._damage = 0, rng, rng.choice((0.0, 0.1, 0.5))

    def carry(self, chunk: bytes) -> bytes:
        frames = [frame + b"\0" for frame in chunk.split(b"\0")[:-1]]
        self.frames += len(frames)
        return b"".join(spoiled(one, self._rng) if self._rng.random() < self._damage else one for one in frames)


class Ends(Protocol):
    """A board at one end of a cable, a host at the other."""

    sent: list[Any]
    taken: list[Any]

    def report(self, rng: Random) -> None:
        """Let the board make a report."""

    def tick(self, at_ms: int, carry: Callable[[bytes], bytes]) -> None:
        """Let the board say what is due, and the host answer."""


class Native:
    """A reader board and a daemon that puts all on disk at once."""

    def __init__(self) -> None:
        self.sent, self.taken = list[Any](), list[Any]()
        self._board, self._host = NativeBoard(), READERS["native"].decoder(ReaderSettings())

    def report(self, rng: Random) -> None:
        self.sent.append(rng.randrange(65_536))
        self._board.pull(self.sent[-1])

    def tick(self, at_ms: int, carry: Callable[[bytes], bytes]) -> None:
        for message in self._host.feed(carry(self._board.tick(at_ms))):
            match message:
                case Hello():
                    self._board.receive(carry(self._host.greet(message)))
                case Read(report=ReportNo() as report):
                    self.taken.append(message.code)
                    self._board.receive(carry(self._host.acknowledge(report)))
                case Repeat(report=report):
                    self._board.receive(carry(self._host.acknowledge(report)))
                case Unread():
                    self.taken.append(message.reason)


class Keypad:
    """A pad of two seats and the daemon's end of its link."""

    KEYS = ("S", "H", "DD", "SP", "look", "fold", "call", "raise")

    def __init__(self) -> None:
        self.sent, self.taken = list[Any](), list[Any]()
        self._board, self._host = KeypadBoard((1, 2)), KeypadLink()

    def report(self, rng: Random) -> None:
        key = rng.randint(1, 2), rng.choice(self.KEYS), rng.choice(("", "5", "120", "0.25"))
        self.sent.append(key)
        self._board.press(*key)

    def tick(self, at_ms: int, carry: Callable[[bytes], bytes]) -> None:
        for packet in self._host.feed(carry(self._board.tick(at_ms))):
            if isinstance(packet, PadsHello):
                self._board.receive(carry(greeting(packet)))
            elif isinstance(packet, Mark):
                if not self._host.is_acknowledged(packet):
                    self.taken.append((packet.seat, packet.word, packet.value))
                self._board.receive(carry(self._host.acknowledge(packet)))


def played(ends: Ends, rng: Random) -> int:
    """Packets of the board until all of its reports have come."""
    cable, ticks = Cable(rng), 0
    for _ in range(REPORTS):
        ends.report(rng)
        for _ in range(rng.choice(TICKS)):
            ticks += 1
            ends.tick(REPEAT_MS * ticks, cable.carry)
    for _ in range(ENDS):
        if len(ends.taken) >= len(ends.sent):
            break
        ticks += 1
        ends.tick(REPEAT_MS * ticks, cable.carry)
    return cable.frames


def mistakes(name: str, made: Callable[[], Ends], first: int = 0) -> Iterator[str]:
    """What must not be: a report that is lost, comes twice, out of order, or not as it was."""
    frames, seed = 0, first
    while frames < FRAMES:
        ends = made()
        frames += played(ends, Random(f"{name} {seed}"))
        if ends.taken != ends.sent:
            at = next((n for n, pair in enumerate(zip(ends.sent, ends.taken, strict=False)) if len({*pair}) > 1), None)
            yield f"seed {seed}: {len(ends.taken)} of {len(ends.sent)}, another at {at}"
        seed += 1


@pytest.mark.parametrize("made", [Native, Keypad])
def test_each_report_comes_once_and_as_it_was(made: Callable[[], Ends]) -> None:
    assert [*mistakes(made.__name__, made)] == []
