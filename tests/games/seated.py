"""A table of any game whose seats do anything the game allows: for the properties that all games share."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from random import Random
from typing import Any, Final

from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import usual
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import Between, CardDue, Choice, MarkDue, Offer, OpeningDue, Target, Whole, in_words
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.round import asked
from tests.kit.table import Table

Do = Card | orders.Order
"""What comes to a table: a card that leaves the shoe, or an order."""

HALF: Final = Decimal("0.5")

VARIANTS: Final[dict[str, list[dict[str, Any]]]] = {
    "blackjack": [{}, {"seats": 2, "split_by": "value", "max_hands": 3}, {"split_aces": "one-card", "decks": 6}],
    "niuniu": [{}, {"grab": (0, 1, 2, 3, 4), "bet": (1, 5, 10, 15, 20)}],
    "zhajinhua": [
        {"rounds": 3},
        {"ante": Decimal("0.5"), "step": Decimal("0.5"), "rake": Decimal("0.05"), "rounds": 2},
    ],
    "erbagang": [{}, {"ties": "banker", "grab_max": 9}, {"ties": "push", "banker_per": "game", "base": Decimal("2.5")}],
}
"""Settings under which a game is played here; any other game is with its usual ones."""

STAKES: Final = {
    "bets": ["10", "12.5", "100", "33.3", "1000", "5"],
    "money": ["1000", "40", "12.5", "7", "0.5", "200"],
}


class Seated:
    """One game at a table of its own; `rng` says everything that people do, `deck` what comes out of the shoe."""

    def __init__(self, game: str, seed: int, **house: Any) -> None:
        self.rng, self.rules = Random(f"{game} {seed}"), GAMES[game]
        variants = VARIANTS.get(game, [{}])
        variant = variants[seed % len(variants)]
        self.table = Table(**{"game": game, **usual(game), **variant, **house})
        self.deck = [card for card, copies in self.rules.pack.items() for _ in range(copies * self.table.house.decks)]
        self.rng.shuffle(self.deck)
        self.table.take(self.table.order(orders.OpenShoe()))
        self.done: list[Do] = []

    @property
    def is_over(self) -> bool:
        """Whether its game is: the round, and where a pack is one game the whole of it."""
        shoe = self.table.shoe
        return shoe.status != "open" or (not self.rules.play.one_round_packs and bool(shoe.rounds))

    def next(self) -> Do:
        """What people, or the shoe, do next; it is always allowed."""
        shoe = self.table.shoe
        if phase(shoe) is Phase.BETTING:
            return self._stakes()
        match asked(shoe):
            case CardDue():
                return self.deck[len(shoe.seen)]
            case OpeningDue():
                return orders.Reveal()
            case MarkDue(act=act, anytime=anytime):
                may = anytime if anytime and self.rng.random() < 0.2 else act
                slot, offers = self.rng.choice(list(may.items()))
                word, offer = self.rng.choice(list(offers.items()))
                if word == "fold" and self.rng.random() < 0.7:
                    return self.next()
                return self._mark(slot, word, self._value(offer))
        raise AssertionError(f"nothing is asked in {phase(shoe)}")

    def do(self, what: Do) -> None:
        """Let it happen."""
        self.done.append(what)
        self.table.take(self.table.card(what) if isinstance(what, Card) else self.table.order(what))

    def play(self) -> Seated:
        """The whole game."""
        while not self.is_over:
            self.do(self.next())
        return self

    def _stakes(self) -> orders.Order:
        seats = [slot.removeprefix("S").partition(".")[0] for slot in (*self.rules.slots, *self.rules.seats)]
        numbers = sorted({seat for seat in seats if seat.isdecimal()}, key=int)
        if self.rules.money.stakes == "money":  # fewer seats make no round; each of these games has four at once
            numbers = numbers[:4]
        amounts = STAKES[self.rules.money.stakes]
        fields: dict[str, Any] = {self.rules.money.stakes: {seat: self.rng.choice(amounts) for seat in numbers}}
        return orders.BetsClosed(**fields)

    def _mark(self, slot: str, word: str, value: str | None) -> orders.Mark:
        shoe = self.table.shoe
        seat = None if slot == LOT else int(slot.removeprefix("S").partition(".")[0])
        return orders.Mark(word, seat, value, shoe.round, shoe.turn)

    def _value(self, offer: Offer) -> str | None:
        match offer:
            case Choice(values=values):
                return self.rng.choice(values)
            case Target(seats=seats) if seats:
                return self.rng.choice(seats)
            case Whole(least=least, most=most):
                return str(self.rng.randint(least, min(most, least + 5)))
            case Between(least=least, most=most):
                step = offer.step or (most - least) / 4
                amounts = [least + step * n for n in range(5) if least + step * n <= most and (n or not offer.above)]
                return None if offer.or_none and self.rng.random() < 0.5 else in_words(self.rng.choice(amounts))
        return None


def asks(table: Table) -> tuple[Any, ...]:
    """All that a refused move must leave as it is."""
    shoe = table.shoe
    return asked(shoe), shoe.turn, shoe.laid, shoe.replies, shoe.round, shoe.rounds, shoe.held, shoe.device.irregular


def nets(message: Mapping[str, Any]) -> Decimal:
    """What all seats together have won."""
    return sum(map(Decimal, message["bets"].values()), Decimal())
