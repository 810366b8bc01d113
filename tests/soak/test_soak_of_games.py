"""A short soak of each game with seats: killed in the middle of cards and marks, it loses and doubles nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.games import GAMES
from tests.soak.soak_of_games import SoakOfGame

pytestmark = pytest.mark.story


@pytest.mark.parametrize("game", [name for name in GAMES if GAMES[name].play.words])
def test_kills_lose_and_double_nothing_and_the_same_question_is_asked_again(game: str, tmp_path: Path) -> None:
    soak = SoakOfGame(tmp_path, game, kills=2, seed=5)
    try:
        account = soak.run()
    finally:
        soak.close()
    assert account.faults == []
    assert soak.done["kills"] >= 2
    assert account.figures["cards drawn"] > 0
