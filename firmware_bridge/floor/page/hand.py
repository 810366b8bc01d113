"""Lets people say that they go to an open alarm, give it back, and hand it over to others."""

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from firmware_bridge.config.doors import ACTS
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped, fault
from firmware_bridge.floor.page.document import address, plain_document
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.form import Tokens, fields_of, language_of, visitor_of
from firmware_bridge.floor.page.guard import HAND_OVER, TAKE
from firmware_bridge.floor.page.markup import Html, macro
from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.page.sessions import TRIES_S, Tries, Visitor
from firmware_bridge.floor.page.taken import LONGEST_NOTE, AlarmKey, Overtaken, Taken
from firmware_bridge.floor.page.tile import silence_key, worst_first
from firmware_bridge.topics.texts import Language, alarms, text

log = logging.getLogger(__name__)

FORM: Final = "hand"
"""What the token of these forms is made for: they do the same however often they are sent."""


class Row(NamedTuple):
    """An open alarm and who goes there. act: of its button. action, more: addresses. token: "" for who may not act."""

    label: str
    alarm: str
    since: int
    taken: Taken | None
    act: str
    action: str
    more: str
    token: str


class Refused(Exception):
    """An act that does nothing. id: of the text that says why. status: of HTTP."""

    def __init__(self, id: str, status: int = 409) -> None:
        super().__init__(id)
        self.id, self.status = id, status


class Hand:
    """Who goes to which alarm: the part of a table's page, and the routes of its forms."""

    def __init__(self, feed: Feed, people: People) -> None:
        self._feed, self._people = feed, people
        self._tokens, self._acts = Tokens(), Tries(most=ACTS)
        self.routes = [
            Route("/table/{name}" + TAKE, self._ask, methods=["GET"]),
            Route("/table/{name}" + TAKE, self._receive, methods=["POST"]),
            Route(HAND_OVER, self._ask_shift, methods=["GET"]),
            Route(HAND_OVER, self._receive_shift, methods=["POST"]),
        ]

    def part(self, name: str, visitor: Visitor, lang: Language) -> Html:
        """Return the open alarms of a table, who goes there, and what the visitor may do about that."""
        return _macro("alarms")(lang, [self._row(name, *each, visitor, lang) for each in self._open(name, lang)])

    def _open(self, name: str, lang: Language) -> Iterator[tuple[AlarmKey, str]]:
        """Yield the open alarms of a table with their names, the worst first; a lost connection is one."""
        seen, needs = self._feed.floor.tables[name], self._feed.troubles[name]
        if needs.word == "closed":
            return
        if needs.silent:
            yield silence_key(seen), text(lang, f"silent.{needs.silent}")
        for alarm in worst_first(seen.alarms.open) if seen.alarms else ():
            yield AlarmKey(alarm.id, alarm.since), alarms.name(lang, alarm.id, alarm.values)

    def _row(self, name: str, key: AlarmKey, label: str, visitor: Visitor, lang: Language) -> Row:
        taken = self._feed.takings.of(name).get(key)
        act = "take" if taken is None else "give_back" if taken.name == visitor.name else "take_over"
        action = f"{address(name)}{TAKE}?lang={lang}"
        token = self._tokens.of(visitor, FORM) if visitor.may_act else ""
        return Row(label, *key, taken, act, action, f"{action}&alarm={key.id}&since={key.since}", token)

    async def _ask(self, request: Request) -> Response:
        """Return the form with a note, and for his own alarms with whom to hand them over to."""
        name, lang, visitor = request.path_params["name"], language_of(request), visitor_of(request)
        try:
            self._verify(visitor, name)
            key = _key_of(request.query_params)
            label = dict(self._open(name, lang)).get(key)
            if label is None:
                raise Refused("hand.over")
        except Refused as refused:
            return _refusal(name, lang, refused)
        row, back = self._row(name, key, label, visitor, lang), f"{address(name)}?lang={lang}"
        main = _macro("note")(lang, row, back, LONGEST_NOTE, self._others(visitor))
        return HTMLResponse(plain_document(lang, text(lang, "page.table", name=name), main))

    async def _receive(self, request: Request) -> Response:
        name, lang, visitor = request.path_params["name"], language_of(request), visitor_of(request)
        fields = await fields_of(request) or {}
        try:
            self._verify(visitor, name, fields)
            key = _key_of(fields)
            if key not in dict(self._open(name, lang)):
                raise Refused("hand.over")
            self._take([(name, key)], visitor, fields, fields.get("holder", ""))
        except Refused as refused:
            return _refusal(name, lang, refused)
        return RedirectResponse(f"{address(name)}?lang={lang}", 303)

    async def _ask_shift(self, request: Request) -> Response:
        lang, visitor = language_of(request), visitor_of(request)
        try:
            self._verify(visitor)
        except Refused as refused:
            return _refusal("", lang, refused)
        rows = [(name, label, self._feed.takings.of(name)[key]) for name, key, label in self._mine(visitor, lang)]
        token, action = self._tokens.of(visitor, FORM), f"{HAND_OVER}?lang={lang}"
        main = _macro("shift")(lang, action, token, rows, LONGEST_NOTE, self._others(visitor))
        return HTMLResponse(plain_document(lang, text(lang, "hand.shift"), main))

    async def _receive_shift(self, request: Request) -> Response:
        lang, visitor = language_of(request), visitor_of(request)
        fields = await fields_of(request) or {}
        try:
            self._verify(visitor, "", fields)
            mine = [(name, key) for name, key, _ in self._mine(visitor, lang)]
            self._take(mine, visitor, fields | {"act": "hand_over"}, visitor.name)
        except Refused as refused:
            return _refusal("", lang, refused)
        return RedirectResponse(f"/?lang={lang}", 303)

    def _mine(self, visitor: Visitor, lang: Language) -> Iterator[tuple[str, AlarmKey, str]]:
        """Yield table, alarm and name of each open alarm that a visitor goes to."""
        for name in sorted({each.table for each in self._feed.takings.all_of(visitor.name)}):
            if name in self._feed.floor.tables:
                taken = self._feed.takings.of(name)
                for key, label in self._open(name, lang):
                    if key in taken and taken[key].name == visitor.name:
                        yield name, key, label

    def _others(self, visitor: Visitor) -> list[str]:
        """Return everybody else who may act."""
        return sorted(
            each.name for each in self._people.all().values() if each.role == "act" and each.name != visitor.name
        )

    def _verify(self, visitor: Visitor, name: str = "", fields: Mapping[str, str] | None = None) -> None:
        """Raise Refused for who may not act, for a table that is not there, and for a form of another session."""
        if name and name not in self._feed.floor.tables:
            raise Refused("page.unknown", 404)
        if not visitor.may_act:
            raise Refused("order.role", 403)
        if fields is None:
            return
        if not self._tokens.is_of(visitor, FORM, fields.get("token", "")):
            raise Refused("order.outdated")
        if not self._acts.allow(visitor.name.casefold()):
            raise Refused("hand.too_many", 429)

    def _take(
        self, alarms: list[tuple[str, AlarmKey]], visitor: Visitor, fields: Mapping[str, str], holder: str
    ) -> None:
        """Do what a form says about alarms. holder: who went there when it was drawn. Raises Refused."""
        act, note = fields.get("act"), fields.get("note", "").strip()
        goes_then = {
            "take": visitor.name,
            "take_over": visitor.name,
            "give_back": "",
            "hand_over": fields.get("to", ""),
        }
        if (
            act not in goes_then
            or fault(note, LONGEST_NOTE)
            or (act == "hand_over" and goes_then[act] not in self._others(visitor))
        ):
            raise Refused("order.no_form", 400)
        if act in ("give_back", "hand_over") and holder != visitor.name:
            raise Refused("hand.overtaken")
        now = self._feed.clock()
        made = [Taken(now, name, *key, visitor.name, goes_then[act], note) for name, key in alarms]
        made = [each for each in made if not self._is_so(each)]
        try:
            self._feed.add_takings(made, lambda entry: holder)
        except Overtaken:
            raise Refused("hand.overtaken") from None
        except ConfigError as error:
            log.error("who goes to which alarm cannot be kept: %s", error)
            raise Refused("hand.not_kept", 503) from None
        for each in made:
            who, what = escaped(visitor.name), f"{escaped(each.alarm)} of table {escaped(each.table)}"
            log.info("%s: %s, %s", what, f"{escaped(each.name)} goes" if each.name else "nobody goes", f"says {who}")

    def _is_so(self, entry: Taken) -> bool:
        """Return whether an entry says nothing new, as of a form that is sent twice."""
        known = self._feed.takings.of(entry.table).get(entry.key)
        return ((known.name, known.note) if known else ("", entry.note)) == (entry.name, entry.note)


def _key_of(fields: Mapping[str, str]) -> AlarmKey:
    """Return the alarm that a form is about. Raises Refused."""
    try:
        return AlarmKey(fields["alarm"], int(fields["since"]))
    except (KeyError, ValueError):
        raise Refused("order.no_form", 400) from None


def _refusal(name: str, lang: Language, refused: Refused) -> Response:
    back, label = "/", text(lang, "page.back")
    if name and refused.status != 404:
        back, label = address(name), text(lang, "order.back", name=name)
    main = _macro("reply")(lang, text(lang, refused.id, name=name), f"{back}?lang={lang}", label)
    title = text(lang, "page.table", name=name) if name else text(lang, "hand.shift")
    headers = {"retry-after": f"{TRIES_S:.0f}"} if refused.status == 429 else None
    return HTMLResponse(plain_document(lang, title, main), refused.status, headers)


def _macro(name: str) -> Callable[..., Html]:
    return macro("hand.html", name)
