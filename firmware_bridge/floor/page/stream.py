"""Streams the changed parts of a page to browsers, as server-sent events.

A slow browser has no queue: the next event has the parts as they are then, a few at a time. So the whole page of a
floor is never held in memory for one browser.
"""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final, Protocol
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from firmware_bridge.floor.page.document import RELEASE
from firmware_bridge.floor.page.doors import left_to
from firmware_bridge.floor.page.feed import now_ms

log = logging.getLogger(__name__)

BEAT_S: Final = 2.5
"""Time between two beats; a browser shows a page as lost after three without one."""

REST_S: Final = 0.25
"""Shortest time between two events to one browser."""

SLOW_S: Final = 30.0
"""Longest time for a browser to read an event; then its connection is closed, and it reconnects."""

LEAVE_S: Final = 1.0
"""Longest time for a browser to read the end of its stream when the page stops."""

PIECE: Final = 65_536
"""Characters of an event before it is sent and the next one is made."""

RETRY_MS: Final = 2000
"""Wait of a browser before it reconnects."""

EVENTS: Final = "text/event-stream; charset=utf-8"
BODY: Final = "http.response.body"

Parts = Mapping[str, str]
"""Parts of a page: id of an element -> HTML inside it."""


class Changing(Protocol):
    """A source of parts that changes, such as the feed."""

    @property
    def version(self) -> int:
        """The present version."""

    async def changed_after(self, version: int, within_s: float) -> None:
        """Wait for another version, at most so many seconds."""


class Streams:
    """Count of open streams, and the most, of which some are kept for people who may act. ended: set when all end."""

    def __init__(self, most: int) -> None:
        self.most, self.open = most, 0
        self.ended = asyncio.Event()

    def has_room_for(self, request: Request) -> bool:
        """Return whether one more may be opened."""
        return self.open < left_to(request.state.may_fill, self.most)


class Stream:
    """An ASGI response: events with the changed parts, and beats in between."""

    def __init__(
        self,
        streams: Streams,
        source: Changing,
        parts: Callable[[], Parts],
        is_there: Callable[[], bool] = lambda: True,
    ) -> None:
        """is_there: whether the browser may still read; asked at each beat and before each change."""
        self._streams, self._source, self._parts, self._begun = streams, source, parts, False
        self._is_there = is_there

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one browser until it disconnects or the page stops."""
        if scope["method"] == "HEAD":
            await Response(media_type=EVENTS)(scope, receive, send)
            return
        self._streams.open += 1
        try:
            waits = [
                asyncio.create_task(each) for each in (_gone(receive), self._streams.ended.wait(), self._feed(send))
            ]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()
                for result in await asyncio.gather(*waits, return_exceptions=True):
                    if isinstance(result, Exception) and not isinstance(result, TimeoutError | OSError):
                        log.error("a browser's stream failed", exc_info=result)
            if self._begun and (
                self._streams.ended.is_set() or not self._is_there()
            ):  # else the server logs an incomplete stream
                with suppress(TimeoutError, OSError):
                    async with asyncio.timeout(LEAVE_S):
                        await send({"type": BODY, "body": b""})
        finally:
            self._streams.open -= 1

    async def _feed(self, send: Send) -> None:
        headers = [(b"content-type", EVENTS.encode()), (b"x-accel-buffering", b"no")]
        await _sent(send, {"type": "http.response.start", "status": 200, "headers": headers})
        self._begun = True
        await _sent(send, {"type": BODY, "body": b"retry: %d\n\n" % RETRY_MS, "more_body": True})
        has: dict[str, int] = {}
        version = -1
        while self._is_there():
            if version != self._source.version:
                version = self._source.version
                now = self._parts()
                changed = [id for id, html in now.items() if has.get(id) != hash(html)]
                changed += [id for id in has if id not in now]
                await self._bring(send, changed, has)
                await asyncio.sleep(REST_S)
            elif not await self._changes(version):
                await _sent(send, _event("beat", "{}"))

    async def _bring(self, send: Send, changed: list[str], has: dict[str, int]) -> None:
        """Send these parts, each as it is by then. has: the hash of each part that the browser has."""
        left = deque(changed)
        while left:
            now, parts, size = self._parts(), dict[str, str | None](), 0
            while left and size < PIECE:
                id = left.popleft()
                html = parts[id] = now.get(id)
                if html is None:
                    has.pop(id, None)
                else:
                    has[id] = hash(html)
                    size += len(html)
            await _sent(send, _event("parts", json.dumps(parts, ensure_ascii=False)))

    async def _changes(self, version: int) -> bool:
        await self._source.changed_after(version, BEAT_S)
        return self._source.version != version


class Document:
    """An ASGI response: a page in pieces, each made when the browser has read the one before."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the page; stop if the browser does not read in time."""
        headers = [(b"content-type", b"text/html; charset=utf-8")]
        with suppress(TimeoutError):
            await _sent(send, {"type": "http.response.start", "status": 200, "headers": headers})
            for piece in self._pieces if scope["method"] != "HEAD" else ():
                await _sent(send, {"type": BODY, "body": piece.encode(), "more_body": True})
            await _sent(send, {"type": BODY, "body": b""})


def endpoint(made: Callable[[Request], ASGIApp]) -> Callable[[Request], object]:
    """Return an async endpoint that answers a request with the app that `made` returns, called on the event loop."""

    async def answered(request: Request) -> ASGIApp:
        return made(request)

    return answered


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _sent(send: Send, message: dict[str, Any]) -> None:
    async with asyncio.timeout(SLOW_S):
        await send(message)


def _event(name: str, data: str) -> dict[str, Any]:
    """Return an event; its id is the time in ms since 1970, and the release of the page."""
    text = f"id: {now_ms()} {quote(RELEASE)}\nevent: {name}\ndata: {data}\n\n"
    return {"type": BODY, "body": text.encode(), "more_body": True}
