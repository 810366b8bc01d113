"""The link to the broker: always one connection, or the next attempt at it."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from paho.mqtt.client import Client
from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.mqtt.backoff import Backoff, ClientIdConflict
from firmware_bridge.mqtt.connection import Connection, Events, hang_up
from firmware_bridge.mqtt.errors import (
    OVERLOADED,
    SESSION_TAKEN_OVER,
    TABLE,
    UNSUPPORTED_PROTOCOL_VERSION,
    BrokerErrors,
    ErrorTexts,
)
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message, NotConnected

FAREWELL_S = 1.0  # the longest wait for the last acknowledgements when closing

log = logging.getLogger(__name__)


class Link:
    """Keeps one connection to the broker, and calls back when it comes and goes. Everything happens on `loop`.

    `on_up`: the broker let us in and the subscriptions are sent. `on_down(text)`: the connection ended, or an
    attempt failed for another reason than the one told last; the text is for a technician. What was not
    delivered by then must be published again. `on_delivered(mid)`: the broker took a QoS 1 message; nothing
    else is a delivery. `on_message`: a message on one of `topics`, or of `own(protocol)`: those we write ourselves.
    An exception in any of them costs the connection, not the daemon. `will()` is asked for at each attempt.
    driver: the kind of connection; the daemon has one of its own. texts: the error texts.
    """

    up, number = False, 0  # number: of the connection, or of the attempt at one
    protocol: int | None = None  # 5, or 4 for MQTT 3.1.1, while up

    def __init__(
        self,
        settings: BrokerSettings,
        loop: asyncio.AbstractEventLoop,
        *,
        will: Callable[[], Message | None] = lambda: None,
        topics: Sequence[str] = (),
        own: Callable[[int], Sequence[str]] = lambda protocol: (),
        on_up: Callable[[], None] = lambda: None,
        on_down: Callable[[str], None] = lambda why: None,
        on_delivered: Callable[[int], None] = lambda mid: None,
        on_message: Callable[[Incoming], None] = lambda message: None,
        driver: type[Connection] = Connection,
        texts: ErrorTexts = TABLE,
    ) -> None:
        self._settings, self._will, self._loop, self._driver = settings, will, loop, driver
        self._errors = BrokerErrors(settings, texts)
        self._topics, self._own = topics, own
        self._on_up, self._on_down, self._on_delivered = on_up, on_down, on_delivered
        self._events = Events(
            self._accepted, self._refused, self._silent, self._acked, self._rejected, self._subscribed,
            on_message, self._ended, self._crashed,
        )  # fmt: skip
        self._connection: Connection | None = None
        self._next: asyncio.TimerHandle | None = None
        self._backoff, self._id_conflict = Backoff(), ClientIdConflict()
        self._version = settings.protocol
        self._spoke_5 = False  # this broker is known to speak MQTT 5
        self._reported: str | None = None
        self._closing = False
        self._leave: asyncio.Future[None] | None = None  # done when nothing is in flight any more

    def start(self) -> None:
        """Begin to connect; from then on the link comes back by itself until closed."""
        self.number += 1
        # paho blocks in connecting. A daemonic thread: a dead name server may hold it for long.
        asked = self.number, self._will(), self._version
        thread = threading.Thread(target=self._dial, args=asked, name="broker", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._retry(f"no thread to connect with ({error}): raise TasksMax in the service, report it")

    def publish(
        self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, response: Incoming | None = None
    ) -> int:
        """Send a message now and return its id, which `on_delivered` names later (QoS 1).

        `response`: the message this one answers; its correlation goes along (MQTT 5). Raises NotConnected.
        """
        connection = self._connection
        if connection is None or not self.up:
            raise NotConnected("the broker is out of reach")
        correlation = None if response is None else response.correlation
        mid = connection.publish(topic, payload, qos, retain, correlation)
        if mid is None:
            self.up = False
            raise NotConnected("the connection to the broker broke")
        return mid

    @property
    def shared_name(self) -> str | None:
        """What to do about another client of our name, None where none was noticed lately."""
        return self._errors.text("shared_name") if self._id_conflict.is_about(self._loop.time()) else None

    def give_up(self, topic: str) -> None:
        """End the connection: a message to `topic` was acknowledged, and did not come back."""
        self._refuse(self._errors.text("no_echo", topic=topic))

    async def close(self, farewell: Message | None) -> None:
        """Publish `farewell`, wait shortly for what is in flight, and leave in order: no will is sent."""
        self._closing = True
        if self._next is not None:
            self._next.cancel()
        if self._connection is not None and self.up:
            with suppress(NotConnected, TimeoutError):
                await self._publish_farewell(self._connection, farewell)
        self._drop(in_order=True)

    async def _publish_farewell(self, connection: Connection, farewell: Message | None) -> None:
        if farewell is not None:
            self.publish(farewell.topic, farewell.payload, qos=farewell.qos, retain=farewell.retain)
        if connection.unacked:
            self._leave = self._loop.create_future()
            await asyncio.wait_for(self._leave, FAREWELL_S)

    def _dial(self, number: int, will: Message | None, version: int) -> None:
        """Connect (in the thread), and hand over the client or the reason why there is none."""
        reached: Client | str
        try:
            reached = self._driver.dial(self._settings, will, version)
        except Exception as error:
            reached = self._errors.unreachable(error)
        try:
            self._loop.call_soon_threadsafe(self._reached, number, reached)
        except RuntimeError:  # the loop has ended meanwhile
            if not isinstance(reached, str):
                hang_up(reached)

    def _reached(self, number: int, reached: Client | str) -> None:
        if self._closing or number != self.number:
            if not isinstance(reached, str):
                hang_up(reached)
        elif isinstance(reached, str):
            self._id_conflict.kept_out()
            self._retry(reached)
        elif reached.socket() is None:
            self._fail(self._errors.unanswered())
        else:
            tickets = None if self._settings.window is None else number
            self._connection = self._driver(reached, self._events, self._loop, tickets)

    def _accepted(self, kept: bool) -> None:
        assert self._connection is not None
        self._backoff.connected(self._loop.time())
        self._id_conflict.connected(self._loop.time())
        self.up, self.protocol, self._reported = True, self._version, None
        self._spoke_5 = self._version == 5
        self._begin(self._connection, kept)

    def _begin(self, connection: Connection, kept: bool) -> None:
        """Ask for `topics` and `own` at QoS 1; by MQTT 3.1.1 `own` at QoS 0: an echo needs no acknowledgement.

        NATS would replicate each.
        """
        own = dict.fromkeys(self._own(self._version), int(self._version == 5))
        connection.subscribe(dict.fromkeys(self._topics, 1) | own, self._topics)
        log.info("connected to %s (MQTT protocol level %d)", self._settings.address, self._version)
        self._on_up()

    def _acked(self, mid: int) -> None:
        self._backoff.acknowledged()
        self._on_delivered(mid)
        if self._leave is not None and self._connection is not None and not self._connection.unacked:
            self._end_leave()

    def _fail(self, why: str) -> None:
        """The broker closed or fell silent instead of answering: some without MQTT 5 do so when asked for it."""
        if self._version == 5 and not self._spoke_5:
            self._try_311()
        else:
            self._version = 4 if self._settings.only_311 else 5
            self._lose(why)

    def _try_311(self) -> None:
        self._version = 4
        self._drop()
        if not self._closing:
            self.start()

    def _refused(self, code: ReasonCode) -> None:
        if code.value == UNSUPPORTED_PROTOCOL_VERSION and self._version == 5:
            self._try_311()
        else:
            self._refuse(self._errors.refusal(code), patient=code.value in OVERLOADED)

    def _silent(self) -> None:
        self._fail(self._errors.text("silence"))

    def _rejected(self, topic: str, code: ReasonCode) -> None:
        self._refuse(self._errors.text("not_taken", topic=topic, code=code))

    def _subscribed(self, refused: Mapping[str, ReasonCode], left: bool) -> None:
        for topic, code in refused.items():
            log.error("the broker does not let us read %s (%s): allow it in the broker's ACL", topic, code)

    def _ended(self, code: ReasonCode, by_broker: bool) -> None:
        """The other side ended the connection: by itself, or because a namesake came."""
        if self.protocol is None:
            self._fail(self._errors.unanswered(code.value))
        elif self._id_conflict.broke(self._loop.time(), is_stated=code.value == SESSION_TAKEN_OVER):
            self._lose(self._errors.text("shared_name"), patient=True)
        else:
            self._lose(self._errors.ended(code, by_broker))

    def _crashed(self, error: Exception) -> None:
        self._id_conflict.kept_out()
        self._lose(f"internal error ({type(error).__name__}): report it, with the log")

    def _refuse(self, why: str, **how: bool) -> None:
        self._id_conflict.kept_out()
        self._lose(why, refused=True, **how)

    def _lose(self, why: str, **how: bool) -> None:
        self._drop()
        self._retry(why, **how)

    def _retry(self, why: str, **how: bool) -> None:
        """Try again later. how: as `Backoff.wait` takes it."""
        if self._closing:
            return
        if self._next is not None:
            self._next.cancel()
        wait = self._backoff.wait(self._loop.time(), **how)
        self._next = self._loop.call_later(wait, self.start)
        try:
            self._report(why)
        except Exception:
            log.exception("telling that the broker is out of reach failed")

    def _report(self, why: str) -> None:
        if why != self._reported:
            self._reported = why
            log.warning("%s", why)
            self._on_down(why)

    def _drop(self, *, in_order: bool = False) -> None:
        connection, self._connection = self._connection, None
        self.up, self.protocol = False, None
        if connection is not None:
            connection.close(in_order=in_order)
        self._end_leave()

    def _end_leave(self) -> None:
        if self._leave is not None and not self._leave.done():
            self._leave.set_result(None)
