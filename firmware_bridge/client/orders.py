"""Orders to a table as methods, and the matching of their answers."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from threading import Lock
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.client.payload import MOST_OF_ID, command
from firmware_bridge.client.signing import AHEAD, OLD, Signing
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts import orders
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.orders import NOT_YET, Answer, Order, Pack

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
    Arguments are those of the class of each order in `firmware_bridge.facts.orders`. round: refused where it is not the
    one in the topic `table`; a signed order that names none is of the round that was heard last.
    """

    def __init__(self, give: Callable[[Order], A]) -> None:
        self.give = give

    def open_shoe(self, pack: Pack | None = None, *, dealer: str = "", confirmed_by: str = "") -> A:
        """Open a shuffled shoe, confirmed by the pit boss `confirmed_by`."""
        return self.give(orders.OpenShoe(pack or Pack(), dealer, confirmed_by))

    def close_shoe(self, why: str = "") -> A:
        """End the shoe: no more rounds come from it."""
        return self.give(orders.CloseShoe(why))

    def close_table(self, why: str = "") -> A:
        """Close the table until its next shoe is opened; only while no shoe is open."""
        return self.give(orders.CloseTable(why))

    def bets_open(self, *, round: int | None = None) -> A:
        """Open betting."""
        return self.give(orders.BetsOpen(round))

    def bets_closed(
        self,
        bets: Mapping[str, str] | None = None,
        money: Mapping[str, str] | None = None,
        *,
        round: int | None = None,
    ) -> A:
        """Close betting: the round may be dealt. bets, money: seat -> amount, in games that need them."""
        return self.give(orders.BetsClosed(dict(bets or {}), dict(money or {}), round))

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

    def unmark(self, seat: int | None = None, *, round: int | None = None, turn: int | None = None) -> A:
        """Take back the last mark, while nothing followed it; refused if it was another seat's."""
        return self.give(orders.Unmark(seat, round, turn))

    def next(self, *, round: int | None = None) -> A:
        """Press the dealer's NEXT key."""
        return self.give(orders.Next(round))

    def reveal(self, *slots: str, round: int | None = None) -> A:
        """Open sealed cards: those in `slots`, or the next step of the ceremony."""
        return self.give(orders.Reveal(slots, round))

    def fly(self, *, round: int | None = None) -> A:
        """Deal this round without a bet and open it at once."""
        return self.give(orders.Fly(round))

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

    def void(self, why: str, *, round: int | None = None) -> A:
        """Void the open round."""
        return self.give(orders.Void(why, round=round))

    def resolve(self, irregularity: str, choice: Choice, why: str = "") -> A:
        """Decide about an open irregularity."""
        return self.give(orders.Resolve(irregularity, choice, why))

    def resend(
        self, journal: str | None = None, *, start: int | None = None, to: int | None = None, since: str | None = None
    ) -> A:
        """Send again entries `start` to `to`, both included, of `journal`, or all since an RFC 3339 time."""
        return self.give(orders.Resend(journal, start, to, since))


AGAIN: Final = ("as_of", OLD, AHEAD)
"""Codes of refusals after which a signed order is asked once more, as of the answer."""


class _Seen(Struct, frozen=True):
    """What the newest message of a table says of its moment. round: None where it does not say."""

    journal: str
    as_of: int
    boot: str
    table: str
    round: int | None = None


class _Given(NamedTuple):
    """An order that waits for its answer, as it was sent. person: who gave it. is_again: it was refused once."""

    table: str
    order: Order
    person: str
    payload: bytes = b""
    is_again: bool = False


class Channel(Protocol):
    """A connection to the broker. answered, seen: called with topic and payload of `reply`, and `table` if signed."""

    answered: Callable[[str, bytes], None]
    seen: Callable[[str, bytes], None] | None

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""

    def read(self, topics: dict[str, int | None]) -> None:
        """Subscribe. topics: filter -> QoS."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message."""


class Sender:
    """Sends orders and finds their answers by id. The ids begin with 16 random hex digits of this run.

    signing: signs them; each then names what its table has said last, and is asked once more where that was too old.
    """

    def __init__(self, session: Channel, prefix: str, signing: Signing | None = None) -> None:
        self._signing = signing
        self._seen: dict[str, _Seen] = {}
        self._given: dict[str, _Given] = {}
        self._now: dict[str, str] = {}
        if signing:
            session.seen = self._heard
        self._session, self._prefix = session, prefix
        self._run, self._count, self._lock = secrets.token_hex(8), count(1), Lock()
        self._begun = False
        self._waiting: dict[str, Callable[[Answer], None]] = {}
        session.answered = self._answered

    def begin(self, found: Callable[[Answer], None], id: str = "") -> str:
        """Return the id of an order, a new one unless it is given. found: called with its answer, until `end`."""
        with self._lock:
            begun, self._begun = self._begun, True
        if not begun:
            self._session.read(
                {f"{self._prefix}/+/{name}": 0 for name in ("reply", *(["table"] if self._signing else []))}
            )
        with self._lock:
            id = id or self._new_id()
            self._waiting[id] = found
            return id

    def _new_id(self) -> str:
        return f"{self._run}-o{next(self._count)}"

    def send(self, table: str, order: Order, id: str, person: str = "") -> float:
        """Send an order, only while connected so that it never acts late; return seconds until the next try.

        person: who gives it; on record where orders are signed.
        """
        if not self._session.is_connected:
            return CONNECT_S
        topic = f"{self._prefix}/{table}/command"
        if self._signing is None:
            self._session.publish(topic, command(order, id))
            return AGAIN_S
        with self._lock:
            id = self._now.get(id, id)
            if id not in self._given:
                if (given := self._sealed(_Given(table, order, person), id)) is None:
                    return CONNECT_S  # the table has said nothing yet
                self._given[id] = given
            self._session.publish(topic, self._given[id].payload)
        return AGAIN_S

    def _sealed(self, given: _Given, id: str) -> _Given | None:
        """Return an order signed as of what its table has said last; None where it has said nothing."""
        assert self._signing
        table, order, person = given[:3]
        seen, is_anytime = self._seen.get(table), orders.row_of(order).is_anytime
        if seen is None and not is_anytime:
            return None
        claims: dict[str, object] = {"on_behalf_of": person} if person else {}
        if seen:
            claims["as_of"] = {"journal": seen.journal, "seq": seen.as_of, "boot": seen.boot}
        if type(order) in orders.OF_ROUND and orders.round_of(order) is None and seen:
            order = replace(order, round=seen.round)
        payload = self._signing.order(f"{self._prefix}/{table}/command", command(order, id), **claims)
        return given._replace(payload=payload)

    def _heard(self, topic: str, payload: bytes) -> None:
        """Handle a state or an answer: what its table has said last. `round` stays where it does not say."""
        with suppress(Undecodable):
            seen = from_json(payload, _Seen)
            if topic.rpartition("/")[0] != f"{self._prefix}/{seen.table}":
                return  # another table says so
            with self._lock:
                before = self._seen.get(seen.table)
                self._seen[seen.table] = (
                    seen if seen.round is not None or not before else replace(seen, round=before.round)
                )

    def _is_asked_again(self, answer: Answer) -> bool:
        """Give a signed order once more under another id, if its table refused it as too old."""
        with self._lock:
            id, given = answer.id or "", self._given.get(answer.id or "")
            if self._signing is None or given is None:
                return False
            self._signing.go_on(f"{self._prefix}/{given.table}/command", answer.code, answer.count)
            if given.is_again or answer.code not in AGAIN:
                return False
            again = f"{id[: MOST_OF_ID - 2]}-2"
            if id not in self._waiting or (newer := self._sealed(given, again)) is None:
                return False
            self._waiting[again] = self._waiting.pop(id)
            self._now[id], self._given[again] = again, newer._replace(is_again=True)
            self._session.publish(f"{self._prefix}/{given.table}/command", newer.payload)
            return True

    def end(self, id: str) -> None:
        """Stop waiting for an answer."""
        with self._lock:
            for each in (id, self._now.pop(id, id)):
                self._waiting.pop(each, None)
                self._given.pop(each, None)

    def _answered(self, topic: str, payload: bytes) -> None:
        try:
            answer = from_json(payload, Answer)
        except Undecodable:
            return
        if answer.code == NOT_YET:
            return  # it is sent again, as one without an answer
        if self._signing:
            given = self._given.get(answer.id or "")
            if given and topic != f"{self._prefix}/{given.table}/reply":
                return  # another table says so
            self._heard(topic, payload)
            if self._is_asked_again(answer):
                return
        with self._lock:
            found = self._waiting.pop(answer.id or "", None)
        if found:
            found(answer)


def no_answer(table: str, order: Order, id: str, seconds: float) -> NoAnswer:
    """Return the error for an order without an answer."""
    what = f"table {table} did not answer {orders.tag_of(order)} within {seconds:g} s"
    return NoAnswer(what, f"check its status and the ACL; the order may still act, once (id {id})")
