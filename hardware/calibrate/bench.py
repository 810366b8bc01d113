"""Calibration of a reader over any link: its parameters, raw signal and test cards, step by step."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hardware import framing
from hardware.calibrate.figures import Refusal, column, histogram, mean
from hardware.calibrate.levels import (
    FULL_SCALE,
    Dark,
    Levels,
    Settings,
    cards_in,
    dark_level,
    levels_of,
    next_light,
    propose,
)
from hardware.errors import PortError
from hardware.readers import Decoder
from hardware.readers.messages import Beat, CutCard, Done, Hello, Message, Param, Read, Repeat, ReportNo, Sample, Unread
from hardware.readers.native import KINDS, Get, Packet, Raw, Save, Selftest, Set, pack

ANSWER_S = 0.5
TRIES = 4
PATIENT_MESSAGES = 1000  # messages that may come before an answer, such as raw samples
DARK_S = 0.8  # raw samples without a card
LOOK_S = 0.25  # how often the raw samples are searched for cards

Passed = Read | Unread | CutCard
Seen = Callable[[float, int], None]
"""Called while cards pass, with the signal level (0..1) and the number of cards so far."""


class Link(Protocol):
    """The link from a bench to a reader."""

    decoder: Decoder

    def write(self, chunk: bytes) -> object:
        """Write bytes for the reader."""

    async def next(self, seconds: float) -> Message | None:
        """Return the reader's next message, None if none comes for `seconds`. Raises PortError."""

    def now(self) -> float:
        """Return the time in seconds, on the clock of `next`."""


@dataclass(slots=True)
class Bench:
    """Handles a reader's messages; acknowledges each card after `passed(report)`. beat, hello: the last of each."""

    link: Link
    passed: Callable[[ReportNo], None] = lambda _: None
    beat: Beat | None = None
    hello: Hello | None = None
    _samples: list[int] = field(default_factory=list)

    async def params(self) -> dict[int, int]:
        """Return parameters 1 to 6 of the board. Raises Refusal if it does not answer."""
        return {id_: await self._param(Get(id_)) for id_ in range(1, 7)}

    async def set(self, params: dict[int, int]) -> None:
        """Change parameters until the board's next boot. Raises Refusal if it rejects one."""
        for id_, value in params.items():
            if await self._param(Set(id_, value)) != value:
                raise Refusal(f"the board rejects parameter {id_} = {value}", "update its firmware")

    @staticmethod
    def restoring(params: dict[int, int]) -> bytes:
        """Return the bytes that end the raw signal and set these parameters, before the board is used again."""
        packets: list[Packet] = [Raw(0), *(Set(id_, value) for id_, value in params.items())]
        return b"".join(framing.encode(pack(packet)) for packet in packets)

    async def save(self) -> None:
        """Store the parameters in the board. Raises Refusal if it cannot."""
        if await self._done(Save()):
            raise Refusal("the board cannot save its parameters", "its memory is worn out: replace the board")

    async def selftest(self) -> None:
        """Run the board's self-test. Raises Refusal if it fails."""
        if status := await self._done(Selftest()):
            raise Refusal(
                f"the board's self-test failed ({status})",
                "check its lamp and plugs, then replace the board",
            )

    async def raw(self, on: bool) -> None:
        """Switch the raw samples on or off. Raises Refusal if the board does not answer."""
        await self._done(Raw(int(on)))
        self._samples.clear()

    async def dark(self) -> Dark:
        """Measure the level without a card; raw samples must be on. Raises Refusal."""
        self._samples.clear()
        await self._listen(DARK_S)
        return dark_level(self._samples)

    async def raw_cards(self, count: int, dark: Dark, patience_s: float, seen: Seen) -> list[list[int]]:
        """Return the raw samples of `count` cards, fewer if none passes for `patience_s`; raw samples must be on."""
        self._samples.clear()
        cards: list[list[int]] = []
        idle = 0.0
        while len(cards) < count and idle < patience_s:
            await self._listen(LOOK_S)
            found = cards_in(self._samples, dark)
            idle = 0.0 if len(found) > len(cards) else idle + LOOK_S
            cards = found
            seen(max(self._samples[-400:], default=0) / FULL_SCALE, len(cards))
        return cards[:count]

    async def next_card(self, patience_s: float) -> Passed | None:
        """Wait for the next card and acknowledge it; None if none passes for `patience_s`. Raises PortError."""
        until = self.link.now() + patience_s
        while (left := until - self.link.now()) > 0:
            message = await self.link.next(left)
            if message and (card := self._handle(message)):
                return card
        return None

    async def drain(self) -> int:
        """Read and acknowledge the cards still waiting in the reader; return how many."""
        count = 0
        while await self.next_card(LOOK_S):
            count += 1
        return count

    async def _param(self, packet: Get | Set) -> int:
        answer = await self._answer(packet, lambda message: isinstance(message, Param) and message.id == packet.id)
        assert isinstance(answer, Param)
        return answer.value

    async def _done(self, packet: Packet) -> int:
        answer = await self._answer(
            packet, lambda message: isinstance(message, Done) and message.command == KINDS[type(packet)]
        )
        assert isinstance(answer, Done)
        return answer.status

    async def _answer(self, packet: Packet, fits: Callable[[Message], bool]) -> Message:
        """Return the board's answer; repeat the request, as bytes may get lost. Raises Refusal without an answer."""
        for _ in range(TRIES):
            self.link.write(framing.encode(pack(packet)))
            for _ in range(PATIENT_MESSAGES):
                message = await self.link.next(ANSWER_S)
                if message is None:
                    break
                if fits(message):
                    return message
                self._handle(message)
        raise Refusal("the reader board does not answer", "check its cable, its power and [reader] protocol")

    async def _listen(self, seconds: float) -> None:
        """Collect raw samples for `seconds` by the board's clock, or until it falls silent."""
        start: int | None = None
        while (message := await self.link.next(ANSWER_S)) is not None:
            self._handle(message)
            if isinstance(message, Sample):
                start = message.stamp_ms if start is None else start
                if message.stamp_ms - start >= 1000 * seconds:
                    return

    def _handle(self, message: Message) -> Passed | None:
        match message:
            case Read() | Unread():
                if message.report:
                    self.passed(message.report)
                    self.link.write(self.link.decoder.acknowledge(message.report))
                return message
            case CutCard():
                return message
            case Repeat(report=report):
                self.link.write(self.link.decoder.acknowledge(report))
            case Sample():
                self._samples += message.levels
            case Beat():
                self.beat = message
            case Hello():
                self.hello = message  # not acknowledged: the daemon must get it too
        return None


RAW_CARDS = 5
ROUNDS = 8  # tries of the light, each at half or double the last one at most
PATIENCE_S = 60.0  # without a card
THRESHOLD, HYSTERESIS, GAIN, EXPOSURE_US = 1, 2, 3, 4  # parameters


class Guide(Protocol):
    """Shows the technician the next step and the progress."""

    def say(self, text: str) -> None:
        """Show an instruction or a finding."""

    def bar(self, part: float, count: int, of: int, text: str, name: str = "done") -> None:
        """Draw a live bar labelled `name`: `part` of it is full (0..1); `count` of `of` are done."""


@dataclass(slots=True)
class Tested:
    """Result of a test pass: cards, and how many were read. Times in ms, quality 0..255."""

    cards: int = 0
    read: int = 0
    qualities: list[int] = field(default_factory=list)
    transits: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.read / self.cards if self.cards else 0.0

    def histogram(self, least: int) -> tuple[str, str]:
        """Return the qualities as bars from 0 to 255, and a line below them that points at the least that is taken."""
        left = "quality 0 "
        at = column(least, 0, 256)
        mark = f"{' ' * (len(left) + at)}^ [reader] min_quality = {least}"
        return f"{left}{histogram(self.qualities, 0, 256)} 255, higher is better", mark


async def adjust(bench: Bench, guide: Guide, cards: int = RAW_CARDS, patience_s: float = PATIENCE_S) -> Levels:
    """Set the board's light, threshold and hysteresis by raw cards; return the levels measured. Does not save.

    Raises Refusal, the board then has the settings tried last; PortError if the board is gone.
    """
    settings = _settings(await bench.params())
    await bench.raw(True)
    try:
        for _ in range(ROUNDS):
            levels = await _measured(bench, guide, cards, patience_s)
            brighter = next_light(levels, settings)
            if brighter is None:
                break
            settings = brighter
            light = f"gain {settings.gain}, exposure {settings.exposure_us} us"
            guide.say(f"paper shows {levels.white:.0f} of {FULL_SCALE}: trying {light}")
            await bench.set(_params(settings))
        else:
            raise Refusal("the light is not stable", "look for a loose lamp or a strong light above the reader")
    except PortError:
        raise  # the board is gone: nothing to switch off
    except BaseException:
        await bench.raw(False)
        raise
    await bench.raw(False)
    settings = propose(levels, settings)
    guide.say(f"dark {levels.dark:.0f}, ink {levels.black:.0f}, paper {levels.white:.0f}, noise {levels.noise:.1f}")
    guide.say(f"threshold {settings.threshold}, hysteresis {settings.hysteresis}")
    await bench.set(_params(settings))
    return levels


async def tried(
    bench: Bench,
    guide: Guide,
    cards: int,
    patience_s: float = PATIENCE_S,
    known: Callable[[int | str], bool] = lambda _: True,
) -> Tested:
    """Read and count `cards` cards. known: whether a code is in the code book. Raises Refusal if too few pass."""
    tested = Tested()
    while tested.cards < cards:
        card = await bench.next_card(patience_s)
        if card is None:
            break
        if isinstance(card, CutCard) or (isinstance(card, Read) and card.again):
            continue
        tested.cards += 1
        if isinstance(card, Read) and known(card.code):
            tested.read += 1
            tested.qualities += [card.quality] if card.quality is not None else []
            tested.transits += [card.transit_ms] if card.transit_ms is not None else []
        quality = f", quality {mean(tested.qualities):.0f} of 255" if tested.qualities else ""
        guide.bar(tested.cards / cards, tested.cards, cards, f"{tested.read} read{quality}")
    if not tested.cards:
        raise Refusal("no card came", "pull the cards past the reader; see that it is lit and reads this kind of code")
    if tested.cards < cards:
        raise Refusal(
            f"only {tested.cards} of {cards} cards passed",
            "pull them one by one, with no long pause; if you did, some were not seen: check its light and cable",
        )
    return tested


async def repeated(bench: Bench, seconds: float) -> list[float]:
    """Return the seconds between the reports of the last card, which lies before the reader; [] where it is reported
    once.

    The link's decoder must mark what is read again. Of a card that is pushed through later nothing counts.
    """
    since = bench.link.now()
    until, times = since + seconds, list[float]()
    while (left := until - bench.link.now()) > 0 and (card := await bench.next_card(left)):
        if not isinstance(card, Read) or not card.again:
            break
        times.append(bench.link.now() - since)
        since += times[-1]
    return times


async def _measured(bench: Bench, guide: Guide, cards: int, patience_s: float) -> Levels:
    guide.say("keep cards away from the reader: its light is measured")
    dark = await bench.dark()
    guide.say(f"pull {cards} cards")
    raw = await bench.raw_cards(
        cards, dark, patience_s, lambda part, count: guide.bar(part, count, cards, "cards", "signal now")
    )
    if 0 < len(raw) < cards:
        raise Refusal(f"only {len(raw)} of {cards} cards passed", "pull them one by one, with no long pause")
    if raw:
        levels = histogram([level for card in raw for level in card], 0, FULL_SCALE + 1)
        guide.say(f"level 0 {levels} {FULL_SCALE}, dark to bright")
    return levels_of(raw, dark)


def _settings(params: dict[int, int]) -> Settings:
    return Settings(params[THRESHOLD], params[HYSTERESIS], params[GAIN], params[EXPOSURE_US])


def _params(settings: Settings) -> dict[int, int]:
    return {
        THRESHOLD: settings.threshold,
        HYSTERESIS: settings.hysteresis,
        GAIN: settings.gain,
        EXPOSURE_US: settings.exposure_us,
    }
