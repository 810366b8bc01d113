"""The routes of a table's past: what the store has is asked for by threads of their own, and no page waits for it."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.floor.page import history
from firmware_bridge.floor.page.document import NAMES, address
from firmware_bridge.floor.page.guard import PAST
from firmware_bridge.floor.page.markup import Html, rendered
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import Asked, Trouble
from firmware_bridge.topics.texts import Language, chosen, text

log = logging.getLogger(__name__)

AT_ONCE: Final = 2
"""Requests that ask the store at a time."""

LONGEST: Final = 32
"""Most letters of a search."""

Drawn = tuple[Html, int]
"""What a page shows, and its status."""


class Past:
    """The past of each table. asked: the store."""

    def __init__(self, asked: Asked) -> None:
        self._asked, self._threads = asked, ThreadPoolExecutor(AT_ONCE, "history")
        self._trouble = Trouble(log, "the past of a table is not shown", "the past of tables can be read again")
        self.routes = [
            Route("/table/{name}/history", self._route(self._history)),
            Route("/table/{name}" + PAST, self._route(self._part)),
            Route("/table/{name}/shoe/{shoe}", self._route(self._shoe)),
        ]

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _route(self, answer: Callable[[Request, Language], Response]) -> Callable[[Request], object]:
        async def answered(request: Request) -> Response:
            lang = chosen(request.query_params.get("lang", ""), request.headers.get("accept-language", ""))
            return await asyncio.get_running_loop().run_in_executor(self._threads, answer, request, lang)

        return answered

    def _history(self, request: Request, lang: Language) -> Response:
        table, words = request.path_params["name"], request.query_params.get("round", "")[:LONGEST]
        last = _number(request.query_params.get("before", ""))

        def drawn() -> Drawn:
            found = self._asked(partial(history.shoes, table=table, last=MOST if last is None else last))
            if found is None:
                return history.fault("no_store", lang), 200
            return history.page(table, found, self._looked(table, words, lang), words, lang), 200

        query = f"&round={words}" if words else f"&before={last}" if last is not None else ""
        return self._page(request, lang, text(lang, "history.title", name=table), query, drawn)

    def _part(self, request: Request, lang: Language) -> Response:
        """Return the past on a table's own page."""
        table = request.path_params["name"]

        def drawn() -> Drawn:
            found = self._asked(partial(history.shoes, table=table, most=history.RECENT))
            return (history.recent(table, found, lang) if found else history.fault("no_store", lang)), 200

        html, status = self._drawn(drawn, lang)
        return HTMLResponse(html, status)

    def _shoe(self, request: Request, lang: Language) -> Response:
        table, shoe = request.path_params["name"], _number(request.path_params["shoe"])

        def drawn() -> Drawn:
            found = self._asked(partial(history.dealings, table=table, shoe=-1 if shoe is None else shoe))
            if found is None:
                return history.fault("no_store", lang), 200
            return history.shoe_page(table, found, lang), 200 if found else 404

        title = text(lang, "history.shoe_of", name=table, shoe="?" if shoe is None else shoe)
        return self._page(request, lang, title, "", drawn, (f"{address(table)}/history", text(lang, "history.link")))

    def _looked(self, table: str, words: str, lang: Language) -> Html | str:
        """Return what a search found, "" without one."""
        if not words:
            return ""
        wanted = history.asked(words)
        if wanted is None:
            return history.fault("not_a_round", lang)
        found = self._asked(partial(history.dealings, table=table, shoe=wanted[0], round=wanted[1])) or []
        if not any(each.rounds for each in found):
            return history.fault("no_such", lang)
        return history.round_found(table, found, lang)

    def _page(
        self,
        request: Request,
        lang: Language,
        title: str,
        query: str,
        drawn: Callable[[], Drawn],
        *links: tuple[str, str],
    ) -> Response:
        table = request.path_params["name"]
        main, status = self._drawn(drawn, lang)
        path = request.url.path
        above = [(address(table), text(lang, "page.table", name=table)), *links]
        own = {"lang": lang, "languages": NAMES, "title": title, "path": path, "query": query, "links": above}
        return HTMLResponse(rendered("history.html", main=main, **own), status)

    def _drawn(self, drawn: Callable[[], Drawn], lang: Language) -> Drawn:
        """Return the page, or why the store cannot be read."""
        try:
            made = drawn()
        except (StoreError, ConfigError) as error:
            self._trouble.note(str(error))
            return history.fault("unread", lang), 503
        self._trouble.note("")
        return made


def _number(words: str) -> int | None:
    """Return the number of a shoe; None for words that are none."""
    return int(words) if words.isascii() and words.isdigit() and len(words) <= 15 else None
