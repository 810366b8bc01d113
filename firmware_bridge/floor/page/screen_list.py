"""Knows every guests' screen that is open or was: table, address, window, last beat; and lets them load again."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from firmware_bridge.floor.page.feed import Feed, now_ms
from firmware_bridge.floor.page.stream import Parts, Stream, Streams

MOST: Final = 2_000
"""Most screens to remember; beyond, those that are gone for longest are forgotten."""

GONE_MS: Final = 24 * 3600 * 1000
"""How long a screen that is gone is listed."""

LATE_MS: Final = 75_000
"""Time without a beat after which a screen is late: it sends one every 30 s (screen.js) while it shows the table."""

RELOADS: Final = "reload"
"""The part of a screen's stream that is no HTML: when its number grows, the screen loads its page again."""


class Seen(Struct):
    """A screen. id: as it calls itself, or "". window: its size in pixels, or "". Times are ms since 1970.

    streams: how many it has open; 0 for one that is gone. heard: its last beat, or the begin of its stream.
    """

    number: int
    table: str
    address: str
    id: str
    window: str
    since: int
    heard: int
    streams: int = 0
    reloads: int = 0

    @property
    def is_gone(self) -> bool:
        """Whether no stream of it is open."""
        return self.streams == 0


class ScreenList:
    """The screens of all tables. feed: woken when some must load again. clock: ms since 1970."""

    def __init__(self, feed: Feed, clock: Callable[[], int] = now_ms) -> None:
        self._feed, self._clock = feed, clock
        self._seen: dict[tuple[str, str, str], Seen] = {}
        self._made = 0

    def __iter__(self) -> Iterator[Seen]:
        """Yield all screens by table, in the order in which they came."""
        return iter(sorted(self._seen.values(), key=lambda each: (each.table, each.number)))

    def came(self, table: str, address: str, query: Mapping[str, str]) -> Seen:
        """Note that a screen's stream begins; return the screen. query: what it tells of itself, `id` and `window`."""
        key, now = _key(table, address, query), self._clock()
        seen = self._seen.get(key)
        if seen is None:
            self._forget(now)
            self._made += 1
            seen = self._seen[key] = Seen(self._made, *key, _window(query), now, now)
        if seen.is_gone:
            seen.since = now
        seen.window, seen.heard, seen.streams = _window(query), now, seen.streams + 1
        return seen

    def went(self, seen: Seen) -> None:
        """Note that a stream of a screen has ended."""
        seen.streams -= 1

    def beat(self, table: str, address: str, query: Mapping[str, str]) -> None:
        """Note that a screen says that it shows what it is sent; one that has no stream is not known."""
        if seen := self._seen.get(_key(table, address, query)):
            seen.heard, seen.window = self._clock(), _window(query)

    def is_late(self, seen: Seen) -> bool:
        """Return whether a screen that is open said nothing for too long."""
        return not seen.is_gone and self._clock() - seen.heard > LATE_MS

    def reload(self, number: int | None = None) -> int:
        """Let a screen load its page again, or all; return how many of them are open."""
        chosen = [each for each in self._seen.values() if not each.is_gone and number in (None, each.number)]
        for each in chosen:
            each.reloads += 1
        self._feed.wake()
        return len(chosen)

    def _forget(self, now: int) -> None:
        """Forget those that are gone for too long, and make room for one more."""
        gone = sorted((each.heard, key) for key, each in self._seen.items() if each.is_gone)
        over = len(self._seen) - MOST + 1
        for number, (heard, key) in enumerate(gone):
            if number < over or now - heard > GONE_MS:
                del self._seen[key]


def _key(table: str, address: str, query: Mapping[str, str]) -> tuple[str, str, str]:
    id = query.get("id", "")
    return table, address, id if re.fullmatch("[0-9a-f]{8}", id) else ""


def _window(query: Mapping[str, str]) -> str:
    window = query.get("window", "")
    return window if re.fullmatch("[1-9][0-9]{1,4}x[1-9][0-9]{1,4}", window) else ""


class ScreenStream(Stream):
    """The stream of a guests' screen, which the list knows for as long as it is open."""

    def __init__(
        self,
        streams: Streams,
        feed: Feed,
        parts: Callable[[], Parts],
        may_stay: Callable[[], bool],
        known: ScreenList,
        came: Callable[[], Seen],
    ) -> None:
        """came: called when it begins."""
        super().__init__(streams, feed, lambda: {**parts(), RELOADS: str(self._reloads)}, may_stay)
        self._known, self._came = known, came
        self._seen: Seen | None = None

    @property
    def _reloads(self) -> int:
        return self._seen.reloads if self._seen else 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one screen until it is gone or the page stops."""
        if scope["method"] == "HEAD":
            await super().__call__(scope, receive, send)
            return
        self._seen = self._came()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._known.went(self._seen)
