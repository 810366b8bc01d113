"""The backend's orders over MQTT: they wait their turn, are given at the desk, and answered."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from math import inf
from typing import Any, Final

from firmware_bridge.daemon.delivery.replies import Replies, Reply
from firmware_bridge.daemon.table.desk import LONGEST, Desk, NotAnOrder, parse
from firmware_bridge.daemon.table.stamps import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.orders import Answer, Malformed
from firmware_bridge.facts.wire import joined
from firmware_bridge.journal.filled import SyncFailed
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


BACKEND: Final = "backend"

TOO_MANY: Final = f"more than {A_SECOND} a second came, and {ROOM} wait"
SLOWER: Final = "give an order when the one before it is answered"


class Backend:
    """Takes the orders of one table's topic `command`, of which those named in `allowed` are obeyed.

    topic: where answers go that name no topic of their own below it. head: what every message begins with.
    """

    def __init__(
        self,
        table: Table,
        desk: Desk,
        allowed: Collection[str],
        topic: str,
        head: Callable[[], Any],
        publish: Callable[[Reply], int],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._table, self._desk, self._allowed = table, desk, allowed
        self._topic, self._head = topic, head
        self.replies = Replies(publish)
        self._inbox = Inbox(self._obey, self._turn_away, self._record, loop)

    @property
    def refused(self) -> int:
        """Orders refused since the start because too many came."""
        return self._inbox.refused

    def take(self, message: Incoming) -> None:
        """Let an order wait for its turn; of one that is too long, no more is kept than refuses it."""
        self._inbox.take(message._replace(payload=message.payload[: LONGEST + 1]))

    def close(self) -> None:
        """Obey nothing more; the backend repeats what was not answered."""
        self._inbox.close()

    def _obey(self, message: Incoming) -> None:
        if message.retained:
            log.warning("a retained command is ignored: clear it at the broker")
            return
        try:
            answer = self._desk.give(parse(message.payload), self._allowed, BACKEND)
        except NotAnOrder as error:
            answer = error.answer
        except SyncFailed:
            return  # the process ends, and the link says why
        except Exception:
            log.exception("an order could not be judged")
            answer = Answer(ok=False, error="internal error", hint="report it, with the table's log")
        self.replies.send(self._reply(message, answer))

    def _turn_away(self, message: Incoming) -> None:
        """Answer an order that finds no room, as far as answers find some."""
        if not message.retained:
            self.replies.offer(self._reply(message, Answer(ok=False, error=TOO_MANY, hint=SLOWER)))

    def refuse(self, message: Incoming, error: str, hint: str) -> None:
        """Tell the sender of a message that is no order what is wrong with it, as far as answers find some room."""
        self.replies.offer(self._reply(message, Answer(ok=False, error=error, hint=hint)))

    def _record(self, count: int) -> None:
        """Put a burst of refused orders on record: one line for all."""
        refused = Malformed("orders", f"{count} orders were refused: {TOO_MANY}", SLOWER)
        with suppress(SyncFailed):
            self._table.order(inputs.Ordered(**now(), order=refused, by=BACKEND, nonce=nonce()))

    def _reply(self, message: Incoming, answer: Answer) -> Reply:
        wished = message.response_topic or ""
        is_ours = wished.startswith(f"{self._topic}/") and not {"+", "#"} & set(wished)
        return Reply(wished if is_ours else self._topic, joined(self._head(), answer), message)
