"""The one subscriber of all browsers: it folds, wakes who waits, and says when it cannot go on."""

import asyncio
from collections.abc import Callable, Sequence
from threading import Semaphore

from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.source import Delivery
from tests.floor.tables import NOW, Message, alive, baccarat, messages
from tests.kit.patience import HANG_S, comes


class Brought:
    """A source that brings these messages, one batch at a time, and then fails where it is told to."""

    fault = ""

    def __init__(self, *batches: list[Message], fails: bool = False) -> None:
        self._batches, self._fails = list(batches), fails
        self.acknowledged, self.closed = 0, False
        self.may = Semaphore(0)

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        if not self.may.acquire(timeout=0.01):
            return []
        if self._batches:
            return [Delivery(each.topic, each.payload) for each in self._batches.pop(0)]
        if self._fails:
            raise OSError("gone")
        return []

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        self.acknowledged += len(deliveries)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        raise AssertionError("a page says nothing")

    def drop(self) -> None: ...

    def close(self) -> None:
        self.closed = True


def feed(source: Brought, clock: Callable[[], int] = lambda: NOW) -> Feed:
    return Feed("shoe", source, lambda: "", clock)


def test_who_waits_is_woken_by_what_comes() -> None:
    async def play() -> None:
        first, second = messages("T01", baccarat(2)), alive("T01", state="lost")
        source = Brought(first, second)
        made = feed(source)
        made.start()
        for word in ("playing", "silent"):
            version = made.version
            waits = asyncio.create_task(made.changed_after(version, HANG_S))
            source.may.release()
            await waits
            assert made.version > version
            assert made.troubles["T01"].word == word
        await made.close()
        assert source.closed
        assert source.acknowledged == len(first) + len(second)

    asyncio.run(play())


def test_a_table_becomes_silent_by_time_alone() -> None:
    async def play() -> None:
        now = NOW
        source = Brought([*messages("T01", baccarat(2)), *alive("T01")])
        made = feed(source, lambda: now)
        made.start()
        source.may.release()
        await made.changed_after(0, HANG_S)
        made.look()
        version = made.version
        now += 100_000
        made.look()
        assert made.version == version + 1
        assert made.troubles["T01"] == ("silent", "old")
        await made.close()

    asyncio.run(play())


def test_a_feed_that_cannot_read_any_more_says_so() -> None:
    async def play() -> None:
        source = Brought(fails=True)
        made = feed(source)
        made.start()
        source.may.release()
        await comes(lambda: made.failed)
        await made.close()
        assert source.closed

    asyncio.run(play())
