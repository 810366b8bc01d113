"""Packs that last one round, or one game: a mark, a purse or the dealer's NEXT opens the next one."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import orders
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import usual
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import table as table_topic
from tests.kit.table import Table

MARKS = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"
CARDS = "As Ah Ad Ac 2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 4d 4c 5s 5h 5d 5c"
PURSES = "money=1:100,2:100,3:100"


def table(game: str = "niuniu", **house: Any) -> Table:
    return Table(**{"game": game, **usual(game), **house})


def over(**house: Any) -> Table:
    """A table of niu-niu whose first pack is over."""
    return table(**house).play(f"shoe {MARKS} {CARDS}")


def shoes(played: Table) -> int:
    return sum(isinstance(event, e.ShoeOpened) for event in played.events)


@pytest.mark.parametrize(("word", "opened"), [("2:grab=1", 2), ("next", 2), ("As", 1)])
def test_the_first_mark_or_next_opens_the_next_pack_and_no_card_does(word: str, opened: int) -> None:
    played = over()
    assert (played.phase, shoes(played)) == ("ended", 1)
    played.play(word)
    assert shoes(played) == opened
    assert (played.shoe.seen == ()) == (opened == 2)


def test_bets_closed_opens_the_next_pack_where_purses_are_given() -> None:
    played = table("zhajinhua").play(PURSES)
    assert (played.phase, shoes(played)) == ("ready", 1)
    assert not Table(game="blackjack", **usual("blackjack")).play("bets=1:10").answer.ok


def test_a_mark_that_makes_no_sense_opens_no_pack() -> None:
    played = over()
    for word in ("2:bet=1", "lot=1", "9:grab=1", "2:grab=77"):
        played.play(word)
        assert not played.answer.ok
    assert shoes(played) == 1


def test_a_repeat_of_the_last_mark_comes_late_and_opens_no_pack() -> None:
    played = table("zhajinhua").play(f"{PURSES} As Ah Ad Ks Kh Kd 2s 2h 2d lot=1 1:fold")
    last = orders.Mark("fold", 2, None, played.shoe.round, played.shoe.turn)
    played.take(played.order(last))
    assert (played.phase, shoes(played)) == ("ended", 1)
    played.take(played.order(last))
    assert (played.answer.error, shoes(played)) == ("late", 1)


def test_turns_go_on_counting_into_the_next_pack() -> None:
    played = over()
    turn = played.shoe.turn
    assert (table_topic(played.shoe).turn, table_topic(played.shoe).round) == (turn, 1)
    played.take(played.order(orders.Mark("grab", 1, "2", 1, turn)))
    assert played.answer.ok
    assert played.shoe.turn == turn


def test_between_two_packs_seats_see_what_will_be_asked() -> None:
    played = over()
    assert set(table_topic(played.shoe).act) == {"S1", "S2", "S3", "S4"}  # type: ignore[arg-type]  # it is there
    assert lamps(played.shoe).lit == dict.fromkeys(("S1", "S2", "S3", "S4"), "confirm")


def test_a_house_that_confirms_the_shuffle_waits_for_next() -> None:
    played = table(confirm_shuffle=True).play(f"next {MARKS} {CARDS}")
    assert (played.phase, shoes(played)) == ("ended", 1)
    assert lamps(played.shoe).lit == {"ready": "confirm"}
    assert played.play("2:grab=1").answer.error == "no shoe is open"
    assert shoes(played.play("next")) == 2
    opened = [event for event in played.events if isinstance(event, e.ShoeOpened)][-1]
    assert opened.confirmed_by == "dealer"
    assert played.play("2:grab=1").answer.ok


def test_a_house_that_opens_by_order_waits_for_it() -> None:
    played = over(new_shoe="command").play("2:grab=1")
    assert (played.answer.error, shoes(played)) == ("no shoe is open", 1)


def test_purses_given_again_between_two_rounds_hold_from_then_on() -> None:
    marks = "1:grab=0 2:grab=0 3:grab=0 4:grab=0 lot=1 2:bet=1 3:bet=1 4:bet=1"
    played = table("erbagang").play(f"money=1:9,2:9,3:9,4:9 {marks} 1p 2p 3p 4p 5p 6p 7p 8p")
    assert played.phase == "ready"
    assert played.play("money=1:50,2:50,3:50,4:50").answer.ok
    played.play(f"{marks} 1p 2p 3p 4p 5p 6p 7p 8p")
    assert {float(purse) for purse in played.rounds[-1]["money"].values()} <= {49.0, 50.0, 51.0, 52.0, 53.0, 47.0, 48.0}
    played.play("1:grab=0 money=1:1,2:1,3:1,4:1")
    assert played.answer.error == "betting is not open"


def test_a_round_nobody_has_a_part_in_leaves_betting_open() -> None:
    played = table("zhajinhua").play("shoe money=1:100,2:100,3:0.5")
    assert (played.answer.error, played.answer.hint) == ("no_round", "S3 takes no part: money_below_ante")
    assert played.phase == "betting"
    assert played.play(PURSES).answer.ok


def test_a_shoe_taken_over_in_play_holds_what_is_left_of_it() -> None:
    played = Table(game="blackjack", **usual("blackjack"))
    played.take(played.order(orders.OpenShoe(orders.Pack(decks=6, left=79))))
    assert table_topic(played.shoe).cards_left == 79
    played.play("bets=1:10 9h 5s Th 2d 1:S")
    while not played.rounds:
        played.play("Jh")
    assert played.phase == "ended"
    assert table_topic(played.shoe).shoe_change == "due"
    assert not played.play("bets=1:10").answer.ok


SHORTEST = {
    "baccarat": ({}, "9s Kd Th Kc"),
    "baccarat, six cards": ({"procedure": "six-card"}, "9s Kd Th Kc 2c 3c next"),
    "blackjack": ({}, "bets=1:10 Ah 9c Kh 8d"),
    "niuniu": ({}, f"{MARKS} {CARDS}"),
    "erbagang": ({}, f"money=1:9,2:9,3:9,4:9 {MARKS} 1p 2p 3p 4p 5p 6p 7p 8p"),
    "zhajinhua": ({}, "money=1:50,2:50,3:50 Ks 9h 2h Kh 9d 5c 7d 2s Ad lot=1 1:fold 2:fold"),
}


@pytest.mark.parametrize(("settings", "text"), SHORTEST.values(), ids=SHORTEST)
def test_a_shoe_with_cards_for_the_shortest_round_deals_it_and_with_one_less_it_cannot(
    settings: dict[str, Any], text: str, request: pytest.FixtureRequest
) -> None:
    game = request.node.callspec.id.partition(",")[0]
    house = {"burn": "none", **usual(game), **settings}
    fewest = GAMES[game].play.fewest(GAMES[game].terms(**settings))
    for left, status in ((fewest, "closed"), (fewest - 1, "voided")):
        played = Table(game=game, **house)
        played.take(played.order(orders.OpenShoe(orders.Pack(left=left))))
        played.play(text)
        assert (played.rounds[0]["status"], played.rounds[0]["last"]) == (status, True)


@pytest.mark.parametrize(
    ("game", "may"),
    [("baccarat", "1 to 12 decks"), ("blackjack", "6 or 8 decks"), ("niuniu", "1 deck"), ("erbagang", "1 deck")],
)
def test_a_number_of_packs_that_the_game_is_not_dealt_from_is_refused_with_those_it_is(game: str, may: str) -> None:
    played = Table(**{"game": game, **usual(game)})
    played.take(played.order(orders.OpenShoe(orders.Pack(decks=13))))
    assert played.answer.error == "13 decks do not fit this shoe"
    assert played.answer.hint == f"use {may}"


def test_a_mark_where_next_closes_the_round_has_that_as_its_hint() -> None:
    played = over(close="next").play("1:grab=1")
    assert played.phase == "complete"
    assert (played.answer.error, played.answer.hint) == ("over", "the round is over: NEXT closes it")
