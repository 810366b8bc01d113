"""Events of single cards: drawn, burned, dealt, held, named; and of the cut card."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.event import Event

Origin = Literal["reader", "carried", "manual"]
"""Where a card of a round came from."""


class Secret(Struct, frozen=True):
    """A card not yet disclosed, with the nonce (32 hex digits) its commitment was made with."""

    card: Card
    nonce: str


class CardEvent(Event, frozen=True, kw_only=True):
    """A card went somewhere: named (`card`), or sealed (`commit`, and `secret` inside the house only).

    `serial` tells it from other cards of its face; it never leaves the house either.

    held: the card was the oldest of what was held, and leaves the queue. `commit` = hex SHA-256 of the ASCII text
    `journal:seq:n:card:nonce`. `nonce` opens the commitments made to a named card while it was held.
    """

    card: Card | None = None
    nonce: str | None = None
    commit: str | None = None
    secret: Secret | None = None
    serial: Serial | None = None
    held: bool = False


class CardBurned(CardEvent, frozen=True, kw_only=True):
    """`left` more cards are to be burned; the exposed first card is named."""

    left: int


class CardDealt(CardEvent, frozen=True, kw_only=True):
    """The card lies in `slot` of round `round`.

    unread: why nobody knows a card that lies face down, in the words of its reader; it is neither named nor sealed.
    """

    round: int
    slot: str
    origin: Origin = "reader"
    unread: str = ""


class CardOverdrawn(CardEvent, frozen=True, kw_only=True):
    """A card too many: it waits, sealed, for the next round."""

    round: int
    origin: Origin = "reader"


class CardHeld(CardEvent, frozen=True, kw_only=True):
    """A card drawn while no card could be dealt; an unread one has neither card nor commitment."""

    why: str
    lot: int | None = None
    manual: bool = False
    flags: tuple[str, ...] = ()
    slot: str | None = None


class CardEntered(CardEvent, frozen=True, kw_only=True):
    """Two people entered a card that was not read."""

    by: str
    second: str


class CardLookedAt(CardEvent, frozen=True, kw_only=True):
    """Two people looked at a card that lies face down in `slot` and was not read: message `n` of entry `seq`."""

    round: int
    slot: str
    seq: int
    n: int
    by: str
    second: str


class CardConfirmed(Event, frozen=True, kw_only=True):
    """The reader reported a card that people had entered while it was away: the same one, dealt once."""


class CardSetAside(CardEvent, frozen=True, kw_only=True):
    """The card plays no part: `removed` (not of this shoe), `burned`, `void`, `no shoe`, or `observed` only."""

    why: Literal["removed", "burned", "void", "no shoe", "observed"]


class CardRevealed(Event, frozen=True, kw_only=True):
    """A sealed card is disclosed: the one committed to by message `n` of entry `seq` of this journal."""

    card: Card
    nonce: str
    seq: int
    n: int
    round: int | None = None
    slot: str | None = None


class OverdrawnBurned(Event, frozen=True, kw_only=True):
    """The floor had the overdrawn cards burned."""


class BurnFinished(Event, frozen=True, kw_only=True):
    """The floor took a short burn as finished."""


class LotAdopted(Event, frozen=True, kw_only=True):
    """The first card's pack lot is the lot of this shoe."""

    lot: int


CutBy = Literal["sensor", "reader", "virtual"]


class CutCardMet(Event, frozen=True, kw_only=True):
    """The cut card came by; `last_round` is the number of the last round of this shoe."""

    by: CutBy
    last_round: int
    held: bool = False


class CutCardHeld(Event, frozen=True, kw_only=True):
    """The cut card came by while cards before it were held: it waits behind them."""

    by: CutBy


OfCards = (
    CardBurned
    | CardDealt
    | CardOverdrawn
    | CardHeld
    | CardEntered
    | CardLookedAt
    | CardConfirmed
    | CardSetAside
    | CardRevealed
    | OverdrawnBurned
    | BurnFinished
    | LotAdopted
    | CutCardMet
    | CutCardHeld
)
"""An event of a card."""
