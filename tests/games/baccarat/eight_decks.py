"""The odds of eight full decks, worked out once."""

from __future__ import annotations

from functools import cache

from firmware_bridge.games.baccarat.odds import Odds, full, odds

DEALS_8_DECKS = 4_998_398_275_503_360


@cache
def eight() -> dict[str, Odds]:
    return odds(full(8))
