"""What guests see of games with seats: pots, bids, hands."""

from __future__ import annotations

import pytest

from firmware_bridge.games.guest import Hand
from firmware_bridge.games.house import usual
from tests.floor.guest_table import seen

PURSES = "money=1:100,2:100,3:100"
DEALT = f"{PURSES} Ks 9h 4c Kh 9d 5c 7d 2s Ad"


@pytest.mark.parametrize(
    ("text", "bets", "pot", "stake", "seats"),
    [
        ("", "open", "", "", ()),
        (PURSES, "closed", "", "", ()),
        (f"{PURSES} Ks", "closed", "3", "1", ()),
        (DEALT, "closed", "3", "1", ("S1", "S2", "S3")),
        (f"{DEALT} lot=1 1:look 1:raise=4", "closed", "7", "2", ("S1", "S2", "S3")),
        (f"{DEALT} lot=1 1:look 1:raise=4 2:fold", "closed", "7", "2", ("S1", "S3")),
        (f"{DEALT} lot=1 1:fold 2:fold", "open", "", "", ()),
    ],
)
def test_a_pot_its_stake_and_who_is_in(text: str, bets: str, pot: str, stake: str, seats: tuple[str, ...]) -> None:
    shown = seen(text, "live", **usual("zhajinhua") | {"game": "zhajinhua"})
    assert (shown.bets, shown.pot, shown.stake, shown.seats) == (bets, pot, stake, seats)
    assert not any(face for hand in shown.cards for face in hand.cards)


def test_only_hands_that_the_house_shows_are_named_when_a_pot_is_won() -> None:
    house = usual("zhajinhua") | {"game": "zhajinhua"}
    folded = seen(f"{DEALT} lot=1 1:fold 2:fold", **house).result
    assert folded
    assert (folded.outcome, folded.seat, folded.pot) == ("wins.seat", "S3", "3")
    assert {hand.cards for hand in folded.hands} == {(None, None, None)}
    compared = seen(f"{DEALT} lot=1 1:call 2:call 3:fold 1:compare=2", **house).result
    assert compared
    assert compared.hands[0] == Hand("S1", ("Ks", "Kh", "7d"), "", "is.zhajinhua.pair", "win")
    assert compared.hands[1] == Hand("S2", (None, None, None))


def test_a_pack_that_waits_to_be_confirmed_takes_no_bets() -> None:
    house = usual("zhajinhua") | {"game": "zhajinhua", "confirm_shuffle": True}
    assert seen(f"next {DEALT} lot=1 1:fold 2:fold", **house).bets == "closed"


@pytest.mark.parametrize(
    ("text", "bets"),
    [
        ("", "open"),
        ("1:grab=3 2:grab=1 3:grab=0 4:grab=2", "open"),
        ("1:grab=3 2:grab=1 3:grab=0 4:grab=2 2:bet=3 3:bet=1 4:bet=2", "closed"),
        ("1:grab=3 2:grab=1 3:grab=0 4:grab=2 2:bet=3 3:bet=1 4:bet=2 Kh", "closed"),
    ],
)
def test_bids_and_bets_against_a_bank_are_laid_before_the_cards(text: str, bets: str) -> None:
    shown = seen(text, "live", **usual("niuniu") | {"game": "niuniu"})
    assert shown.bets == bets
    assert "grab" not in repr(shown)


def test_a_hand_of_blackjack_is_open_and_the_dealers_second_card_is_not() -> None:
    house = usual("blackjack") | {"game": "blackjack"}
    shown = seen("shoe bets=1:100,3:12.5 8h As 6c 8d Kd 9s", "live", **house)
    assert shown.cards == (Hand("D", ("6c", None)), Hand("S1.1", ("8h", "8d")), Hand("S3.1", ("As", "Kd")))
    over = seen("shoe bets=1:100 9h 9s Tc 8c 1:S", "live", **house).result
    assert over
    assert over.hands == (Hand("D", ("9s", "8c"), "17"), Hand("S1.1", ("9h", "Tc"), "19", "", "win"))


@pytest.mark.parametrize(
    ("text", "dealer"),
    [
        ("9h 6s Tc Ts 1:S Kh", Hand("D", ("6s", "Ts", "Kh"), "26", "is.blackjack.bust")),
        ("9h Ks Tc Ac", Hand("D", ("Ks", "Ac"), "21", "is.blackjack.blackjack")),
    ],
)
def test_a_hand_of_the_dealer_that_ends_a_round_by_itself_is_named(text: str, dealer: Hand) -> None:
    over = seen(f"shoe bets=1:100 {text}", "live", **usual("blackjack") | {"game": "blackjack"}).result
    assert over
    assert over.hands[0] == dealer
