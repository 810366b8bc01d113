"""Whether a bet may be accepted: limits of the person, of the table and of its pools (rule book section 7)."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.client.money import EXACT, MoneyError, check_amount
from firmware_bridge.client.wager import SIDES, Wager, staked

Rule = Literal[
    "closed",
    "not offered",
    "no range",
    "minimum",
    "maximum",
    "differential",
    "total",
    "round",
    "both sides",
    "step",
    "purse",
]


class Refusal(Struct, frozen=True):
    """Why a bet is refused: `rule` for programs, `why` for people, with the amount that would still be accepted."""

    rule: Rule
    why: str


class Range(Struct, frozen=True):
    """Limits of one person on one bet in a round: `low` to `high`, both included. Raises MoneyError."""

    low: Decimal
    high: Decimal

    def __post_init__(self) -> None:
        check_amount(self.low, "the lower limit")
        check_amount(self.high, "the upper limit")
        if self.low > self.high:
            raise MoneyError(
                f"the lower limit {self.low} is above the upper limit {self.high}", "give the lower one first"
            )


class Pool(Struct, frozen=True):
    """Limits of a table on one round, over all persons together. Raises MoneyError.

    differential: most by which the banker's side, with and without commission, and the player's may differ.
    totals: bet id -> most on it; a bet that is not here is not offered, but player and banker always are.
    """

    differential: Decimal
    totals: Mapping[str, Decimal]

    def __post_init__(self) -> None:
        check_amount(self.differential, "the differential limit")
        for bet, limit in self.totals.items():
            check_amount(limit, f"the total limit of {bet}")


FIVE_AREAS: Final = ("player", "banker", "tie", "player_pair", "banker_pair")
"""The bets of a table of five areas."""


def common(account: Range, table: Range) -> Range | None:
    """Return the range of an account at a table, their intersection; None if it is empty: no betting.

    `common(Range(100, 20000), Range(1, 10000))` is 100 to 10000.
    """
    low, high = max(account.low, table.low), min(account.high, table.high)
    return Range(low, high) if low <= high else None


def refusals(
    wager: Wager,
    accepted: Sequence[Wager],
    own: Range | None,
    pool: Pool,
    closed_bets: Collection[str] = (),
) -> tuple[Refusal, ...]:
    """Return the reasons to refuse `wager` after the bets `accepted` in this round; () = accept it.

    own: `common(account, table)`, for a person's stakes on one bet together: a bet may be raised by less than the lower
    limit. closed_bets: ids refused in the round of the bet, `firmware_bridge.games.baccarat.bets.closed(round)`, or for
    the next round that accepts bets `closed_bets` of the topic `table`.
    """
    if wager.bet in closed_bets:
        return (Refusal("closed", f"{wager.bet} is closed for this round"),)
    pooled = _pooled(wager, accepted, pool)
    return tuple(each for each in (_in_range(wager, accepted, own), pooled) if each)


def refusals_of_five(wager: Wager, accepted: Sequence[Wager], most: Decimal) -> tuple[Refusal, ...]:
    """Return reasons to refuse `wager` at a table of five areas: each up to the person's `most`, and not both sides.

    A round is limited to 5 x `most` in all. No bet closes, and the table has no pool. Raises MoneyError for a `most`
    that is no amount.
    """
    check_amount(most, "the largest stake")
    if wager.bet not in FIVE_AREAS:
        return (_not_offered(wager),)
    own = [each for each in accepted if each.person == wager.person]
    on_bet, in_round = staked(own, lambda each: each.bet == wager.bet), staked(own, lambda each: True)
    limit = EXACT.multiply(most, Decimal(len(FIVE_AREAS)))
    found = (
        _beyond("maximum", f"on {wager.bet}", wager.stake, on_bet, most),
        _beyond("round", "in one round", wager.stake, in_round, limit),
        _both_sides(wager, own),
    )
    return tuple(each for each in found if each)


def _in_range(wager: Wager, accepted: Sequence[Wager], own: Range | None) -> Refusal | None:
    if own is None:
        return Refusal("no range", "the limits of account and table do not overlap")
    before = staked(accepted, lambda each: (each.person, each.bet) == (wager.person, wager.bet))
    if EXACT.add(before, wager.stake) < own.low:
        return Refusal("minimum", f"{wager.stake} on {wager.bet} is less than {own.low}")
    return _beyond("maximum", f"on {wager.bet}", wager.stake, before, own.high)


def _pooled(wager: Wager, accepted: Sequence[Wager], pool: Pool) -> Refusal | None:
    if any(wager.bet in bets for bets in SIDES.values()):
        return _differs(wager, accepted, pool.differential)
    if wager.bet not in pool.totals:
        return _not_offered(wager)
    before = staked(accepted, lambda each: each.bet == wager.bet)
    return _beyond("total", f"at this table on {wager.bet}", wager.stake, before, pool.totals[wager.bet])


def _differs(wager: Wager, accepted: Sequence[Wager], limit: Decimal) -> Refusal | None:
    """Return the refusal by the differential limit; also for a side that is behind by more than the limit."""
    banker = staked(accepted, lambda each: each.bet in SIDES["banker"])
    player = staked(accepted, lambda each: each.bet in SIDES["player"])
    behind = EXACT.subtract(banker, player) if wager.bet == "player" else EXACT.subtract(player, banker)
    lead = EXACT.subtract(wager.stake, behind)
    if EXACT.abs(lead) <= limit:
        return None
    why = f"player and banker would differ by {EXACT.abs(lead)}, more than {limit}"
    return Refusal("differential", f"{why}; {_room(EXACT.add(behind, limit))}" if lead > 0 else why)


def _both_sides(wager: Wager, own: Sequence[Wager]) -> Refusal | None:
    other = {"player": "banker", "banker": "player"}.get(wager.bet)
    if other is None or not any(each.bet == other for each in own):
        return None
    return Refusal("both sides", f"{wager.person} has bet on the {other} in this round")


def _beyond(rule: Rule, where: str, stake: Decimal, before: Decimal, limit: Decimal) -> Refusal | None:
    after = EXACT.add(before, stake)
    if after <= limit:
        return None
    return Refusal(rule, f"{after} {where} is more than {limit}; {_room(EXACT.subtract(limit, before))}")


def _room(amount: Decimal) -> str:
    return f"at most {amount} more" if amount > 0 else "nothing more"


def _not_offered(wager: Wager) -> Refusal:
    return Refusal("not offered", f"{wager.bet} is not offered at this table")
