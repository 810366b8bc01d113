"""A hand at the shoe and guests at the seats of any game: what they do next, also by a rule book beside the bridge."""

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
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.games.prompts import CardDue
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.round import asked, coming
from firmware_bridge.topics.state import table

SAME: Final = ("game", "round", "due", "turn", "hands", "act", "anytime", "shows", "cards_left")
"""What a table must say as its rule book does."""

GUESTS: Final = {"bets": "100", "money": "1000"}


class Hand:
    """Shuffles the packs of a game and deals them, with an order wherever a table waits for one.

    decks: packs in a shoe. random: of all chances. shoes: how often was shuffled.
    """

    def __init__(self, game: Game, decks: int, random: Random) -> None:
        self.shoes = 0
        self._game, self._decks, self._random = game, decks, random
        self._deck, self._pack = list[Card](), -1

    def next(self, shoe: Shoe) -> Card | dict[str, Any]:
        """What happens next at a table with this shoe: a card leaves it, or an order is given."""
        is_over = shoe.status == "empty" or (shoe.status == "ended" and not self._game.play.one_round_packs)
        if is_over or pack_number(shoe) != self._pack:
            self._deck = [card for card, count in self._game.pack.items() for _ in range(count * self._decks)]
            self._random.shuffle(self._deck)
            self._pack, self.shoes = pack_number(shoe), self.shoes + 1
        if is_over:
            return {"do": "open_shoe"}
        if phase(shoe) is Phase.COMPLETE:
            return {"do": "next"}
        if order := next_order(shoe, self._random):
            return order
        assert isinstance(asked(coming(shoe)), CardDue), phase(shoe)
        return self._deck.pop()


class Guests:
    """`drawn`: the cards so far, in order. `rounds`: what the rule book makes of them. All chances from `random`."""

    def __init__(self, game: str, random: Random) -> None:
        self.game, self.drawn, self.rounds = GAMES[game], list[Card](), list[dict[str, Any]]()
        self._book = Replay(house_of(game, **usual(game)), "T07", self._refused, close="next")
        self._hand = Hand(self.game, self._book.house.decks, random)

    @property
    def shoes(self) -> int:
        """How often was shuffled."""
        return self._hand.shoes

    @property
    def settings(self) -> dict[str, Any]:
        """What the table is configured to be; its rounds end by NEXT, as they do by default."""
        return {"game": self.game.name, **usual(self.game.name)}

    def next(self) -> Card | dict[str, Any]:
        """What happens next: a card leaves the shoe, or an order is given; the rule book has it already."""
        is_new = self._book.shoe.status == "empty"
        what = self._hand.next(self._book.shoe)
        if isinstance(what, Card):
            self.drawn.append(what)
            self._play(Drawn(what))
        else:
            self._play(NewShoe() if is_new else step_of(what))
        return what

    def expected(self) -> dict[str, Any]:
        """What the topic `table` must say now."""
        published: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(table(self._book.shoe)))
        return {name: published.get(name) for name in SAME}

    def _play(self, step: Step) -> None:
        for line in self._book.play([step]):
            self.rounds += [json.loads(each.payload) for each in messages(line) if each.topic == "round"]

    def _refused(self, why: str) -> None:
        raise AssertionError(why)


def step_of(order: dict[str, Any]) -> OneInput:
    """An order as a step of a deal script."""
    return Say(msgspec.convert(order, {orders.tag_of(each): each for each in orders.ORDERS}[order["do"]]))
