"""Orders of two people who have a login each: the first one's waits until the second one confirms it."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.connection import not_of_a_connection
from firmware_bridge.daemon.table.order_service import order_of
from firmware_bridge.daemon.table.recorder import ORDERS as RECORD_ORDERS
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts.book import orders as book
from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.refusals import Value, phrase
from firmware_bridge.facts.events import CommandAnswered
from firmware_bridge.facts.inputs import Ordered, Person
from firmware_bridge.facts.names import one_person
from firmware_bridge.facts.orders import LOCAL, Answer, Malformed, refused
from firmware_bridge.shoe.decide import decide
from firmware_bridge.shoe.round import phase
from firmware_bridge.shoe.standing import settings
from firmware_bridge.shoe.state import Shoe

WAITS_S: Final = 300.0
"""Seconds that an order waits for its second person."""

MOST: Final = 4
"""Orders that wait at the same time."""

ALARM: Final = "second_login_due"
SECOND_PERSON: Final = "the second person"

Act = Callable[[dict[str, Any], Person], Answer]
"""Carries out an order with its second person in `second`, and as the kernel says."""


class Waiting(NamedTuple):
    """An order that waits. answer: of what was done once it is confirmed."""

    number: int
    what: str
    fields: dict[str, Any]
    by: str
    person: Person
    until: int
    act: Act
    answer: asyncio.Future[Answer]


class SecondLogin:
    """Keeps the orders that wait for a second login. is_on: whether the house asks for one."""

    def __init__(self, table: Table, is_on: bool) -> None:
        self._table, self._is_on = table, is_on
        self._waiting: dict[int, Waiting] = {}
        self._last = 0

    def asks_for(self, fields: Mapping[str, Any]) -> bool:
        """Return whether an order needs a second login."""
        return self._is_on and needs_two(self._table.shoe, fields)

    def status(self) -> list[dict[str, Any]]:
        """Return what waits, for the status."""
        return [
            {"number": each.number, "what": each.what, "by": each.by, "login": each.person.login, "until": each.until}
            for each in self._waiting.values()
        ]

    def begin(self, fields: dict[str, Any], by: str, person: Person, act: Act) -> Waiting | Answer:
        """Let an order wait, or return the answer that refuses it."""
        do = fields["do"]
        if person.uid == 0:
            return refused("root_gives", None, do)
        if len(self._waiting) >= MOST:
            return refused("too_many_wait", None, do, most=MOST)
        self._last += 1
        until = now()["at"] + int(WAITS_S * 1000)
        answer = asyncio.get_running_loop().create_future()
        begun = Waiting(self._last, words(fields), fields, by, person, until, act, answer)
        self._waiting[begun.number] = begun
        self._show()
        return begun

    async def end(self, begun: Waiting, gone: "asyncio.Future[Any]") -> Answer:
        """Return the answer once the order is confirmed, withdrawn (`gone` is done), or has waited long enough."""
        try:
            await asyncio.wait({begun.answer, gone}, timeout=WAITS_S, return_when=asyncio.FIRST_COMPLETED)
            if begun.answer.done():
                return begun.answer.result()
            again = refused("command_ended" if gone.done() else "not_confirmed")
            return self.refuse(begun.fields["do"], again, begun.by, begun.person)
        finally:
            self._waiting.pop(begun.number, None)
            self._show()

    def confirm(self, number: object, by: str, person: Person) -> Answer:
        """Carry out a waiting order; return its answer, or why this person cannot confirm it."""
        begun = self._waiting.get(number) if isinstance(number, int) else None
        if begun is None or begun.answer.done():
            return _unconfirmed("nothing_waits")
        if person.uid == 0:
            return _unconfirmed("root_confirms")
        if person.uid == begun.person.uid:
            return _unconfirmed("same_login", login=person.login or f"uid {person.uid}")
        if one_person(by, begun.by):
            return _unconfirmed("same_name", by=by)
        try:
            answer = begun.act(begun.fields | {"second": by}, person)
        except Exception:
            begun.answer.cancel()  # else the first person waits for an answer that never comes
            raise
        begun.answer.set_result(answer)
        return answer

    def refuse(self, do: str, answer: Answer, by: str, person: Person) -> Answer:
        """Put on record that an order was not carried out, and why; return the answer."""
        order = Malformed(do, code=answer.code or "", values=answer.values)
        return self._table.order(Ordered(**now(), order=order, by=by, nonce=nonce(), person=person))

    def _show(self) -> None:
        with not_of_a_connection():
            self._warn()

    def _warn(self) -> None:
        self._table.unwarn(ALARM)
        if self._waiting:
            orders = (
                phrase("order_waits", number=each.number, by=each.by, what=each.what) for each in self._waiting.values()
            )
            self._table.warn(ALARM, orders=tuple(orders))


def _unconfirmed(code: str, /, **values: Value) -> Answer:
    return refused(code, None, "confirm", **values)


def needs_two(shoe: Shoe, fields: Mapping[str, Any]) -> bool:
    """Return whether two people give this order, by its kind or by what the house asks for."""
    do = str(fields["do"]).replace("-", "_")
    if do in RECORD_ORDERS or (do in ORDERS and ORDERS[do].people in ("logins", "two")):
        return True
    return book.needs_two(do, settings(shoe).second_person, phase(shoe).value, str(fields.get("choice")))


def refusal(shoe: Shoe, fields: Mapping[str, Any], by: str) -> Answer | None:
    """Return why the table would refuse this order of two people now; None if not, and a second person is needed."""
    given = {name: value for name, value in fields.items() if name != "as_of"} | {"second": SECOND_PERSON}
    order = order_of(given, LOCAL)
    if isinstance(order, Malformed):
        return refused(order.code, **order.values)
    for event in decide(shoe, Ordered(**now(), order=order, by=by, nonce=nonce(), id=fields.get("id"))):
        if isinstance(event, CommandAnswered) and not event.answer.ok:
            return event.answer
    return None


def words(fields: Mapping[str, Any]) -> str:
    """Return what an order does, for the second person; of `enter` not the card, which may be a secret of the shoe."""
    do = str(fields["do"])
    match fields:
        case {"do": "correct", "round": int(number), "cards": [*cards]}:
            return f"correct round {number}: {' '.join(map(str, cards))}"[:200]
        case {"do": "resolve", "irregularity": str(name), "choice": str(choice)}:
            return f"resolve {name} {choice}"[:200]
    return do
