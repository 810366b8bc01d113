"""A browser's stream by itself: a slow browser is sent the newest state, never all that was before it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

import pytest

from tests.kit.patience import HANG_S

pytest.importorskip("starlette")

from firmware_bridge.floor.page import stream
from firmware_bridge.floor.page.stream import Stream, Streams

SCOPE = {"type": "http", "method": "GET"}


class Counter:
    """A source of parts that are numbers."""

    def __init__(self) -> None:
        self.version = 0
        self.news = asyncio.Event()

    async def changed_after(self, version: int, within_s: float) -> None:
        if version == self.version:
            self.news.clear()
            await asyncio.wait([asyncio.create_task(self.news.wait())], timeout=within_s)

    def count(self) -> None:
        self.version += 1
        self.news.set()

    def parts(self) -> dict[str, str]:
        return {"same": "always", "number": str(self.version)} | ({"odd": "1"} if self.version % 2 else {})


class Browser:
    """Takes an event whenever it `may`; then it leaves."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.may, self.leaves = asyncio.Semaphore(0), asyncio.Event()
        self.is_whole = False

    async def receive(self) -> dict[str, Any]:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.is_whole = message["type"] == stream.BODY and not message.get("more_body")
        fields = dict(line.split(": ", 1) for line in message.get("body", b"").decode().strip().splitlines())
        if "event" in fields:
            await self.may.acquire()
            self.events.append((fields["event"], json.loads(fields["data"])))

    async def has(self, count: int) -> None:
        while len(self.events) < count:
            await asyncio.sleep(0.01)


Play = Callable[[Counter, Browser, Streams, "asyncio.Task[None]"], Awaitable[None]]


def played(play: Play) -> None:
    async def whole() -> None:
        source, browser, streams = Counter(), Browser(), Streams(9)
        serving = asyncio.create_task(_served(Stream(streams, source, source.parts), browser))
        async with asyncio.timeout(HANG_S):
            await play(source, browser, streams, serving)
            browser.leaves.set()
            await serving
        assert streams.open == 0

    asyncio.run(whole())


def _served(made: Stream, browser: Browser) -> Coroutine[Any, Any, None]:
    return made(SCOPE, browser.receive, browser.send)


def test_a_browser_that_takes_its_time_gets_the_newest_state_next() -> None:
    async def play(source: Counter, browser: Browser, streams: Streams, serving: "asyncio.Task[None]") -> None:
        browser.may.release()
        await browser.has(1)
        source.count()
        for _ in range(500):
            source.count()
            await asyncio.sleep(0)
        browser.may.release()
        browser.may.release()
        while browser.events[-1][1].get("number") != "501":
            await asyncio.sleep(0.01)
        assert browser.events[0] == ("parts", {"same": "always", "number": "0"})
        assert len(browser.events) <= 3
        assert all("same" not in parts for _, parts in browser.events[1:])

    played(play)


def test_a_part_that_is_gone_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "REST_S", 0.0)

    async def play(source: Counter, browser: Browser, streams: Streams, serving: "asyncio.Task[None]") -> None:
        for number in range(3):
            browser.may.release()
            await browser.has(number + 1)
            source.count()
        assert [parts for _, parts in browser.events] == [
            {"same": "always", "number": "0"},
            {"number": "1", "odd": "1"},
            {"number": "2", "odd": None},
        ]

    played(play)


def test_a_beat_is_sent_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BEAT_S", 0.01)

    async def play(source: Counter, browser: Browser, streams: Streams, serving: "asyncio.Task[None]") -> None:
        for _ in range(4):
            browser.may.release()
        await browser.has(4)
        assert [name for name, _ in browser.events] == ["parts", "beat", "beat", "beat"]

    played(play)


def test_a_browser_that_reads_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "SLOW_S", 0.05)

    async def play(source: Counter, browser: Browser, streams: Streams, serving: "asyncio.Task[None]") -> None:
        await serving
        assert browser.events == []

    played(play)


def test_all_streams_end_with_the_page() -> None:
    async def play(source: Counter, browser: Browser, streams: Streams, serving: "asyncio.Task[None]") -> None:
        browser.may.release()
        await browser.has(1)
        streams.ended.set()
        await serving
        assert browser.is_whole

    played(play)


class Tiles:
    """A source of a grid of many large tiles, with an order before them."""

    def __init__(self, count: int, size: int) -> None:
        self.version, self.count, self.size = 0, count, size

    async def changed_after(self, version: int, within_s: float) -> None:
        await asyncio.sleep(within_s if version == self.version else 0)

    def parts(self) -> dict[str, str]:
        tiles = {f"t-{number}": f"{self.version} {number} ".ljust(self.size, "x") for number in range(self.count)}
        return {"order": str(sorted(tiles))} | tiles


def brought(source: Tiles, play: Callable[[Browser], Awaitable[None]]) -> list[dict[str, Any]]:
    async def whole() -> list[dict[str, Any]]:
        browser = Browser()
        serving = asyncio.create_task(_served(Stream(Streams(9), source, source.parts), browser))
        async with asyncio.timeout(HANG_S):
            await play(browser)
            browser.leaves.set()
            await serving
        return [parts for name, parts in browser.events if name == "parts"]

    return asyncio.run(whole())


def test_a_large_page_is_brought_a_few_tiles_at_a_time_each_as_it_is_then() -> None:
    source = Tiles(400, 10_000)

    async def play(browser: Browser) -> None:
        for count in range(1, 6):
            browser.may.release()
            await browser.has(count)
        source.version, source.count = 1, 395  # the last five are retired while the browser reads
        for _ in range(200):
            browser.may.release()
        wanted = source.parts()
        while shown(browser) != wanted:
            await asyncio.sleep(0.01)

    def shown(browser: Browser) -> dict[str, str]:
        page: dict[str, Any] = {}
        for name, parts in browser.events:
            page |= parts if name == "parts" else {}
        return {id: html for id, html in page.items() if html is not None}

    events = brought(source, play)
    assert max(sum(len(html or "") for html in parts.values()) for parts in events) < 100_000
    assert "order" in events[0]
    assert sum("order" in parts for parts in events) == 2
    later = [html for parts in events[7:] for id, html in parts.items() if id != "order"]
    assert all(html is None or html.startswith("1") for html in later)


def test_a_slow_browser_is_brought_every_tile_though_the_first_ones_change_all_the_time() -> None:
    source = Tiles(60, 10_000)

    async def play(browser: Browser) -> None:
        while not any("t-59" in parts for _, parts in browser.events):
            source.version += 1
            browser.may.release()
            await browser.has(len(browser.events) + 1)

    assert len(brought(source, play)) < 20
