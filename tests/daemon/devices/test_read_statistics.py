"""Statistics of reads, and what they foretell."""

from __future__ import annotations

from random import Random

import pytest

from firmware_bridge.daemon.devices.health import BLOCK, BLOCKS, ReadStatistics, advice, shoes_left, trend
from tests.kit.rows import each_row

SD, LIMIT, DECKS = 8.0, 60.0, 8


def means(start: float, fall: float, blocks: int, seed: int) -> list[float]:
    """Means of blocks of a reader whose quality falls by `fall` per block."""
    rng, reads = Random(seed), ReadStatistics()
    for block in range(blocks):
        for _ in range(BLOCK):
            reads.read(round(rng.gauss(start - fall * block, SD)))
    return list(reads.means)


@each_row("seed", range(20))
@each_row(("start", "fall", "blocks", "left"), [(180, 1.5, 32, 4.8), (200, 2.5, 40, 1.3), (193, 3.0, 24, 2.0)])
def test_a_falling_quality_is_forecast(start: int, fall: float, blocks: int, left: float, seed: int) -> None:
    """From the last level down to two deviations above the limit, by what a shoe of eight blocks costs."""
    found = shoes_left(means(start, fall, blocks, seed), LIMIT, SD, DECKS)
    assert found is not None
    assert abs(found - left) < 1


def test_noise_alone_foretells_nothing() -> None:
    alarms = sum(shoes_left(means(180, 0, BLOCKS, seed), LIMIT, SD, DECKS) is not None for seed in range(300))
    assert alarms == 0


@pytest.mark.parametrize("fall", [-2.0, 0.05])
def test_neither_does_a_rise_nor_an_end_far_away(fall: float) -> None:
    assert shoes_left(means(180, fall, 40, 1), LIMIT, SD, DECKS) is None


def test_few_reads_have_no_trend() -> None:
    assert trend(means(180, 3, 7, 1)) is None


def test_below_the_limit_it_is_now() -> None:
    assert shoes_left(means(120, 2, 30, 1), LIMIT, SD, DECKS) == 0


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (None, None),
        (0.4, "clean the optics before the next shoe, then calibrate"),
        (1.2, "clean the optics within about 1 shoe"),
        (2.4, "clean the optics within about 2 shoes"),
    ],
)
def test_advice(left: float | None, words: str | None) -> None:
    assert advice(left) == words


def test_reads_are_counted() -> None:
    reads = ReadStatistics()
    assert reads.quality is None
    for quality in (200, None, 100):
        reads.read(quality)
    reads.failed()
    assert (reads.reads, reads.unread, reads.quality) == (3, 1, 150)
