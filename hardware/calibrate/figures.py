"""Figures of many values that a few wild ones cannot spoil, and what is said when they are not good enough."""

from collections.abc import Sequence
from statistics import fmean, pstdev

from hardware.errors import HardwareError

_SD_OF_MAD = 1.4826  # standard deviation / median absolute deviation, of a normal distribution
_BARS = "▁▂▃▄▅▆▇█"


class Refusal(HardwareError, ValueError):
    """What was measured cannot be calibrated: `reason` says why, `remedy` what to do next."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}: {remedy}")
        self.reason, self.remedy = reason, remedy


def median(values: Sequence[float]) -> float:
    """The middle one; 0 of none."""
    return quantile(values, 0.5)


def quantile(values: Sequence[float], part: float) -> float:
    """The value below which `part` (0..1) of them lie; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def spread(values: Sequence[float]) -> float:
    """The standard deviation, from the median deviation: a tenth of wild values does not move it much."""
    middle = median(values)
    return _SD_OF_MAD * median([abs(value - middle) for value in values])


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of none."""
    return fmean(values) if values else 0.0


def sd(values: Sequence[float]) -> float:
    """The standard deviation; 0 of none."""
    return pstdev(values) if values else 0.0


def histogram(values: Sequence[float], low: float, high: float, columns: int = 32) -> str:
    """How often which value came, as a line of `columns` bars from `low` to `high`."""
    counts = [0] * columns
    for value in values:
        counts[max(0, min(columns - 1, int((value - low) * columns / (high - low))))] += 1
    most = max(counts, default=0)
    return "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] if count else " " for count in counts)
