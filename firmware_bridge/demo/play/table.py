"""A shoe that a given round is played through: orders, cards and marks in, journal lines out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.demo.memory_table import MemoryTable
from firmware_bridge.demo.play import steps
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.device import Device
from firmware_bridge.facts.house import House
from firmware_bridge.games.moves import mark_of
from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.round import layout, rules
from firmware_bridge.shoe.state import is_open
from firmware_bridge.topics.event_and_round import messages

REFUSED_CARDS: Final = {"foreign": "unknown", "drawn_before_mark": "no_card_due", "duplicate": "duplicate"}
"""Irregularity of a card that the rules refuse -> the code of the refusal."""

NO_ROUND: Final = "no_round"
"""The refusal of bets that leave too few seats for a round."""


class PlayedTable:
    """The real shoe with one game in it. rounds: the `round` messages of what was closed. is_over: nothing more comes.

    games: whether a game lasts as long as its pack; else it is one round.
    """

    def __init__(self, house: House, whole_pack: bool) -> None:
        self._memory = MemoryTable(Shoe(journal="0-play", device=Device(house)), "play", "play", "play")
        self._whole_pack = whole_pack
        self.rounds: list[dict[str, Any]] = []
        self.is_over = False

    def begin(self, pack: orders.Pack, bets: orders.BetsClosed | None) -> steps.Step:
        """Open the shoe, close the bets: the step before the first move. Raises BridgeError for what is refused."""
        happened = self._order(orders.OpenShoe(pack))
        _refuse(_answer(happened))
        if bets is not None:
            happened = self._order(bets)
            answer = _answer(happened)
            self.is_over = answer is not None and not answer.ok
            if answer and answer.error != NO_ROUND and (bets.bets or bets.money):
                _refuse(answer)
        return self._step(happened)

    def move(self, word: str) -> steps.Step:
        """The step after one move; one that is refused has changed nothing."""
        if self.is_over:
            return steps.over([]) | {"error": "over"}
        if word in Card._value2member_map_:
            happened = self._take(inputs.CardRead(at=0, card=Card(word), nonce=self._memory.nonce()))
            code = self._refused_card()
        elif mark := mark_of(word):
            seat = int(mark.seat) if mark.seat else None
            happened = self._order(orders.Mark(mark.word, seat, mark.value))
            answer = _answer(happened)
            code = answer.error if answer and not answer.ok else None
        else:
            return self._step(()) | {"error": "unknown"}
        return self._step(happened) if code is None else self._step(()) | {"error": code}

    def _refused_card(self) -> str | None:
        """The code under which the card that came is held, if it is; the floor then lets it be removed."""
        for irregularity, code in REFUSED_CARDS.items():
            if is_open(self._memory.shoe, irregularity):
                self._order(orders.Resolve(irregularity, "remove"))
                return code
        return None

    def _step(self, happened: tuple[e.AnyEvent, ...]) -> steps.Step:
        did = list(steps.done(happened))
        last = e.ShoeEnded if self._whole_pack else e.RoundClosed | e.RoundVoided  # void: the shoe was empty
        self.is_over = self.is_over or any(isinstance(event, last) for event in happened)
        shoe = self._memory.shoe
        return steps.over(did) if self.is_over else steps.step(layout(shoe), did, rules(shoe).anytime)

    def _order(self, order: orders.Order) -> tuple[e.AnyEvent, ...]:
        return self._take(inputs.Ordered(at=0, order=order, by="play", nonce=self._memory.nonce()))

    def _take(self, fact: inputs.AnyInput) -> tuple[e.AnyEvent, ...]:
        """The events of an input, as the line that was journaled has them."""
        line = self._memory.take(fact)
        if line is None or line.entry is None:
            return ()
        if any(isinstance(event, e.RoundClosed) for event in line.entry.events):
            self.rounds += [json.loads(each.payload) for each in messages(line) if each.topic == "round"]
        return line.entry.events


def _refuse(answer: orders.Answer | None) -> None:
    """Raises BridgeError for the answer to an order that the shoe refused."""
    if answer and not answer.ok:
        raise BridgeError(answer.error or "", answer.hint or "")


def _answer(happened: tuple[e.AnyEvent, ...]) -> orders.Answer | None:
    """The answer to an order among its events."""
    answers: Iterator[orders.Answer] = (event.answer for event in happened if isinstance(event, e.CommandAnswered))
    return next(answers, None)
