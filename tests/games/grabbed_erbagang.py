"""Er ba gang stated again for the tests: its hands, its payments, its five rounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.games.grabbed import NAMES, Step, Table, exact


def pips(tile: str) -> Fraction:
    return Fraction(1, 2) if tile == "wp" else Fraction(int(tile[0]))


def kind(hand: list[str]) -> str:
    if hand[0] == hand[1]:
        return "white_pair" if hand[0] == "wp" else "pair"
    return "28" if set(hand) == {"2p", "8p"} else "points"


def points(hand: list[str]) -> Fraction:
    total = pips(hand[0]) + pips(hand[1])
    return total - 10 if total >= 10 else total


def outcome(player: list[str], banker: list[str], order: list[str], ties: str) -> str:
    """How the player's hand ends."""
    a, b = order.index(kind(player)), order.index(kind(banker))
    if a != b:
        return "win" if a < b else "lose"
    if kind(player) == "pair" and player[0] != banker[0]:
        return "win" if pips(player[0]) > pips(banker[0]) else "lose"
    if kind(player) == "points":
        if points(player) != points(banker):
            return "win" if points(player) > points(banker) else "lose"
        high, his = max(map(pips, player)), max(map(pips, banker))
        if ties == "high-tile" and high != his:
            return "win" if high > his else "lose"
    return "lose" if ties == "banker" else "push"


class ErBaGang(Table):
    cards, suits, copies, each = "123456789w", "p", 4, 2

    def __init__(self, settings: dict[str, Any], money: dict[str, str]) -> None:
        self.purses = {f"S{seat}": Fraction(purse) for seat, purse in money.items()}
        self.money = dict(self.purses)
        self.rounds: list[dict[str, Any]] = []
        self.stopped = False
        super().__init__(settings)

    def first(self) -> Step:
        """The step before the first move."""
        poor = self.poor()
        if poor:
            self.over = True
            return self.step([["no_game", poor]])
        return self.step([["round", 1]])

    def poor(self) -> list[str]:
        return [name for name in NAMES if self.money[name] < self.base]

    def shown(self) -> Step:
        return {"round": len(self.rounds) + 1}

    def may_bid(self) -> Any:
        return {"min": 0, "max": self.settings["grab_max"]}

    def may_bet(self) -> Any:
        return {"min": 1, "max": max(self.multiple // 3, 1)}

    def may_draw(self) -> list[str]:
        return [name for name in NAMES if self.bids[name] > 0] or NAMES

    def kind(self, hand: list[str]) -> str:
        return kind(hand)

    def finish(self) -> list[Any]:
        before, bank = dict(self.money), self.banker
        order, ties = self.settings["order"], self.settings["ties"]
        ends = {name: outcome(self.hands[name], self.hands[bank], order, ties) for name in self.players}
        did = [self._pay(name, bank, name) for name in self.players if ends[name] == "lose"]
        did += [self._pay(bank, name, name) for name in self.players if ends[name] == "win"]
        number = len(self.rounds) + 1
        self.rounds.append(
            {
                "round": number,
                "banker": bank,
                "multiple": self.multiple,
                "bets": {name: self.bets[name] for name in NAMES if name != bank},
                "hands": {
                    name: {"tiles": hand, "kind": kind(hand), "points": exact(points(hand))}
                    for name, hand in self.hands.items()
                },
                "outcomes": {name: ends[name] for name in NAMES if name != bank},
                "net": {name: exact(self.money[name] - before[name]) for name in NAMES},
                "money": {name: exact(self.money[name]) for name in NAMES},
            }
        )
        did.append(["round_over", number])
        if number == 5:
            self.over = True
        elif self.poor():
            self.over = self.stopped = True
            did.append(["stopped", self.poor()])
        else:
            did += self._again(bank, self.multiple)
        return did

    def _pay(self, gives: str, gets: str, player: str) -> list[Any]:
        factor = self.settings["hand_multiples"][kind(self.hands[gets])]
        owed = self.base * self.bets[player] * factor
        paid = owed if owed < self.money[gives] else self.money[gives]
        self.money[gives] -= paid
        self.money[gets] += paid
        return ["pay", gives, gets, exact(paid), exact(owed)]

    def _again(self, bank: str, multiple: int) -> list[Any]:
        self.begin()
        did: list[Any] = [["round", len(self.rounds) + 1]]
        if self.settings["banker_per"] == "game":
            self.banker, self.multiple = bank, multiple
            did.append(["banker", bank, multiple])
        return did

    @property
    def result(self) -> Any:
        if not self.rounds or not self.over:
            return None
        return {
            "rounds": self.rounds,
            "stopped": self.stopped,
            "out": self.poor(),
            "net": {name: exact(self.money[name] - self.purses[name]) for name in NAMES},
            "money": {name: exact(self.money[name]) for name in NAMES},
        }
