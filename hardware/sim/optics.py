"""Simulated optics of a native reader board: light, ink, dirt and motion become ADC counts, and counts a code.

The print on a card: 16 bits of code and 8 of check, each bit two cells of unlike ink (01 or 10), one strobe per cell.
"""

from binascii import crc_hqx
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

FULL_SCALE = 4095
CELLS = 48
NOMINAL_MS = 45
_CHECK_BITS = 8
_NOISES = 4096
THRESHOLD, HYSTERESIS, GAIN, EXPOSURE_US, MIN_QUALITY, SAMPLES = 1, 2, 3, 4, 5, 6  # parameters

Params = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """The board's reading of a card: `code` None if no sample passed the check."""

    code: int | None
    quality: int
    agreed: int
    taken: int
    transit_ms: int


@dataclass(frozen=True, slots=True)
class Light:
    """Light, print and dirt at the sensor.

    lamp: 1 is a new one. fade: its loss per hour. per_degree: its loss per degree over 25. noise: ADC
    counts (sd) at the usual gain. paper, ink: reflectance, 0..1. dirt: loss in the glass, cell by cell.
    ambient: other light than the lamp's (counts); flicker: its 100 Hz part. speed: spread of the transits.
    """

    lamp: float = 1.0
    fade: float = 0.0
    per_degree: float = 0.002
    degrees: float = 31.0
    warming: float = 0.0
    noise: float = 12.0
    paper: float = 0.9
    ink: float = 0.06
    dirt: float = 0.0
    ambient: float = 60.0
    flicker: float = 0.0
    speed: float = 0.25


@dataclass(slots=True)
class _Pass:
    start_us: int
    length_us: int
    cells: tuple[bool, ...]


@dataclass(slots=True)
class Optics:
    """A sensor under `light`; change `light` to age the lamp, dim the print or dirty the glass."""

    light: Light = field(default_factory=Light)
    seed: int = 1
    wrong: int = 0
    _rng: Random = field(init=False)
    _noises: list[float] = field(init=False)
    _passes: list[_Pass] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)
        self._noises = [self._rng.gauss(0, 1) for _ in range(_NOISES)]

    def read(self, code: int, params: Params, now_ms: int) -> Reading:
        """Pass a card with `code` at `now_ms`; return what a board with `params` reads."""
        cells, transit_us = printed(code), self._transit_us()
        self._passes = [*self._passes[-20:], _Pass(now_ms * 1000, transit_us, cells)]
        levels = self._levels(cells, transit_us, params, now_ms)
        taken = max(1, params[SAMPLES])
        votes = Counter(_decoded(self._noisy(levels, params), params) for _ in range(taken))
        del votes[None]
        best, agreed = max(votes.items(), key=lambda vote: vote[1], default=(None, 0))
        self.wrong += best is not None and best != code
        quality = 0 if best is None else _quality(self._noisy(levels, params), printed(best), params)
        return Reading(best, quality, agreed, taken, transit_us // 1000)

    def level(self, at_us: int, params: Params) -> int:
        """Return the ADC count at a moment (raw signal)."""
        light, now_ms = self.light, at_us // 1000
        bright = 0.0
        for each in reversed(self._passes):
            at = at_us - each.start_us
            if 0 <= at < each.length_us:
                cell = at * (CELLS + 8) // each.length_us - 4  # four cells of bare paper before and behind
                white = not 0 <= cell < CELLS or each.cells[cell]
                bright = light.paper if white else light.ink
                break
        clean = self._counts(bright, params, now_ms) + self._flicker(at_us)
        level = clean + self._rng.choice(self._noises) * self._noise(clean, params)
        return max(0, min(FULL_SCALE, round(level)))

    def lamp(self, now_ms: int) -> float:
        """Return the brightness of the lamp now; 1 as when new."""
        degrees = self.degrees(now_ms) - 25
        hours = now_ms / 3_600_000
        return max(0.0, self.light.lamp * (1 - self.light.fade * hours) * (1 - self.light.per_degree * degrees))

    def degrees(self, now_ms: int) -> float:
        """Return the temperature now; it rises by `warming` within the first hour."""
        return self.light.degrees + self.light.warming * min(1.0, now_ms / 3_600_000)

    def _transit_us(self) -> int:
        spread = self.light.speed
        return int(1000 * NOMINAL_MS * self._rng.uniform(1 - spread, 1 + spread))

    def _levels(self, cells: tuple[bool, ...], transit_us: int, params: Params, now_ms: int) -> list[float]:
        """Return the noise-free count of each cell: long exposure smears a fast card into the next cell."""
        light = self.light
        white = self._counts(light.paper, params, now_ms)
        black = self._counts(light.ink, params, now_ms)
        flicker = self._flicker(now_ms * 1000 + self._rng.randrange(10_000))
        smear = min(0.5, params[EXPOSURE_US] * (CELLS + 8) / transit_us / 4)
        plain = [white if cell else black for cell in cells]
        pairs = zip([white, *plain], plain, strict=False)
        levels = [here + smear * (before - here) + flicker for before, here in pairs]
        if light.dirt:
            levels = [level * (1 - light.dirt * self._rng.random()) for level in levels]
        return levels

    def _noisy(self, levels: list[float], params: Params) -> list[float]:
        sd = self._noise(max(levels), params)
        at = self._rng.randrange(_NOISES - CELLS)
        noises = self._noises[at : at + CELLS]
        return [min(FULL_SCALE, level + sd * noise) for level, noise in zip(levels, noises, strict=True)]

    def _counts(self, reflected: float, params: Params, now_ms: int) -> float:
        """Return the counts of a surface: gain times exposure of 720 shows new white paper at about 3100."""
        light = 4.8 * reflected * self.lamp(now_ms) * params[GAIN] * params[EXPOSURE_US]
        return self.light.ambient + light

    def _noise(self, level: float, params: Params) -> float:
        return self.light.noise * (0.5 + params[GAIN] / 8) * (0.6 + 0.4 * min(1.0, level / FULL_SCALE))

    def _flicker(self, at_us: int) -> float:
        """Return the counts of flicker: a mains lamp peaks every 10 ms."""
        phase = at_us % 10_000 / 10_000
        return self.light.flicker * 4 * phase * (1 - phase)


@lru_cache(maxsize=2048)
def printed(code: int) -> tuple[bool, ...]:
    """Return the cells of a code; True is white."""
    word = code << _CHECK_BITS | _check(code)
    bits = [bool(word >> at & 1) for at in reversed(range(CELLS // 2))]
    return tuple(cell for bit in bits for cell in (bit, not bit))


def _check(code: int) -> int:
    return crc_hqx(code.to_bytes(2, "big"), 0x1D0F) & 0xFF


def _decoded(levels: list[float], params: Params) -> int | None:
    """Return the code in the sampled counts, None if it fails the check; a cell within the hysteresis repeats the last
    one.
    """
    upper = params[THRESHOLD] + params[HYSTERESIS]
    lower = params[THRESHOLD] - params[HYSTERESIS]
    word, white, first = 0, True, False
    for at, level in enumerate(levels):
        white = level > upper or (white and level >= lower)
        if not at % 2:
            first = white
        elif first is white:
            return None
        else:
            word = word << 1 | first
    code = word >> _CHECK_BITS
    return code if _check(code) == word & 0xFF else None


def _quality(levels: list[float], cells: tuple[bool, ...], params: Params) -> int:
    """Return the distance of the worst cell from the threshold: 255 is half the contrast, 0 is the wrong side."""
    white = [level for level, cell in zip(levels, cells, strict=True) if cell]
    black = [level for level, cell in zip(levels, cells, strict=True) if not cell]
    half = (sum(white) / len(white) - sum(black) / len(black)) / 2
    margin = min(min(white) - params[THRESHOLD], params[THRESHOLD] - max(black)) - params[HYSTERESIS]
    return max(0, min(255, int(255 * margin / half))) if half > 0 else 0
