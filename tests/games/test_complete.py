"""A round that is complete and not closed, in the games that end it by NEXT: all stays as it lies until then."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import orders
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import usual
from firmware_bridge.shoe import phase
from firmware_bridge.topics.lamps import lamps, signals
from firmware_bridge.topics.state import table as table_topic
from tests.games.seated import Seated
from tests.kit.table import RESTART, Table

MARKS = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"

ROUND = {
    "blackjack": "bets=1:100,2:10 As Td Ah Kd Qs Kc",
    "niuniu": f"{MARKS} As Ah Ad Ac 2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 4d 4c 5s 5h 5d 5c",
    "zhajinhua": "money=1:50,2:50,3:50 Ks 9h 2h Kh 9d 5c 7d 2s Ad lot=1 1:fold 2:fold",
    "erbagang": f"money=1:900,2:900,3:900,4:900 {MARKS} 1p 2p 3p 4p 5p 6p 7p 8p",
}

FOLLOWS = {"blackjack": "betting", "niuniu": "ended", "zhajinhua": "ended", "erbagang": "ready"}
"""The phase after NEXT."""

STAKES = {
    "blackjack": "bets=1:10",
    "niuniu": "bets-closed",
    "zhajinhua": "money=1:50,2:50,3:50",
    "erbagang": "money=1:9,2:9,3:9,4:9",
}


def complete(game: str, **house: Any) -> Table:
    table = Table(**{"game": game, **usual(game), "close": "next", **house}).play(f"shoe {ROUND[game]}")
    assert (table.phase, table.rounds) == ("complete", [])
    return table


@pytest.mark.parametrize("game", ROUND)
def test_next_is_the_default(game: str) -> None:
    assert GAMES[game].play.close(GAMES[game].terms()) == "next"


@pytest.mark.parametrize("game", ROUND)
def test_hands_stakes_and_lamps_stay_until_next(game: str) -> None:
    table = complete(game)
    shown, lit, stakes = table_topic(table.shoe), lamps(table.shoe), (table.shoe.bets, table.shoe.money)
    assert shown.hands
    assert (lit.lit["ready"], "press NEXT" in lit.why[-1]) == ("confirm", True)
    for word in ("1:H", "1:grab=1", "lot=1", "1:call", STAKES[game], "bets-open", "reveal"):
        table.play(word)
        assert table.phase == "complete"
    assert (table_topic(table.shoe), lamps(table.shoe)) == (shown, lit)
    assert (table.shoe.bets, table.shoe.money) == stakes
    table.play("next")
    assert (len(table.rounds), table.phase) == (1, FOLLOWS[game])


@pytest.mark.parametrize("game", ROUND)
def test_marks_are_over_and_bets_have_to_wait_for_next(game: str) -> None:
    table = complete(game)
    shoe = table.shoe
    for mark in (
        orders.Mark("S", 1),
        orders.Mark("grab", 2, "1"),
        orders.Mark("lot", None, "1"),
        orders.Mark("nonsense", 9, "x"),
        orders.Mark("fold", 1, None, shoe.round, shoe.turn),
        orders.Mark("fold", 1, None, shoe.round, shoe.turn - 1),  # late
        orders.Mark("grab", 1, "1", shoe.round + 1, shoe.turn),
    ):
        table.take(table.order(mark))
        assert (table.answer.error, table.answer.hint) == ("over", "the round is over: NEXT closes it")
    table.play(STAKES[game])
    assert not table.answer.ok
    assert "press NEXT" in str(table.answer.hint)
    assert not [each for each in table.events if isinstance(each, e.BetsClosed)][1:]


@pytest.mark.parametrize("game", ["blackjack", "erbagang"])
def test_a_card_drawn_after_the_result_is_handled_by_the_policy(game: str) -> None:
    table = complete(game).play("9p" if game == "erbagang" else "9s")
    assert (table.open, len(table.shoe.held)) == (("overdrawn",), 1)
    burned = complete(game, policy="us-burn").play("9p" if game == "erbagang" else "9s")
    assert (burned.open, len(burned.shoe.held)) == ((), 0)


@pytest.mark.parametrize("game", ROUND)
def test_the_lock_holds_while_the_round_is_settled(game: str) -> None:
    assert signals(complete(game).shoe) == {"lock": "steady"}


@pytest.mark.parametrize("game", ROUND)
def test_a_complete_round_may_be_voided(game: str) -> None:
    table = complete(game).play("!void misdeal")
    assert (table.rounds[0]["status"], table.phase) == ("voided", FOLLOWS[game])


@pytest.mark.parametrize("game", ROUND)
def test_a_restart_while_the_round_is_settled_keeps_it(game: str) -> None:
    table = complete(game)
    shown = table_topic(table.shoe)
    table.play(RESTART)
    assert (table_topic(table.shoe), table.open) == (shown, ())
    assert len(table.play("next").rounds) == 1


@pytest.mark.parametrize("game", ROUND)
@pytest.mark.parametrize("seed", range(4))
def test_a_game_of_any_seats_gives_the_same_rounds_by_next_as_by_itself(game: str, seed: int) -> None:
    by_next, by_itself = Seated(game, seed, close="next"), Seated(game, seed, close="auto").play()
    for do in by_itself.done:
        if phase(by_next.table.shoe).value == "complete":
            by_next.table.play("next")
        by_next.do(do)
    by_next.table.play("next")
    same = [{key: value for key, value in each.items() if key not in OF_THE_ENTRY} for each in by_next.table.rounds]
    assert same == [{k: v for k, v in each.items() if k not in OF_THE_ENTRY} for each in by_itself.table.rounds]


OF_THE_ENTRY = ("seq", "n", "of", "at", "head", "prev", "journal")
