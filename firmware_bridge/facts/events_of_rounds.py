"""Events of rounds: betting, revealing, results."""

from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType, field

from firmware_bridge.facts.bounds import PersonText
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_cards import Event, Origin
from firmware_bridge.facts.inputs import ReaderResult


class Reason(Struct, frozen=True):
    """A reason by its id. values: by name, of disclosed cards only; `{}` where the id is enough."""

    id: str
    values: dict[str, str | int]


Net = int | float | str
"""The net or the stake of a bet: units per unit staked as a number, or money as an exact decimal text."""

Unit = Literal["stake", "money"]
"""The unit of nets and stakes: units per unit staked on a bet, or money."""

Stake = tuple[Net, Net]
"""Amount put in on a bet, and its net. The payback is x * (put in + net), x = the wager where the unit is `stake`, 1
where it is `money`; with `stake`, a bet that is not listed has put in 1."""


Word = str | int | bool | tuple[str, ...]
Words = tuple[Word, ...]
"""One action of the game: a verb and its operands."""


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
    """Betting for `round` is closed. bets, money: seat -> its bet, or its purse, as a decimal text.

    left_out: seat -> why it takes no part, such as `below_min`; its bet was not taken.
    """

    round: int
    bets: Amounts = field(default_factory=dict)
    money: Amounts = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


class MarkGiven(Event, frozen=True, kw_only=True):
    """A seat made a move; `turn`: the number of the question that it answers.

    seat: its number, also where the order left it out; "" for a draw among seats, which has none.
    more: the question stays open: other seats must still answer, or this seat was not asked.
    """

    round: int
    turn: int
    seat: str
    word: str
    value: str | None = None
    by: PersonText
    more: bool = False


class MarkTakenBack(Event, frozen=True, kw_only=True):
    """The last mark is taken back: the entry `seq`, its message `n`, and what `Happened` by it, do not count.

    turn: the new number of the question that is asked again. seat, word, value: of the mark, as in `MarkGiven`.
    """

    round: int
    turn: int
    seat: str
    word: str
    value: str | None = None
    seq: int
    n: int
    by: PersonText


class QuestionAnswered(Event, frozen=True, kw_only=True):
    """The shoe answered a question about face-down cards: `what` among those in `of`."""

    round: int
    what: str
    answer: str
    of: tuple[str, ...] = ()


class Happened(Event, frozen=True, kw_only=True):
    """The actions at the table that one input caused by the rules of the game, in order: each a verb and operands."""

    round: int
    did: tuple[Words, ...]


class Flown(Event, frozen=True, kw_only=True):
    """The round is dealt without a bet, as number `in_a_row` of such rounds in a row."""

    round: int
    in_a_row: int


class RevealClockStarted(Event, frozen=True, kw_only=True):
    """Sealed cards open by themselves at monotonic time `until` (ms)."""

    until: int


class RevealTimeEnded(Event, frozen=True, kw_only=True):
    """The cards of this round are disclosed as they are drawn from now on."""


class Played(Struct, frozen=True, rename={"origin": "from"}):
    """A card of a closed round: the slot it was played in, and its source (`from`)."""

    slot: str
    card: Card
    origin: Origin


class DealtRound(Event, frozen=True, kw_only=True, omit_defaults=False):
    """A round that is over, and who dealt it; a text is empty where it is not known.

    dealt_by: who was signed in as dealer when its first card was drawn. pit, shift: names of the house. shift and
    gaming_day (YYYY-MM-DD): those in which the round ended, by the table's local time; a correction repeats them.
    """

    dealt_by: PersonText = ""
    pit: str = ""
    shift: str = ""
    gaming_day: str = ""


class RoundResult(DealtRound, frozen=True, kw_only=True):
    """A round with its result. `hands` and `own` are JSON objects defined by the game.

    hands: name -> a hand, with `cards` and `points` at least. bets: bet -> net. stakes: with the unit `stake` only bets
    that have not put in 1, with `money` every bet. prev: the round event before this one at this table, of any shoe;
    None for the first. reasons: `why` as ids and values, one for each, or empty where there is only text. own, in the
    two events below: keys of this game alone; the topic `round` has them beside the rest.
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
    """The pit corrected a closed round: a complete new result; `corrects` is the entry of the one before.

    second: the second person, if any.
    """

    revision: int
    corrects: int
    by: PersonText
    second: PersonText | UnsetType = UNSET
    status: Literal["corrected"] = "corrected"
    own: Raw


class ResultHeld(Event, frozen=True, kw_only=True):
    """The reader reported a result while cards before it are held: it waits behind them.

    `result` may concern sealed cards, so it never leaves the house.
    """

    result: ReaderResult | None = None


class RoundVoided(DealtRound, frozen=True, kw_only=True):
    """A voided round: it does not count. `cards`: those that were disclosed.

    stakes: bet -> (amount put in, 0), where it is not 1 per unit staked: all of it is paid back. moved: bet -> amount
    already paid to it, or collected from it (below 0), in a game that settles before a round is over: to be reversed.
    second: the second person, if any. why: what a person typed; in English in journals of format 3. reasons: why
    as ids and values: `floor`, `decided` about an alarm, `shoe_empty`.
    """

    game: str
    round: int
    cards: tuple[Played, ...]
    why: tuple[str, ...]
    reasons: tuple[Reason, ...] = ()
    by: PersonText
    last: bool
    prev: EntryName | None
    unit: Unit
    stakes: dict[str, Stake] = field(default_factory=dict)
    moved: dict[str, Net] | UnsetType = UNSET
    status: Literal["voided"] = "voided"
    revision: int = 0
    second: PersonText | UnsetType = UNSET


OfRounds = (
    BetsOpened
    | BetsClosed
    | MarkGiven
    | MarkTakenBack
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
