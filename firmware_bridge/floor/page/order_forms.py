"""Says what an order would do before it is given, takes the confirmation, and shows the table's answer."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from firmware_bridge.facts.orders import LONGEST_REASON, Answer, Order, reason
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.document import address, plain_document
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.form import Tokens, fields_of, language_of, visitor_of
from firmware_bridge.floor.page.guard import ORDER, SIGN_IN
from firmware_bridge.floor.page.markup import Html, macro
from firmware_bridge.floor.page.offers import (
    GoneOn,
    Offer,
    consequence,
    is_of_two,
    label_of,
    offered,
    order_of,
    verify_present,
)
from firmware_bridge.floor.page.orders import ANSWER_S, ID, Outdated, PageOrders, TooMany, log
from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.page.second import WAITS_S, NotSecond, SecondPeople, Waiting
from firmware_bridge.floor.page.sessions import Visitor
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.topics.texts import Language, text
from firmware_bridge.topics.texts.refusals import words

CONFIRM, WITHDRAW = "confirm", "withdraw"
"""Fields with the id of an order that waits: given by its second person, or taken back."""


HIDDEN: Final = ("do", "journal", "round", "irregularity", "since", "choice", CONFIRM, WITHDRAW)
"""Fields of a link that go on into its form."""


class Refused(Exception):
    """A form that gives no order. id: of the text that says why. status: of HTTP."""

    def __init__(self, id: str, status: int = 409) -> None:
        super().__init__(id)
        self.id, self.status = id, status


class OrderForms:
    """The orders of tables: the part of a table's page, and the routes that ask and take."""

    def __init__(self, feed: Feed, given: PageOrders, people: People) -> None:
        self._feed, self._orders, self._people = feed, given, people
        self._tokens, self._second = Tokens(), SecondPeople()
        self.routes = [
            Route("/table/{name}" + ORDER, self._ask, methods=["GET"]),
            Route("/table/{name}" + ORDER, self._receive, methods=["POST"]),
        ]

    def part(self, name: str, visitor: Visitor, lang: Language) -> Html:
        """Return what may be ordered at a table now and why not the rest, what waits, and the last orders."""
        seen, needs = self._feed.floor.tables[name], self._feed.troubles[name]
        offers = list(offered(seen, needs, lang)) if visitor.may_act else []
        links = [(_address(name, lang, each.fields), each.label, _id(each)) for each in offers if not each.why_not]
        waiting = [(each, *self._of(each, seen, name, visitor, lang)) for each in self._second.of(name)]
        return _macro("orders")(
            lang,
            links,
            [(each.label, each.why_not) for each in offers if each.why_not],
            waiting if visitor.may_act else [],
            "" if visitor.may_act else _sign_in(name, lang),
            [(each, each.why(lang)) for each in self._feed.orders.of(name)],
            seen.ahead,
        )

    def waiting(self, visitor: Visitor, lang: Language) -> Html:
        """Return the orders of all tables that wait for a second person, for who may act."""
        tables = self._feed.floor.tables
        rows = (
            [
                (each.table, f"{address(each.table)}?lang={lang}", label_of(each.order, tables[each.table], lang), each)
                for each in self._second.all()
                if each.table in tables
            ]
            if visitor.may_act
            else []
        )
        return _macro("waiting")(lang, rows)

    def _of(self, each: Waiting, seen: Seen, name: str, visitor: Visitor, lang: Language) -> tuple[str, str, str]:
        """Return an order that waits in words, and the addresses to confirm and to withdraw it, "" for none."""
        is_mine = each.first.name == visitor.name
        confirm = "" if is_mine else _address(name, lang, {CONFIRM: each.id})
        return label_of(each.order, seen, lang), confirm, _address(name, lang, {WITHDRAW: each.id}) if is_mine else ""

    async def _ask(self, request: Request) -> Response:
        """Return what an order would do, and the form that gives it."""
        name, lang, visitor = request.path_params["name"], language_of(request), visitor_of(request)
        fields = {key: value for key, value in request.query_params.items() if key != "lang"}
        if not fields:
            return RedirectResponse(f"{address(name)}?lang={lang}", 303)
        try:
            seen = self._seen(name, visitor)
            return HTMLResponse(self._question(name, seen, visitor, fields, lang))
        except Refused as refused:
            return _refusal(name, lang, refused)

    def _question(self, name: str, seen: Seen, visitor: Visitor, fields: dict[str, str], lang: Language) -> str:
        waits = self._waiting(fields, name)
        order = waits.order if waits else _order(fields)
        _verify_present(order, waits.fields if waits else fields, seen)
        id = waits.id if waits else self._orders.new_id()
        hidden = {key: value for key, value in fields.items() if key in HIDDEN}
        form = {**hidden, "id": id, "token": self._tokens.of(visitor, _bound(id, fields))}
        is_of_two_here = not waits and seen.table is not None and is_of_two(order, seen.table)
        main = _macro("question")(
            lang,
            name,
            f"{address(name)}{ORDER}?lang={lang}",
            f"{address(name)}?lang={lang}",
            label_of(order, seen, lang),
            "" if WITHDRAW in fields else consequence(order, seen, lang),
            form,
            waits,
            "none" if waits else reason(type(order)),
            LONGEST_REASON,
            text(lang, "order.second_asked", minutes=f"{WAITS_S / 60:g}") if is_of_two_here else "",
        )
        return plain_document(lang, text(lang, "page.table", name=name), main)

    async def _receive(self, request: Request) -> Response:
        name, lang, visitor = request.path_params["name"], language_of(request), visitor_of(request)
        try:
            seen = self._seen(name, visitor)
            fields = await fields_of(request) or {}
            return await self._act(name, seen, visitor, fields, lang)
        except Refused as refused:
            return _refusal(name, lang, refused)

    async def _act(self, name: str, seen: Seen, visitor: Visitor, fields: dict[str, str], lang: Language) -> Response:
        if self._feed.fault:
            raise Refused("page.broker_lost", 503)
        id = fields.get("id", "")
        if not id.startswith(ID) or not self._tokens.is_of(visitor, _bound(id, fields), fields.get("token", "")):
            if not fields.keys() & {CONFIRM, WITHDRAW}:
                _order(fields)  # what is no order at all is said so
            raise Refused("order.outdated")
        if self._orders.is_too_old(id):
            raise Refused("order.outdated")
        waits = self._waiting(fields, name)
        if waits and WITHDRAW in fields:
            return self._withdraw(waits, visitor, name, lang)
        if waits:
            return await self._confirm(waits, visitor, seen, name, lang)
        order = _order(fields)
        _verify_present(order, fields, seen)
        if seen.table is not None and is_of_two(order, seen.table):
            return self._wait(id, order, fields, visitor, name, lang)
        return _answered(name, lang, await self._give(name, order, id, visitor.name))

    def _wait(
        self, id: str, order: Order, fields: dict[str, str], visitor: Visitor, name: str, lang: Language
    ) -> Response:
        try:
            self._second.add(id, name, order, fields, visitor)
        except NotSecond as error:
            raise Refused(error.id, 429) from None
        asyncio.get_running_loop().call_later(WAITS_S + 1.0, self._feed.wake)
        log.info("%s asks for a second person: an order to table %s (%s)", escaped(visitor.name), escaped(name), id)
        self._feed.wake()
        return _reply(name, lang, 202, text(lang, "order.waits_second", minutes=f"{WAITS_S / 60:g}"), is_bad=False)

    def _withdraw(self, waits: Waiting, visitor: Visitor, name: str, lang: Language) -> Response:
        if waits.first.name != visitor.name:
            raise Refused("order.waits_no_more")
        self._second.end(waits.id)
        log.info("%s withdraws an order to table %s (%s)", escaped(visitor.name), escaped(name), waits.id)
        self._feed.wake()
        return _reply(name, lang, 200, text(lang, "order.withdrawn"), is_bad=False)

    async def _confirm(self, waits: Waiting, visitor: Visitor, seen: Seen, name: str, lang: Language) -> Response:
        try:
            _, order = self._second.confirmed(waits.id, name, visitor)
        except NotSecond as error:
            raise Refused(error.id) from None
        first = self._people[waits.first.name]
        if first is None or first.role != "act":
            raise Refused("order.first_gone")
        _verify_present(order, waits.fields, seen)
        answer = await self._give(name, order, waits.id, waits.first.name)
        if answer is not None:
            self._second.end(waits.id)
            self._feed.wake()
        return _answered(name, lang, answer)

    async def _give(self, name: str, order: Order, id: str, person: str) -> Answer | None:
        try:
            return await self._orders.give(name, order, id, person)
        except Outdated:
            raise Refused("order.outdated") from None
        except TooMany:
            raise Refused("order.too_many", 429) from None

    def _seen(self, name: str, visitor: Visitor) -> Seen:
        """Return the table that a visitor may order about. Raises Refused."""
        seen = self._feed.floor.tables.get(name)
        if seen is None:
            raise Refused("page.unknown", 404)
        if not visitor.may_act:
            raise Refused("order.role", 403)
        return seen

    def _waiting(self, fields: Mapping[str, str], table: str) -> Waiting | None:
        """Return the order that a form confirms or withdraws; None for a form of a new one. Raises Refused."""
        id = fields.get(CONFIRM) or fields.get(WITHDRAW)
        if not id:
            return None
        try:
            return self._second.found(id, table)
        except NotSecond as error:
            raise Refused(error.id) from None


def _order(fields: Mapping[str, str]) -> Order:
    try:
        return order_of(fields)
    except (msgspec.ValidationError, ValueError):
        raise Refused("order.no_form", 400) from None


def _verify_present(order: Order, fields: Mapping[str, str], seen: Seen) -> None:
    try:
        verify_present(order, fields, seen)
    except GoneOn:
        raise Refused("order.gone_on") from None


def _bound(id: str, fields: Mapping[str, str]) -> str:
    """Return what the token of a form is made for: its order, and what it does with one that waits."""
    return f"{id} {CONFIRM if CONFIRM in fields else WITHDRAW if WITHDRAW in fields else ''}"


def _answered(name: str, lang: Language, answer: Answer | None) -> Response:
    """Return what a table answered, in its own words."""
    if answer is None:
        return _reply(name, lang, 504, text(lang, "order.no_answer", seconds=f"{ANSWER_S:g}"))
    if answer.ok:
        return _reply(name, lang, 200, text(lang, "order.taken"), is_bad=False)
    why = words(lang, answer.code, msgspec.to_builtins(answer.values), answer.error, answer.hint)
    return _reply(name, lang, 409, text(lang, "order.not_taken"), *filter(None, why))


def _refusal(name: str, lang: Language, refused: Refused) -> Response:
    sign_in = _sign_in(name, lang) if refused.status == 403 else ""
    return _reply(name, lang, refused.status, text(lang, refused.id, name=name), sign_in=sign_in)


def _reply(
    name: str, lang: Language, status: int, words: str, *more: str, is_bad: bool = True, sign_in: str = ""
) -> Response:
    main = _macro("reply")(lang, name, f"{address(name)}?lang={lang}", words, more, is_bad, sign_in)
    return HTMLResponse(plain_document(lang, text(lang, "page.table", name=name), main), status)


def _id(offer: Offer) -> str:
    """Return the id of an order's button, so that the keyboard stays there when the page changes."""
    named = [offer.fields.get(each) for each in ("do", "irregularity", "choice")]
    return "-".join(["order", *[each for each in named if each]])


def _address(name: str, lang: Language, fields: Mapping[str, str]) -> str:
    return f"{address(name)}{ORDER}?{urlencode({'lang': lang, **fields})}"


def _sign_in(name: str, lang: Language) -> str:
    """Return the address to sign in at, and to come back from."""
    return f"{SIGN_IN}?lang={lang}&next={address(name)}"


def _macro(name: str) -> Callable[..., Html]:
    return macro("orders.html", name)
