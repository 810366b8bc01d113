"""Random rounds through the real shoe against a second statement of the rules: every step and every result."""

from __future__ import annotations

import pytest

from tests.games.blackjack.rounds import differs, line

ROUNDS = 400


@pytest.mark.parametrize("first", range(0, ROUNDS, 50))
def test_the_shoe_plays_every_round_as_the_book_does(first: int) -> None:
    for seed in range(first, first + 50):
        assert differs(line(seed)) == ""
