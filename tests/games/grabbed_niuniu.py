"""Niu-niu stated again for the tests: its hands, its comparison, its settlement."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.games.grabbed import NAMES, Table, exact

ORDER = ["no_bull", *[f"bull_{n}" for n in range(1, 10)], "bull_bull", "four_face", "five_face", "bomb", "five_small"]
HEIGHT = "A23456789TJQK"


def value(card: str) -> int:
    return min(HEIGHT.index(card[0]) + 1, 10)


def three(hand: list[str]) -> list[str] | None:
    """The first three that make a multiple of ten."""
    for i in range(3):
        for j in range(i + 1, 4):
            for k in range(j + 1, 5):
                if (value(hand[i]) + value(hand[j]) + value(hand[k])) % 10 == 0:
                    return [hand[i], hand[j], hand[k]]
    return None


def kind(hand: list[str]) -> str:
    ranks = [card[0] for card in hand]
    faces = ranks.count("J") + ranks.count("Q") + ranks.count("K")
    if max(map(value, hand)) < 5 and sum(map(value, hand)) <= 10:
        return "five_small"
    if ranks.count(ranks[0]) == 4 or ranks.count(ranks[1]) == 4:
        return "bomb"
    if faces == 5:
        return "five_face"
    if faces == 4 and ranks.count("T") == 1:
        return "four_face"
    found = three(hand)
    if found is None:
        return "no_bull"
    rest = sum(value(card) for card in hand if card not in found) % 10
    return f"bull_{rest}" if rest else "bull_bull"


def beats(a: list[str], b: list[str]) -> bool:
    """Whether the first hand wins."""
    if kind(a) != kind(b):
        return ORDER.index(kind(a)) > ORDER.index(kind(b))
    if kind(a) == "bomb":
        tops = [next(rank for rank in HEIGHT if sum(card[0] == rank for card in hand) == 4) for hand in (a, b)]
        return HEIGHT.index(tops[0]) > HEIGHT.index(tops[1])
    places = [HEIGHT[::-1].index(card[0]) * 4 + "shcd".index(card[1]) for card in a]
    others = [HEIGHT[::-1].index(card[0]) * 4 + "shcd".index(card[1]) for card in b]
    return min(places) < min(others)


class NiuNiu(Table):
    cards, suits, copies, each = HEIGHT, "shdc", 1, 5
    _result: Any = None

    def may_bid(self) -> Any:
        return self.settings["grab"]

    def may_bet(self) -> Any:
        return self.settings["bet"]

    def may_draw(self) -> list[str]:
        return [name for name in NAMES if self.bids[name] == max(self.bids.values())]

    def kind(self, hand: list[str]) -> str:
        return kind(hand)

    def finish(self) -> list[Any]:
        net = dict.fromkeys(NAMES, Fraction(0))
        did, outcomes, factors = [], {}, self.settings["hand_multiples"]
        for player in self.players:
            wins = beats(self.hands[player], self.hands[self.banker])
            gets, gives = (player, self.banker) if wins else (self.banker, player)
            money = self.base * self.multiple * self.bets[player] * factors[kind(self.hands[gets])]
            net[gets] += money
            net[gives] -= money
            did.append(["pay", gives, gets, exact(money)])
            outcomes[player] = "win" if wins else "lose"
        self.over = True
        self._result = {
            "banker": self.banker,
            "multiple": self.multiple,
            "bets": {name: self.bets[name] for name in NAMES if name in self.bets},
            "hands": {name: self._hand(self.hands[name]) for name in NAMES},
            "outcomes": {name: outcomes[name] for name in NAMES if name in outcomes},
            "net": {name: exact(net[name]) for name in NAMES},
        }
        return did

    def _hand(self, hand: list[str]) -> dict[str, Any]:
        factor = self.settings["hand_multiples"][kind(hand)]
        found = three(hand) if kind(hand).startswith("bull") else None
        return {"cards": hand, "kind": kind(hand), "multiple": factor, "three": found}

    @property
    def result(self) -> Any:
        return self._result
