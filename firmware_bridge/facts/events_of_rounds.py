"""Events of rounds: betting, revealing, and how they ended."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.event import Event
from firmware_bridge.facts.events_of_cards import Origin
from firmware_bridge.facts.inputs import ReaderResult


class BetsOpened(Event, frozen=True, kw_only=True):
    """Betting for `round` is open."""

    round: int


class BetsClosed(Event, frozen=True, kw_only=True):
    """Betting for `round` is closed."""

    round: int


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


class Hand(Struct, frozen=True):
    """One side of a closed round, cards in the order they joined the hand."""

    cards: tuple[Card, ...]
    total: int


class RoundResult(Event, frozen=True, kw_only=True, omit_defaults=False):
    """A round with its result, as the topic `round` publishes it. `bets`: net units per unit staked."""

    game: str
    round: int
    cards: tuple[Played, ...]
    hands: dict[str, Hand]
    outcome: str
    natural: bool
    pairs: dict[str, bool]
    bets: dict[str, float]
    carried: int
    last: bool
    flags: tuple[str, ...]
    why: tuple[str, ...]
    prev: int | None


class RoundClosed(RoundResult, frozen=True, kw_only=True):
    """A round is over."""

    status: Literal["closed"] = "closed"
    revision: int = 0


class RoundCorrected(RoundResult, frozen=True, kw_only=True):
    """The floor corrected a closed round: a whole new one; `corrects` is the entry of the one before."""

    revision: int
    corrects: int
    by: str
    status: Literal["corrected"] = "corrected"


class ResultHeld(Event, frozen=True, kw_only=True):
    """A reader said its result while cards before it wait: it waits behind them.

    `result` says something of cards that may still be sealed, so it never leaves the house.
    """

    result: ReaderResult | None = None


class RoundVoided(Event, frozen=True, kw_only=True, omit_defaults=False):
    """A round that counts for nothing; `cards` names those that were disclosed."""

    game: str
    round: int
    cards: tuple[Played, ...]
    why: tuple[str, ...]
    by: str
    last: bool
    prev: int | None
    status: Literal["voided"] = "voided"
    revision: int = 0
