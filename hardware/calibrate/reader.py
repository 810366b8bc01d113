"""The calibration of a reader board, step by step: dark, light, threshold, and a pass that proves them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hardware.calibrate.bench import Bench
from hardware.calibrate.figures import Refusal, histogram, mean
from hardware.calibrate.levels import FULL_SCALE, Levels, Settings, levels_of, next_light, propose
from hardware.errors import PortError
from hardware.readers.messages import CutCard, Read

RAW_CARDS = 5
ROUNDS = 8  # of light tried, each half or double at most
PATIENCE_S = 60.0  # without a card
THRESHOLD, HYSTERESIS, GAIN, EXPOSURE_US = 1, 2, 3, 4  # parameters


class Guide(Protocol):
    """Says to the technician what to do, and shows how it goes."""

    def say(self, text: str) -> None:
        """A step begins, or something was found."""

    def bar(self, part: float, count: int, of: int, text: str, name: str = "done") -> None:
        """A live bar of what `name` says: `part` of it is full (0..1); `count` of `of` are done."""


@dataclass(slots=True)
class Tested:
    """A test pass: how many cards, and what was read of them. Times in ms, quality 0..255."""

    cards: int = 0
    read: int = 0
    qualities: list[int] = field(default_factory=list)
    transits: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The part of the cards that were read."""
        return self.read / self.cards if self.cards else 0.0

    def histogram(self) -> str:
        """The qualities as bars, 0 to 255."""
        return histogram(self.qualities, 0, 256)


async def adjust(bench: Bench, guide: Guide, cards: int = RAW_CARDS, patience_s: float = PATIENCE_S) -> Levels:
    """Set the board's light, threshold and hysteresis by raw cards; the levels they rest on. Not saved yet.

    Raises Refusal with its reason; the board then has the settings tried last. Raises PortError for one that is gone.
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
            raise Refusal("the light does not settle", "look for a loose lamp or a strong light above the reader")
    except PortError:
        raise  # who is not there is told nothing
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
    """Read `cards` cards and count. known: whether a code is in the code book. Raises Refusal if none comes."""
    tested = Tested()
    while tested.cards < cards:
        card = await bench.next_card(patience_s)
        if card is None:
            break
        if isinstance(card, CutCard):
            continue
        tested.cards += 1
        if isinstance(card, Read) and known(card.code):
            tested.read += 1
            tested.qualities += [card.quality] if card.quality is not None else []
            tested.transits += [card.transit_ms] if card.transit_ms is not None else []
        quality = f", quality {mean(tested.qualities):.0f} of 255" if tested.qualities else ""
        guide.bar(tested.cards / cards, tested.cards, cards, f"{tested.read} read{quality}")
    if tested.cards < cards:
        raise Refusal(f"only {tested.cards} of {cards} cards passed", "pull them one by one, with no long pause")
    return tested


async def _measured(bench: Bench, guide: Guide, cards: int, patience_s: float) -> Levels:
    guide.say("no card over the reader: its light is measured")
    dark = await bench.dark()
    guide.say(f"pull {cards} cards")
    raw = await bench.raw_cards(
        cards, dark, patience_s, lambda part, count: guide.bar(part, count, cards, "cards", "signal now")
    )
    if 0 < len(raw) < cards:
        raise Refusal(f"only {len(raw)} of {cards} cards passed", "pull them one by one, with no long pause")
    if raw:
        guide.say(f"level 0 {histogram([level for card in raw for level in card], 0, FULL_SCALE + 1)} {FULL_SCALE}")
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
