"""Checks stakes in games other than baccarat, by the rules of their packages, with reasons in words."""

from collections.abc import Collection, Mapping
from decimal import Decimal, localcontext
from typing import Literal

from msgspec import Struct

from firmware_bridge.client.limits import Range, Refusal
from firmware_bridge.client.money import EXACT, ZERO, MoneyError, check_amount
from firmware_bridge.games.banker_round import SEATS, owes
from firmware_bridge.games.blackjack import rules as blackjack
from firmware_bridge.games.erbagang.script import short
from firmware_bridge.games.zhajinhua.seats import COMPARES_FROM, FEWEST, MOST, factor


class Stakes(Struct, frozen=True):
    """Stakes of a table of zha jin hua: `ante`, `step` and `top` of its `[game]`. Raises MoneyError."""

    ante: Decimal
    step: Decimal
    top: Decimal

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            check_amount(getattr(self, name), name)
        if self.top < self.ante:
            raise MoneyError(f"the top stake {self.top} is less than the ante {self.ante}", "raise the top stake")


class Seated(Struct, frozen=True):
    """A seat before its mark. purse: what is left in it. stake: of a seat that has not looked. looked: whether it has.

    round: the betting round, from 1. Raises MoneyError for a purse or a stake that is no amount.
    """

    purse: Decimal
    stake: Decimal
    looked: bool
    round: int

    def __post_init__(self) -> None:
        check_amount(self.stake, "the stake")
        if not isinstance(self.purse, Decimal) or not self.purse.is_finite() or self.purse < 0:
            raise MoneyError(f"the purse is {self.purse}", "give a decimal.Decimal of 0 or more")

    @property
    def cost(self) -> Decimal:
        """Cost of a call, or of a comparison."""
        return EXACT.multiply(self.stake, Decimal(factor(self.looked)))


def purses_refused(money: Mapping[str, Decimal], stakes: Stakes) -> dict[str, Refusal]:
    """Return seat -> why it takes no part, as `bets_closed` will answer; every seat of `money` if there is no round.

    Raises MoneyError for a purse that is no amount of more than 0.
    """
    for seat, purse in money.items():
        check_amount(purse, f"the purse of seat {seat}")
    poor = {seat: purse for seat, purse in money.items() if purse < stakes.ante}
    refused = {seat: Refusal("minimum", f"{purse} is less than the ante {stakes.ante}") for seat, purse in poor.items()}
    seats = len(money) - len(poor)
    if not FEWEST <= seats <= MOST:
        why = Refusal("round", f"{seats} seats can pay the ante; a round has {FEWEST} to {MOST}")
        return dict.fromkeys(money, why) | refused
    return refused


def stake_refused(
    word: Literal["call", "raise", "compare"], amount: Decimal, seat: Seated, stakes: Stakes
) -> Refusal | None:
    """Return why `amount` may not be put in with this word, None if it may; an all-in compare puts in the purse."""
    if seat.purse < seat.cost:
        return _all_in_refused(word, amount, seat)
    if word == "compare" and seat.round < COMPARES_FROM:
        return Refusal("closed", f"hands are compared from round {COMPARES_FROM} on")
    if word != "raise":
        why = f"{word} costs {seat.cost}"
        return None if amount == seat.cost else Refusal("minimum" if amount < seat.cost else "maximum", why)
    return _raise_refused(amount, seat, stakes)


def _all_in_refused(word: str, amount: Decimal, seat: Seated) -> Refusal | None:
    if word != "compare":
        return Refusal("purse", f"{seat.purse} is less than a call, {seat.cost}: compare with all of it, or fold")
    return None if amount == seat.purse else Refusal("purse", f"an all-in puts in the whole purse, {seat.purse}")


def _raise_refused(amount: Decimal, seat: Seated, stakes: Stakes) -> Refusal | None:
    if seat.stake >= stakes.top:
        return Refusal("maximum", f"the stake is at the top, {stakes.top}")
    step, top = (EXACT.multiply(each, Decimal(factor(seat.looked))) for each in (stakes.step, stakes.top))
    if amount <= seat.cost:
        return Refusal("minimum", f"{amount} is not more than a call, {seat.cost}")
    if EXACT.remainder(EXACT.subtract(amount, seat.cost), step) != ZERO:
        return Refusal("step", f"{amount} is not a whole number of steps of {step} more than a call")
    if amount > top:
        return Refusal("maximum", f"{amount} is more than {top}")
    return Refusal("purse", f"the purse has only {seat.purse}") if amount > seat.purse else None


def bets_refused(bets: Mapping[str, Decimal], table: Range, seats: int = blackjack.SEATS) -> dict[str, Refusal]:
    """Return seat -> why its bet is refused, as `bets_closed` will answer; {} if all seats take part.

    bets: seat (`"1"`) -> bet. table: `min` to `max` of its `[game]`. Raises MoneyError for a bet that is no amount.
    """
    refused = {}
    for seat, bet in bets.items():
        check_amount(bet, f"the bet of seat {seat}")
        number = int(seat) if seat in map(str, range(1, seats + 1)) else 0
        texts = {
            "no_such_seat": Refusal("not offered", f"the table has the seats 1 to {seats}"),
            "below_min": Refusal("minimum", f"{bet} is less than {table.low}"),
            "above_max": Refusal("maximum", f"{bet} is more than {table.high}"),
        }
        if why := blackjack.refused(number, bet, seats, table.low, table.high):
            refused[seat] = texts[why]
    return refused


def further_refused(word: Literal["DD", "SP"], amount: Decimal, bet: Decimal) -> Refusal | None:
    """Return why `amount` may not be put in to double or to split a hand of this bet, None if it may.

    A double is more than nothing and at most the bet; a split is the bet again. Raises MoneyError.
    """
    check_amount(bet, "the bet")
    double = blackjack.doubles(bet)
    if not isinstance(amount, Decimal) or not amount.is_finite() or amount <= double.least:
        return Refusal("minimum", f"{amount} is too little: give more than {double.least}")
    if amount > double.most:
        return Refusal("maximum", f"{amount} is more than the bet, {bet}")
    return Refusal("minimum", f"a split needs the bet again, {bet}") if word == "SP" and amount < bet else None


def multiple_refused(multiple: int, offered: Collection[int]) -> Refusal | None:
    """Return why a multiple may not be bid or bet, None if it may.

    offered: the settings `grab` or `bet` of a table of niu-niu; at er ba gang `range(grab_max + 1)` for a bid, and
    `third(banker's multiple)` for a bet.
    """
    if multiple in offered:
        return None
    if multiple < min(offered):
        return Refusal("minimum", f"{multiple} is less than {min(offered)}")
    if multiple > max(offered):
        return Refusal("maximum", f"{multiple} is more than {max(offered)}")
    return Refusal("step", f"{multiple} is not one of {', '.join(map(str, sorted(offered)))}")


def most_owed(base: Decimal, multiple: int, highest: int, banker: int = 1) -> Decimal:
    """Return the most that a player with this multiple can lose, or win, against the banker in one round.

    highest: the highest of the table's `hand_multiples`. banker: the banker's multiple at niu-niu; 1 at er ba gang. The
    banker's most is the sum over the players. Raises MoneyError for a base that is no amount, or a multiple below 1.
    """
    check_amount(base, "the base")
    if min(multiple, highest, banker) < 1:
        raise MoneyError("a multiple is less than 1", "give the multiples that were bet, and 1 if no seat grabbed")
    with localcontext(EXACT):
        return owes(base, multiple, highest, banker)


def purses_short(money: Mapping[str, Decimal], base: Decimal) -> dict[str, Refusal]:
    """Return seat -> why er ba gang does not begin with its purse, as `bets_closed` will answer; {} if it begins.

    Raises MoneyError for a base that is no amount.
    """
    check_amount(base, "the base")
    purses = {seat: money.get(seat, Decimal(0)) for seat in SEATS}
    return {seat: Refusal("purse", f"{purses[seat]} is less than the base {base}") for seat in short(purses, base)}
