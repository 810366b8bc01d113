"""The demo's backend: a subscriber that drops repeats, requests gaps and keeps what a screen shows."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from statistics import median
from typing import Any, Final
from uuid import uuid4

from firmware_bridge.client.ledger import ROUND_EVENTS, Digests, Entries
from firmware_bridge.client.messages import Stream
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.wire import Identity
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message, NotConnected
from firmware_bridge.shoe.policy import KEEP_ORDER

Payload = dict[str, Any]
OnMessage = Callable[[str, Payload], None]
"""`on_message(name, payload)`: a new message of the topic `event` or `round`."""

OnAlarms = Callable[[list[Payload], list[str]], None]
"""`on_alarms(opened, closed)`: the alarms that are new on the topic `alarm`, and the ids of those that are gone."""

DRAWN: Final = ("CardBurned", "CardDealt", "CardOverdrawn", "CardHeld", "CardSetAside")
"""Events of a card that just left the shoe, except those with `held`."""

Place = tuple[int, int, Stream]
"""Position of a message in its journal: entry, number of the event, topic; sorts in the order of sending."""

STATES: Final = ("table", "lamps", "alarm", "status")


class Backend:
    """Subscribes to one table from `start` to `close`; everything comes from messages.

    states: topic -> latest payload. rounds: the messages of `round` in order. burned: the shoe's burn, None for an
    unseen card. closed: ids of the irregularities settled. drawn: append the time of each draw (None to skip it) to
    get `latency_ms`. news: set by each message. on_message: called with each new message of `event` and `round`, in
    order; on_error: with an error in handling one; on_alarms: with each change of the alarms. own: names of the game's
    own topics. store: its name as the receiver of `[mqtt] stored`, which acknowledges what it has; None if it is none.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        prefix: str,
        on_message: OnMessage,
        on_error: Callable[[Exception], None],
        loop: asyncio.AbstractEventLoop,
        own: Iterable[str] = (),
        on_alarms: OnAlarms | None = None,
        store: str | None = None,
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
        self._prefix, self._on_message, self._on_error, self._loop = prefix, on_message, on_error, loop
        self._seen, self._journals = Digests(), dict[str, Entries]()
        self._early: dict[str, dict[Place, Payload]] = {}
        self._requested: set[tuple[str, int]] = set()
        self._on_alarms, self._store, self._stored = on_alarms, store, dict[str, int]()
        self._is_silent = False
        will = Message("demo/backend", b"gone")
        topics = [f"{prefix}/#"]
        self.link = Link(
            settings, loop, will=lambda: will, topics=topics, on_up=self._connected, on_message=self.handle
        )

    def start(self) -> None:
        """Start connecting; `up` is set once the subscription is sent."""
        self.link.start()

    async def close(self) -> None:
        """Disconnect."""
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

    def handle(self, message: Incoming) -> None:
        """Handle a message from the broker."""
        try:
            self._handle(message)
        except Exception as error:  # the link would only reconnect
            self._on_error(error)

    def _connected(self) -> None:
        """Allow requests to be repeated: an acknowledgement of the broker does not mean delivery."""
        self._requested.clear()
        self.up.set()

    def _handle(self, message: Incoming) -> None:
        name = message.topic.removeprefix(f"{self._prefix}/")
        if name not in (*self.states, "event", "round"):
            return
        try:
            payload = from_json(message.payload)
        except Undecodable:
            return  # no table sent that
        self.messages += 1
        self.news.set()
        if name in self.states:
            before, self.states[name] = self.states[name], payload
            if name == "alarm":
                self._compare_alarms(_alarms(before), _alarms(payload))
        else:
            self._insert("round" if name == "round" else "event", payload)
            self._acknowledge()

    def _compare_alarms(self, before: list[Payload], now: list[Payload]) -> None:
        known, opened = [each["id"] for each in before], [each["id"] for each in now]
        closed = [each for each in known if each not in opened]
        self.closed.update(each for each in closed if each not in KEEP_ORDER)  # of the bridge: no event names them
        if self._on_alarms and known != opened:
            self._on_alarms([each for each in now if each["id"] not in known], closed)

    def silence(self, is_silent: bool) -> None:
        """Stop acknowledging as the receiver of `stored`, or go on with all it has."""
        self._is_silent = is_silent
        self._acknowledge()

    def _acknowledge(self) -> None:
        if self._store is None or self._is_silent:
            return
        for journal, entries in self._journals.items():
            if entries.whole > self._stored.get(journal, 0):
                claim = {"journal": journal, "seq": entries.whole, "by": self._store}
                with suppress(NotConnected):  # acknowledged with the next message
                    self.link.publish(f"{self._prefix}/stored", json.dumps(claim).encode())
                    self._stored[journal] = entries.whole

    def _insert(self, name: Stream, payload: Payload) -> None:
        """Deliver a message in order: an early one waits until the gap before it is filled."""
        at = Identity(payload["journal"], payload["seq"], payload["n"])
        journal, early = self._journals.setdefault(at.journal, Entries()), self._early.setdefault(at.journal, {})
        if self._seen.is_new(name, at, payload):
            early[(at.seq, at.n, name)] = payload
            if name == "round":
                journal.round(at.seq, at.n)
            else:
                journal.event(at.seq, at.n, payload["of"], has_round=payload["event"]["type"] in ROUND_EVENTS)
        behind = at.n if name == "event" else at.n + 1  # a round follows its event
        if not journal.has_all_before(at.seq, behind):
            self._request_gaps(at.journal, at.seq if behind > 1 else at.seq - 1)
        for place in sorted(early):
            if place[0] <= journal.whole:
                each = early.pop(place)
                self._keep(place[2], each)
                self._on_message(place[2], each)

    def order(self, order: Payload) -> None:
        """Send an order on the topic `command`. Raises NotConnected."""
        self.link.publish(f"{self._prefix}/command", json.dumps(order).encode())

    def _request_gaps(self, journal: str, last: int) -> None:
        """Request the missing entries of a journal up to `last`, once per gap."""
        for gap in self._journals[journal].gaps():
            to = min(gap.stop - 1, last)
            if gap.start <= to and (journal, to) not in self._requested:
                with suppress(NotConnected):  # requested again after the reconnect
                    self.order({"id": uuid4().hex, "do": "resend", "journal": journal, "from": gap.start, "to": to})
                    self._requested.add((journal, to))

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


def _alarms(state: Any) -> list[Payload]:
    """Return the open alarms of the topic `alarm`; none where the message is not one."""
    listed = state.get("open") if isinstance(state, dict) else None
    return [each for each in listed if isinstance(each, dict) and "id" in each] if isinstance(listed, list) else []
