"""The office's page of guests' screens: which are open, whether they are well, and a form that loads one again."""

import asyncio
import logging
import re
from collections.abc import Callable
from time import monotonic
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.document import Frame, plain_document
from firmware_bridge.floor.page.form import Tokens, fields_of, language_of, visitor_of
from firmware_bridge.floor.page.guard import RELOAD, SCREENS, SIGN_IN
from firmware_bridge.floor.page.markup import Html, macro
from firmware_bridge.floor.page.screen_list import ScreenList
from firmware_bridge.floor.page.sessions import Sessions, Visitor
from firmware_bridge.floor.page.sign_in import who
from firmware_bridge.floor.page.stream import Parts, Stream, Streams, endpoint
from firmware_bridge.topics.texts import Language, text

log = logging.getLogger(__name__)

FORM: Final = "reload screens"
"""What the token of the form is of."""

ALL: Final = "all"
_NUMBER: Final = re.compile("[0-9]{1,15}")
TICK_S: Final = 5.0
"""Time between two looks at the list."""


class Office:
    """The routes of the page. streams: those of the pit."""

    def __init__(self, known: ScreenList, streams: Streams, sessions: Sessions) -> None:
        self._known, self._streams, self._sessions = known, streams, sessions
        self._tokens = Tokens()
        self.routes = [
            Route(SCREENS, endpoint(self._page)),
            Route(f"{SCREENS}/stream", endpoint(self._stream)),
            Route(RELOAD, self._back, methods=["GET"]),
            Route(RELOAD, self._reload, methods=["POST"]),
        ]

    def _page(self, request: Request) -> Response:
        lang, visitor = language_of(request), visitor_of(request)
        frame = Frame(text(lang, "screens.title"), SCREENS, text(lang, "screens.skip"), True, who(visitor))
        return HTMLResponse(frame.document("screens.html", lang, parts=self._parts(visitor, lang)))

    def _stream(self, request: Request) -> ASGIApp:
        lang, visitor = language_of(request), visitor_of(request)
        if not self._streams.has_room_for(request):
            words = text(lang, "page.full", most=self._streams.most)
            return PlainTextResponse(words, 503, {"retry-after": "10"})
        return Stream(
            self._streams,
            _Ticks(),
            lambda: self._parts(visitor, lang),
            lambda: self._sessions.is_there(visitor),
        )

    def _parts(self, visitor: Visitor, lang: Language) -> Parts:
        token = self._tokens.of(visitor, FORM) if visitor.may_act else ""
        rows = [(each, self._known.is_late(each)) for each in self._known]
        action, sign_in = f"{RELOAD}?lang={lang}", f"{SIGN_IN}?lang={lang}&next={SCREENS}" if visitor.key else ""
        return {"screens": _macro("screens")(lang, rows, token, action, sign_in)}

    async def _back(self, request: Request) -> Response:
        return RedirectResponse(f"{SCREENS}?lang={language_of(request)}", 303)

    async def _reload(self, request: Request) -> Response:
        lang, visitor = language_of(request), visitor_of(request)
        fields = await fields_of(request) or {}
        if not visitor.may_act:
            return _reply(lang, 403, text(lang, "screens.role"))
        if not self._tokens.is_of(visitor, FORM, fields.get("token", "")):
            return _reply(lang, 409, text(lang, "order.outdated"))
        which = fields.get("screen", "")
        if which != ALL and not _NUMBER.fullmatch(which):
            return _reply(lang, 400, text(lang, "order.no_form"))
        count = self._known.reload(None if which == ALL else int(which))
        log.info("%s let %d guests' screens load again (%s)", escaped(visitor.name), count, which)
        return _reply(lang, 200, text(lang, "screens.asked_to_load", count=count), is_bad=False)


class _Ticks:
    """A source that changes every `TICK_S`: ages and beats do, and no message says so."""

    @property
    def version(self) -> int:
        """The number of the tick."""
        return int(monotonic() / TICK_S)

    async def changed_after(self, version: int, within_s: float) -> None:
        """Wait for the next tick, at most so many seconds."""
        await asyncio.sleep(min(within_s, (version + 1) * TICK_S - monotonic()))


def _reply(lang: Language, status: int, words: str, *, is_bad: bool = True) -> Response:
    main = _macro("reply")(lang, words, f"{SCREENS}?lang={quote(lang)}", is_bad)
    return HTMLResponse(plain_document(lang, text(lang, "screens.title"), main), status)


def _macro(name: str) -> Callable[..., Html]:
    return macro("screen_parts.html", name)
