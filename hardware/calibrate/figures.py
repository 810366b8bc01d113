"""Robust statistics of measured values, and the error for values that cannot be calibrated."""

from collections.abc import Sequence
from statistics import fmean, pstdev

from hardware.errors import HardwareError

_SD_OF_MAD = 1.4826  # standard deviation / median absolute deviation, of a normal distribution
_BARS = "▁▂▃▄▅▆▇█"


class Refusal(HardwareError, ValueError):
    """The measurement cannot be used: `reason` is the cause, `remedy` the next step."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}: {remedy}")
        self.reason, self.remedy = reason, remedy


def median(values: Sequence[float]) -> float:
    """Return the median; 0 if empty."""
    return quantile(values, 0.5)


def quantile(values: Sequence[float], part: float) -> float:
    """Return the value below which `part` (0..1) of the values lie; 0 if empty."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation, estimated from the median absolute deviation: robust against 10 % outliers."""
    middle = median(values)
    return _SD_OF_MAD * median([abs(value - middle) for value in values])


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 if empty."""
    return fmean(values) if values else 0.0


def sd(values: Sequence[float]) -> float:
    """Return the standard deviation; 0 if empty."""
    return pstdev(values) if values else 0.0


def column(value: float, low: float, high: float, columns: int = 32) -> int:
    """Return the column of a histogram, from 0, that a value falls into."""
    return max(0, min(columns - 1, int((value - low) * columns / (high - low))))


def histogram(values: Sequence[float], low: float, high: float, columns: int = 32) -> str:
    """Return the histogram as a line of `columns` bars from `low` to `high`."""
    counts = [0] * columns
    for value in values:
        counts[column(value, low, high, columns)] += 1
    most = max(counts, default=0)
    return "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] if count else " " for count in counts)
