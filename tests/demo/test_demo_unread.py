"""`shoe demo --fault unreadable` where cards lie face down: play goes on, and two people enter the card in the end."""

from __future__ import annotations

import pytest

from tests.demo import demos
from tests.demo.demos import Played

played, played_before = demos.played, demos.played_before  # fixtures

NEEDED = "Card not read (reason: not read · slot: "
PLAYS = [f"--game {game} --rounds 2 --fault unreadable" for game in ("zhajinhua", "niuniu", "erbagang")]


@pytest.mark.parametrize("words", PLAYS)
def test_a_card_face_down_is_entered_when_it_is_needed(played: Played, words: str) -> None:
    said = played(words)
    needed, entered, closed = (
        said.index(text) for text in (NEEDED, "entered   a card that was not read", "! closed  unreadable: entered")
    )
    assert needed < entered < closed
    assert "2 rounds delivered" in said
    assert "manual" in said
