"""A second zha jin hua, written straight from the rules of the game and sharing nothing with the first but the words.

It takes a round as a line of the vectors has it, move by move. Money is a Fraction.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.games.zhajinhua.simulated_hands import ORDER, SUITS, first_wins

DECK = [rank + suit for rank in ORDER for suit in SUITS]
PLAIN = {"look", "call", "fold"}
WORDS = PLAIN | {"lot", "raise", "compare"}


class Refused(Exception):
    """The code of a refusal."""


class Round:
    """One round in play: `step` of each move in turn."""

    def __init__(self, line: dict[str, Any]) -> None:
        settings = line["settings"]
        self.ante, self.unit, self.top, self.rake = (Fraction(settings[key]) for key in ("ante", "step", "top", "rake"))
        self.rounds: int = settings["rounds"]
        self.bonus = {kind: Fraction(amount) for kind, amount in settings["bonus"].items()}
        self.did: list[list[Any]] = []
        self.over = False
        self.result: dict[str, Any] | None = None
        self.purse: dict[int, Fraction] = {}
        for seat in sorted(int(number) for number in line["money"]):
            if Fraction(line["money"][str(seat)]) < self.ante:
                self.did.append(["seat_refused", f"S{seat}", "money_below_ante"])
            else:
                self.purse[seat] = Fraction(line["money"][str(seat)])
        self.seats = list(self.purse)
        self.put = dict.fromkeys(self.seats, Fraction(0))
        self.cards: dict[int, list[str]] = {seat: [] for seat in self.seats}
        self.out: dict[int, str | None] = dict.fromkeys(self.seats)
        self.looked: set[int] = set()
        self.stake, self.round, self.to_act, self.last, self.by = self.ante, 0, list[int](), "", ""
        self.brought = dict(self.purse)
        if not 3 <= len(self.seats) <= 5:
            self.did.append(["no_round", "players"])
            self.over = True
            return
        for seat in self.seats:
            self.pays(seat, self.ante)
            self.did.append(["ante", f"S{seat}", self.ante])

    def pays(self, seat: int, amount: Fraction) -> None:
        self.purse[seat] -= amount
        self.put[seat] += amount

    @property
    def phase(self) -> str:
        if self.over:
            return "over"
        if any(len(cards) < 3 for cards in self.cards.values()):
            return "deal"
        return "bet" if self.round else "lot"

    @property
    def due(self) -> int:
        return min(self.seats, key=lambda seat: (len(self.cards[seat]), seat))

    def alive(self) -> list[int]:
        return [seat for seat in self.seats if self.out[seat] is None]

    def others(self, seat: int) -> list[int]:
        at = self.seats.index(seat)
        return [each for each in self.seats[at + 1 :] + self.seats[:at] if self.out[each] is None]

    def price(self, seat: int) -> Fraction:
        return self.stake * (2 if seat in self.looked else 1)

    def move(self, word: str) -> None:
        """Take a move; `did` is then what it caused. Raises Refused."""
        self.did = []
        if self.phase == "over":
            raise Refused("over")
        if word in DECK:
            self.deal(word)
            return
        head, _, value = word.partition("=")
        seat, _, verb = head.rpartition(":")
        if verb not in WORDS or (verb == "lot") == bool(seat) or seat[:1] == "0":
            raise Refused("unknown")
        if self.phase == "deal":
            raise Refused("no_mark_due")
        if self.phase == "lot":
            self.lot(verb, value)
        else:
            self.mark(int(seat or 0), verb, value)

    def deal(self, card: str) -> None:
        if self.phase != "deal":
            raise Refused("no_card_due")
        if any(card in cards for cards in self.cards.values()):
            raise Refused("duplicate")
        self.did.append(["place", f"S{self.due}", card, "down"])
        self.cards[self.due].append(card)

    def lot(self, verb: str, value: str) -> None:
        if verb != "lot":
            raise Refused("not_allowed")
        if value not in [str(seat) for seat in self.seats]:
            raise Refused("not_in_lot")
        at = self.seats.index(int(value))
        self.seats = self.seats[at:] + self.seats[:at]
        self.did.append(["start", f"S{value}"])
        self.next_turn()

    def next_turn(self) -> None:
        self.to_act = [seat for seat in self.to_act if self.out[seat] is None]
        if len(self.alive()) == 1:
            self.end(self.last)
        elif not self.to_act and self.round == self.rounds:
            self.did.append(["forced"])
            champion = self.alive()[0]
            for rival in self.alive()[1:]:
                champion = self.duel(champion, rival, "forced")
            self.end("forced")
        elif not self.to_act:
            self.round += 1
            self.did.append(["round", self.round])
            self.to_act = self.alive()

    def mark(self, seat: int, verb: str, value: str) -> None:
        if verb == "lot":
            raise Refused("not_allowed")
        if seat not in self.alive() or (verb in ("call", "raise", "compare") and seat != self.to_act[0]):
            raise Refused("not_your_turn")
        if verb == "look" and seat in self.looked:
            raise Refused("already_marked")
        poor = self.purse[seat] < self.price(seat)
        if (
            (verb in ("call", "raise") and poor)
            or (verb == "raise" and not self.can_raise(seat))
            or (verb == "compare" and not poor and self.round == 1)
        ):
            raise Refused("not_allowed")
        if verb in PLAIN and value:
            raise Refused("bad_amount")
        getattr(self, f"{verb}s")(seat, value)

    def can_raise(self, seat: int) -> bool:
        stake = self.stake + self.unit
        return stake <= self.top and stake * self.price(seat) / self.stake <= self.purse[seat]

    def looks(self, seat: int, _: str) -> None:
        self.looked.add(seat)
        self.did.append(["look", f"S{seat}"])

    def folds(self, seat: int, _: str) -> None:
        self.leaves(seat, "fold")
        self.next_turn()

    def leaves(self, seat: int, how: str) -> None:
        self.out[seat] = self.last = how
        self.did.append(["out", f"S{seat}", how])

    def acted(self, *did: Any) -> None:
        self.did.append(list(did))
        self.to_act = self.to_act[1:]

    def calls(self, seat: int, _: str) -> None:
        self.pays(seat, self.price(seat))
        self.acted("call", f"S{seat}", self.price(seat))
        self.next_turn()

    def raises(self, seat: int, value: str) -> None:
        try:
            amount = Fraction(value) if set(value) <= set("0123456789.") else Fraction(-1)
        except ValueError:
            amount = Fraction(-1)
        stake = amount * self.stake / self.price(seat)
        if not self.stake < stake <= self.top or (stake - self.stake) % self.unit:
            raise Refused("bad_amount")
        if amount > self.purse[seat]:
            raise Refused("not_enough_money")
        self.stake = stake
        self.pays(seat, amount)
        self.acted("raise", f"S{seat}", amount, stake)
        self.next_turn()

    def compares(self, seat: int, value: str) -> None:
        poor = self.purse[seat] < self.price(seat)
        if (value != "") if poor else (value not in [str(each) for each in self.others(seat)]):
            raise Refused("bad_target")
        cost = min(self.purse[seat], self.price(seat))
        self.pays(seat, cost)
        self.acted("all_in" if poor else "put", f"S{seat}", cost)
        for rival in self.others(seat) if poor else [int(value)]:
            if self.duel(seat, rival, "compare") != seat:
                break
        else:
            if poor:
                self.last = "all_in"
        self.next_turn()

    def duel(self, a: int, b: int, how: str) -> int:
        best, worst = (a, b) if first_wins(self.cards[a], self.cards[b]) else (b, a)
        self.did.append(["compare", f"S{a}", f"S{b}", f"S{best}"])
        self.leaves(worst, how)
        return best

    def end(self, by: str) -> None:
        self.over, self.by = True, by
