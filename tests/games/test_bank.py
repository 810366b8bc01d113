"""What niu-niu and er ba gang share: what seats of a demonstration say, and what people say of a round."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest

from firmware_bridge.games import GAMES
from firmware_bridge.games.banker_round import outcome_of, strategy
from firmware_bridge.games.layout import Layout
from firmware_bridge.games.prompts import Choice, Offer, Whole, check
from firmware_bridge.games.strategy import Asked
from tests.games.erbagang.test_erbagang import BANK_OF_1, BETS, WINS
from tests.games.erbagang.test_erbagang import table as erbagang
from tests.games.niuniu.test_niuniu import BETS as NIUNIU_BETS
from tests.games.niuniu.test_niuniu import CARDS, GRABS
from tests.games.niuniu.test_niuniu import table as niuniu


@pytest.mark.parametrize(
    ("word", "offer"),
    [
        ("grab", Choice(("0", "1", "2", "3"))),
        ("bet", Choice(("5",))),
        ("lot", Choice(("1", "4"))),
        ("grab", Whole(0, 200)),
        ("grab", Whole(0, 0)),
        ("bet", Whole(1, 66)),
        ("bet", Whole(1, 1)),
    ],
)
def test_a_seat_of_the_demonstration_says_only_what_is_offered(word: str, offer: Offer) -> None:
    rng, said = Random(2), set()
    for _ in range(200):
        chosen, value = strategy(Asked("S1", {word: offer}, Layout()), rng)
        assert chosen == word
        check(word, value, offer)
        said.add(value)
    assert len(said) > 1 or offer in (Choice(("5",)), Whole(0, 0), Whole(1, 1))


def test_how_a_round_ended_is_stated_of_the_bank() -> None:
    nets = {"1": Decimal(3), "2": Decimal(-3), "3": Decimal(0), "4": Decimal(0)}
    assert [outcome_of(nets, seat) for seat in "123"] == ["banker", "players", "even"]


def test_people_say_who_held_the_bank_and_who_cannot_go_on() -> None:
    message = niuniu(f"{GRABS} {NIUNIU_BETS} {CARDS}").rounds[0]
    assert GAMES["niuniu"].demo.remarks(message) == ("banker S1 x 3",)
    message = erbagang(f"money=1:9,2:1,3:9,4:9 {BANK_OF_1} {BETS} {WINS}").rounds[0]
    assert GAMES["erbagang"].demo.remarks(message) == ("banker S1 x 9", "round 1 of the game", "stopped: S2")
