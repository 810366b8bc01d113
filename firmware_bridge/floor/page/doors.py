"""Bounds what the page does at a time, for guests, strangers, dealers' screens and the pit each on its own."""

import logging
from collections import Counter
from typing import Final, Literal, NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firmware_bridge.config.doors import DEALERS, GUESTS, KEPT, PAGE, PEOPLE, STRANGERS, Requests
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.refusal import refusal
from firmware_bridge.floor.page.sessions import Visitor
from firmware_bridge.floor.page_config import PageSection, ScreenSection
from firmware_bridge.floor.serving import CountedLog

log = logging.getLogger(__name__)

Door = Literal["guests", "strangers", "dealers", "pit"]

MOST: Final[dict[Door, Requests]] = {"guests": GUESTS, "strangers": STRANGERS, "dealers": DEALERS, "pit": PEOPLE}

OF_PEOPLE: Final = ("dealers", "pit")
"""The doors of who has signed in."""

FILES: Final = ("/static/tokens.css", "/static/screen.css", "/static/screen.js", "/static/icon.svg")
"""The files of a guest's screen."""

SCREENS, DEALERS_SCREENS = "/screen/", "/dealer/"


def connections(page: PageSection, screen: ScreenSection) -> tuple[int, int]:
    """Return the most connections of one address, and of all that are no proxy."""
    return screen.of_one + PAGE.of_one, page.streams + 2 * screen.streams + PAGE.of_all


class Kind(NamedTuple):
    """Requests that are counted together: streams, or the others. owner: a person or an address.

    Without a sign-in, `is_nameless`, an address has as many as connections; streams of the pit are not counted.
    """

    door: Door
    is_stream: bool
    owner: str
    is_nameless: bool = False


class Doors:
    """Middleware inside the guard, which says who asks: a person who is signed in, or at most an address.

    An address gets each answer on a connection of its own, so that idle ones take no place. Some requests are left for
    people who may act. The most streams of all are counted where they begin (`Streams`).
    """

    def __init__(self, app: ASGIApp, page: PageSection, screen: ScreenSection) -> None:
        self._app, self._screens = app, screen.of_one
        self._open: Counter[Door] = Counter()
        self._of_one: Counter[Kind] = Counter()
        self._refused = {each: CountedLog(log, f"requests of {each} were refused") for each in MOST}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        kind = _kind(scope)
        words = self._refusal(kind, scope["state"]["may_fill"])

        async def answering(message: Message) -> None:
            if message["type"] == "http.response.start":
                if message["status"] == 429:
                    self._refused[kind.door].add(f"{escaped(kind.owner)}: too many in a minute")
                if words or kind.door not in OF_PEOPLE:
                    MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        if words:
            await refusal(scope["path"], words, 503, {"retry-after": "10"})(scope, receive, answering)
            return
        self._open[kind.door] += not kind.is_stream
        self._of_one[kind] += 1
        try:
            await self._app(scope, receive, answering)
        finally:
            self._open[kind.door] -= not kind.is_stream
            self._of_one[kind] -= 1
            if not self._of_one[kind]:
                del self._of_one[kind]

    def _refusal(self, kind: Kind, may_fill: bool) -> str:
        """Return why a request gets no answer now, "" if it gets one. may_fill: as of the guard."""
        most = MOST[kind.door]
        of_one = (most.streams or self._screens) if kind.is_stream else most.of_one
        if kind.is_nameless:
            of_one = PAGE.of_one
        if kind.owner and self._of_one[kind] >= of_one:
            who = escaped(kind.owner)
            self._refused[kind.door].add(f"{who}, who has {of_one}")
            if kind.door in OF_PEOPLE:
                return f"{who} has {of_one} {'pages' if kind.is_stream else 'requests'} open: close one of them"
            return f"too many requests of {who}: behind a proxy see [page] proxies, else [screen] of_one"
        if not kind.is_stream and self._open[kind.door] >= left_to(may_fill, most.of_all):
            self._refused[kind.door].add("all: too many at a time")
            return "too many requests at a time"
        return ""


def left_to(may_fill: bool, most: int) -> int:
    """Return how many of so many places somebody may take. may_fill: also those kept for people who may act."""
    return most if may_fill else most - most // KEPT


def _kind(scope: Scope) -> Kind:
    """Return what a request counts as."""
    visitor: Visitor = scope["state"]["visitor"]
    door, is_stream = _door(scope["path"], visitor.may_look), scope["path"].endswith("/stream")
    address: str = scope["state"]["address"]
    if door not in OF_PEOPLE:
        return Kind(door, is_stream, address)
    return Kind(door, is_stream, visitor.name.casefold() or ("" if is_stream else address), not visitor.name)


def _door(path: str, may_look: bool) -> Door:
    if path.startswith(SCREENS) or (path in FILES and not may_look):
        return "guests"
    if not may_look:
        return "strangers"
    return "dealers" if path.startswith(DEALERS_SCREENS) else "pit"
