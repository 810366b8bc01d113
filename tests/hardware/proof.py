"""Calibrates simulated boards under bad light and reads 10,000 cards with each: what was read, what was refused."""

import argparse
import asyncio
from collections import deque
from dataclasses import dataclass, replace
from math import ceil

from hardware.calibrate.bench import Bench, adjust
from hardware.calibrate.figures import Refusal, mean
from hardware.readers.messages import Message, Read, Unread
from hardware.readers.native import NativeDecoder
from hardware.readers.protocol import Decoder
from hardware.sim.board import NativeBoard
from hardware.sim.optics import Light, Optics

CARD_MS = 160  # from one card to the next
DEALT_MS = 4_000  # the same at a table
STEP_MS = 10

FADING = Light(ink=0.4, fade=0.01, warming=15.0, noise=25.0)
"""A weak print, a lamp that loses a tenth within the 10,000 cards, and twice the usual noise."""

CONVERGES = {
    "a good print": Light(),
    "a weak print, a fading lamp, noise": FADING,
    "a lamp at 40 %": Light(lamp=0.4, ink=0.3),
    "a lamp far too bright": Light(lamp=2.5),
    "dirty glass": Light(dirt=0.3, ink=0.2),
    "much noise": Light(noise=70.0, ink=0.35),
}
REFUSED = {
    "lamp is too weak": Light(lamp=0.1),
    "too much light, even": Light(lamp=60.0),
    "print is too weak": Light(ink=0.75),
    "with this noise they must": Light(noise=300.0, ink=0.4),
    "flickers": Light(flicker=250.0),
    "too much light without a card": Light(ambient=2_000.0),
    "the sensor saw no card": Light(paper=0.0, ink=0.0),
}


class SimulatedLine:
    """A board on its own clock: time passes only while the host waits, and a card comes every `CARD_MS`."""

    def __init__(self, board: NativeBoard) -> None:
        self.decoder: Decoder = NativeDecoder()
        self.board, self.now_ms = board, 0
        self.cards_left = 0
        self._next_card = 0
        self._heard: deque[Message] = deque()

    def write(self, chunk: bytes) -> None:
        self.board.receive(chunk)

    async def next(self, seconds: float) -> Message | None:
        deadline = self.now_ms + ceil(1000 * seconds)
        while not self._heard and self.now_ms < deadline:
            self.now_ms += STEP_MS
            if self.cards_left and self.now_ms >= self._next_card:
                self.cards_left -= 1
                self._next_card = self.now_ms + CARD_MS
                self.board.pull(self.now_ms % 52)
            self._heard += self.decoder.feed(self.board.tick(self.now_ms))
        return self._heard.popleft() if self._heard else None

    def now(self) -> float:
        return self.now_ms / 1000


@dataclass
class Hand:
    """Pulls the cards it is told to; remembers what it was told."""

    line: SimulatedLine

    def __post_init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)
        if text.startswith("pull"):
            self.line.cards_left = int(text.split()[1])

    def bar(self, part: float, count: int, of: int, text: str, name: str = "done") -> None:
        pass


@dataclass(frozen=True)
class Outcome:
    """How many of the cards were read; how many of those wrong."""

    cards: int
    read: int
    wrong: int
    quality: float
    params: dict[int, int]
    lamp: tuple[float, float]


def calibrated(light: Light, seed: int = 1) -> tuple[SimulatedLine, Hand]:
    """A board calibrated under this light. Raises Refusal."""
    line = SimulatedLine(NativeBoard(optics=Optics(light, seed)))
    hand = Hand(line)
    asyncio.run(adjust(Bench(line), hand, patience_s=3.0))
    return line, hand


def read(line: SimulatedLine, cards: int) -> Outcome:
    """Deal `cards` cards over a calibrated board, over hours, each read once and taken by the host's decoder."""
    board, first = line.board, line.now_ms
    assert board.optics
    qualities, wrong = [], 0
    for n in range(cards):
        code = n * 7 % 52 | (n // 52 % 1024) << 6
        board.pull(code)
        line.now_ms += DEALT_MS
        for message in line.decoder.feed(board.tick(line.now_ms)):
            if isinstance(message, Read | Unread) and message.report:
                line.write(line.decoder.acknowledge(message.report))
            if isinstance(message, Read):
                qualities.append(message.quality or 0)
                wrong += message.code != code
    lamps = board.optics.lamp(first), board.optics.lamp(line.now_ms)
    return Outcome(cards, len(qualities), wrong, mean(qualities), dict(board.params), lamps)


def main() -> int:
    """All of it, a line each; 1 if a light did not converge or was not refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    failed = 0
    for name, light in CONVERGES.items():
        report = read(calibrated(light, given.seed)[0], given.cards)
        good = report.read >= 0.9999 * report.cards and not report.wrong
        failed += not good
        print(
            f"{'ok  ' if good else 'FAIL'} {name}: {report.read} of {report.cards} read, {report.wrong} wrong, "
            f"mean quality {report.quality:.0f}, lamp {report.lamp[0]:.2f} -> {report.lamp[1]:.2f}, "
            f"params {report.params}"
        )
    untouched = SimulatedLine(NativeBoard(optics=Optics(replace(FADING), given.seed)))
    report = read(untouched, given.cards)
    print(f"     the same weak print with factory settings: {report.read} of {report.cards} read, {report.wrong} wrong")
    for reason, light in REFUSED.items():
        try:
            calibrated(light, given.seed)
            said = "NOT REFUSED"
        except Refusal as refusal:
            said = str(refusal)
        failed += reason not in said
        print(f"{'ok  ' if reason in said else 'FAIL'} refused: {said}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
