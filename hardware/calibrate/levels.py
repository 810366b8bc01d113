"""Signal levels of a reader's sensor (ADC counts, 0..4095), and the board settings that follow from them."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from hardware.calibrate.figures import Refusal, mean, median, quantile, sd, spread

FULL_SCALE = 4095
SATURATED = 4050  # counts: from here on more light changes nothing
SIGMAS = 6.0  # of noise between two levels that must not be confused
SMALLEST_STEP = 60.0  # counts between dark and paper, at least
SLOW = 8  # samples averaged to separate slow light from noise
FLICKER = 25.0  # counts (sd) of slow light that a threshold tolerates
FEWEST_SAMPLES = 200
QUIET_SAMPLES = 48  # samples without paper that end a card
SHORTEST_CARD = 24  # samples; less is a glint
ENDS = 0.04  # of a card at either end: its edge, half lit
MIDDLING = 2.5  # times the usual step between two samples: the sensor is between two cells
_DIFFERENCE = 2**0.5  # the noise of a difference is that of a value times this
WHITE = 3000.0  # target counts of paper: room for a brighter card, and for a lamp that fades
WHITE_FROM, WHITE_TO = 2500.0, 3500.0
WHITE_AT_LEAST = 1500.0  # at full exposure and gain
EXPOSURE_US = (40, 240)  # a longer one smears a fast card over its neighbouring cells
GAIN = (1, 12)  # a higher one shows more noise than paper
CONTRAST = 16.0  # sds of noise between paper and ink, at least
WEAKEST_PRINT = 0.3  # of the light that paper gives, taken away by ink
NOISE_ROOM = 4.0  # sds of noise that the hysteresis covers
LEAST_HYSTERESIS, MOST_HYSTERESIS = 8, 0.12  # counts, and part of the contrast


@dataclass(frozen=True, slots=True)
class Dark:
    """The level without a card, its noise (sd), and the slow part of it: ambient light that flickers."""

    level: float
    noise: float
    slow: float


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels of `cards` cards: without a card, on paper, on ink, and the noise (sd) of a sample.

    white_low, black_high: of the worst card.
    """

    dark: float
    white: float
    black: float
    noise: float
    white_low: float
    black_high: float
    cards: int

    @property
    def contrast(self) -> float:
        """Counts between the darkest paper and the brightest ink of all cards."""
        return self.white_low - self.black_high


def dark_level(samples: Sequence[int]) -> Dark:
    """Return the level of samples without a card. Raises Refusal: too few, too bright, or flickering."""
    if len(samples) < FEWEST_SAMPLES:
        raise Refusal(
            f"the board sends too few raw samples to calibrate it ({len(samples)}; {FEWEST_SAMPLES} are needed)",
            "update its firmware; a simulated board needs optics: hardware.sim --optics",
        )
    level = median(samples)
    noise = _noise(samples)
    slow = sd([mean(samples[at : at + SLOW]) for at in range(0, len(samples) - SLOW + 1, SLOW)])
    if level > FULL_SCALE / 3:
        raise Refusal(
            f"too much light without a card (level {level:.0f} of {FULL_SCALE})",
            "remove any card from the reader, close the lid, shade the reader",
        )
    if slow > max(FLICKER, noise):
        raise Refusal(
            f"light flickers at the reader without a card (by {slow:.0f} counts, noise {noise:.0f})",
            "pull no card during this step; if you pulled none, shade the reader, switch off the lamp above it",
        )
    return Dark(level, noise, slow)


def cards_in(samples: Sequence[int], dark: Dark) -> list[list[int]]:
    """Return the samples of each complete card; the first and last of a card are its white margins."""
    over = dark.level + max(SIGMAS * dark.noise, SMALLEST_STEP)
    cards: list[list[int]] = []
    quiet, begun = QUIET_SAMPLES, 0
    last = -1
    for at, level in enumerate(samples):
        if level <= over:
            quiet += 1
            if quiet == QUIET_SAMPLES and last >= 0:
                cards.append(list(samples[begun : last + 1]))
                last = -1
        else:
            if last < 0:
                begun = at
            quiet, last = 0, at
    return [_without_ends(card) for card in cards if len(card) >= SHORTEST_CARD]


def levels_of(cards: Sequence[Sequence[int]], dark: Dark) -> Levels:
    """Return the levels of raw cards. Raises Refusal if there are none."""
    if not cards:
        raise Refusal("the sensor saw no card", "pull the cards slowly; clean the glass, check the lamp")
    split = [_split(card) for card in cards]
    whites, blacks = [white for white, _, _ in split], [black for _, black, _ in split]
    return Levels(
        dark=dark.level,
        white=median(whites),
        black=median(blacks),
        noise=max(dark.noise, median([noise for _, _, noise in split])),
        white_low=min(whites),
        black_high=max(blacks),
        cards=len(cards),
    )


def _split(card: Sequence[int]) -> tuple[float, float, float]:
    """Return white, black and noise of one card: the clusters above and below the best cut, without transitions."""
    steps = [abs(one - other) for one, other in itertools.pairwise(card)]
    calm = max(4.0, MIDDLING * quantile(steps, 0.4))
    plateau = [level for level, step in zip(card, steps, strict=False) if step <= calm] or list(card)
    cut = _otsu(plateau)
    white = [level for level in plateau if level > cut] or plateau
    black = [level for level in plateau if level <= cut] or plateau
    return median(white), median(black), max(spread(white), spread(black))


def _otsu(values: Sequence[int]) -> float:
    """Return the cut between two clusters of values by Otsu's method (maximal variance between them)."""
    ordered = sorted(values)
    total, count = sum(ordered), len(ordered)
    best, cut, below = -1.0, float(ordered[0]), 0
    for n, value in enumerate(ordered[:-1], 1):
        below += value
        between = n * (count - n) * (below / n - (total - below) / (count - n)) ** 2
        if between > best and ordered[n] != value:
            best, cut = between, (value + ordered[n]) / 2
    return cut


def _noise(samples: Sequence[int]) -> float:
    """Return the noise (sd) of single samples, independent of slow light."""
    return max(0.5, spread([one - other for one, other in itertools.pairwise(samples)]) / _DIFFERENCE)


def _without_ends(card: list[int]) -> list[int]:
    cut = max(1, int(len(card) * ENDS))
    return card[cut:-cut]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the board: its parameters 1 to 4."""

    threshold: int
    hysteresis: int
    gain: int
    exposure_us: int


def next_light(levels: Levels, now: Settings) -> Settings | None:
    """Return another exposure, else gain (it adds noise); None if paper is near `WHITE`. Raises Refusal if none is
    possible.
    """
    if WHITE_FROM <= levels.white <= WHITE_TO:
        return None
    is_saturated = levels.white >= SATURATED
    factor = 0.5 if is_saturated else (WHITE - levels.dark) / max(1.0, levels.white - levels.dark)
    gain, exposure = _light(now.gain * now.exposure_us * factor, now.gain)
    if (gain, exposure) == (now.gain, now.exposure_us):
        if is_saturated:
            raise Refusal("too much light, even at the shortest exposure", "shade the reader; use the right lamp")
        if levels.white < WHITE_AT_LEAST:
            raise Refusal(
                f"the lamp is too weak: paper shows {levels.white:.0f} of {FULL_SCALE} at the longest exposure",
                "clean the glass; if it does not help, change the lamp",
            )
        return None
    return Settings(now.threshold, now.hysteresis, gain, exposure)


def propose(levels: Levels, now: Settings) -> Settings:
    """Return threshold and hysteresis for these levels. Raises Refusal if ink and paper are too close.

    The threshold lies between the middle (room for noise) and the geometric mean (room for a lamp that fades).
    """
    paper, ink = levels.white - levels.dark, levels.black - levels.dark
    if levels.white >= SATURATED:
        raise Refusal("too much light", "shade the reader; use the right lamp")
    if levels.contrast < CONTRAST * levels.noise:
        raise Refusal(
            f"ink and paper differ by {max(0.0, levels.contrast):.0f} counts, with this noise they must by "
            f"{CONTRAST * levels.noise:.0f}",
            "clean the glass; look for a loose lamp or a strong light above the reader",
        )
    if levels.contrast < WEAKEST_PRINT * paper:
        raise Refusal(
            f"the print is too weak: ink reflects {100 * ink / paper:.0f} % of the light that paper does",
            "use other packs and calibrate again",
        )
    middle = (levels.white_low + levels.black_high) / 2
    geometric = levels.dark + sqrt((levels.white_low - levels.dark) * max(1.0, levels.black_high - levels.dark))
    most = MOST_HYSTERESIS * levels.contrast
    hysteresis = max(LEAST_HYSTERESIS, min(most, NOISE_ROOM * levels.noise))
    return Settings(round((middle + geometric) / 2), round(hysteresis), now.gain, now.exposure_us)


def _light(product: float, gain: int) -> tuple[int, int]:
    """Return gain and exposure of about this product, with `gain` unchanged if the exposure allows it."""
    low, high = EXPOSURE_US
    while product / gain > high and gain < GAIN[1]:
        gain += 1
    while product / gain < low and gain > GAIN[0]:
        gain -= 1
    return gain, max(low, min(high, round(product / gain)))
