"""Bounds what the page does at a time, for guests, strangers and the pit each on its own."""

import logging
from collections import Counter
from time import monotonic
from typing import Final, Literal

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.refusal import refusal
from firmware_bridge.floor.page.sessions import Visitor
from firmware_bridge.floor.page_config import PageSection, ScreenSection

log = logging.getLogger(__name__)

Door = Literal["guests", "strangers", "pit"]

SHORT: Final = 100
"""Most requests of a door at a time, beside its streams."""

SHORT_OF_ONE: Final = 12
"""Most requests of one address at a time, beside its streams; a browser has six."""

CONNECTIONS: Final = 64
"""Most connections of one address, beside the streams of its screens."""

FILES: Final = ("/static/tokens.css", "/static/screen.css", "/static/screen.js", "/static/icon.svg")
"""The files of a guest's screen."""

QUIET_S: Final = 60.0
"""Time between two lines of the log about refused requests of a door."""

SCREENS: Final = "/screen/"


def connections(page: PageSection, screen: ScreenSection) -> tuple[int, int]:
    """The most connections of one address, and of all that are no proxy."""
    return screen.of_one + CONNECTIONS, page.streams + 2 * screen.streams + 2 * SHORT


class Doors:
    """Middleware inside the guard, which says who asks: one that is not signed in is bounded by his address too.

    He gets each answer on a connection of its own, so that idle ones take no place.
    """

    def __init__(self, app: ASGIApp, page: PageSection, screen: ScreenSection) -> None:
        self._app = app
        self._most: dict[Door, int] = {
            "guests": screen.streams + SHORT,
            "strangers": SHORT,
            "pit": page.streams + screen.streams + SHORT,
        }
        self._most_of_one = {True: screen.of_one, False: SHORT_OF_ONE}
        self._open: Counter[Door] = Counter()
        self._by_address: Counter[tuple[Door, bool, str]] = Counter()
        self._quiet_until: dict[Door, float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        door, address = _door(scope), scope["state"]["address"]
        one = door, scope["path"].endswith("/stream"), address

        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        if door != "pit" and self._by_address[one] >= self._most_of_one[one[1]]:
            self._warn(door, address)
            words = f"too many requests of {escaped(address)}: behind a proxy see [page] proxies, else [screen] of_one"
            await _refused(scope, words)(scope, receive, closing)
            return
        if self._open[door] >= self._most[door]:
            self._warn(door, "all addresses")
            await _refused(scope, "too many requests at a time")(scope, receive, closing)
            return
        self._open[door] += 1
        self._by_address[one] += 1
        try:
            await self._app(scope, receive, send if door == "pit" else closing)
        finally:
            self._open[door] -= 1
            self._by_address[one] -= 1
            if not self._by_address[one]:
                del self._by_address[one]

    def _warn(self, door: Door, address: str) -> None:
        """Log that requests are refused, at most once a minute of a door."""
        if monotonic() >= self._quiet_until.get(door, 0.0):
            self._quiet_until[door] = monotonic() + QUIET_S
            log.warning("%s: too many requests at a time of %s, more are refused", door, escaped(address))


def _door(scope: Scope) -> Door:
    visitor: Visitor = scope["state"]["visitor"]
    path = scope["path"]
    if path.startswith(SCREENS) or (path in FILES and not visitor.may_look):
        return "guests"
    return "pit" if visitor.may_look else "strangers"


def _refused(scope: Scope, words: str) -> ASGIApp:
    return refusal(scope["path"], words, 503, {"retry-after": "10"})
