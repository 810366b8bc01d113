"""Summary of a finished round for the page, in an eighth of the memory of its message."""

from typing import Final

from msgspec import Struct

from firmware_bridge.client.payload import MessageError, round_message
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.wire import Hand, RoundMessage, VoidedRound


class Dealer(Struct, frozen=True):
    """The hand of a dealer who plays."""

    cards: tuple[Card, ...]
    total: int


class RoundSummary(Struct, frozen=True, kw_only=True):
    """A finished round in its latest revision, with the fields that the page draws.

    at: its end, ms since 1970 by the table's clock. outcome: None for a voided round, which has no hands. shown: the
    hands that guests see, None for all. dealer: the dealer's hand and total, if the game has one.
    """

    shoe: int
    round: int
    revision: int
    seq: int
    status: str
    at: int
    last: bool
    outcome: str | None
    hands: dict[str, Hand]
    shown: tuple[str, ...] | None = None
    dealer: Dealer | None = None


class Own(Struct, frozen=True):
    """Fields of a round in some games only."""

    shown: tuple[str, ...] | None = None
    dealer: Dealer | None = None


_own: Final = json_of(Own)


def read(payload: bytes) -> tuple[RoundMessage, Own]:
    """Decode a message of the topic `round`. Raises MessageError."""
    message = round_message(payload)
    try:
        return message, _own(payload)
    except Undecodable as error:
        raise MessageError(f"not a round of its game: {error}", "check which game it is of") from None


def summarised(message: RoundMessage, own: Own, at: int) -> RoundSummary:
    """Return the summary of a round. at: its end, in ms since 1970."""
    outcome, hands = (None, {}) if isinstance(message, VoidedRound) else (message.outcome, message.hands)
    return RoundSummary(
        shoe=message.shoe,
        round=message.round,
        revision=message.revision,
        seq=message.seq,
        status=message.status,
        at=at,
        last=message.last,
        outcome=outcome,
        hands=hands,
        shown=own.shown,
        dealer=own.dealer,
    )
