"""Events of rounds: betting, revealing, and how they ended."""

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType, field

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_cards import Event, Origin
from firmware_bridge.facts.inputs import ReaderResult


class Reason(Struct, frozen=True):
    """Why something is as it is. values: by name, of disclosed cards only; `{}` where the id says all."""

    id: str
    values: dict[str, str | int]


Net = int | float | str
"""What a bet won or lost, or had put in: units per unit staked as a number, or money as an exact decimal text."""

Unit = Literal["stake", "money"]
"""What nets and stakes are told in: units per unit staked on a bet, or money."""

Stake = tuple[Net, Net]
"""What was put in on a bet, and its net. What goes back is x * (put in + net), x = the wager where the unit is a stake,
1 where it is money; with `stake`, a bet that is not listed has put in 1."""


Word = str | int | bool | tuple[str, ...]
Words = tuple[Word, ...]
"""What happened: a verb and what it concerns."""


class EntryName(Struct, frozen=True, order=True):
    """Entry `seq` of `journal`."""

    journal: str
    seq: int


Amounts = dict[str, str]
"""Seat -> money as an exact decimal text."""


class BetsOpened(Event, frozen=True, kw_only=True):
    """Betting for `round` is open."""

    round: int


class BetsClosed(Event, frozen=True, kw_only=True):
    """Betting for `round` is closed. bets, money: seat -> what was bet, or is in its purse, as a decimal text."""

    round: int
    bets: Amounts = field(default_factory=dict)
    money: Amounts = field(default_factory=dict)


class MarkGiven(Event, frozen=True, kw_only=True):
    """A seat made a move; seat "" told the lot. `turn`: the number of the question it answers.

    more: the question stands, because other seats still owe an answer, or because none was asked of this seat.
    """

    round: int
    turn: int
    seat: str
    word: str
    value: str | None = None
    by: str
    more: bool = False


class QuestionAnswered(Event, frozen=True, kw_only=True):
    """The shoe answered what only cards lying face down can tell: `what` among those in `of`."""

    round: int
    what: str
    answer: str
    of: tuple[str, ...] = ()


class Happened(Event, frozen=True, kw_only=True):
    """What one input caused at the table by the rules of the game, in order: each a verb and what it concerns."""

    round: int
    did: tuple[Words, ...]


class Flown(Event, frozen=True, kw_only=True):
    """The round is dealt without a bet, the `in_a_row`-th after another."""

    round: int
    in_a_row: int


class RevealClockStarted(Event, frozen=True, kw_only=True):
    """Sealed cards open by themselves at monotonic time `until` (ms)."""

    until: int


class RevealTimeEnded(Event, frozen=True, kw_only=True):
    """From here on this round's cards open as they are drawn."""


class Played(Struct, frozen=True, rename={"origin": "from"}):
    """A card of a closed round: where it was played and where it came from."""

    slot: str
    card: Card
    origin: Origin


class RoundResult(Event, frozen=True, kw_only=True, omit_defaults=False):
    """A round with its result. Its game alone knows what is in `hands` and `own`; both are JSON objects.

    hands: name -> a hand, with `cards` and `points` at least. bets: bet -> net. stakes: with the unit `stake` only bets
    that have not put in 1, with `money` every bet. prev: the round event before this one at this table, of whatever
    shoe; None once in its life. reasons: `why` as ids and values, one for each, or none where there are only
    words. own, in the two events below: what only this game says; the topic `round` has it beside the rest.
    """

    game: str
    round: int
    cards: tuple[Played, ...]
    hands: Raw
    outcome: str
    unit: Unit
    bets: dict[str, Net]
    stakes: dict[str, Stake]
    carried: int
    last: bool
    flags: tuple[str, ...]
    why: tuple[str, ...]
    reasons: tuple[Reason, ...] = ()
    prev: EntryName | None


class RoundClosed(RoundResult, frozen=True, kw_only=True):
    """A round is over."""

    status: Literal["closed"] = "closed"
    revision: int = 0
    own: Raw


class RoundCorrected(RoundResult, frozen=True, kw_only=True):
    """The floor corrected a closed round: a whole new one; `corrects` is the entry of the one before."""

    revision: int
    corrects: int
    by: str
    status: Literal["corrected"] = "corrected"
    own: Raw


class ResultHeld(Event, frozen=True, kw_only=True):
    """A reader said its result while cards before it wait: it waits behind them.

    `result` says something of cards that may still be sealed, so it never leaves the house.
    """

    result: ReaderResult | None = None


class RoundVoided(Event, frozen=True, kw_only=True, omit_defaults=False):
    """A round that counts for nothing; `cards` names those that were disclosed.

    stakes: bet -> (what was put in, 0), as far as it is not 1 per unit staked: all of it goes back. moved: bet -> what
    the table had already paid it, or taken from it (below 0), in a game that settles before a round is over; that is
    made good.
    """

    game: str
    round: int
    cards: tuple[Played, ...]
    why: tuple[str, ...]
    by: str
    last: bool
    prev: EntryName | None
    unit: Unit
    stakes: dict[str, Stake] = field(default_factory=dict)
    moved: dict[str, Net] | UnsetType = UNSET
    status: Literal["voided"] = "voided"
    revision: int = 0


OfRounds = (
    BetsOpened
    | BetsClosed
    | MarkGiven
    | QuestionAnswered
    | Happened
    | RoundClosed
    | RoundCorrected
    | ResultHeld
    | RevealClockStarted
    | RevealTimeEnded
    | Flown
    | RoundVoided
)
"""An event of a round."""
