"""A card drawn while sealed cards wait for REVEAL obeys the policy at once when the round is complete."""

from __future__ import annotations

from typing import Final

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import orders
from firmware_bridge.facts.house import Choice
from firmware_bridge.games.house import usual
from firmware_bridge.shoe.policy import POLICIES
from tests.kit.table import RESTART, Table

GRABS: Final = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"

SEALED: Final = {
    "blackjack": ("bets=1:100 Ts Tc Kd 9c reveal 1:S", 1, "bets=1:100", ("5h", "6h")),
    "erbagang": (
        f"money=1:900,2:900,3:900,4:900 {GRABS} 1p 6p 2p 9p 5p 1p 7p 8p",
        4,
        GRABS,
        ("9p", "3p"),
    ),
}
"""Game -> a round up to its last REVEALs, their number, what opens the next round, cards drawn before them."""

DEALT: Final = {"blackjack": "bets=1:100 Ts Tc Kd 9c 1:S", "erbagang": SEALED["erbagang"][0]}

DRAWN: Final = pytest.mark.parametrize("drawn", [1, 2])
GAMES: Final = pytest.mark.parametrize("game", SEALED)
TIMES: Final = pytest.mark.parametrize("restarts", [False, True])


def complete(game: str, policy: str, drawn: int, restarts: bool = False) -> Table:
    """A round of sealed cards, `drawn` cards too many before its last REVEALs, and all opened."""
    words, reveals, _, extra = SEALED[game]
    table = _table(game, policy, "sealed").play(words, *extra[:drawn])
    assert (table.phase, table.open, len(table.shoe.held)) == ("dealing", (), drawn)
    if restarts:
        table.play(RESTART, "next")
    table.play(*["reveal"] * reveals)
    assert table.phase == "complete"
    return table


def _table(game: str, policy: str, disclose: str) -> Table:
    return Table(**{"game": game, **usual(game), "close": "next", "policy": policy, "disclose": disclose}).play("shoe")


def resolve(table: Table, choice: Choice) -> bool:
    table.take(table.order(orders.Resolve("overdrawn", choice)))
    return table.answer.ok


def aside(table: Table, why: str) -> int:
    return sum(isinstance(event, e.CardSetAside) and event.why == why for event in table.events)


@GAMES
@DRAWN
@TIMES
@pytest.mark.parametrize("policy", POLICIES)
def test_it_is_handled_as_at_a_table_that_seals_no_cards(game: str, drawn: int, restarts: bool, policy: str) -> None:
    sealed = complete(game, policy, drawn, restarts)
    dealt = _table(game, policy, "dealt").play(DEALT[game], *SEALED[game][3][:drawn])
    for table in (sealed, dealt):
        table.play("next")
    assert (sealed.phase, sealed.open, sealed.summary) == (dealt.phase, dealt.open, dealt.summary)
    assert len(sealed.shoe.held) == len(dealt.shoe.held)
    assert aside(sealed, "burned") == aside(dealt, "burned") == (drawn if policy == "us-burn" else 0)


@GAMES
@DRAWN
@TIMES
def test_a_studio_voids_the_round(game: str, drawn: int, restarts: bool) -> None:
    table = complete(game, "studio", drawn, restarts)
    assert table.open == ("overdrawn",)
    table.play("next")
    assert (table.phase, table.summary) == ("complete", "")
    assert resolve(table, "void")
    assert (table.summary, table.open, table.shoe.held) == ("1 voided", (), ())
    assert aside(table, "void") == drawn


@GAMES
@DRAWN
@TIMES
@pytest.mark.parametrize("choice", ["burn", "keep"])
def test_macau_waits_for_the_pit(game: str, drawn: int, restarts: bool, choice: Choice) -> None:
    table = complete(game, "macau", drawn, restarts)
    assert table.open == ("overdrawn",)
    assert table.play("next").summary == ""
    assert resolve(table, choice)
    if choice == "burn":
        assert (aside(table, "burned"), table.shoe.held) == (drawn, ())
    assert (table.open, table.phase) == ((), "complete")
    table.play("next")
    assert table.summary.startswith("1 closed")


@GAMES
@DRAWN
def test_us_burn_burns_it_before_the_round_closes(game: str, drawn: int) -> None:
    table = complete(game, "us-burn", drawn)
    assert (aside(table, "burned"), table.shoe.held, table.open) == (drawn, (), ())
    assert sum(isinstance(event, e.Irregular) and event.id == "overdrawn" for event in table.events) == drawn


@GAMES
@DRAWN
@TIMES
def test_kept_in_order_it_opens_the_next_round(game: str, drawn: int, restarts: bool) -> None:
    table = complete(game, "keep-order", drawn, restarts)
    assert table.open == ("overdrawn",)
    table.play("next", SEALED[game][2])
    assert (len(table.shoe.laid), table.shoe.held, table.open) == (drawn, (), ())


@GAMES
@DRAWN
@pytest.mark.parametrize("disclose", ["sealed", "dealt"])
@pytest.mark.parametrize("closed", [False, True])
def test_the_pit_may_burn_it_where_it_is_kept(game: str, drawn: int, disclose: str, closed: bool) -> None:
    if disclose == "sealed":
        table = complete(game, "keep-order", drawn)
    else:
        table = _table(game, "keep-order", "dealt").play(DEALT[game], *SEALED[game][3][:drawn])
    if closed:
        table.play("next")
    assert resolve(table, "burn")
    assert (aside(table, "burned"), table.shoe.held, table.open) == (drawn, (), ())


@GAMES
@TIMES
def test_it_is_reported_once_whatever_follows(game: str, restarts: bool) -> None:
    table = complete(game, "keep-order", 1, restarts)
    table.play("bets-open", "reveal", *SEALED[game][3][1:], "money=1:9,2:9,3:9,4:9")
    assert sum(isinstance(event, e.Irregular) and event.id == "overdrawn" for event in table.events) == 1
