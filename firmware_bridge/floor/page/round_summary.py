"""A round that is over, as the page keeps it: a whole message would take eight times the memory."""

from typing import Final

import msgspec
from msgspec import Struct

from firmware_bridge.client.payload import MessageError, round_message
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.wire import Hand, RoundMessage, VoidedRound


class Dealer(Struct, frozen=True):
    """The hand of a dealer who plays."""

    cards: tuple[Card, ...]
    total: int


class RoundSummary(Struct, frozen=True, kw_only=True):
    """A round that is over, as its latest revision has it: what the page draws of it, and no more.

    at: when it was over, ms since 1970 by the table's clock. outcome: None of a voided round; it has no hands.
    shown: the hands that guests see, None for all. dealer: the dealer's own hand and its total, where a game has one.
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
    """What only some games say of a round."""

    shown: tuple[str, ...] | None = None
    dealer: Dealer | None = None


_own: Final = msgspec.json.Decoder(Own).decode


def read(payload: bytes) -> tuple[RoundMessage, Own]:
    """A message of the topic `round`. Raises MessageError."""
    message = round_message(payload)
    try:
        return message, _own(payload)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MessageError(f"not a round of its game: {error}", "look which game it is of") from None


def summarised(message: RoundMessage, own: Own, at: int) -> RoundSummary:
    """What is kept of a round that was over at a time, in ms since 1970."""
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
