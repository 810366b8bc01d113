"""Publishes the retained state topics: conflated, the latest wins, all again at every connect and if overwritten."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final

import msgspec

from firmware_bridge.facts.wire import joined
from firmware_bridge.mqtt.settings import NotConnected

CONFLATE_S: Final = 0.05
"""States that change faster than this are sent once."""

_NOTHING: Final = object()

Publish = Callable[[str, bytes], int]
"""`publish(topic, payload)`: retained, QoS 1."""


class States:
    """Sends the values of `states()` (topic -> value) that differ from those at the broker.

    Values are immutable: the same object is not encoded again; bytes are sent as they are. `head()` gives the fields of
    every other message. Call `changed` after anything that may change a value.
    """

    def __init__(
        self,
        states: Callable[[], dict[str, Any]],
        head: Callable[[], Any],
        publish: Publish,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._states, self._head, self._publish, self._loop = states, head, publish, loop
        self._sent: dict[str, tuple[Any, bytes]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._up = False

    def up(self) -> None:
        """Publish everything again, after each reconnect."""
        self._up = True
        self._sent.clear()
        self.flush()

    def down(self) -> None:
        """Stop sending, as the connection is lost."""
        self._up = False

    def changed(self) -> None:
        """Send a value that may have changed, within `CONFLATE_S`."""
        if self._up and self._timer is None:
            self._timer = self._loop.call_later(CONFLATE_S, self.flush)

    def flush(self) -> None:
        """Send the changed values now."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if not self._up:
            return
        head = self._head()
        for topic, value in self._states().items():
            before, known = self._sent.get(topic, (_NOTHING, b""))
            is_whole = isinstance(value, bytes)
            if value is before or (body := value if is_whole else msgspec.json.encode(value)) == known:
                continue
            try:
                self._publish(topic, body if is_whole else joined(head, msgspec.Raw(body)))
            except NotConnected:
                return
            self._sent[topic] = value, body

    def again(self, topics: Collection[str]) -> None:
        """Send these states again, changed or not."""
        for topic in topics:
            self._sent.pop(topic, None)
        self.flush()

    def close(self) -> None:
        """Stop sending."""
        if self._timer:
            self._timer.cancel()
        self._up = False


log = logging.getLogger(__name__)

SOON_S: Final = 0.1
"""Seconds until an overwritten topic is published again."""

AGAIN_S: Final = 10.0
"""Seconds between two such repairs at least: who writes on and on does not start a fight."""

ECHOES: Final = 64
"""Own messages of a topic that are awaited from the broker, at most."""


class Overwritten:
    """Notices that somebody else wrote a retained topic of the table, and publishes it again.

    again: publishes these topics again, soon, and every `AGAIN_S` at most. is_shared: whether another shoe of this name
    is online, which does the same: then nothing is repaired.
    """

    def __init__(
        self, again: Callable[[set[str]], None], is_shared: Callable[[], bool], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._again, self._is_shared, self._loop = again, is_shared, loop
        self._last: dict[str, bytes] = {}
        self._echoes: dict[str, deque[bytes]] = {}
        self._all_echoed = False
        self._topics: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0
        self._is_on = False

    def begin(self, echoed: bool, returned: Collection[str] = ()) -> None:
        """Begin with a new connection. echoed: its broker returns own messages; if not, those on `returned` alone."""
        self.close()
        self._last.clear()
        self._all_echoed, self._echoes = echoed, {topic: deque(maxlen=ECHOES) for topic in returned}
        self._is_on = True

    def sent(self, topic: str, payload: bytes) -> None:
        """Note a state before it is published."""
        self._last[topic] = payload
        if self._all_echoed or topic in self._echoes:
            self._echoes.setdefault(topic, deque(maxlen=ECHOES)).append(payload)

    def heard(self, topic: str, payload: bytes) -> None:
        """Handle a live message on a topic of the states."""
        if self._all_echoed or topic in self._echoes:
            is_own = _returned(self._echoes.get(topic, deque()), payload)
        else:
            is_own = self._last.get(topic) == payload
        if not is_own:
            self.written(topic)

    def written(self, *topics: str) -> None:
        """Repair these topics soon: somebody else wrote them; behind `close` it may be the daemon's own last status."""
        if not self._is_on:
            return
        self._topics.update(topics)
        if self._timer is None:
            self._timer = self._loop.call_at(max(self._loop.time() + SOON_S, self._next), self._repair)

    def close(self) -> None:
        """Stop, until the next connection."""
        self._is_on = False
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._topics.clear()

    def _repair(self) -> None:
        self._timer, topics = None, set(self._topics)
        self._topics.clear()
        if self._is_shared():
            return
        self._next = self._loop.time() + AGAIN_S
        log.warning("somebody else wrote %s: published again; give no other user that right", ", ".join(sorted(topics)))
        self._again(topics)


def _returned(awaited: deque[bytes], payload: bytes) -> bool:
    """Return whether an awaited echo came; it is dropped with those before it, which were lost."""
    with suppress(ValueError):
        for _ in range(awaited.index(payload) + 1):
            awaited.popleft()
        return True
    return False
