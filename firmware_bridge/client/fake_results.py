"""What the rounds of a fake table end with."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from firmware_bridge.facts.events_of_rounds import Net, Stake, Unit

FakeGame = Literal["baccarat", "blackjack"]
"""What is played: nets per unit staked (`unit` is `stake`), or of two seats in money."""


class _Result(NamedTuple):
    outcome: str
    bets: dict[str, Net]
    stakes: dict[str, Stake]


def _in_money(outcome: str, **seats: tuple[str, str]) -> _Result:
    """What each seat put in, and its net."""
    return _Result(outcome, {seat: net for seat, (_, net) in seats.items()}, dict(seats))


UNITS: Final[dict[FakeGame, Unit]] = {"baccarat": "stake", "blackjack": "money"}

RESULTS: Final[dict[FakeGame, tuple[_Result, ...]]] = {
    "baccarat": (
        _Result("banker", {"player": -1, "banker": 0.95, "tie": -1}, {}),
        _Result("player", {"player": 1, "banker": -1, "tie": -1}, {}),
        _Result("tie", {"player": 0, "banker": 0, "tie": 8}, {}),
    ),
    "blackjack": (
        _in_money("dealer_bust", S1=("240", "240"), S3=("12.5", "18.75")),
        _in_money("dealer", S1=("100", "-100"), S3=("12.5", "-12.5")),
    ),
}
"""What rounds end with, one after the other, and then from the first again."""
