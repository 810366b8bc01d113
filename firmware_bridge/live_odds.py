"""Live odds for the house's risk desk: worked out beside the table, from cards everybody may know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from firmware_bridge.cards import Card
from firmware_bridge.odds import OddsError, deviation, odds, remaining
from firmware_bridge.shoe.state import Shoe
from firmware_bridge.snapshots import disclosed


class LiveOdds:
    """Knows the odds of the next round, a moment after the round before; `changed` is called with news.

    They are computed in a thread, since they take longer than a dealer needs for a card.
    """

    def __init__(self, changed: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self.state: dict[str, Any] | None = None
        self._changed, self._loop = changed, loop
        self._of: tuple[str, int] | None = None

    def follow(self, shoe: Shoe) -> None:
        """Work them out anew when a shoe was opened or a round ended."""
        at = (shoe.journal, len(shoe.rounds))
        if shoe.status != "open" or at == self._of:
            return
        self._of = at
        house = shoe.house
        work = self._loop.run_in_executor(
            None, _odds, house.decks, disclosed(shoe), house.tiger_pair_top, house.natural_bets
        )
        work.add_done_callback(self._done)

    def _done(self, work: asyncio.Future[dict[str, Any] | None]) -> None:
        if not work.cancelled() and work.exception() is None:
            self.state = work.result()
            self._changed()


def _odds(decks: int, seen: tuple[Card, ...], tiger_pair_top: Any, natural_bets: Any) -> dict[str, Any] | None:
    """Odds of every bet, and how much its return differs from a full shoe's; None where none can be told."""
    try:
        piles = remaining(decks, seen)
        now = odds(piles, tiger_pair_top, natural_bets)
        differs = deviation(piles, decks, tiger_pair_top, natural_bets)
    except OddsError:  # too few cards, or a copy too many that the floor kept
        return None
    return {
        "cards": sum(piles.values()),
        "odds": msgspec.to_builtins(now),
        "deviation": {bet: round(float(each), 9) for bet, each in differs.items()},
    }
