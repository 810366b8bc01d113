"""Dealer and guests of a simulated table in one: cards, keys and orders."""

from __future__ import annotations

import logging
from random import Random
from typing import Any, Final

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.journal_writer import StillWriting
from firmware_bridge.daemon.table.order_service import OrderService
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.demo.seats import next_order, pack_number, seat_counts
from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.orders import LOCAL
from firmware_bridge.games import GAMES
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.round import coming, rules
from firmware_bridge.shoe.state import blockers, cards_left

log = logging.getLogger(__name__)

DEALER: Final = "dealer"
GUESTS: Final = "guests"
"""Senders of the orders."""

SEATS: Final = 3
"""Seats that play, unless the game needs more."""


class Dealer:
    """Deals one table from the state of its shoe; all chances come from `random`.

    A dealer started after a kill continues with the cards left in the shoe. refused: number of orders refused.
    """

    def __init__(self, table: Table, order_service: OrderService, random: Random) -> None:
        self._table, self._orders, self._random = table, order_service, random
        self._cards: list[Card] = []
        self._pack: int | None = None
        self._cut_at = 0
        self.refused = 0

    def act(self) -> None:
        """Make the next move: draw a card, press NEXT, open a shoe, or give a guest's order.

        Nothing while the disk has not answered: what came last is handled when it does.
        """
        if self._table.disk:
            return
        shoe = self._table.shoe
        if blockers(shoe):
            self._settle(shoe)
        elif phase(coming(shoe)) in (Phase.EMPTY, Phase.ENDED):
            self._pack = None
            self._order({"do": "open_shoe"}, DEALER)
        elif order := next_order(shoe, self._random, _seats(shoe)):
            self._order(order, GUESTS)
        elif phase(shoe) is Phase.COMPLETE:
            self._table.handle(inputs.Pressed(**now(), key="next", nonce=nonce()))
        else:
            self._draw(shoe)

    def _order(self, order: dict[str, Any], by: str) -> None:
        try:
            answer = self._orders.give(order, LOCAL, by)
        except StillWriting:
            return  # it takes effect once the disk has answered
        if not answer.ok:
            self.refused += 1
            log.warning("table %s refused %s: %s; %s", self._table.name, order["do"], answer.error, answer.hint)

    def _settle(self, shoe: Shoe) -> None:
        """Confirm what a kill left open, or resolve an irregularity with its first choice."""
        alarm = next(each for each in self._table.alarms().open if each.id == blockers(shoe)[0])
        if alarm.choices:
            self._order({"do": "resolve", "irregularity": alarm.id, "choice": alarm.choices[0]}, DEALER)
        else:
            self._table.handle(inputs.Pressed(**now(), key="next", nonce=nonce()))

    def _draw(self, shoe: Shoe) -> None:
        if self._pack != pack_number(shoe) or not self._cards:
            self._bring(shoe)
            self._pack = pack_number(shoe)
        if shoe.last_round is None and cards_left(shoe) == self._cut_at and rules(shoe).play.cut_from_end:
            self._table.handle(inputs.CutCardSeen(**now(), by="sensor"))
        self._table.handle(inputs.CardRead(**now(), card=self._cards.pop(), nonce=nonce()))

    def _bring(self, shoe: Shoe) -> None:
        """Bring the packs of this shoe without the cards drawn, shuffled."""
        is_open = shoe.status == "open"
        house = shoe.house if is_open else shoe.device.next_house
        game = GAMES[house.game]
        left = [card for card, count in game.pack.items() for _ in range(count * house.decks)]
        for card in shoe.seen if is_open else ():
            left.remove(card)
        self._random.shuffle(left)
        self._cards = left
        self._cut_at = self._random.randint(*game.play.cut_from_end) if game.play.cut_from_end else 0


def _seats(shoe: Shoe) -> int | None:
    counts = seat_counts(rules(coming(shoe)))
    return max(SEATS, counts.start) if counts else None
