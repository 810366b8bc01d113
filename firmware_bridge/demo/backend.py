"""The demo's backend: it subscribes, drops repeats, asks for gaps, and keeps what a screen shows."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from statistics import median
from typing import Any, Final
from uuid import uuid4

from firmware_bridge.mqtt.link import Link, NotConnected
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message

Payload = dict[str, Any]
Hear = Callable[[str, Payload], None]
"""`hear(name, payload)`: a new message of the topic `event` or `round`."""

DRAWN: Final = ("CardBurned", "CardDealt", "CardOverdrawn", "CardHeld", "CardSetAside")
"""Events of a card that just left the shoe, unless they are about a card held before."""

OF_ROUNDS: Final = ("RoundClosed", "RoundVoided", "RoundCorrected")
"""Events with a message of the topic `round` behind them."""

Place = tuple[int, int, str]
"""Where a message stands in its journal: the entry, which of its events, and the topic; they sort as they are sent."""

STATES: Final = ("table", "lamps", "alarm", "status")


class Backend:
    """A subscriber of one table, from `start` to `close`; knows nothing but the messages.

    states: topic -> latest payload. rounds: the messages of `round` in order. burned: the shoe's burn, None for a
    card unseen. closed: what went wrong and was settled. drawn: put the time of each draw in here (None: it does not
    count), and `latency_ms` tells what a card took. news: set by each message. hear: takes each new message of
    `event` and `round`, in order; fail: what went wrong while taking one. own: names of the game's own topics.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        prefix: str,
        hear: Hear,
        fail: Callable[[Exception], None],
        loop: asyncio.AbstractEventLoop,
        own: Iterable[str] = (),
    ) -> None:
        self.states: dict[str, Payload] = {name: {} for name in (*STATES, *own)}
        self.rounds: list[Payload] = []
        self.burned: list[str | None] = []
        self.closed: set[str] = set()
        self.cut_card: int | None = None
        self.cards = self.messages = 0
        self.drawn: deque[float | None] = deque()
        self.up, self.news = asyncio.Event(), asyncio.Event()
        self._took: list[float] = []
        self._prefix, self._hear, self._fail, self._loop = prefix, hear, fail, loop
        self._due: dict[str, Place] = {}
        self._early: dict[str, dict[Place, Payload]] = {}
        self._known: set[tuple[str, int, int, str]] = set()
        self._asked: set[tuple[str, int]] = set()
        self._doubtful = False
        will = Message("demo/backend", b"gone")
        topics = [f"{prefix}/#"]
        self.link = Link(
            settings, lambda: will, topics, lambda _: (), self._connected, _nothing, _nothing, self.take, loop
        )

    def start(self) -> None:
        """Begin to connect; `up` is set once the subscription is asked for."""
        self.link.start()

    async def close(self) -> None:
        """Leave in order."""
        await self.link.close(None)

    @property
    def latency_ms(self) -> float | None:
        """Median time from a card's draw to its message here, in milliseconds."""
        return 1000 * median(self._took) if self._took else None

    @property
    def delivered(self) -> int:
        """Rounds closed so far, over all shoes."""
        return sum(1 for each in self.rounds if each["status"] == "closed")

    @property
    def is_settled(self) -> bool:
        """Whether the state topics are as new as the last round."""
        table = self.states["table"]
        if not self.rounds or not table:
            return False
        last = self.rounds[-1]
        return bool(table["journal"] != last["journal"] or table["as_of"] >= last["seq"])

    def take(self, message: Incoming) -> None:
        """Take a message from the broker."""
        try:
            self._take(message)
        except Exception as error:  # the link would only connect again
            self._fail(error)

    def _connected(self) -> None:
        """What came before may be incomplete: a broker that acked is not one that passed it on."""
        self._doubtful = bool(self._due)
        self.up.set()

    def _take(self, message: Incoming) -> None:
        name = message.topic.removeprefix(f"{self._prefix}/")
        if name not in (*self.states, "event", "round"):
            return
        payload = json.loads(message.payload)
        self.messages += 1
        self.news.set()
        if name in self.states:
            self.states[name] = payload
        else:
            self._sort(name, payload)

    def _sort(self, name: str, payload: Payload) -> None:
        """Take a message in its turn: what is early waits until the gap before it is filled."""
        journal, place = payload["journal"], (payload["seq"], payload["n"], name)
        self._early.setdefault(journal, {})[place] = payload
        due = self._due.setdefault(journal, (1, 1, "event"))
        if place > due or self._doubtful:
            self._ask_again(journal, due[0] if place > due else max(due[0] - 1, 1), place)
        self._drain(journal)

    def _drain(self, journal: str) -> None:
        early = self._early[journal]
        for place in sorted(early):
            if place > self._due[journal]:
                return
            payload = early.pop(place)
            if (journal, *place) not in self._known:
                self._known.add((journal, *place))
                self._due[journal] = _behind(place, payload)
                self._keep(place[2], payload)
                self._hear(place[2], payload)

    def order(self, order: Payload) -> None:
        """Give an order over the topic `command`. Raises NotConnected."""
        self.link.publish(f"{self._prefix}/command", json.dumps(order).encode())

    def _ask_again(self, journal: str, start: int, before: Place) -> None:
        """Order the entries from `start` on once more, once per gap."""
        to = before[0] if before[1] > 1 else max(before[0] - 1, start)
        if (journal, start) in self._asked and not self._doubtful:
            return
        order = {"id": uuid4().hex, "do": "resend", "journal": journal, "from": start, "to": to}
        with suppress(NotConnected):  # then the link comes back, and with it the doubt
            self.order(order)
            self._asked.add((journal, start))
            self._doubtful = False

    def _keep(self, name: str, payload: Payload) -> None:
        if name == "round":
            self.rounds.append(payload)
            return
        event = payload["event"]
        match event["type"]:
            case "ShoeOpened":
                self.burned, self.cut_card = [], None
            case "CutCardMet":
                self.cut_card = event["last_round"]
                self.closed.add("cut_card_mid_round")
            case "IrregularityClosed":
                self.closed.add(event["id"])
        self._count(event)

    def _count(self, event: Payload) -> None:
        if event["type"] not in DRAWN or event.get("held"):
            return
        self.cards += 1
        if event["type"] == "CardBurned":
            self.burned.append(event.get("card"))
        drawn = self.drawn.popleft() if self.drawn else None
        if drawn is not None:
            self._took.append(self._loop.time() - drawn)


def _behind(place: Place, payload: Payload) -> Place:
    """Where the message behind this one stands."""
    seq, n, name = place
    if name == "event" and payload["event"]["type"] in OF_ROUNDS:
        return (seq, n, "round")
    return (seq, n + 1, "event") if n < payload["of"] else (seq + 1, 1, "event")


def _nothing(_: object) -> None:
    """Ignore news of the link: it comes back by itself."""
