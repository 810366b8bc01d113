"""The settings of zha jin hua, and the seats of a round with their money."""

from collections.abc import Generator, Sequence
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

from firmware_bridge.games.game import Terms
from firmware_bridge.games.prompts import EXACT, Ask, check_settings, did, in_words

Bonus = dict[Literal["leopard", "straight_flush"], Decimal]
"""Kind of hand -> what every other seat pays for it."""

USUAL_BONUS: Final[Bonus] = {"leopard": Decimal(10), "straight_flush": Decimal(5)}


class ZhaJinHua(Terms, frozen=True):
    """`[game]` of a table of zha jin hua; amounts are exact decimals, in the money of the purses.

    ante: what every seat puts in before the cards, and the first stake.
    step: what a seat that has not looked raises by at least, and in whole steps of.
    top: the highest stake of a seat that has not looked; of one that has, it is double.
    rounds: how many betting rounds there are before hands are compared by force.
    rake: the part of the winner's profit that the house takes, 0 to less than 1.
    bonus: kind of hand -> what every other seat pays for it.
    show: which hands guests' screens name: those that were shown down and won or earn a bonus, or all.
    """

    ante: Decimal = Decimal(1)
    step: Decimal = Decimal(1)
    top: Decimal = Decimal(10)
    rounds: Annotated[int, Meta(ge=1, le=100)] = 20
    rake: Decimal = Decimal(0)
    bonus: Bonus = field(default_factory=USUAL_BONUS.copy)
    show: Literal["winner", "all"] = "winner"

    def __post_init__(self) -> None:
        check_settings(ante=self.ante, step=self.step, top=self.top, rake=self.rake)
        check_settings(**{f"bonus.{kind}": each for kind, each in self.bonus.items()})
        if not self.ante > 0:
            raise ValueError(f"ante = {self.ante}: must be more than 0")
        if not self.step > 0:
            raise ValueError(f"step = {self.step}: must be more than 0")
        if not self.top >= self.ante:
            raise ValueError(f"top = {self.top}: must be at least the ante, {self.ante}")
        if not 0 <= self.rake < 1:
            raise ValueError(f"rake = {self.rake}: must be 0 or more and less than 1, a part of the profit")
        if not all(each >= 0 for each in self.bonus.values()):
            raise ValueError("bonus: amounts must be 0 or more")


Out = Literal["fold", "compare", "forced"]
"""The way a seat went out."""

FEWEST, MOST = 3, 5
"""The number of seats in a round."""

COMPARES_FROM: Final = 2
"""The betting round from which on a seat may compare its hand with another's; all-in it may earlier."""

SEATS: Final = tuple(str(number) for number in range(1, 8))
"""The seats that a table can have."""


def factor(looked: bool) -> int:
    """Return the amount a seat puts in for a stake of 1: one that has looked puts in twice as much."""
    return 2 if looked else 1


class Seat(Struct):
    """A seat in play. purse: money it has left. put: money it has put in."""

    number: str
    purse: Decimal
    put: Decimal = Decimal(0)
    looked: bool = False
    out: Out | None = None

    @property
    def slot(self) -> str:
        """Its slot, which is its name too: `S3`."""
        return f"S{self.number}"

    @property
    def factor(self) -> int:
        """The amount it puts in for a stake of 1."""
        return factor(self.looked)

    def pay(self, amount: Decimal) -> None:
        """Put money of the purse into the pot."""
        self.purse = EXACT.subtract(self.purse, amount)
        self.put = EXACT.add(self.put, amount)


class Table(Struct):
    """A round in play: its seats from the one that starts on, the stake of one that has not looked, the betting round.

    round: 0 until the lot is known. last_out: how the seat went that went out last.
    """

    terms: ZhaJinHua
    seats: list[Seat]
    stake: Decimal
    round: int = 0
    last_out: Out = "fold"

    @property
    def pot(self) -> Decimal:
        """The sum of all that the seats put in."""
        return total([seat.put for seat in self.seats])

    @property
    def still_in(self) -> list[Seat]:
        """The seats that are not out, from the one that starts on."""
        return [seat for seat in self.seats if not seat.out]

    def after(self, seat: Seat) -> list[Seat]:
        """Return all other seats, from the next one on."""
        place = self.seats.index(seat)
        return self.seats[place + 1 :] + self.seats[:place]

    def rivals(self, seat: Seat) -> list[Seat]:
        """Return the other seats that are still in, from the next one on."""
        return [each for each in self.after(seat) if not each.out]

    def cost(self, seat: Seat) -> Decimal:
        """Return the cost of a call for the seat."""
        return EXACT.multiply(self.stake, seat.factor)

    def is_short(self, seat: Seat) -> bool:
        """Return whether the seat has less than the cost of a call: it can only compare all-in."""
        return seat.purse < self.cost(seat)


def seat_players(terms: ZhaJinHua, money: dict[str, str]) -> Generator[Ask, Any, Table | None]:
    """Return the table of the seats that can pay the ante, after they paid it; None if they are too few or too many."""
    seats = []
    for number, purse in sorted(money.items(), key=lambda each: int(each[0])):
        why = "no_such_seat" if number not in SEATS else "money_below_ante" if Decimal(purse) < terms.ante else ""
        if why:
            yield did("seat_refused", f"S{number}", why)
        else:
            seats.append(Seat(number, Decimal(purse)))
    if not FEWEST <= len(seats) <= MOST:
        yield did("no_round", "players")
        return None
    for seat in seats:
        seat.pay(terms.ante)
        yield did("ante", seat.slot, in_words(terms.ante))
    return Table(terms, seats, terms.ante)


def total(amounts: Sequence[Decimal]) -> Decimal:
    """Return the exact sum."""
    result = Decimal(0)
    for each in amounts:
        result = EXACT.add(result, each)
    return result
