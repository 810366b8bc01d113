"""The layout of a round: its start, the placed cards, the prompt that is due, and its result."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Raw, Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Net, Played, Reason, Words
from firmware_bridge.games.prompts import Ask, Due


class Ended(Protocol):
    """A round of this shoe that is over, for later rounds; a voided one has no outcome."""

    @property
    def cards(self) -> tuple[Played, ...]:
        """Its cards, as they were played."""

    @property
    def outcome(self) -> str | None:
        """Its outcome, None if it was voided."""

    @property
    def own(self) -> Raw:
        """The fields that only its game has, as JSON."""

    @property
    def money(self) -> dict[str, str]:
        """Seat -> purse as an exact decimal text, as far as they were given for this round."""

    @property
    def nets(self) -> dict[str, Net]:
        """Bet -> its net, in games played for money."""


class Nothing(Struct, frozen=True):
    """The struct of a game without fields of its own."""


class Start(Struct, frozen=True):
    """The start of a round: bets or purses of its seats from `bets_closed`, and the rounds before it.

    bets, money: seat -> amount as an exact decimal text, empty where none were given for this round. before: the
    rounds of this shoe. decks: packs of the shoe. left: cards in the shoe before the first one of the round. sealed:
    hands are opened a step at a time, not all at once. was: the closed round that this one corrects.
    """

    bets: dict[str, str] = {}
    money: dict[str, str] = {}
    before: Sequence[Ended] = ()
    decks: int = 1
    left: int = 0
    sealed: bool = False
    was: Ended | None = None


class Result(Struct, frozen=True):
    """A round that is over. It is published: it names open cards only.

    hands: name -> a Struct of the game's own with `cards` and `points` at least. own: the fields that only this game
    has.
    bets: bet -> net, by the game's `unit`. staked: bet -> stake: of every bet where the unit is money, else where it is
    not 1.
    why: the rules that decided, in words. reasons: the same as ids and values, one for each, or none at all.
    shown: the slots with cards that the topic `table` and screens name, None for all; else `own` has them too.
    """

    hands: Mapping[str, Struct]
    outcome: str
    bets: Mapping[str, Net]
    own: Struct
    staked: Mapping[str, Net] = {}
    why: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    shown: tuple[str, ...] | None = None


Script = Generator[Ask, Any, Result | None]
"""A round: it gets a Card or None for a CardDue, a Mark for a MarkDue, a text for a Question.

It returns None where no round takes place, because too few seats have a part in it.
"""


class Placed(Struct, frozen=True):
    """A card of the round: the slot it was laid in, and the one it plays in (None: not known, or none)."""

    slot: str
    plays: str | None
    card: Card | None
    down: bool = False


class Layout(Struct, frozen=True):
    """The table after the moves so far; exactly one of `due`, `result`, `no_round` and `stuck` is set.

    placed: a card of each `Dealt` move, in their order. did: what happened so far. turns: questions answered.
    shows, playing, looked: the game's last `Shows` of the running round. signs: slot -> its
    `Sign` since the last card or mark. no_round: too few seats take part. stuck: why the moves cannot be those of a
    round, "" if they can.
    """

    placed: tuple[Placed, ...] = ()
    due: Due | None = None
    result: Result | None = None
    did: tuple[Words, ...] = ()
    turns: int = 0
    stuck: str = ""
    shows: Struct | None = None
    no_round: bool = False
    signs: dict[str, str] = {}
    playing: tuple[str, ...] | None = None
    looked: tuple[str, ...] | None = None

    @property
    def carried(self) -> tuple[int, ...]:
        """Numbers (from 0) of the cards that the complete round leaves for the next one."""
        return tuple([n for n, each in enumerate(self.placed) if each.plays is None]) if self.result else ()
