"""Settings of a reader board, from the levels it sees: light first, then the threshold."""

from dataclasses import dataclass
from math import sqrt

from hardware.calibrate.figures import Refusal
from hardware.calibrate.levels import FULL_SCALE, SATURATED, Levels

WHITE = 3000.0  # counts that paper is to show: room for a brighter card, and for a lamp that fades
WHITE_FROM, WHITE_TO = 2500.0, 3500.0
WHITE_AT_LEAST = 1500.0  # with all the light there is
EXPOSURE_US = (40, 240)  # a longer one smears a fast card over its neighbouring cells
GAIN = (1, 12)  # a higher one shows more noise than paper
CONTRAST = 16.0  # sds of noise between paper and ink, at least
WEAKEST_PRINT = 0.3  # of the light that paper gives, taken away by ink
NOISE_ROOM = 4.0  # sds of noise that the hysteresis covers
LEAST_HYSTERESIS, MOST_HYSTERESIS = 8, 0.12  # counts, and part of the contrast


@dataclass(frozen=True, slots=True)
class Settings:
    """What the board is to be set to; its parameters 1 to 4."""

    threshold: int
    hysteresis: int
    gain: int
    exposure_us: int


def next_light(levels: Levels, now: Settings) -> Settings | None:
    """Other gain and exposure to try, None where paper shows about `WHITE` counts. Raises Refusal: no light will do.

    Exposure is changed before gain, which would raise the noise with the signal.
    """
    if WHITE_FROM <= levels.white <= WHITE_TO:
        return None
    is_saturated = levels.white >= SATURATED
    factor = 0.5 if is_saturated else (WHITE - levels.dark) / max(1.0, levels.white - levels.dark)
    gain, exposure = _light(now.gain * now.exposure_us * factor, now.gain)
    if (gain, exposure) == (now.gain, now.exposure_us):
        if is_saturated:
            raise Refusal("the sensor is saturated at its least exposure", "shade the reader; fit the right lamp")
        if levels.white < WHITE_AT_LEAST:
            raise Refusal(
                f"the lamp is too weak: paper shows {levels.white:.0f} of {FULL_SCALE} at the most exposure",
                "clean the glass, then change the lamp",
            )
        return None
    return Settings(now.threshold, now.hysteresis, gain, exposure)


def propose(levels: Levels, now: Settings) -> Settings:
    """Threshold and hysteresis for these levels. Raises Refusal where ink and paper cannot be told apart safely.

    The threshold lies between the middle (most room for noise) and the geometric mean (most room for a lamp that
    fades, which dims paper and ink alike).
    """
    paper, ink = levels.white - levels.dark, levels.black - levels.dark
    if levels.white >= SATURATED:
        raise Refusal("the sensor is saturated", "shade the reader; fit the right lamp")
    if levels.contrast < CONTRAST * levels.noise:
        raise Refusal(
            f"ink and paper are {max(0.0, levels.contrast):.0f} counts apart, the noise needs "
            f"{CONTRAST * levels.noise:.0f}",
            "clean the glass; look for a loose lamp or a strong light above the reader",
        )
    if levels.contrast < WEAKEST_PRINT * paper:
        raise Refusal(
            f"the print is too weak: ink shows {100 * ink / paper:.0f} % of the light of paper",
            "take other packs; calibrate again",
        )
    middle = (levels.white_low + levels.black_high) / 2
    geometric = levels.dark + sqrt((levels.white_low - levels.dark) * max(1.0, levels.black_high - levels.dark))
    most = MOST_HYSTERESIS * levels.contrast
    hysteresis = max(LEAST_HYSTERESIS, min(most, NOISE_ROOM * levels.noise))
    return Settings(round((middle + geometric) / 2), round(hysteresis), now.gain, now.exposure_us)


def _light(product: float, gain: int) -> tuple[int, int]:
    """Gain and exposure of about this product, the gain as it is if the exposure allows it."""
    low, high = EXPOSURE_US
    while product / gain > high and gain < GAIN[1]:
        gain += 1
    while product / gain < low and gain > GAIN[0]:
        gain -= 1
    return gain, max(low, min(high, round(product / gain)))
