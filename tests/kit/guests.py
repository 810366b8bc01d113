"""A hand at the shoe and guests at the seats of any game: what they do next, by the rule book beside the bridge."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

import msgspec

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import Drawn, NewShoe, OneInput, Say, Step
from firmware_bridge.demo.seats import next_order, pack_number
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.games.prompts import CardDue
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.round import asked, coming
from firmware_bridge.topics.state import table

SAME: Final = ("game", "round", "due", "turn", "hands", "act", "anytime", "shows", "cards_left")
"""What a table must say as its rule book does."""

GUESTS: Final = {"bets": "100", "money": "1000"}


class Guests:
    """`drawn`: the cards so far, in order. `rounds`: what the rule book makes of them. All chances from `random`."""

    def __init__(self, game: str, random: Random) -> None:
        self.game, self.drawn, self.rounds = GAMES[game], list[Card](), list[dict[str, Any]]()
        self.shoes = 0
        self._random, self._deck, self._pack = random, list[Card](), -1
        self._book = Replay(house_of(game, **usual(game)), "T07", self._refused, close="next")

    @property
    def settings(self) -> dict[str, Any]:
        """What the table is configured to be; its rounds end by NEXT, as they do by default."""
        return {"game": self.game.name, **usual(self.game.name)}

    def next(self) -> Card | dict[str, Any]:
        """What happens next: a card leaves the shoe, or an order is given; the rule book has it already."""
        shoe = self._book.shoe
        if pack_number(shoe) != self._pack or shoe.status == "empty":
            self._shuffle()
        if shoe.status == "empty" or (shoe.status == "ended" and not self.game.play.one_round_packs):
            self._shuffle()
            self._play(NewShoe() if shoe.status == "empty" else Say(orders.OpenShoe()))
            return {"do": "open_shoe"}
        if isinstance(asked(coming(shoe)), CardDue) and phase(coming(shoe)).value in ("ready", "dealing"):
            self.drawn.append(self._deck.pop())
            self._play(Drawn(self.drawn[-1]))
            return self.drawn[-1]
        is_complete = phase(shoe) is Phase.COMPLETE
        order = {"do": "next"} if is_complete else next_order(shoe, self._random)
        assert order, phase(shoe)
        self._play(_step(order))
        return order

    def expected(self) -> dict[str, Any]:
        """What the topic `table` must say now."""
        told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(table(self._book.shoe)))
        return {name: told.get(name) for name in SAME}

    def _shuffle(self) -> None:
        shoe = self._book.shoe
        self._deck = [card for card, count in self.game.pack.items() for _ in range(count * self._book.house.decks)]
        self._random.shuffle(self._deck)
        self._pack, self.shoes = pack_number(shoe), self.shoes + 1

    def _play(self, step: Step) -> None:
        for line in self._book.play([step]):
            self.rounds += [json.loads(each.payload) for each in messages(line) if each.topic == "round"]

    def _refused(self, why: str) -> None:
        raise AssertionError(why)


def _step(order: dict[str, Any]) -> OneInput:
    fields = {name: value for name, value in order.items() if name != "do"}
    kinds = {orders.tag_of(each): each for each in orders.ORDERS}
    return Say(msgspec.convert(fields | {"do": order["do"]}, kinds[order["do"]]))
