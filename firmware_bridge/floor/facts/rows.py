"""Rows of the facts, each named by the message that it was made from or by its round."""

from decimal import Decimal
from typing import Final, NamedTuple

MICRO: Final = 1_000_000
"""Parts of a unit in which amounts are kept, as integers: sums of them are exact."""

MOST_MICROS: Final = 2**53
"""The largest amount that is kept, in millionths."""


class RoundName(NamedTuple):
    """A round of a table."""

    table: str
    journal: str
    shoe: int
    round: int


class Order(NamedTuple):
    """What decides which of two messages of a round counts: the higher one."""

    revision: int
    seq: int
    n: int


class Round(NamedTuple):
    """What a message of the topic `round` says of its round.

    at: RFC 3339, of the message. status: `closed`, `corrected` or `voided`. day: its gaming day, or that of `at` in UTC
    where the table has no shifts. bets: bet -> net, in millionths of its unit. stakes: bet -> what was put in and its
    net, in millionths of money; {} where stakes are not known. faces: card -> how often it was dealt. by_hand: how many
    of them people entered.
    """

    name: RoundName
    order: Order
    at: str
    game: str
    status: str
    day: str
    pit: str
    shift: str
    dealt_by: str
    outcome: str
    unit: str
    last: bool
    bets: dict[str, int]
    stakes: dict[str, tuple[int, int]]
    faces: dict[str, int]
    by_hand: int

    @property
    def counts(self) -> bool:
        """Whether it has a result."""
        return self.status != "voided"

    @property
    def staked(self) -> int | None:
        """What was put in, in millionths of money; None where stakes are not known."""
        return sum(put for put, _ in self.stakes.values()) if self.unit == "money" else None

    @property
    def house(self) -> int | None:
        """What the house won, below 0 lost, in millionths of money; None where stakes are not known."""
        return -sum(net for _, net in self.stakes.values()) if self.unit == "money" and self.counts else None


class At(NamedTuple):
    """Where an event stands: message `n` of an entry of a journal, and its time (RFC 3339)."""

    table: str
    journal: str
    seq: int
    n: int
    at: str


class AlarmBegan(NamedTuple):
    """An irregularity. since: RFC 3339."""

    place: At
    id: str
    detail: str


class AlarmEnded(NamedTuple):
    """The end of the irregularity of this id that is open. choice: what was decided; by, second: who did."""

    place: At
    id: str
    choice: str
    by: str
    second: str


class SignedIn(NamedTuple):
    """A dealer who deals from now on."""

    place: At
    dealer: str


class ShoeBegan(NamedTuple):
    """A shoe that was opened."""

    place: At
    shoe: int
    game: str
    decks: int


class ShoeOver(NamedTuple):
    """A shoe that ended. rounds: those dealt from it."""

    place: At
    shoe: int
    why: str
    rounds: int


class OrderGiven(NamedTuple):
    """An order and its answer. by: the name, or the key. person: the login, or the one for whom a key gave it."""

    place: At
    do: str
    by: str
    person: str
    ok: bool
    error: str


class ShiftActs(NamedTuple):
    """What people did by hand while a dealer dealt in a shift (facts/house.py, `Acts`)."""

    place: At
    shift: str
    day: str
    dealer: str
    entered: int
    voided: int
    corrected: int
    cut_early: int
    taken_back: int


def micros(amount: Decimal | str | float) -> int:
    """An amount in millionths. Raises ValueError for one that is no number, too large, or finer than that."""
    try:
        exact = Decimal(str(amount)) * MICRO
        whole = int(exact)
    except (ArithmeticError, ValueError):
        raise ValueError(f"{amount!r} is no amount") from None
    if whole != exact or abs(whole) > MOST_MICROS:
        raise ValueError(f"{amount!r} has more than six decimals, or is too large")
    return whole
