"""The link to the broker: always one connection, or the next attempt at it."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Literal, NamedTuple

from paho.mqtt.client import Client
from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.facts.printable import escaped
from firmware_bridge.mqtt.backoff import LONGEST_LOST_S, LOST_S, STEADY_S, Backoff, Doubling, SilentEnds, is_lately
from firmware_bridge.mqtt.connection import Connection, Events, hang_up
from firmware_bridge.mqtt.errors import SEEN, BrokerErrors
from firmware_bridge.mqtt.reasons import OVERLOADED, PASSING, SESSION_TAKEN_OVER, UNSUPPORTED_PROTOCOL_VERSION
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message, Moment, NotConnected

FAREWELL_S = 1.0  # the longest wait for the last acknowledgements when closing
LONGEST_REASON = 200  # most characters that are logged of a Reason String

log = logging.getLogger(__name__)


class _Stated(NamedTuple):
    """The reason that a broker stated last. of: of the attempt to connect, a message, or the whole connection."""

    why: Phrase
    at: float
    of: Literal["attempt", "message", "connection"]


class Link:
    """Keeps one connection to the broker, and calls back on `loop` when it comes and goes.

    `on_up`: called after each reconnect, with the subscriptions sent. `on_down(why)`: the connection ended, or an
    attempt failed for another reason than the one reported last: a row of `FAILURES`. Messages not delivered by then
    must be published again. A reason that the broker stated stays the one reported until it states another, or
    something else is seen than that it ends connections. `on_fault`: `fault` changed. `on_delivered(mid)`: the broker
    accepted a QoS 1 message; nothing else is a delivery. `on_message`: a message on one of `topics`, or of
    `own(protocol)`: those this client writes, or of `of_others`: those on which it wants messages of others, by MQTT 5
    no own ones.
    An exception in any of them ends the connection, not the daemon. `will()` is called at each attempt.
    driver: the class of the connection. say: makes the words of a failure for the log. largest: bytes of the largest
    message that is sent; a broker that announces less, or no QoS 1, or no retained messages, is a fault, or refused;
    None: nothing is needed.
    """

    up, number = False, 0  # number: of the connection, or of the attempt at one
    protocol: int | None = None  # 5, or 4 for MQTT 3.1.1, while up
    fault: Phrase | None = None  # the failure of a broker that does not do all while up

    def __init__(
        self,
        settings: BrokerSettings,
        loop: asyncio.AbstractEventLoop,
        *,
        will: Callable[[], Message | None] = lambda: None,
        topics: Sequence[str] = (),
        own: Callable[[int], Sequence[str]] = lambda protocol: (),
        of_others: Sequence[str] = (),
        on_up: Callable[[], None] = lambda: None,
        on_down: Callable[[Phrase], None] = lambda why: None,
        on_fault: Callable[[], None] = lambda: None,
        on_delivered: Callable[[int], None] = lambda mid: None,
        on_message: Callable[[Incoming], None] = lambda message: None,
        driver: type[Connection] = Connection,
        say: Callable[[Phrase], str] = str,
        largest: int | None = None,
    ) -> None:
        self._settings, self._will, self._loop, self._driver = settings, will, loop, driver
        self._errors, self._say = BrokerErrors(settings), say
        self._topics, self._own, self._of_others = topics, own, of_others
        self._on_up, self._on_down, self._on_delivered, self._on_fault = on_up, on_down, on_delivered, on_fault
        self._largest, self._faults = largest, dict[str, Phrase | None]()
        self._events = Events(
            self._accepted, self._refused, self._silent, self._acked, self._rejected, self._subscribed,
            on_message, self._ended, self._crashed, self._oversized, self._waits, self._lost, self._log_reason,
        )  # fmt: skip
        self._connection: Connection | None = None
        self._next: asyncio.TimerHandle | None = None
        self._backoff, self._silent_ends = Backoff(), SilentEnds()
        self._losses, self._lost_topic = Doubling(LOST_S, LONGEST_LOST_S), ""
        self._up_since = 0.0
        self._stated: _Stated | None = None
        self._version = settings.protocol
        self._spoke_5 = False  # whether this broker has spoken MQTT 5
        self._reported: Phrase | None = None
        self._reason = ""
        self._closing = False
        self._leave: asyncio.Future[None] | None = None  # done when nothing is in flight any more

    def start(self) -> None:
        """Begin to connect; the link then reconnects by itself until closed."""
        self.number += 1
        # paho blocks while connecting, with a dead name server for long: a daemon thread does not delay the exit.
        asked = self._dial, self.number, self._will(), self._version
        # In a copy of this context: what the thread calls back on the loop belongs to the link's owner.
        thread = threading.Thread(target=copy_context().run, args=asked, name="broker", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._retry(self._errors.failure("no_thread", error=str(error)))

    def publish(
        self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, response: Incoming | None = None
    ) -> int:
        """Send a message at once; return its id, which `on_delivered` gets later (QoS 1).

        `response`: the message that this one answers; its correlation is copied (MQTT 5). Raises NotConnected.
        """
        connection = self._connection
        if connection is None or not self.up:
            raise NotConnected("the broker cannot be reached")
        correlation = None if response is None else response.correlation
        mid = connection.publish(topic, payload, qos, retain, correlation)
        if mid is None:
            self.up = False
            raise NotConnected("the connection to the broker was lost")
        return mid

    @property
    def failure(self) -> str | None:
        """The code, of `SEEN`, of what `on_down` reported last; None after a connection, or for an error inside."""
        return self._reported.code if self._reported and self._reported.code in SEEN else None

    @property
    def shared_name(self) -> Phrase | None:
        """The failure of two clients of one client id, stated or guessed; None where none were noticed lately."""
        if not self._silent_ends.is_conflict(self._loop.time()):
            return None
        return self._errors.failure("shared_name" if self._stated else "broke_often")

    @property
    def is_doubtful(self) -> bool:
        """Whether the broker has stated a reason to end connections, and none has lasted since."""
        return self._stated is not None and self._stated.of == "connection" and not self._lasts()

    def give_up(self, topic: str) -> None:
        """End the connection: a message to `topic` was acknowledged, and did not come back."""
        self._refuse(self._state(self._errors.failure("no_echo", topic=topic), "message"))

    @property
    def certificate_ends(self) -> float | None:
        """When the broker's certificate ends, s since 1970; None without TLS or a connection."""
        return self._connection.certificate_ends if self._connection is not None else None

    def renew(self) -> None:
        """Connect again, with changed files; what is in flight is the caller's to send again."""
        if self.up and not self._closing:
            self._drop(in_order=True)
            self._on_down(self._errors.failure("files_changed"))
            self.start()

    async def close(self, farewell: Message | None) -> None:
        """Publish `farewell`, wait shortly for what is in flight, and disconnect in order: no will is sent."""
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
        """Connect (in the thread), and pass the client or the failure to the loop."""
        reached: Client | Phrase
        try:
            reached = self._driver.dial(self._settings, will, version)
        except Exception as error:
            reached = self._errors.unreachable(error)
        try:
            self._loop.call_soon_threadsafe(self._reached, number, reached)
        except RuntimeError:  # the loop has ended
            if not isinstance(reached, Phrase):
                hang_up(reached)

    def _reached(self, number: int, reached: Client | Phrase) -> None:
        if self._closing or number != self.number:
            if not isinstance(reached, Phrase):
                hang_up(reached)
        elif isinstance(reached, Phrase):
            self._forget()
            self._retry(reached)
        elif reached.socket() is None:
            self._fail(self._errors.unanswered())
        else:
            tickets = None if self._settings.window is None else number
            self._connection = self._driver(reached, self._events, self._loop, tickets)
            self._connection.lost_s = self._losses.s

    def _accepted(self, kept: bool) -> None:
        assert self._connection is not None
        if self._largest is not None:
            limits = self._connection.limits
            if why := self._errors.lacking(limits):
                self._refuse(self._state(why, "attempt"), patient=True)
                return
            self._set_fault("announced", self._errors.small(limits, self._largest))
        self._up_since = self._loop.time()
        self._backoff.connected(self._up_since)
        self._silent_ends.connected(self._up_since)
        self.up, self.protocol, self._reported = True, self._version, None
        self._spoke_5 = self._version == 5
        if self._stated and self._stated.of == "attempt":
            self._stated = None
        self._begin(self._connection, kept)

    def _begin(self, connection: Connection, kept: bool) -> None:
        """Subscribe to `topics` and `own` at QoS 1, to `of_others` at QoS 0; by MQTT 3.1.1 to `own` at QoS 0.

        An echo needs no acknowledgement, and NATS would replicate each.
        """
        own = dict.fromkeys(self._own(self._version), int(self._version == 5))
        others = dict.fromkeys(self._of_others, 0)
        connection.subscribe(others | dict.fromkeys(self._topics, 1) | own, self._topics, self._of_others)
        log.info("connected to %s (MQTT protocol level %d)", self._settings.address, self._version)
        self._on_up()

    def _acked(self, mid: int, topic: str) -> None:
        if topic and topic == self._lost_topic:
            self._lost_topic = ""
            self._losses.reset()
            self._set_fault("waits", None)
        self._backoff.acknowledged()
        self._on_delivered(mid)
        if self._leave is not None and self._connection is not None and not self._connection.unacked:
            self._end_leave()

    def _fail(self, why: Phrase) -> None:
        """Handle a broker that closes or falls silent in place of an answer: some without MQTT 5 do so."""
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
        why = self._state(self._errors.refusal(code), "attempt")
        if code.value == UNSUPPORTED_PROTOCOL_VERSION and self._version == 5:
            self._try_311()
        else:
            self._refuse(why, patient=code.value in OVERLOADED)

    def _silent(self) -> None:
        self._forget()
        self._fail(self._errors.failure("silence"))

    def _rejected(self, topic: str, code: ReasonCode) -> None:
        self._refuse(self._state(self._errors.not_taken(topic, code), "message"), patient=code.value in OVERLOADED)

    def _oversized(self, topic: str, size: int) -> None:
        assert self._connection is not None
        self._refuse(self._state(self._errors.too_large(topic, size, self._connection.limits), "message"))

    def _subscribed(self, refused: Mapping[str, ReasonCode], left: Mapping[str, ReasonCode]) -> None:
        for topic, code in refused.items():
            log.error("%s", self._say(self._errors.not_given(topic, code)))
        first = next((each for each in (*self._topics, *left) if each in left), None)
        self._set_fault("denied", self._errors.not_given(first, left[first]) if first is not None else None)

    def _waits(self, moment: Moment | None) -> None:
        if moment or not self._lost_topic:
            self._set_fault("waits", self._errors.waits(moment) if moment else None)

    def _lost(self, moment: Moment) -> None:
        """Connect again, for on one connection nothing is sent twice; the fault stays until the topic is answered."""
        self._lost_topic = moment.topic
        self._losses.longer()
        self._drop(in_order=True)
        self._retry(self._errors.waits(moment))

    def _log_reason(self, text: str) -> None:
        """Log the broker's own words; they may be anything, so they decide nothing."""
        if (shown := escaped(text[:LONGEST_REASON])) != self._reason:
            self._reason = shown
            log.warning("the broker says: %s", shown)

    def _set_fault(self, kind: str, failure: Phrase | None) -> None:
        self._faults[kind] = failure
        if (fault := next(filter(None, self._faults.values()), None)) != self.fault:
            self.fault = fault
            self._on_fault()

    def _ended(self, code: ReasonCode, by_broker: bool) -> None:
        """Handle the end of the connection by the other side."""
        now = self._loop.time()
        if self._lasts():
            self._stated = None
        why = self._errors.ended(code, by_broker)
        if by_broker and code.value not in PASSING:
            self._state(why, "attempt" if self.protocol is None else "connection")
            if code.value == SESSION_TAKEN_OVER:
                self._silent_ends.taken_over(now)
                self._lose(why, patient=True)
            else:
                self._silent_ends.kept_out()
                self._lose(why, refused=True, patient=code.value in OVERLOADED)
        elif self.protocol is None:
            self._fail(self._stated_lately() or self._errors.unanswered(code.value))
        elif by_broker:
            self._silent_ends.kept_out()
            self._lose(why)
        else:
            self._broke(why, now)

    def _broke(self, why: Phrase, now: float) -> None:
        """Handle an end without a reason; after some in a row it is guessed, unless one was stated lately."""
        assert self._connection is not None
        is_guessed = self._silent_ends.broke(now, self._connection.moment)
        if (stated := self._stated_lately()) or not is_guessed:
            self._lose(stated or why, refused=bool(stated))
        elif moment := self._silent_ends.moment:
            self._lose(self._errors.broke_at(moment), refused=True)
        else:
            self._lose(self._errors.failure("broke_often"), patient=True)

    def _stated_lately(self) -> Phrase | None:
        """Return the reason to report of an end without one: what the broker stated last, if that was lately."""
        return self._stated.why if self._stated and is_lately(self._stated.at, self._loop.time()) else None

    def _state(self, why: Phrase, of: Literal["attempt", "message", "connection"]) -> Phrase:
        """Keep a reason that the broker stated; return it."""
        self._stated = _Stated(why, self._loop.time(), of)
        return why

    def _forget(self) -> None:
        """Forget what the broker stated, because something else is known."""
        self._silent_ends.kept_out()
        self._stated = None

    def _lasts(self) -> bool:
        """Return whether there is, or was until now, a connection that has lasted."""
        return self.protocol is not None and self._loop.time() - self._up_since >= STEADY_S

    def _crashed(self, error: Exception) -> None:
        self._forget()
        self._lose(self._errors.failure("crashed", error=type(error).__name__))

    def _refuse(self, why: Phrase, **how: bool) -> None:
        self._silent_ends.kept_out()
        self._lose(why, refused=True, **how)

    def _lose(self, why: Phrase, **how: bool) -> None:
        self._drop()
        self._retry(why, **how)

    def _retry(self, why: Phrase, **how: bool) -> None:
        """Try again later. how: arguments of `Backoff.wait`."""
        if self._closing:
            return
        if self._next is not None:
            self._next.cancel()
        wait = self._backoff.wait(self._loop.time(), **how)
        self._next = self._loop.call_later(wait, self.start)
        try:
            self._report(why)
        except Exception:
            log.exception("an error came up in reporting a lost broker")

    def _report(self, why: Phrase) -> None:
        if why != self._reported:
            self._reported = why
            log.warning("%s", self._say(why))
            self._on_down(why)

    def _drop(self, *, in_order: bool = False) -> None:
        connection, self._connection = self._connection, None
        self._waits(None)
        self.up, self.protocol = False, None
        if connection is not None:
            connection.close(in_order=in_order)
        self._end_leave()

    def _end_leave(self) -> None:
        if self._leave is not None and not self._leave.done():
            self._leave.set_result(None)
