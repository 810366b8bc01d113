"""Bets at blackjack: refused as the table itself would refuse them, and settled to the last decimal."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import msgspec
import pytest

from firmware_bridge.client import MoneyError, Range, Rounding, Wager, bets_refused, further_refused, payments, settle
from firmware_bridge.games.blackjack import GAME
from firmware_bridge.games.blackjack.rules import Blackjack
from firmware_bridge.games.game import Start
from firmware_bridge.games.machine import layout
from tests.games.blackjack.book import Book
from tests.games.blackjack.rounds import words
from tests.games.rounds import Rules
from tests.kit.rows import each_row

TABLE = Range(Decimal(10), Decimal(500))
WORDS = {"no_such_seat": "not offered", "below_min": "minimum", "above_max": "maximum"}

HEAD = {
    "v": 1, "table": "T07", "shoe": 1, "journal": "1-a", "seq": 7, "at": "2026-11-20T21:33:05.123Z", "boot": "b",
    "n": 1, "of": 1, "game": "blackjack", "round": 1, "cards": [], "hands": {}, "outcome": "dealer_20",
    "unit": "money", "carried": 0, "last": False, "flags": [], "why": [], "prev": None, "status": "closed",
    "revision": 0,
}  # fmt: skip


@each_row("seed", range(200))
def test_a_bet_is_refused_here_as_at_the_table(seed: int) -> None:
    rng = Random(seed)
    seats, seat = rng.randint(1, 7), rng.randint(1, 9)
    bet = Decimal(rng.choice(("9.99", "10", "0.5", "499.99", "500", "500.01", "12.5")))
    found = bets_refused({str(seat): bet}, TABLE, seats)
    terms, start = (
        Blackjack(seats=seats, min=TABLE.low, max=TABLE.high),
        Start({str(seat): str(bet)}, decks=8, left=416),
    )
    said = [words[2] for words in layout(GAME, (), terms, start).did if words[0] == "bet_refused"]
    assert [each.rule for each in found.values()] == [WORDS[str(why)] for why in said]


@pytest.mark.parametrize(
    ("word", "amount", "rule"),
    [
        ("DD", "100", ""),
        ("DD", "0.01", ""),
        ("DD", "0", "minimum"),
        ("DD", "-1", "minimum"),
        ("DD", "100.01", "maximum"),
        ("SP", "100", ""),
        ("SP", "99.99", "minimum"),
        ("SP", "101", "maximum"),
    ],
)
def test_what_may_be_put_in_beside_a_bet(word: str, amount: str, rule: str) -> None:
    found = further_refused(word, Decimal(amount), Decimal(100))  # type: ignore[arg-type]  # one of both
    assert (found.rule if found else "") == rule


@pytest.mark.parametrize("amount", ["99.99", "100", "100.01", "0"])
def test_a_double_is_refused_here_as_at_the_table(amount: str) -> None:
    rules = Rules(GAME, Blackjack(), Start({"1": "100"}, decks=8, left=416), 8)
    rules.play(["6h", "9c", "5h", "8d"])
    code = rules.play([f"DD={amount}"])[-1].get("error")
    assert (code is None) == (further_refused("DD", Decimal(amount), Decimal(100)) is None)


def test_what_is_no_amount_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(MoneyError, match="the bet of seat 1"):
        bets_refused({"1": Decimal(0)}, TABLE)


@each_row("seed", range(60))
def test_thirds_of_a_bet_are_settled_to_the_cent(seed: int) -> None:
    """Every seat gets back what it put in and its net; with the house all nets add up to 0."""
    rng = Random(seed)
    bets = {str(seat): rng.choice(("33.33", "66.67", "100", "16.67")) for seat in range(1, rng.randint(2, 8))}
    given = {"decks": 8, "seats": 7, "min": "1", "max": "500", "max_hands": 4, "split_by": "rank", "split_aces": "play"}
    rules = Rules(GAME, Blackjack(min=Decimal(1)), Start(bets, decks=8, left=416), 8)
    rules.play(words(rng, Book(given, bets, 416)))
    result = rules.table.result
    assert result
    own = msgspec.to_builtins(result.own)
    message = HEAD | {
        "bets": result.bets,
        "stakes": {bet: [result.staked[bet], net] for bet, net in result.bets.items()},
    }
    settled = settle(
        msgspec.json.encode(message), [Wager(f"at {bet}", bet, Decimal(1)) for bet in result.bets], Rounding()
    )
    assert not settled.held
    for bet, net in result.bets.items():
        back = Decimal(str(result.staked[bet])) + Decimal(str(net))
        assert payments(settled).get(f"at {bet}", Decimal(0)) == back >= 0
    assert Decimal(own["house"]) + sum(Decimal(str(net)) for net in result.bets.values()) == 0
