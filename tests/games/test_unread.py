"""A card that lies face down and was not read: play goes on, and the floor is asked when somebody needs it."""

from __future__ import annotations

import pytest

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games.house import usual
from firmware_bridge.shoe.round import asked
from tests.kit.table import Table

UNREAD = inputs.CardUnread(at=0, reason="smudged", nonce="a" * 32)


def table(game: str, text: str, **house: object) -> Table:
    played = Table(**{"game": game, **usual(game), **house}).play("shoe")
    for word in text.split():
        played.play(UNREAD if word == "??" else word)
    return played


def blackjack(text: str) -> Table:
    return table("blackjack", f"bets=1:10 {text}", seats=1)


def enter(played: Table, card: str, second: str = "eve") -> Table:
    played.take(played.order(orders.Enter(Card(card), second)))
    return played


def test_the_round_goes_on_with_a_hole_card_that_nobody_knows() -> None:
    played = blackjack("9h 5s Th ??")
    assert played.open == ()
    assert "S1.1" in str(asked(played.shoe))
    assert '"unread":"smudged"' in "".join(played.shown)


def test_it_is_asked_for_when_the_hole_card_is_turned_and_two_people_say_it() -> None:
    played = blackjack("9h 5s Th ?? S")
    assert played.open == ("unreadable",)
    assert played.about("unreadable") == "reason: not read · slot: dealer"
    assert enter(played, "Jd", second="floor").answer.error == "a card must be entered by two different people"
    assert enter(played, "Jd").answer.ok
    assert played.open == ()
    assert played.due is None
    played.play("6h")
    (closed,) = played.rounds
    assert [(each["slot"], each["card"], each["from"]) for each in closed["cards"]][3] == ("D", "Jd", "manual")
    assert "manual" in closed["flags"]


def test_a_peek_asks_for_it_at_once() -> None:
    played = blackjack("9h As Th ??")
    assert played.open == ("unreadable",)
    enter(played, "Kd")
    assert played.rounds[0]["outcome"] == "dealer_blackjack"


def test_the_floor_may_void_the_round_instead() -> None:
    played = blackjack("9h As Th ??").play("!resolve unreadable void")
    assert (played.rounds[0]["status"], played.open) == ("voided", ())


def test_it_cannot_be_entered_before_it_is_needed() -> None:
    assert not enter(blackjack("9h 5s Th ??"), "Jd").answer.ok


@pytest.mark.parametrize("disclose", ["dealt", "sealed"])
def test_several_unread_cards_are_asked_for_one_after_the_other(disclose: str) -> None:
    cards = "As Ah Ad Ac 2s ?? 2d 2c 3s 3h ?? 3c 4s 4h 4d 4c 5s 5h 5d 5c"
    played = table("niuniu", f"1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1 {cards}", disclose=disclose)
    for missing in ("2h", "3d"):
        if disclose == "sealed" and missing == "3d":
            played.play("reveal")
        assert played.open == ("unreadable",)
        enter(played, missing)
    while not played.rounds:
        played.play("reveal")
    assert played.rounds[0]["hands"]["S2"]["cards"] == ["Ah", "2h", "3h", "4h", "5h"]


def test_a_comparison_of_closed_hands_asks_for_what_it_needs() -> None:
    deal = "Ks 9h ?? Kh 9d 5c 7d 2s Ad"
    played = table("zhajinhua", f"money=1:50,2:50,3:50 {deal} lot=1 1:call 2:call 3:call 1:compare=2")
    assert played.open == ()
    played.play("2:compare=1")
    assert played.answer.error == "not_your_turn"
    played.play("3:compare=1")
    assert played.open == ("unreadable",)
    enter(played, "4c")
    assert played.rounds[0]["outcome"] == "S1"


def test_nobody_can_enter_a_card_of_which_the_packs_hold_no_more() -> None:
    played = table("niuniu", "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1")
    for word in [
        "As",
        "Ah",
        "Ad",
        "Ac",
        "2s",
        "??",
        "2d",
        "2c",
        "3s",
        "3h",
        "3d",
        "3c",
        "4s",
        "4h",
        "4d",
        "4c",
        "5s",
        "5h",
        "5d",
        "5c",
    ]:
        played.play(UNREAD if word == "??" else word)
    assert enter(played, "As").answer.error == "the decks hold no more of this card"
    assert played.open == ("unreadable",)


@pytest.mark.parametrize("named", ["Ks", "9h", "Ad", "4c"])
def test_an_answer_does_not_tell_whether_a_face_lies_sealed(named: str) -> None:
    """Ks, 9h and Ad are among the closed cards, 4c is not: who guesses hears the same."""
    deal = "Ks 9h ?? Kh 9d 5c 7d 2s Ad"
    played = table("zhajinhua", f"money=1:50,2:50,3:50 {deal} lot=1 1:call 2:call 3:call 1:compare=2 3:compare=1")
    assert played.about("unreadable") == "reason: not read · slot: seat 3"
    assert enter(played, named).answer == orders.Answer(ok=True, do="enter")
    assert played.open == ()


def test_what_was_entered_is_sealed_until_its_hand_is_opened() -> None:
    cards = "As Ah Ad Ac 2s ?? 2d 2c 3s 3h 3d 3c 4s 4h 4d 4c 5s 5h 5d 5c"
    marks = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"
    played = table("niuniu", f"{marks} {cards}", disclose="sealed")
    enter(played, "2h")
    assert not any('"2h"' in text for text in played.shown)
    played.play("reveal")
    assert any('"2h"' in text for text in played.shown)
