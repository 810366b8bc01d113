"""The inbox: orders by MQTT wait here for their turn, so that a flood of them keeps no card waiting."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from math import inf
from typing import Final

from firmware_bridge.mqtt.settings import Incoming

log = logging.getLogger(__name__)

A_SECOND: Final = 10
"""Orders judged within any second at most: plenty for a backend, and little beside cards."""

ROOM: Final = 100
"""Orders that wait at most; those beyond are refused."""

BURST_S: Final = 10.0
"""Orders refused within so many seconds are one burst, and one line of the journal."""


class Inbox:
    """Calls `judge` with one order a turn of the loop, the oldest first, `A_SECOND` within any second at most.

    An order is judged by a timer, and the loop serves what is readable before its timers: a card goes first.
    refuse: called with an order that finds no room. record: called once a burst with the number of orders refused.
    """

    def __init__(
        self,
        judge: Callable[[Incoming], None],
        refuse: Callable[[Incoming], None],
        record: Callable[[int], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._judge, self._refuse, self._record, self._loop = judge, refuse, record, loop
        self.refused = 0
        self._recorded = 0
        self._waiting: deque[Incoming] = deque()
        self._judged = deque([-inf] * A_SECOND, maxlen=A_SECOND)
        self._turn: asyncio.TimerHandle | None = None
        self._burst: asyncio.TimerHandle | None = None

    def take(self, order: Incoming) -> None:
        """Let an order wait for its turn, or refuse it."""
        if len(self._waiting) < ROOM:
            self._waiting.append(order)
            self._expect_turn()
            return
        self.refused += 1
        if self._burst is None:
            log.warning("orders come faster than %d a second: those beyond %d are refused", A_SECOND, ROOM)
            self._burst = self._loop.call_later(BURST_S, self._end_burst)
        self._refuse(order)

    def close(self) -> None:
        """Judge no more orders."""
        for timer in (self._turn, self._burst):
            if timer:
                timer.cancel()

    def _expect_turn(self) -> None:
        if self._waiting and self._turn is None:
            moment = max(self._judged[0] + 1.0, self._loop.time())
            self._turn = self._loop.call_at(moment, self._judge_oldest)

    def _judge_oldest(self) -> None:
        self._turn = None
        self._judged.append(self._loop.time())
        try:
            self._judge(self._waiting.popleft())
        finally:
            self._expect_turn()

    def _end_burst(self) -> None:
        self._burst = None
        count, self._recorded = self.refused - self._recorded, self.refused
        self._record(count)
