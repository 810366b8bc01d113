"""Fair turns of the loop: what one source sends keeps no other waiting."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from itertools import chain
from math import inf
from typing import Any, Final, Generic, TypeVar

MOST: Final = 8
"""Items of one source that are handled in a turn of the loop; what is beyond them waits for the next turn."""

MINUTE_S: Final = 60.0

Item = TypeVar("Item")


class Turns(Generic[Item]):
    """Handles the items of one source in order, at most `MOST` in a turn of the loop.

    An item that comes alone is handled in the call that brings it. hold: called with True when items wait, so that
    the source is left unread, and with False once none waits.
    """

    def __init__(
        self, handle: Callable[[Item], None], hold: Callable[[bool], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._handle, self._hold, self._loop = handle, hold, loop
        self._waiting: Iterator[Item] | None = None

    @property
    def are_due(self) -> bool:
        """Whether items wait."""
        return self._waiting is not None

    def receive(self, items: Iterator[Item]) -> None:
        """Handle items, behind those that wait; each is taken after the one before it was handled."""
        if self._waiting is not None:
            self._waiting = chain(self._waiting, items)
            return
        if self._is_beyond(items):
            self._waiting = items
            self._hold(True)
            self._loop.call_soon(self._go_on)

    def drain(self) -> None:
        """Handle all that wait, in this turn: the source is about to be closed."""
        while self._waiting is not None:
            self._take_turn(self._waiting)

    def _go_on(self) -> None:
        if self._waiting is not None:
            self._take_turn(self._waiting)
            if self._waiting is not None:
                self._loop.call_soon(self._go_on)

    def _take_turn(self, waiting: Iterator[Item]) -> None:
        if not self._is_beyond(waiting):
            self._waiting = None
            self._hold(False)

    def _is_beyond(self, items: Iterator[Item]) -> bool:
        """Handle the items of one turn; return whether more may follow."""
        for count, item in enumerate(items, 1):
            self._handle(item)
            if count == MOST:
                return True
        return False


class Window:
    """Admits at most `most` items within any `within_s` seconds."""

    def __init__(self, most: int, within_s: float) -> None:
        self._within_s = within_s
        self._admitted = deque([-inf] * most, maxlen=most)

    def admits(self, now_s: float) -> bool:
        """Return whether an item that comes now is admitted; it counts then."""
        if now_s - self._admitted[0] < self._within_s:
            return False
        self._admitted.append(now_s)
        return True

    def clear(self) -> None:
        """Forget what was admitted."""
        self._admitted.extend([-inf] * len(self._admitted))


class Pace:
    """Lets one after the other go on, in the order in which they came, `every_s` seconds apart."""

    def __init__(self, every_s: float) -> None:
        self._every_s, self._next = every_s, -inf

    async def turn(self) -> None:
        """Wait for the next turn; the first one after a pause comes at once."""
        now = asyncio.get_running_loop().time()
        mine = max(now, self._next)
        self._next = mine + self._every_s
        if mine > now:
            await asyncio.sleep(mine - now)


def begun(work: Coroutine[Any, Any, Item], loop: asyncio.AbstractEventLoop) -> "asyncio.Task[Item]":
    """Return a task that nothing awaits: an error in it ends the process, as one in a callback of the loop does."""
    task = loop.create_task(work)

    def ended(_: object) -> None:
        if not task.cancelled() and (error := task.exception()):
            loop.call_exception_handler({"message": "a task failed", "exception": error})

    task.add_done_callback(ended)
    return task


class CountedLog:
    """Writes warnings of one kind to a log, at most one a minute: the first at once, those behind it as a count."""

    def __init__(self, log: logging.Logger, what: str, loop: asyncio.AbstractEventLoop) -> None:
        self._log, self._what, self._loop = log, what, loop
        self._count, self._last = 0, ""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, why: str) -> None:
        """Count one more."""
        self._count, self._last = self._count + 1, why
        if self._timer is None:
            self._write()

    def close(self) -> None:
        """Write what was counted, and nothing later."""
        if self._timer:
            self._timer.cancel()
            if self._count:
                self._write()
            self._timer.cancel()

    def _write(self) -> None:
        self._timer = None
        if self._count:
            self._log.warning("%s: %d, the last one for %s", self._what, self._count, self._last)
            self._timer, self._count = self._loop.call_later(MINUTE_S, self._write), 0
