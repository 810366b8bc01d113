"""What a correction or a void would change, before it is given."""

from __future__ import annotations

from typing import Any

from firmware_bridge.daemon.table.preview import preview
from firmware_bridge.demo.round_player import PlayedTable
from firmware_bridge.facts import orders
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.shoe.state import Shoe
from tests.kit.table import Table

BETS = orders.BetsClosed(bets={"1": "100", "3": "12.5"})
BLACKJACK = "8h As 6c 3d Kd 9s 1:H Th"


def played(game: str, moves: str, bets: orders.BetsClosed | None = None, **settings: Any) -> Shoe:
    """The shoe after these moves, and NEXT."""
    own = {"new_shoe": "command", "burn": "none", "virtual_cut": None, **settings}
    table = PlayedTable(house_of(game, **{**usual(game), **own}), whole_pack=False)
    table.begin(orders.Pack(), bets)
    for move in moves.split():
        table.move(move)
    table._order(orders.Next())
    return table._memory.shoe


def correct(words: str) -> orders.Correct:
    return orders.Correct(1, tuple(words.split()), "misread")


def test_money_that_changes_in_blackjack() -> None:
    shoe = played("blackjack", f"{BLACKJACK} 7d", BETS)
    shown = preview(shoe, orders.Void("misdeal"), "ann")
    assert (shown["round"], shown["stakes"]) == (1, {"S1": "100", "S3": "12.5"})
    assert shown["moved"] == {"S3": "18.75"}


def test_bets_that_change_with_six_cards_in_every_round() -> None:
    shoe = played("baccarat", "9s Td Ts Tc 2d 3d", procedure="six-card", close="next")
    shown = preview(shoe, correct("9s Td Ts 9c"), "ann")
    assert (shown["before"]["outcome"], shown["after"]["outcome"]) == ("player", "tie")
    assert shown["bets"]["tie"] == ["-1", "8"]
    assert "perfect_pair" not in shown["bets"]


def test_bets_that_change_where_the_reader_missed_a_card() -> None:
    table = Table(burn="none").play("shoe 9s Td Ts Tc")
    five = ("2s", "2h", "3s", "3h", "9d")
    table.take(table.order(orders.Correct(1, five, "camera", missed=1)))
    assert table.answer.ok
    shown = preview(table.shoe, correct("9s Td Ts Tc"), "ann")
    assert (shown["before"]["outcome"], shown["after"]["outcome"]) == ("banker", "player")
    assert shown["bets"]["player"] == ["-1", "1"]


def test_a_bet_that_changes_where_the_cards_stay() -> None:
    bids = "1:grab=1 2:grab=0 3:grab=0 4:grab=0"
    cards = "As Ks Qs Js Ts 9s 8s 7s 6s 5s Ah Kh Qh Jh Th 9h 8h 7h 6h 5h"
    shoe = played("niuniu", f"{bids} 2:bet=1 3:bet=1 4:bet=1 {cards}")
    shown = preview(shoe, correct(f"{bids} 2:bet=3 3:bet=1 4:bet=1 {cards}"), "ann")
    assert shown["bets"] == {"S1": ["-30", "-50"], "S2": ["10", "30"]}


def test_what_would_be_refused_is_shown_as_refused() -> None:
    shoe = played("baccarat", "9s Td Ts Tc")
    same = preview(shoe, correct("9s Td Ts Tc"), "ann")
    assert same == {
        "ok": False,
        "error": "this changes nothing: round 1 is on record so",
        "hint": "check the cards",
        "code": "changes_nothing",
        "values": {"round": 1},
    }
    assert preview(shoe, orders.Void("misdeal"), "ann")["error"] == "no round is open"


def test_a_look_changes_nothing() -> None:
    shoe = played("baccarat", "9s Td Ts Tc")
    before = (shoe.seq, shoe.rounds, shoe.turn)
    preview(shoe, correct("9s Td Ts 9c"), "ann")
    assert (shoe.seq, shoe.rounds, shoe.turn) == before
