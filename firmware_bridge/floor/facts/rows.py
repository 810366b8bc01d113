"""Rows of the facts, each named by the message that it was made from or by its round."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from firmware_bridge.facts.decoding import json_of

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


class Round(NamedTuple):
    """What a message of the topic `round` says of its round.

    at: RFC 3339, of the message. status: `closed`, `corrected` or `voided`. day: its gaming day, or that of `at` in UTC
    where the table has no shifts. staked, house: what was put in, and what the house won of it, in millionths of money;
    None where stakes are not known. by_hand: cards that people entered. bets: bet -> net, as in the message, JSON.
    faces: card -> how often it was dealt, JSON. stakes: bet -> what was put in and its net, in millionths of money.
    """

    table: str
    journal: str
    shoe: int
    round: int
    revision: int
    seq: int
    n: int
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
    staked: int | None
    house: int | None
    by_hand: int
    bets: str
    faces: str
    stakes: tuple[tuple[str, int, int], ...] = ()

    @property
    def name(self) -> RoundName:
        """Its round."""
        return RoundName(*self[:4])

    @property
    def order(self) -> tuple[int, int, int]:
        """What decides which of two messages of a round counts: the higher one."""
        return self.revision, self.seq, self.n

    @property
    def counts(self) -> bool:
        """Whether it has a result."""
        return self.status != "voided"


class At(NamedTuple):
    """Where an event stands: message `n` of an entry of a journal, and its time (RFC 3339)."""

    table: str
    journal: str
    seq: int
    n: int
    at: str


class AlarmBegan(NamedTuple):
    """An irregularity. detail: its values as JSON; words where a version before sent it, "" for none."""

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


class HandEntered(NamedTuple):
    """A card that two people entered (`entered`), or looked at where it lay face down (`looked at`)."""

    place: At
    what: str
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
    """A shoe that ended. rounds: those dealt from it. code, alarm, by: how. why: what a person typed."""

    place: At
    shoe: int
    rounds: int
    code: str
    alarm: str = ""
    by: str = ""
    why: str = ""


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


def micros(amount: float | str) -> int:
    """Return an amount in millionths. Raises ValueError for one that is no number, too large, or finer than that."""
    if isinstance(amount, int):
        whole, exact = amount * MICRO, True
    elif isinstance(amount, float):
        whole, exact = _near(amount * MICRO)
    else:
        try:
            whole, exact = _near(Decimal(amount) * MICRO)
        except ArithmeticError:
            raise ValueError(f"{amount!r} is no amount") from None
    if not exact or abs(whole) > MOST_MICROS:
        raise ValueError(f"{amount!r} has more than six decimals, or is too large")
    return whole


def _near(amount: float | Decimal) -> tuple[int, bool]:
    """Return the nearest integer, and whether it is the amount; a float may be off by what a float cannot hold."""
    try:
        whole = round(amount)
    except (ArithmeticError, ValueError):
        return 0, False
    return whole, abs(amount - whole) < 0.001 if isinstance(amount, float) else amount == whole


@lru_cache(256)
def nets_of(bets: str) -> Mapping[str, int]:
    """Return bet -> net in millionths, of `Round.bets`. Raises ValueError.

    Kept for a batch, since each round wants them twice: 38 amounts take 8 us. More would be 4 KB for each result.
    """
    return {bet: micros(net) for bet, net in _nets(bets).items()}


_nets: Final = json_of(dict[str, int | float | str])
