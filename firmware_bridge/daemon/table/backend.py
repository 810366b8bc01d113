"""The backend's orders over MQTT: they wait their turn, are given at the desk, and answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final

from firmware_bridge.daemon.delivery.replies import Replies, Reply
from firmware_bridge.daemon.table.desk import LONGEST, Desk, NotAnOrder, parse
from firmware_bridge.daemon.table.inbox import A_SECOND, ROOM, Inbox
from firmware_bridge.daemon.table.stamps import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.orders import Answer, Malformed
from firmware_bridge.facts.wire import joined
from firmware_bridge.journal.filled import SyncFailed
from firmware_bridge.mqtt.settings import Incoming

log = logging.getLogger(__name__)

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
