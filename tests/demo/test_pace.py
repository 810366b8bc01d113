"""The demo's first result stands within 6 s of play, counted on the clock that its dealer and guests wait by."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.demo.seats import seat_counts
from firmware_bridge.games import GAMES
from tests.demo.simulated_table import first_result
from tests.kit.nightly import share

FIRST_S = 6.0
SEEDS = range(share(60, of=10))

TABLES = (
    "",
    "--procedure six-card",
    "--disclose sealed",
    "--disclose sealed --betting required",
    *(f"--game {name}" for name in GAMES),
    *(f"--game {name} --seats {n}" for name, game in GAMES.items() for n in seat_counts(game)),
)


@pytest.mark.parametrize("words", TABLES)
def test_the_first_result_stands_after_six_seconds_of_play(words: str, tmp_path: Path) -> None:
    took = {seed: round(first_result(words, seed, tmp_path), 2) for seed in SEEDS}
    assert max(took.values()) <= FIRST_S, took


def test_a_human_dealer_takes_longer(tmp_path: Path) -> None:
    """The clock counts what it should: a card takes a human dealer about a second."""
    assert 9 <= first_result("--speed 1", 3, tmp_path) <= 25
