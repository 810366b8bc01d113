"""Live odds for the house's risk desk: worked out beside the table, from cards everybody may know."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from functools import partial

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events import EntryName
from firmware_bridge.facts.wire_states import Odds
from firmware_bridge.games.house import size_of, terms_of
from firmware_bridge.shoe.round import rules
from firmware_bridge.shoe.state import Shoe
from firmware_bridge.topics.state import disclosed

log = logging.getLogger(__name__)

Moment = tuple[str, EntryName | None, int]
"""What odds are of: the journal, the last round message, and the number of the round to come."""


class LiveOdds:
    """Knows the odds of the round to come, a moment after the one before; `changed` is called with news.

    They are computed in a thread, one round at a time, since they take longer than a dealer needs for a card.
    `state` names the round it is of, of the shoe followed last; its `odds` are None where none can be told.
    """

    def __init__(self, changed: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self.state: Odds | None = None
        self._changed, self._loop = changed, loop
        self._wanted: Shoe | None = None
        self._of: Moment | None = None
        self._busy = False

    def follow(self, shoe: Shoe) -> None:
        """Work them out anew when a shoe was opened, or a round ended or was corrected."""
        if shoe.status != "open":
            self._of = self._wanted = None
            self.state = Odds(None, 0, None)
            return
        moment = (shoe.journal, shoe.device.prev, shoe.round)
        if moment == self._of:
            return
        if self._of is None or self._of[0] != shoe.journal:  # nothing of another shoe under the head of this one
            self.state = Odds(None, 0, None)
        self._of, self._wanted = moment, shoe
        self._work()

    def _work(self) -> None:
        shoe = self._wanted
        if self._busy or shoe is None:
            return
        self._busy, self._wanted = True, None
        self._loop.run_in_executor(None, _odds, shoe).add_done_callback(partial(self._done, self._of))

    def _done(self, moment: Moment | None, work: asyncio.Future[Odds]) -> None:
        self._busy = False
        if work.cancelled():
            return
        if error := work.exception():
            log.error("live odds failed: %s", type(error).__name__)
        elif moment == self._of:  # else the table went on meanwhile
            self.state = work.result()
            self._changed()
        self._work()


def before_round(shoe: Shoe) -> tuple[Card, ...]:
    """The disclosed cards of a shoe but for those drawn for the round under way."""
    under_way = Counter(laid.card for laid in shoe.laid if laid.drawn and laid.shown)
    return tuple((Counter(disclosed(shoe)) - under_way).elements())


def _odds(shoe: Shoe) -> Odds:
    """Odds of every bet, and how much its return differs from a full shoe's."""
    house, terms = shoe.house, terms_of(shoe.house)
    seen, book = before_round(shoe), rules(shoe).odds
    if book is None:
        return Odds(shoe.round, 0, None)
    try:
        told = book().of(house.decks, seen, terms)
        differs = book().deviation(house.decks, seen, terms)
    except BridgeError:  # too few cards, or a copy too many that the floor kept
        return Odds(shoe.round, 0, None)
    left = size_of(house) - len(seen)
    return Odds(shoe.round, left, dict(told), {bet: round(float(each), 9) for bet, each in differs.items()})
