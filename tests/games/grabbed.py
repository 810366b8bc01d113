"""Niu-niu and er ba gang stated again for the tests, straight through, without the program's parts.

A table takes moves one at a time and says after each what a step of a given round says; texts in, plain JSON out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

Step = dict[str, Any]

NAMES = ["S1", "S2", "S3", "S4"]


def exact(amount: Fraction) -> str:
    """The decimal that an amount is."""
    digits = 0
    while (amount * 10**digits).denominator != 1:
        digits += 1
        assert digits < 40, amount
    whole = abs(int(amount * 10**digits))
    text = str(whole).rjust(digits + 1, "0")
    text = text if not digits else f"{text[:-digits]}.{text[-digits:]}"
    return f"-{text}" if amount < 0 else text


class Table(ABC):
    """What both games do alike: four seats bid, the lot, three bet, cards face down one by one."""

    cards: str
    suits: str
    copies: int
    each: int

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.base = Fraction(settings["base"])
        self.drawn: list[str] = []
        self.over = False
        self.begin()

    def begin(self) -> None:
        """A new round: nobody has bid."""
        self.bids: dict[str, int] = {}
        self.bets: dict[str, int] = {}
        self.hands: dict[str, list[str]] = {name: [] for name in NAMES}
        self.banker = ""
        self.multiple = 0
        self.candidates: list[str] = []

    @property
    def now(self) -> str:
        """The phase: grab, lot, bet, deal."""
        if len(self.bids) < 4 and not self.banker:
            return "grab"
        if not self.banker:
            return "lot"
        return "bet" if len(self.bets) < 3 else "deal"

    @property
    def players(self) -> list[str]:
        at = NAMES.index(self.banker)
        return [NAMES[(at + n) % 4] for n in (1, 2, 3)]

    def step(self, did: list[Any], error: str | None = None) -> Step:
        """What the table shows."""
        step: Step = {"did": did, "due": None, "act": [], "marks": {}}
        if error:
            step["error"] = error
        if self.over:
            return step | {"over": True}
        match self.now:
            case "grab":
                step |= {"act": [name for name in NAMES if name not in self.bids], "marks": {"grab": self.may_bid()}}
            case "lot":
                step |= {"act": ["lot"], "marks": {"lot": self.candidates}}
            case "bet":
                owing = [name for name in NAMES if name != self.banker and name not in self.bets]
                step |= {"act": owing, "marks": {"bet": self.may_bet()}}
            case _:
                out = sum(map(len, self.hands.values()))
                step["due"] = NAMES[out % 4]
        return step | self.shown()

    def move(self, word: str) -> Step:
        """The step after a move."""
        if self.over:
            return self.step([], "over")
        if len(word) == 2 and word[0] in self.cards and word[1] in self.suits:
            return self._card(word)
        seat, colon, rest = word.partition(":") if ":" in word else ("", "", word)
        name, equals, value = rest.partition("=")
        if name not in ("grab", "bet", "lot") or (colon == "") != (name == "lot") or (equals and not value):
            return self.step([], "unknown")
        if self.now == "deal":
            return self.step([], "no_mark_due")
        if name != self.now:
            return self.step([], "not_allowed")
        if name == "lot":
            return self._lot(f"S{value}")
        return self._given(f"S{seat}", name, value)

    def _card(self, card: str) -> Step:
        if self.now != "deal":
            return self.step([], "no_card_due")
        if self.drawn.count(card) == self.copies:
            return self.step([], "duplicate")
        self.drawn.append(card)
        name = NAMES[sum(map(len, self.hands.values())) % 4]
        self.hands[name].append(card)
        did: list[Any] = [["place", name, card, "down"]]
        if all(len(hand) == self.each for hand in self.hands.values()):
            did += [["turn", seat, self.kind(self.hands[seat])] for seat in NAMES]
            did += self.finish()
        return self.step(did)

    def _lot(self, seat: str) -> Step:
        if seat not in self.candidates:
            return self.step([], "not_in_lot")
        return self.step(self.enthrone(seat))

    def enthrone(self, seat: str) -> list[Any]:
        self.banker, self.multiple = seat, self.bids.get(seat) or 1
        return [["banker", seat, self.multiple]]

    def _given(self, seat: str, name: str, value: str) -> Step:
        given = self.bids if name == "grab" else self.bets
        if seat not in NAMES or (name == "bet" and seat == self.banker):
            return self.step([], "not_your_turn")
        if seat in given:
            return self.step([], "already_marked")
        may = self.may_bid() if name == "grab" else self.may_bet()
        number = int(value) if value.isdecimal() and (value == "0" or value[0] != "0") else -1
        if number not in (may if isinstance(may, list) else range(may["min"], may["max"] + 1)):
            return self.step([], "bad_amount")
        given[seat] = number
        did: list[Any] = [[name, seat, number]]
        if name == "grab" and len(given) == 4:
            self.candidates = self.may_draw()
            if len(self.candidates) == 1:
                did += self.enthrone(self.candidates[0])
        return self.step(did)

    def shown(self) -> Step:
        return {}

    @abstractmethod
    def may_bid(self) -> Any: ...

    @abstractmethod
    def may_bet(self) -> Any: ...

    @abstractmethod
    def may_draw(self) -> list[str]:
        """Who takes part in the lot."""

    @abstractmethod
    def kind(self, hand: list[str]) -> str: ...

    @abstractmethod
    def finish(self) -> list[Any]:
        """All cards are out: compare, pay."""

    @property
    @abstractmethod
    def result(self) -> Any: ...
