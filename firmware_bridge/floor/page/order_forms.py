"""Draws the forms of a table's orders, reads what they send, and shows the table's answer."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from firmware_bridge.facts import orders
from firmware_bridge.facts.orders import LONGEST_REASON, OF_ROUND, Answer, Order, tag_of
from firmware_bridge.floor.page.document import address, plain_document
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.form import fields_of
from firmware_bridge.floor.page.guard import ORDER, SIGN_IN
from firmware_bridge.floor.page.markup import Html, macro
from firmware_bridge.floor.page.orders import ANSWER_S, Outdated, PageOrders, TooMany
from firmware_bridge.floor.page.sessions import Visitor
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import Language, chosen, names, text
from firmware_bridge.topics.texts.phrases import in_words

GIVEN: Final[tuple[type[Order], ...]] = (
    orders.Void,
    orders.BetsOpen,
    orders.BetsClosed,
    orders.RequestShoeChange,
    orders.RequestDealerChange,
    orders.Resolve,
)
"""The orders that people may give here. Never `correct` and `enter`: these are given where the cards are."""

FIELDS: Final = ("why", "irregularity", "choice")
"""Fields of a form that are those of its order, beside `round`."""


class GoneOn(Exception):
    """A form of a round or an alarm that is no more."""


class OrderForms:
    """The forms of tables, and the route that takes them."""

    def __init__(self, feed: Feed, given: PageOrders) -> None:
        self._feed, self._orders = feed, given
        self.routes = [
            Route("/table/{name}" + ORDER, self._back, methods=["GET"]),
            Route("/table/{name}" + ORDER, self._receive, methods=["POST"]),
        ]

    def part(self, name: str, visitor: Visitor, lang: Language) -> Html:
        """The part of a table's page with the forms of who may act, or how to."""
        seen = self._feed.floor.tables[name]
        if not visitor.may_act:
            return _macro("needs_role")(lang, _sign_in(name, lang))
        forms = [(fields | self._orders.form(visitor), label) for fields, label in _offered(seen, lang)]
        return _macro("orders")(lang, address(name), f"{address(name)}{ORDER}?lang={lang}", forms, LONGEST_REASON)

    async def _back(self, request: Request) -> Response:
        lang = _language(request)
        return RedirectResponse(f"{address(request.path_params['name'])}?lang={lang}", 303)

    async def _receive(self, request: Request) -> Response:
        name, lang = request.path_params["name"], _language(request)
        visitor: Visitor = request.state.visitor
        seen, fields = self._feed.floor.tables.get(name), await fields_of(request) or {}
        if seen is None:
            return _reply(name, lang, 404, text(lang, "page.unknown", name=name))
        if not visitor.may_act:
            return _reply(name, lang, 403, text(lang, "order.role"), sign_in=_sign_in(name, lang))
        if self._feed.fault:
            return _reply(name, lang, 503, text(lang, "page.broker_lost"))
        try:
            order = order_of(fields)
        except (msgspec.ValidationError, ValueError):
            return _reply(name, lang, 400, text(lang, "order.no_form"))
        try:
            verify_present(order, fields, seen)
            answer = await self._orders.give(visitor, name, order, fields)
        except GoneOn:
            return _reply(name, lang, 409, text(lang, "order.gone_on"))
        except Outdated:
            return _reply(name, lang, 409, text(lang, "order.outdated"))
        except TooMany:
            return _reply(name, lang, 429, text(lang, "order.too_many"))
        return _answered(name, lang, answer)


def order_of(fields: Mapping[str, str]) -> Order:
    """The order in the fields of a form. Raises ValueError, or one of msgspec, for none that is given here."""
    kinds = {tag_of(each): each for each in GIVEN}
    kind = kinds[fields["do"]] if fields.get("do") in kinds else None
    if kind is None:
        raise ValueError("no order of this page")
    given: dict[str, Any] = {each: fields[each].strip() for each in FIELDS if fields.get(each)}
    if kind in OF_ROUND:
        given["round"] = int(fields.get("round", ""))
    return msgspec.convert({"do": fields["do"], **given}, kind)


def verify_present(order: Order, fields: Mapping[str, str], seen: Seen) -> None:
    """Raise GoneOn for a form of another round, or of an alarm that is open no more."""
    if isinstance(order, OF_ROUND):
        now = seen.messages.get("table")
        if now is None or (now.head.journal, now.body.round) != (fields.get("journal"), order.round):
            raise GoneOn
    elif isinstance(order, orders.Resolve):
        opened = seen.alarms.open if seen.alarms else ()
        if (order.irregularity, fields.get("since")) not in [(each.id, str(each.since)) for each in opened]:
            raise GoneOn


def _offered(seen: Seen, lang: Language) -> Iterator[tuple[dict[str, str], str]]:
    """Fields and label of each form that makes sense now."""
    for alarm in seen.alarms.open if seen.alarms else ():
        for choice in alarm.choices:
            fields = {"do": "resolve", "irregularity": alarm.id, "since": str(alarm.since), "choice": choice}
            yield fields, f"{names.alarm(lang, alarm)}: {names.choice(lang, choice)}"
    table = seen.table
    if table is None or table.phase in ("empty", "ended"):
        return
    of_round = {"journal": seen.messages["table"].head.journal, "round": str(table.round)}
    game = GAMES.get(table.game)
    for order in GIVEN:
        if order is orders.Resolve or (order is orders.BetsClosed and (game is None or game.money.stakes)):
            continue  # amounts of seats come from the backend
        do = tag_of(order)
        yield {"do": do, **(of_round if order in OF_ROUND else {})}, text(lang, f"order.{do}", round=table.round)


def _answered(name: str, lang: Language, answer: Answer | None) -> Response:
    """What a table answered, in its own words."""
    if answer is None:
        return _reply(name, lang, 504, text(lang, "order.no_answer", seconds=f"{ANSWER_S:g}"))
    if answer.ok:
        return _reply(name, lang, 200, text(lang, "order.taken"), is_bad=False)
    words = [in_words(lang, each) for each in (answer.error, answer.hint) if each]
    return _reply(name, lang, 409, text(lang, "order.not_taken"), *words)


def _reply(
    name: str, lang: Language, status: int, words: str, *more: str, is_bad: bool = True, sign_in: str = ""
) -> Response:
    main = _macro("reply")(lang, name, f"{address(name)}?lang={lang}", words, more, is_bad, sign_in)
    return HTMLResponse(plain_document(lang, text(lang, "page.table", name=name), main), status)


def _sign_in(name: str, lang: Language) -> str:
    """The address to sign in at, and to come back from."""
    return f"{SIGN_IN}?lang={lang}&next={address(name)}"


def _macro(name: str) -> Callable[..., Html]:
    return macro("forms.html", name)


def _language(request: Request) -> Language:
    return chosen(request.query_params.get("lang", ""), request.headers.get("accept-language", ""))
