"""Accepted bets of persons on a round, and the squeeze right that follows (rule book section 7)."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from msgspec import Struct

from firmware_bridge.client.money import EXACT, ZERO, check_amount, total
from firmware_bridge.games.baccarat.script import SqueezeRule

SIDES: Final[dict[str, tuple[str, ...]]] = {"player": ("player",), "banker": ("banker", "banker_no_commission")}
"""The bets that stake on a side."""


class Wager(Struct, frozen=True):
    """`person` staked `stake` (the table's currency, more than 0) on the bet `bet` (an id of the rule book).

    A list of wagers is in the order of acceptance, without cancelled ones. Raises MoneyError for a stake that is no
    exact amount above 0.
    """

    person: str
    bet: str
    stake: Decimal

    def __post_init__(self) -> None:
        check_amount(self.stake, f"the stake of {self.person} on {self.bet}")


def staked(wagers: Iterable[Wager], counts: Callable[[Wager], bool]) -> Decimal:
    """Return the sum of the stakes of wagers that `counts` selects."""
    return total(wager.stake for wager in wagers if counts(wager))


class Squeeze(NamedTuple):
    """The persons who may squeeze each side's cards, in order of their bets; (): the dealer opens them."""

    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()


def squeeze(wagers: Sequence[Wager], rule: SqueezeRule = "largest-stake") -> Squeeze:
    """Return the squeeze right of a round by its accepted bets, in the order of acceptance.

    `largest-stake`: per side the person with the largest total stake on it; no-commission banker counts as banker; of
    equal stakes the one reached first. A person largest on both keeps the player's; the next in line gets the banker's.
    `any-bettor`: every person with a bet in the round may squeeze both.
    """
    if rule == "any-bettor":
        everyone = tuple(dict.fromkeys(wager.person for wager in wagers))
        return Squeeze(everyone, everyone)
    player = _line(wagers, SIDES["player"])[:1]
    banker = [person for person in _line(wagers, SIDES["banker"]) if person not in player][:1]
    return Squeeze(tuple(player), tuple(banker))


def _line(wagers: Sequence[Wager], bets: tuple[str, ...]) -> list[str]:
    """Return the persons with a stake on one of `bets`, the largest first; of equal stakes the one reached first."""
    held: dict[str, tuple[Decimal, int]] = {}
    for when, wager in enumerate(wagers):
        if wager.bet in bets:
            before, _ = held.get(wager.person, (ZERO, when))
            held[wager.person] = EXACT.add(before, wager.stake), when
    return sorted(held, key=lambda person: (held[person][0].copy_negate(), held[person][1]))
