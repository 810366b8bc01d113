"""Orders from the table and by MQTT: JSON in, an answer out; those of a backend are rate-limited."""

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from hashlib import sha256
from math import inf
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from firmware_bridge.daemon.delivery.replies import Replies, Reply
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.command import ID_LENGTH, NotAnOrder
from firmware_bridge.daemon.table.journal_writer import StillWriting
from firmware_bridge.daemon.table.refusals import BACKEND, BY_CODE
from firmware_bridge.daemon.table.signed_orders import DIGITS, Repeated, Signed, SignedOrders
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.validation import mistake, shown
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.facts.house import House
from firmware_bridge.facts.inputs import Person
from firmware_bridge.facts.orders import Answer, malformed, refused
from firmware_bridge.facts.printable import nearest
from firmware_bridge.facts.wire import joined
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import terms_of
from firmware_bridge.journal.preallocate import SyncFailed
from firmware_bridge.journal.resend import NotInJournal, Range, ranges
from firmware_bridge.mqtt.settings import Incoming
from firmware_bridge.record.envelope import LONGEST
from firmware_bridge.shoe.state import answer_to
from firmware_bridge.topics.texts.refusals import worded

log = logging.getLogger(__name__)


class OrderService:
    """Gives orders to the table. resend: queues a part of a journal. is_full: whether too many parts wait."""

    def __init__(self, table: Table, resend: Callable[[Range], None], is_full: Callable[[], bool]) -> None:
        self._table, self._resend, self._is_full = table, resend, is_full

    def give(
        self,
        fields: dict[str, Any],
        allowed: Collection[str],
        by: str,
        *,
        signed: Signed | None = None,
        person: Person | UnsetType = UNSET,
        confirmed: Person | UnsetType = UNSET,
    ) -> orders.Answer:
        """Carry out a command of `parse`; return its answer. A repeated id acts once. signed: the order, if signed.

        person, confirmed: as in `Ordered`.

        Raises StillWriting where there is no answer yet.
        """
        names_second = signed is not None and signed.names_second
        order, wanted = (signed and signed.refused) or order_of(fields, allowed, names_second), list[Range]()
        order_digest = signed.digest if signed else digest(order, by) if fields.get("id") is not None else None
        if allowed is orders.LOCAL:
            shoe = self._table.shoe
            order = _by_game(order, shoe.house if shoe.status == "open" else shoe.device.next_house)
        is_new = answer_to(self._table.shoe, fields.get("id")) is None
        if is_new and isinstance(order, orders.Resend):
            order, wanted = self._found(order)
        if isinstance(order, orders.OpenShoe):
            order = _with_room(order, self._table.shoe.device.next_house)
        count = signed.count if signed else None
        given = inputs.Ordered(
            **now(),
            order=order,
            by=by,
            nonce=nonce(),
            id=fields.get("id"),
            digest=order_digest,
            count=count,
            on_behalf_of=signed.on_behalf_of if signed else UNSET,
            person=person,
            confirmed=confirmed,
        )
        answer = self._table.order(given)
        if answer.ok or isinstance(order, orders.Malformed):  # of a damaged part, the readable entries are sent
            for each in wanted:
                self._resend(each)
        return replace(answer, digest=None)

    def _found(self, order: orders.Resend) -> tuple[orders.Order, list[Range]]:
        """Return the order with its parts, or `Malformed` where they cannot be sent."""
        if self._is_full():
            return orders.Malformed("resend", code="too_many_parts"), []
        try:
            return order, ranges(self._table.journal.directory, order, self._table.name)
        except NotInJournal as error:
            return orders.Malformed("resend", code=error.code, values=error.values), error.parts


def order_of(fields: dict[str, Any], allowed: Collection[str], names_second: bool = False) -> orders.Order:
    """Return the order in the fields of a command; `Malformed` if it is invalid or not allowed.

    names_second: whether its giver by MQTT may name a second person.
    """
    do = str(fields["do"]).replace("-", "_")
    if do not in orders.TYPES:
        near = nearest(do[:ID_LENGTH], allowed)
        todo = phrase("did_you_mean", word=near) if near else phrase("one_of_orders", orders=tuple(allowed))
        return malformed(shown(do), "not_a_command", do=shown(do), todo=todo)
    if do not in allowed:
        return malformed(do, "order_not_allowed" if do in orders.ALL else "order_at_table", do=do)
    if "by" in fields:
        return malformed(do, "by_not_allowed")
    arguments = {name: _numbered(name, value) for name, value in fields.items() if name not in ("id", "do")}
    if wrong := mistake(orders.TYPES[do], arguments):
        return orders.Malformed(do, code=wrong.code, values=wrong.values)
    order: orders.Order = msgspec.convert(arguments | {"do": do}, orders.TYPES[do])
    return order if allowed is orders.LOCAL else _by_wire(order, names_second)


def _numbered(name: str, value: Any) -> Any:
    """Return a field of an order with seats as numbers, also where they are named as in messages: `S1`."""
    if name in ("seat", "value") and isinstance(value, str) and (seat := _SEAT.fullmatch(value)):
        return int(seat[1]) if name == "seat" else seat[1]
    if name in ("bets", "money") and isinstance(value, dict):
        seats = {key: _SEAT.fullmatch(key) for key in value}
        numbered = {seat[1] if seat else key: value[key] for key, seat in seats.items()}
        return numbered if len(numbered) == len(value) else value  # a seat that comes twice is refused by its name
    return value


_SEAT: Final = re.compile("S([1-9][0-9]?)")
"""A seat as messages name it."""


def _by_game(order: orders.Order, house: House) -> orders.Order:
    """Return the order as its game expects it: people give seats and amounts, which are bets or purses."""
    if isinstance(order, orders.BetsClosed) and order.bets and GAMES[house.game].money.stakes == "money":
        return replace(order, money=order.bets, bets={})
    return order


def _by_wire(order: orders.Order, names_second: bool) -> orders.Order:
    """Return the order as allowed by MQTT, where repeats may come late and the sender does not see the shoe."""
    match order:
        case orders.Mark() if order.round is None or order.turn is None:
            missing = "round" if order.round is None else "turn"
            return malformed("mark", "mark_needs", name=missing)
        case orders.Correct() | orders.Void() | orders.Resolve() if order.second:
            may_name = names_second and orders.row_of(order).two_by_key
            return order if may_name else malformed(orders.tag_of(order), "second_at_table")
        case orders.OpenShoe(pack=pack) if pack.left is not None:
            return malformed("open_shoe", "left_at_table")
    return order


def _with_room(order: orders.OpenShoe, house: House) -> orders.Order:
    """Return the order, or `Malformed` if the cards left are more than its packs or too few for a round."""
    game, left = GAMES[house.game], order.pack.left
    fewest, most = game.play.fewest(terms_of(house)), (order.pack.decks or house.decks) * game.size
    if left is None or fewest <= left <= most:
        return order
    if left < fewest:
        return malformed("open_shoe", "too_few_left", count=left, game=game.name, least=fewest, most=most)
    return malformed("open_shoe", "too_many_left", count=left, least=fewest, most=most)


def digest(order: orders.Order, by: str) -> str:
    """Return 8 bytes, in hex, of the hash of an order and its giver; without the card of `enter`, easily guessed."""
    signed: Any = _entered(order) if isinstance(order, orders.Enter) else order
    return sha256(msgspec.json.encode([by, signed])).hexdigest()[:DIGITS]


def _entered(order: orders.Enter) -> dict[str, str]:
    """Return what of `enter` is hashed: in the form of the first versions, so that a repeat behind an update is one."""
    return {"do": "malformed", "what": "enter", "error": order.second, "hint": ""}


A_SECOND: Final = 10
"""Orders judged within any second at most: enough for a backend, and little load."""

ROOM: Final = 100
"""Orders that wait at most; more are refused."""

BURST_S: Final = 60.0
"""Seconds of a burst: orders refused within it make one line of the journal."""


Waiting = TypeVar("Waiting")


class RateLimit(Generic[Waiting]):
    """Calls `judge` with one order a turn of the loop, the oldest first, `A_SECOND` within any second at most.

    An order is judged by a timer, and the loop serves readable files before its timers: a card goes first.
    refuse: called with an order beyond `ROOM`. record: called once a burst with the number of orders refused.
    """

    def __init__(
        self,
        judge: Callable[[Waiting], None],
        refuse: Callable[[Waiting], None],
        record: Callable[[int], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._judge, self._refuse, self._record, self._loop = judge, refuse, record, loop
        self.refused = 0
        self._recorded = 0
        self._waiting: deque[Waiting] = deque()
        self._judged = deque([-inf] * A_SECOND, maxlen=A_SECOND)
        self._turn: asyncio.TimerHandle | None = None
        self._burst: asyncio.TimerHandle | None = None

    def receive(self, order: Waiting) -> None:
        """Queue an order, or refuse it."""
        if len(self._waiting) < ROOM:
            self._waiting.append(order)
            self._expect_turn()
            return
        self.refused += 1
        if self._burst is None:
            log.warning(
                "too many orders: more than %d a second, and %d are waiting; new ones are refused", A_SECOND, ROOM
            )
            self._burst = self._loop.call_later(BURST_S, self._end_burst)
        self._refuse(order)

    def close(self) -> None:
        """Stop judging."""
        for timer in (self._turn, self._burst):
            if timer:
                timer.cancel()

    def _expect_turn(self) -> None:
        if self._waiting and self._turn is None:
            moment = max(self._judged[0] + 1.0, self._loop.time())
            self._turn = self._loop.call_at(moment, self._judge_oldest)

    def _judge_oldest(self) -> None:
        self._turn = None
        self._judged.append(self._loop.time())
        try:
            self._judge(self._waiting.popleft())
        finally:
            self._expect_turn()

    def _end_burst(self) -> None:
        self._burst = None
        count, self._recorded = self.refused - self._recorded, self.refused
        self._record(count)


LIMITS: Final[dict[str, Value]] = {"rate": A_SECOND, "waiting": ROOM}


def too_many(id: Any = None) -> Answer:
    """Return the answer to an order beyond `ROOM`."""
    return refused("too_many_orders", id, **LIMITS)


def record_burst(table: Table, count: int, by: str) -> None:
    """Journal a burst of orders that a `RateLimit` refused as one line."""
    refused = malformed("orders", "flood", count=count, **LIMITS)
    with suppress(SyncFailed):
        table.record_refused(refused, by)


class Backend:
    """Handles the topic `command` of one table: unsigned orders in `allowed`, and those that `signed_orders` verifies.

    topic: of answers to orders without a response topic below it. head: gives the first fields of every message.
    """

    def __init__(
        self,
        table: Table,
        order_service: OrderService,
        allowed: Collection[str],
        signed_orders: SignedOrders,
        topic: str,
        head: Callable[[], Any],
        publish: Callable[[Reply], int],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._table, self._orders, self._allowed, self._signed = table, order_service, allowed, signed_orders
        self._topic, self._head = topic, head
        self.replies = Replies(publish)
        self._limit = RateLimit[Incoming](self._execute, self._turn_away, self._record, loop)

    @property
    def refused(self) -> int:
        """Orders refused since the start because too many came."""
        return self._limit.refused

    def receive(self, message: Incoming) -> None:
        """Queue an order; one that is too long is cut, and refused later."""
        self._limit.receive(message._replace(payload=message.payload[: LONGEST + 1]))

    def close(self) -> None:
        """Stop judging; the backend repeats orders without an answer."""
        self._limit.close()

    def _execute(self, message: Incoming) -> None:
        if message.retained:
            log.warning("a retained command is ignored: clear it at the broker")
            return
        try:
            answer = self._answered(message.payload)
        except Repeated as repeated:
            answer = replace(repeated.answer, digest=None)
        except NotAnOrder as error:
            answer = self._noted(error, message)
        except SyncFailed:
            return  # the process ends, and the status says why
        except StillWriting:
            return  # the backend repeats an order without an answer
        except Exception:
            log.exception("an order could not be judged")
            answer = refused("internal_error")
        self.replies.send(self._reply(message, answer))

    def _answered(self, payload: bytes) -> Answer:
        """Carry out an order, signed or not. Raises NotAnOrder, Repeated, SyncFailed, StillWriting."""
        if (fields := self._signed.unsigned(payload)) is not None:
            return self._orders.give(fields, self._allowed, BACKEND)
        signed = self._signed.signed(payload)
        return self._orders.give(signed.fields, signed.allows, signed.by, signed=signed)

    def _noted(self, error: NotAnOrder, message: Incoming) -> Answer:
        """Return the answer to bytes that are no order; of a table with keys, their number goes on record."""
        if (code := error.answer.code) in BY_CODE and message.payload:
            self._table.refusals.turned_away(str(code))
        return error.answer

    def read(self, message: Incoming) -> tuple[Incoming | None, bool]:
        """Return another topic's message as its writer meant it, None for one refused; and whether a key signed it."""
        name = message.topic.rpartition("/")[2]
        try:
            payload, is_signed = self._signed.read(name, message.payload)
        except NotAnOrder as error:
            self.refuse(message, self._noted(error, message))
            return None, False
        return message._replace(payload=payload), is_signed

    def _turn_away(self, message: Incoming) -> None:
        """Answer an order beyond `ROOM`, if answers do not wait."""
        if not message.retained:
            self.replies.offer(self._reply(message, too_many()))

    def refuse(self, message: Incoming, answer: Answer) -> None:
        """Answer a message of the topic `stored` that does not count, if answers do not wait."""
        why = Phrase(answer.code or "", answer.values)
        self.replies.offer(self._reply(message, refused("stored_refused", why=why, todo=why)))

    def _record(self, count: int) -> None:
        record_burst(self._table, count, BACKEND)

    def _reply(self, message: Incoming, answer: Answer) -> Reply:
        wished = message.response_topic or ""
        is_ours = wished.startswith(f"{self._topic}/") and not {"+", "#"} & set(wished)
        return Reply(wished if is_ours else self._topic, joined(self._head(), worded(answer)), message)
