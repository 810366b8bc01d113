"""`shoe demo --fault unreadable` where cards lie face down: play goes on, and two people enter the card in the end."""

from __future__ import annotations

import pytest

from tests.demo.demos import Played, side_by_side

NEEDED = "was not read and is needed now"
PLAYS = [f"--game {game} --rounds 2 --fault unreadable" for game in ("zhajinhua", "niuniu", "erbagang")]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return side_by_side(tmp_path_factory.mktemp("demos"), PLAYS, len(PLAYS))


@pytest.mark.parametrize("words", PLAYS)
def test_a_card_face_down_is_entered_when_it_is_needed(played: Played, words: str) -> None:
    said = played(words)
    needed, entered, closed = (
        said.index(text) for text in (NEEDED, "entered   a card that was not read", "! closed  unreadable: entered")
    )
    assert needed < entered < closed
    assert "2 rounds delivered" in said
    assert "manual" in said
