"""MQTT of a table: journal and retained states out, orders in, answers out."""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final, Literal

from msgspec import Struct, to_builtins

from firmware_bridge import __build__, __version__
from firmware_bridge.daemon.delivery.backlog import UnsentAlarms
from firmware_bridge.daemon.delivery.certificates import Certificates, TlsLink
from firmware_bridge.daemon.delivery.forged_messages import ForgedMessages
from firmware_bridge.daemon.delivery.outbox import EchoCheck, Outbox
from firmware_bridge.daemon.delivery.replies import Reply
from firmware_bridge.daemon.delivery.retained import Overwritten, States
from firmware_bridge.daemon.delivery.store import Store
from firmware_bridge.daemon.table.broker_outage import BrokerOutage
from firmware_bridge.daemon.table.clock import clock, now
from firmware_bridge.daemon.table.cursor_saver import CursorSaver
from firmware_bridge.daemon.table.live_odds import LiveOdds
from firmware_bridge.daemon.table.opening import Opened
from firmware_bridge.daemon.table.order_service import Backend, OrderService
from firmware_bridge.daemon.table.recorder import Recorder
from firmware_bridge.daemon.table.signed_orders import SignedOrders
from firmware_bridge.daemon.table.store_watch import StoreWatch
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts.book.measures import Health
from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.wire import VERSION, StateHead, joined
from firmware_bridge.facts.wire_states import Status
from firmware_bridge.games import GAMES
from firmware_bridge.journal.cursor import CursorFile
from firmware_bridge.journal.line import Line, rfc3339
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.preallocate import SyncFailed
from firmware_bridge.journal.resend import Range
from firmware_bridge.mqtt.client import QuickConnection
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import LARGEST_MESSAGE, BrokerSettings, Incoming, Message, NotConnected
from firmware_bridge.record.envelope import content
from firmware_bridge.shoe.state import is_card_out
from firmware_bridge.topics.state import mode
from firmware_bridge.topics.texts.alarms import worded
from firmware_bridge.topics.texts.refusals import english

MOST: Final = 16
"""Boot ids kept at most."""


class _StatusPart(Struct):
    """The fields of a `status` that identify the daemon and its connection."""

    boot: str
    state: str
    link: int = 0


_decode: Final = json_of(_StatusPart)


class DuplicateTableId:
    """Detects other daemons, by their boot ids, that are online with the id of this table."""

    def __init__(self, table: str, boot: str) -> None:
        self._table, self._boot = table, boot
        self._online: set[str] = set()

    @property
    def warning(self) -> Phrase | None:
        """The failure of other daemons with this id, None where there is none."""
        return phrase("same_table", table=self._table) if self._online else None

    def is_ours(self, payload: bytes, link: int) -> bool:
        """Handle a live `status`; return whether this daemon published it, over its connection `link`."""
        try:
            status = _decode(payload)
        except Undecodable:
            return False
        if status.boot == self._boot:
            return status.link == link and status.state == "online"
        if status.state != "online":
            self._online.discard(status.boot)
        elif len(self._online) < MOST:
            self._online.add(status.boot)
        return False

    def forget(self) -> None:
        """Drop all other daemons, as the connection is lost."""
        self._online.clear()


log = logging.getLogger(__name__)

MQTT_5: Final = 5
STREAMS: Final = ("event", "round")
CHECKPOINT: Final = "checkpoint"
STATES: Final = ("table", "lamps", "alarm", "health", "odds", "checkpoint")
"""Retained topics of every game, beside `status`."""

LastWord = Literal["stopped", "lost"]
"""The end of a table: by a stop, or by a failure."""


class Uplink:
    """Owns the link to the broker, from `start` to `close`, and all its traffic.

    order_service: carries out orders in `allowed`, and those that `signed_orders` verifies. stored: the receiver that
    moves the cursor, None if the broker's acknowledgements move it. silent_s: seconds after which a silent receiver is
    an alarm.
    """

    def __init__(
        self,
        table: Table,
        prefix: str,
        settings: BrokerSettings,
        order_service: OrderService,
        allowed: Collection[str],
        signed_orders: SignedOrders,
        recorder: Recorder,
        loop: asyncio.AbstractEventLoop,
        live_odds: bool = False,
        stored: str | None = None,
        silent_s: float | None = None,
    ) -> None:
        self._odds = LiveOdds(self.changed, loop) if live_odds else None
        self._table, self._prefix, self._loop = table, prefix, loop
        self.health: Health | None = None
        self.recorder = recorder
        self._cursor: CursorFile | None = None
        self._echoes = EchoCheck(self._mute, loop)
        store = Store(table.journal.directory, stored) if stored else None
        ours, left_out = (table.journal.directory, table.name), UnsentAlarms(table).raise_
        self.outbox = Outbox(*ours, self._send_event, self._echoes, store, left_out)
        self.acknowledged = CursorSaver(self.outbox, table, loop)
        self.states = States(self._states, self._head, self._send_state, loop)
        answers = f"{prefix}/reply"
        given = order_service, allowed, signed_orders
        self.backend = Backend(table, *given, answers, self._head, self._send_reply, loop)
        self._signed_orders, self._takes = signed_orders, (signed_orders.givers(), signed_orders.naming_two())
        ways = self.acknowledged.moved, self.outbox.resend, self.backend.refuse
        self._store = StoreWatch(store, table, *ways, loop, silent_s)
        self._duplicates = DuplicateTableId(table.name, table.boot)
        own_topics = {topic.name for game in GAMES.values() for topic in game.topics}
        self._state_topics = (*STATES, *sorted(own_topics))
        self._overwritten = Overwritten(self._publish_again, lambda: bool(self.shared), loop)
        self._forged = ForgedMessages(table.journal.directory, recorder.foreign)
        self._has_heard = False  # what the broker keeps of before, on this connection
        topics = [f"{prefix}/{name}" for name in ("command", "witnessed", *(("stored",) if store else ()))]
        of_others = [f"{prefix}/{name}" for name in (*self._state_topics, *STREAMS) if name != CHECKPOINT]
        self.link = Link(
            settings, loop, will=self._will, topics=topics, own=self._own, of_others=of_others, driver=QuickConnection,
            on_up=self._on_up, on_down=self._on_down, largest=LARGEST_MESSAGE, say=english,
            on_fault=lambda: self.outage.fault(self.link.fault),
            on_delivered=self._on_delivered, on_message=self._on_message,
        )  # fmt: skip
        tls = TlsLink(lambda: self.link.certificate_ends, self.link.renew, self._is_between_rounds)
        self.certificates = Certificates(settings, table, tls, loop)
        self.outage = BrokerOutage(table, lambda: self.link.up, self._is_doubtful, loop)

    def start(self) -> None:
        """Begin to connect: with the journal open, or to show why it is not."""
        self.outage.expect()
        self.link.start()
        self.certificates.start()

    def begin(self, opened: Opened) -> None:
        """Begin to send the open journal."""
        self._cursor = opened.cursor
        self.outbox.begin(*opened)

    async def close(self, last_word: LastWord) -> None:
        """Publish the last status and disconnect; undelivered messages are sent after the next start."""
        self.outage.close()
        self.certificates.close()
        self.backend.close()
        self.states.flush()
        self.states.close()
        self._overwritten.close()
        self._echoes.close()
        self._store.down()
        if self._odds:
            self._odds.close()
        await self.link.close(self._message("status", self._status(last_word)))
        await self.acknowledged.close()
        if self._cursor:
            self._cursor.close()

    def publishing(self, line: Line) -> Callable[[], None]:
        """Return a function that publishes a line once it is on disk; the messages are made before, to send quickly."""
        made = messages(line)

        def publish() -> None:
            self.outbox.add(made, self._table.journal.end)
            self._signed_orders.added(line)
            self.recorder.added(line)

        return publish

    def resend(self, part: Range) -> None:
        """Send a part of a journal again, beside the new entries."""
        self.outbox.resend(part)
        self._store.asked()

    def publish_health(self, health: Health) -> None:
        """Publish the health; without a connection, after the next reconnect."""
        self.health = health
        self.changed()
        payload = joined(self._head(), health)
        with suppress(NotConnected):
            self.link.publish(f"{self._prefix}/health", payload, qos=0, retain=True)
            self._overwritten.sent("health", payload)

    def changed(self) -> None:
        """Publish the retained topics that may have changed."""
        if self._odds:
            self._odds.follow(self._table.shoe)
        self.states.changed()

    def queue(self) -> int:
        """Return how many entries of the present journal the broker has not acknowledged, or the store lacks."""
        shoe, acked = self._table.shoe, self.outbox.cursor
        if not self.outbox.waiting:
            return 0
        return shoe.seq - acked.seq if acked and acked.journal == shoe.journal else shoe.seq

    def status(self) -> dict[str, Any]:
        """Return the state of the link for a technician."""
        return {
            "up": self.link.up,
            "protocol": {4: "3.1.1", 5: "5"}.get(self.link.protocol or 0),
            "why_down": to_builtins(self.outage.why),
            "shared": to_builtins(self.shared),
            "fault": to_builtins(self.link.fault),
            "waiting": self.outbox.waiting,
            "acked": self.outbox.cursor,
            "store": self._store.status(),
        }

    @property
    def shared(self) -> Phrase | None:
        """The failure of another shoe with this table id, or a client-id conflict; None where there is none."""
        return self.link.shared_name or self._duplicates.warning

    def _is_doubtful(self) -> bool:
        return self._echoes.awaited or self.link.is_doubtful or bool(self.shared)

    def _own(self, protocol: int) -> list[str]:
        """Return the own topics to subscribe to: `status`, to find duplicates, and by MQTT 3.1.1 echoes of all streams.

        And `checkpoint`: a broker need not send what it keeps of our own where we ask for messages of others.
        """
        names = ("status", CHECKPOINT) if protocol == MQTT_5 else ("status", CHECKPOINT, *STREAMS)
        return [f"{self._prefix}/{name}" for name in names]

    def _on_up(self) -> None:
        self.outage.up()
        self._echoes.begin(() if self.link.protocol == MQTT_5 else ("status", *STREAMS))
        self._overwritten.begin(echoed=self.link.protocol != MQTT_5, returned=(CHECKPOINT,))
        self._has_heard = False
        self.states.up()
        if self.health:
            self.publish_health(self.health)
        self.outbox.up()
        self._store.up()

    def _on_down(self, why: Phrase) -> None:
        self.outage.down(why)
        self.states.down()
        self._echoes.end()
        self._overwritten.close()
        self._duplicates.forget()
        for part in (self._store, self.outbox, self.backend.replies):
            part.down()
        if why == self.shared:
            self.outage.warn(why)

    def _mute(self, topic: str) -> None:
        """Handle a broker that acknowledged a message and did not pass it on."""
        self.link.give_up(f"{self._prefix}/{topic}")
        if why := self.outage.why:
            self.outage.warn(why)

    def _on_delivered(self, mid: int) -> None:
        if not self._has_heard:  # the broker answers in order: what it keeps on our topics came before
            self._has_heard = True
            self.changed()
        if not self.backend.replies.delivered(mid):
            self._follow(lambda: self.outbox.delivered(mid))

    def _follow(self, step: Callable[[], object]) -> None:
        """Do a step that may move the cursor, and save it if it moved."""
        before = self.outbox.acked
        step()
        if self.outbox.acked != before:
            with suppress(SyncFailed):
                self.outage.progress()
            self.acknowledged.moved()

    def _on_message(self, message: Incoming) -> None:
        name = message.topic.removeprefix(f"{self._prefix}/")
        if name == "command":
            self.backend.receive(message)
        elif name == "stored":
            read, is_signed = self.backend.read(message)
            if read:
                self._store.receive(read)
                self.recorder.stored(read.payload, self._store.name if is_signed else None)
        elif name == "witnessed":  # proves itself: our own signature, and a witness's
            self.recorder.witness(content(message.payload))
            self.changed()
        elif name == CHECKPOINT and self.recorder.receive(message.payload, is_retained=message.retained):
            self.changed()
        elif message.retained:
            return  # a retained message of before
        elif name == "status":
            self._receive_status(message.payload)
        elif name in self._state_topics:
            self._overwritten.heard(name, message.payload)
        else:
            self._follow(lambda: self.outbox.heard(name, message.payload))
            self._forged.heard(name, message.payload)

    def _receive_status(self, payload: bytes) -> None:
        before = self._duplicates.warning
        is_ours = self._duplicates.is_ours(payload, self.link.number)
        if is_ours and self._echoes.came("status"):
            self._follow(self.outbox.count)
        if warning := self._duplicates.warning:
            self.outage.warn(warning)
        elif before:
            self.outage.progress()
            self._overwritten.written("status", *self._state_topics)
        elif not is_ours:
            self._overwritten.written("status")

    def _publish_again(self, topics: set[str]) -> None:
        if "health" in topics and self.health:
            self.publish_health(self.health)
        self.states.again(topics)

    def _is_between_rounds(self) -> bool:
        return not self._table.shoe.laid and not is_card_out(self._table.shoe)

    def _send_reply(self, reply: Reply) -> int:
        return self.link.publish(reply.topic, reply.payload, response=reply.asked)

    def _send_event(self, topic: str, payload: bytes) -> int:
        self._forged.sent(topic, payload)
        return self.link.publish(f"{self._prefix}/{topic}", payload)

    def _send_state(self, topic: str, payload: bytes) -> int:
        self._echoes.sent(topic, payload)
        self._overwritten.sent(topic, payload)
        return self.link.publish(f"{self._prefix}/{topic}", payload, retain=True)

    def _states(self) -> dict[str, Any]:
        table, status = self._table, {"status": self._status("online")}
        if not table.begun:  # the shoe is not known yet
            return {"lamps": table.shown(), "alarm": worded(table.alarms(), table.shoe.house.policy)} | status
        states = table.states()
        if self._odds and self._odds.state:
            states["odds"] = self._odds.state
        if self._has_heard:  # else it would take the place of one that may prove more
            states[CHECKPOINT] = self.recorder.checkpoint()
        return states | status

    def _will(self) -> Message:
        return self._message("status", self._status("lost"))

    def _status(self, state: Literal["online", "stopped", "lost"]) -> Status:
        table = self._table
        now_mode = mode(table.shoe, table.observing, bool(table.disk))
        link, record = self.link.number, self.recorder.state()
        software, next_seq = (__version__, __build__), table.shoe.seq + 1
        return Status(state, *software, next_seq, now_mode, clock(), link, record, *self._takes)

    def _head(self) -> StateHead:
        shoe, at = self._table.shoe, rfc3339(now()["at"])
        return StateHead(VERSION, self._table.name, shoe.number, shoe.journal, shoe.seq, at, self._table.boot)

    def _message(self, topic: str, body: Struct) -> Message:
        return Message(f"{self._prefix}/{topic}", joined(self._head(), body), retain=True)
