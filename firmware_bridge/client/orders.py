"""Orders to a table as methods, and the matching of their answers."""

import secrets
from collections.abc import Callable, Mapping
from itertools import count
from threading import Lock
from typing import Generic, TypeVar

import msgspec

from firmware_bridge.client.broker import Session
from firmware_bridge.client.payload import command
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts import orders
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.orders import Answer, Order, Pack

AGAIN_S = 5.0
"""Seconds without an answer before an order is repeated; with the same id it acts once."""

CONNECT_S = 0.2
"""Seconds between two tries while there is no connection."""

ANSWER_S = 30.0
"""Seconds before an order without an answer is given up."""

A = TypeVar("A")


class NoAnswer(BridgeError, TimeoutError):
    """No table answered an order in time; it may have acted."""


class Orders(Generic[A]):
    """The orders to one table, each sent with an id of its own. A: `Answer`, or an awaitable of it.

    A table accepts the orders that its config allows (`[mqtt] commands`), and answers others with `error` and `hint`.
    Arguments are those of the class of each order in `firmware_bridge.facts.orders`.
    """

    def __init__(self, give: Callable[[Order], A]) -> None:
        self.give = give

    def open_shoe(self, pack: Pack | None = None, *, dealer: str = "", confirmed_by: str = "") -> A:
        """Open a shuffled shoe, confirmed by the pit boss `confirmed_by`."""
        return self.give(orders.OpenShoe(pack or Pack(), dealer, confirmed_by))

    def close_shoe(self, why: str = "") -> A:
        """End the shoe: no more rounds come from it."""
        return self.give(orders.CloseShoe(why))

    def bets_open(self) -> A:
        """Open betting."""
        return self.give(orders.BetsOpen())

    def bets_closed(self, bets: Mapping[str, str] | None = None, money: Mapping[str, str] | None = None) -> A:
        """Close betting: the round may be dealt. bets, money: seat -> amount, in games that need them."""
        return self.give(orders.BetsClosed(dict(bets or {}), dict(money or {})))

    def mark(
        self,
        word: str,
        seat: int | None = None,
        *,
        value: str | None = None,
        round: int | None = None,
        turn: int | None = None,
    ) -> A:
        """Give a seat's move. round, turn: the question that it answers, None for the present one."""
        return self.give(orders.Mark(word, seat, value, round, turn))

    def next(self) -> A:
        """Press the dealer's NEXT key."""
        return self.give(orders.Next())

    def reveal(self, *slots: str) -> A:
        """Open sealed cards: those in `slots`, or the next step of the ceremony."""
        return self.give(orders.Reveal(slots))

    def fly(self) -> A:
        """Deal this round without a bet and open it at once."""
        return self.give(orders.Fly())

    def request_shoe_change(self) -> A:
        """Ask for another shoe, for a guest."""
        return self.give(orders.RequestShoeChange())

    def request_dealer_change(self) -> A:
        """Ask for another dealer, for a guest."""
        return self.give(orders.RequestDealerChange())

    def dealer(self, dealer: str) -> A:
        """Sign a dealer in, in place of the present one."""
        return self.give(orders.DealerIn(dealer))

    def correct(self, round: int, cards: tuple[str, ...], why: str, missed: int = 0) -> A:
        """Replace the cards and marks of a closed round: words, in order; `missed` of them the reader did not see."""
        return self.give(orders.Correct(round, cards, why, missed=missed))

    def void(self, why: str) -> A:
        """Void the open round."""
        return self.give(orders.Void(why))

    def resolve(self, irregularity: str, choice: Choice, why: str = "") -> A:
        """Decide about an open irregularity."""
        return self.give(orders.Resolve(irregularity, choice, why))

    def resend(
        self, journal: str | None = None, *, start: int | None = None, to: int | None = None, since: str | None = None
    ) -> A:
        """Send again entries `start` to `to`, both included, of `journal`, or all since an RFC 3339 time."""
        return self.give(orders.Resend(journal, start, to, since))


class Sender:
    """Sends orders and finds their answers by id. The ids begin with 16 random hex digits of this run."""

    def __init__(self, session: Session, prefix: str) -> None:
        self._session, self._prefix = session, prefix
        self._run, self._count, self._lock = secrets.token_hex(8), count(1), Lock()
        self._begun = False
        self._waiting: dict[str, Callable[[Answer], None]] = {}
        session.answered = self._answered

    def begin(self, found: Callable[[Answer], None]) -> str:
        """A new id. found: called with its answer, in another thread, until `end`."""
        with self._lock:
            begun, self._begun = self._begun, True
        if not begun:
            self._session.read({f"{self._prefix}/+/reply": 0})
        with self._lock:
            id = f"{self._run}-o{next(self._count)}"
            self._waiting[id] = found
            return id

    def send(self, table: str, order: Order, id: str) -> float:
        """Send an order, only while connected so that it never acts late; returns seconds until the next try."""
        if not self._session.is_connected:
            return CONNECT_S
        self._session.publish(f"{self._prefix}/{table}/command", command(order, id))
        return AGAIN_S

    def end(self, id: str) -> None:
        """Stop waiting for an answer."""
        with self._lock:
            self._waiting.pop(id, None)

    def _answered(self, payload: bytes) -> None:
        try:
            answer = msgspec.json.decode(payload, type=Answer)
        except (msgspec.MsgspecError, ValueError):
            return
        with self._lock:
            found = self._waiting.pop(answer.id or "", None)
        if found:
            found(answer)


def no_answer(table: str, order: Order, id: str, seconds: float) -> NoAnswer:
    """The error for an order without an answer."""
    what = f"table {table} did not answer {orders.tag_of(order)} within {seconds:g} s"
    return NoAnswer(what, f"check its status and the ACL; the order may still act, once (id {id})")
