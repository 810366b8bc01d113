"""What an Angel Eye shoe, which judges the game itself, says of a round."""

from __future__ import annotations

from typing import Final

import msgspec

from firmware_bridge.games.baccarat.script import Own
from firmware_bridge.games.baccarat.terms import Baccarat

SIDES: Final = ("player", "banker")

_decode = msgspec.json.Decoder(Own).decode


def verdict(outcome: str, own: bytes) -> tuple[str, ...]:
    """The words for an outcome: the side that won, or `tie`, and the pairs, the player's first."""
    pairs = _decode(own).pairs
    return (outcome, *(f"{side} pair" for side in SIDES if pairs[side]))


def unjudged(terms: Baccarat) -> dict[str, str]:
    """It deals on demand."""
    if terms.procedure == "on-demand":
        return {}
    return {"procedure": "an angel-eye judges by its own rules, on-demand"}
