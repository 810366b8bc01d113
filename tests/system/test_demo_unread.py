"""`shoe demo --fault unreadable` where cards lie face down: play goes on, and two people enter the card in the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.demos import demo

NEEDED = "was not read and is needed now"


@pytest.mark.parametrize("game", ["zhajinhua", "niuniu", "erbagang"])
def test_a_card_face_down_is_entered_when_it_is_needed(tmp_path: Path, game: str) -> None:
    said = demo(tmp_path, "--game", game, "--rounds", "2", "--fault", "unreadable")
    needed, entered, closed = (
        said.index(text) for text in (NEEDED, "entered   a card that was not read", "! closed  unreadable: entered")
    )
    assert needed < entered < closed
    assert "2 rounds delivered" in said
    assert "manual" in said
