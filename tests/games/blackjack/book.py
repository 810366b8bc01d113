"""Blackjack stated again for the tests, straight from the dealer's procedure and without the program's rules."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Any

from tests.games.blackjack.counts import Hand, best, points, result, text

RANKS, SUITS = "A23456789TJQK", "shdc"
PLAIN = re.compile(r"\d+\.?\d*|\.\d+")


class Book:
    """One round as a dealer's assistant would follow it: `waits` says for what, `take` one word after another."""

    def __init__(self, settings: dict[str, Any], bets: dict[str, str], left: int) -> None:
        self.settings, self.left = settings, left
        self.out: Counter[str] = Counter()
        self.dealer: list[str] = []
        self.holder: list[str] = []
        self.did: list[list[Any]] = []
        self.lines: list[list[Hand]] = []
        for seat in sorted(map(int, bets)):
            self._bet(seat, Fraction(bets[str(seat)]))
        self.over = not self.lines
        self.queue = 2 * [*[line[0] for line in self.lines], None]  # None is the dealer
        self.turn: Hand | None = None
        self.wants_card, self.drawing = not self.over, False

    def _bet(self, seat: int, bet: Fraction) -> None:
        why = "above_max" if bet > Fraction(self.settings["max"]) else None
        if bet < Fraction(self.settings["min"]):
            why = "below_min"
        if seat > self.settings["seats"]:
            why = "no_such_seat"
        if why:
            self.did.append(["bet_refused", f"S{seat}", why])
        else:
            self.lines.append([Hand(seat, f"S{seat}.1", bet)])

    @property
    def hands(self) -> list[Hand]:
        """All boxes from the dealer's left."""
        return [hand for line in self.lines for hand in line]

    def step(self, error: str = "") -> dict[str, Any]:
        """What the table shows after a word."""
        shown: dict[str, Any] = {"did": self.did, "due": None, "act": [], "marks": {}}
        self.did = []
        if self.over:
            shown["over"] = True
        elif self.wants_card:
            shown["due"] = self._slot()
        elif self.turn:
            shown["act"], shown["marks"] = [self.turn.name], self.step_marks()
        return shown | ({"error": error} if error else {})

    def step_marks(self) -> dict[str, Any]:
        """The marks of whoever is asked, none while a card is due."""
        return {} if self.turn is None or self.wants_card else self._may(self.turn)

    def _slot(self) -> str:
        if self.queue:
            return self.queue[0].name if self.queue[0] else "D"
        return "D" if self.drawing else self.turn.name if self.turn else "?"

    def _line(self, hand: Hand) -> list[Hand]:
        return next(line for line in self.lines if hand in line)

    def _may(self, hand: Hand) -> dict[str, Any]:
        may: dict[str, Any] = {"S": True, "H": True}
        if len(hand.cards) != 2:
            return may
        may["DD"] = {"max": text(hand.bet)}
        a, b = (card[0] for card in hand.cards)
        alike = a == b if self.settings["split_by"] == "rank" else points(a) == points(b)
        if alike and len(self._line(hand)) < self.settings["max_hands"]:
            may["SP"] = True
        if len(self._line(hand)) == 1:
            may["SU"] = True
        return may

    def take(self, word: str) -> str:
        """Take a word; the code of its refusal, "" if it is taken."""
        if self.over:
            return "over"
        if len(word) == 2 and word[0] in RANKS and word[1] in SUITS:
            return self._take_card(word)
        found = re.fullmatch(r"(?:(\d\d?):)?(S|H|DD|SP|SU)(?:=(.{1,32}))?", word)
        if not found:
            return "unknown"
        return self._take_mark(self.turn, *found.groups()) if self.turn and not self.wants_card else "no_mark_due"

    def _take_card(self, card: str) -> str:
        if not self.wants_card:
            return "no_card_due"
        if self.out[card] == self.settings["decks"]:
            return "duplicate"
        self.out[card] += 1
        self.left -= 1
        slot = self._slot()
        self.did.append(["place", slot, card, "down" if slot == "D" and not self.drawing else "up"])
        if self.queue:
            self._dealt(card)
        elif self.drawing:
            self.dealer.append(card)
            self._dealer_goes_on()
        else:
            assert self.turn
            self._hit(self.turn, card)
        return ""

    def _take_mark(self, hand: Hand, seat: str | None, word: str, value: str | None) -> str:
        if seat is not None and int(seat) != hand.seat:
            return "not_your_turn"
        if word not in self._may(hand):
            return "not_allowed"
        if value is not None and (word != "DD" or not PLAIN.fullmatch(value)):
            return "bad_amount"
        if word == "DD":
            more = hand.bet if value is None else Fraction(value)
            if not 0 < more <= hand.bet:
                return "bad_amount"
            hand.more = more
            self.did.append(["stake", hand.name, text(more)])
        elif word == "S":
            hand.how = "stood"
        elif word == "SU":
            hand.how = "surrendered"
            self._lose(hand, hand.bet / 2)
            self._throw(hand)
        elif word == "SP":
            self._split(hand)
        self.wants_card = word in ("H", "DD", "SP")
        if not self.wants_card:
            self._next()
        return ""

    def _dealt(self, card: str) -> None:
        hand = self.queue.pop(0)
        (hand.cards if hand else self.dealer).append(card)
        if self.queue:
            return
        self.did.append(["turn", "D", self.dealer[0]])
        if self.dealer[0][0] in "TJQKA":
            blackjack = best(self.dealer)[0] == 21
            self.did.append(["peek", blackjack])
            if blackjack:
                self._dealer_blackjack()
                return
        for hand in reversed(self.hands):
            if best(hand.cards)[0] == 21:
                hand.how = "blackjack"
                self._win(hand, hand.bet * 3 / 2)
                self._throw(hand)
        self._next()

    def _dealer_blackjack(self) -> None:
        self.did.append(["turn", "D", self.dealer[1]])
        for hand in reversed(self.hands):
            if best(hand.cards)[0] == 21:
                hand.how = "blackjack"
                self._push(hand)
            else:
                hand.how = "dealer_blackjack"
                self._lose(hand, hand.bet)
        self._clear(self.hands)

    def _split(self, hand: Hand) -> None:
        line = self._line(hand)
        other = Hand(hand.seat, f"S{hand.seat}.{len(line) + 1}", hand.bet)
        other.cards = [hand.cards.pop()]
        line.insert(line.index(hand) + 1, other)
        self.did += [["stake", other.name, text(other.bet)], ["move", other.name, other.cards[0]]]

    def _hit(self, hand: Hand, card: str) -> None:
        is_second = len(hand.cards) == 1
        hand.cards.append(card)
        self.wants_card = False
        if best(hand.cards)[0] > 21:
            hand.how = "bust"
            self._lose(hand, hand.bet + hand.more)
            self._throw(hand)
        elif hand.more:
            hand.how = "doubled"
        elif is_second and hand.cards[0][0] == "A" and self.settings["split_aces"] == "one-card":
            hand.how = "stood"
        if hand.how:
            self._next()

    def _next(self) -> None:
        """The next box that is not over, else the dealer."""
        self.turn = next((hand for hand in self.hands if not hand.how), None)
        self.wants_card = self.turn is not None and len(self.turn.cards) == 1
        if self.turn is None:
            self.did.append(["turn", "D", self.dealer[1]])
            self.drawing = True
            self._dealer_goes_on()

    def _dealer_goes_on(self) -> None:
        waiting = [hand for hand in self.hands if hand.how in ("stood", "doubled")]
        mine = best(self.dealer)[0]
        self.wants_card = bool(waiting) and mine < 17
        if self.wants_card:
            return
        for hand in reversed(waiting):
            theirs, stake = best(hand.cards)[0], hand.bet + hand.more
            if mine > 21 or theirs > mine:
                self._win(hand, stake)
            elif theirs == mine:
                self._push(hand)
            else:
                self._lose(hand, stake)
        self._clear(waiting)

    def _win(self, hand: Hand, amount: Fraction) -> None:
        hand.net, hand.outcome = amount, "win"
        self.did.append(["pay", hand.name, text(amount)])

    def _lose(self, hand: Hand, amount: Fraction) -> None:
        hand.net, hand.outcome = -amount, "lose"
        self.did.append(["take", hand.name, text(amount)])

    def _push(self, hand: Hand) -> None:
        hand.outcome = "push"
        self.did.append(["push", hand.name])

    def _throw(self, hand: Hand) -> None:
        self.holder.append(hand.name)
        self.did.append(["discard", hand.name])

    def _clear(self, hands: list[Hand]) -> None:
        for hand in reversed(hands):
            self._throw(hand)
        self.holder.append("D")
        self.did.append(["discard", "D"])
        self.over, self.wants_card, self.turn = True, False, None

    def result(self) -> dict[str, Any] | None:
        """The result, None while the round is not over or where none took place."""
        if not self.over or not self.lines:
            return None
        return result(self.dealer, self.lines) | {
            "discards": self.holder,
            "left": self.left,
            "shuffle_due": self.left < self.settings["decks"] * 52 / 4,
        }
