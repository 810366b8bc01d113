"""One connection to the broker, from CONNECT to its end, served on the asyncio loop."""

import asyncio
import logging
import socket
import ssl
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.mqtt.backoff import LOST_S
from firmware_bridge.mqtt.reasons import NORMAL
from firmware_bridge.mqtt.settings import (
    NO_LIMIT,
    BrokerSettings,
    Incoming,
    Limits,
    Message,
    Moment,
    Ticket,
    tls_context,
)

CONNECT_S: Final = 5.0  # a peer that does not answer for this long is given up
SESSION_S: Final = 7 * 24 * 3600  # how long the broker keeps the session of an absent client (MQTT 5)
MOST_WINDOW: Final = 65_535  # messages in flight at most (MQTT 5, 3.2.2.3.3)

PUBACK: Final = 0x40
SUBACK: Final = 0x90
DISCONNECT: Final = 0xE0
"""First byte of these packets."""

LARGEST: Final = 2**20
"""Bytes of the largest packet accepted from a broker of MQTT 5; a table's messages are far smaller."""

AGAIN_S: Final = 15.0
"""Wait before a refused subscription is repeated: a cluster that elects a leader refuses just as an ACL does."""

UNANSWERED_S: Final = 60.0
"""Seconds without an acknowledgement after which somebody is called."""

HEADS: Final = 10
"""Bytes of a PUBLISH beside topic and payload, at most."""

log = logging.getLogger(__name__)


class Events(NamedTuple):
    """Callbacks of a connection, in order; after refused, silent, ended or crashed it is over."""

    accepted: Callable[[bool], None]  # whether the broker had a session of this client
    refused: Callable[[ReasonCode], None]  # the answer to CONNECT
    silent: Callable[[], None]  # no answer to CONNECT in time
    acked: Callable[[int, str], None]  # the broker accepted the QoS 1 message of this id; its topic, "" out of order
    rejected: Callable[[str, ReasonCode], None]  # it refused a message to this topic (MQTT 5)
    subscribed: Callable[[Mapping[str, ReasonCode], Mapping[str, ReasonCode]], None]  # newly refused; all refused ones
    received: Callable[[Incoming], None]
    ended: Callable[[ReasonCode, bool], None]  # the socket is closed; whether by a DISCONNECT of the broker (MQTT 5)
    crashed: Callable[[Exception], None]  # a callback or paho raised; the log has the traceback
    oversized: Callable[[str, int], None]  # a message to this topic, of so many bytes, is larger than announced
    waits: Callable[[Moment | None], None]  # what is not acknowledged for `UNANSWERED_S`; None: no more
    lost: Callable[[Moment], None]  # it never will be: a later one was, which is the order; or `lost_s` are over
    reason: Callable[[str], None]  # the Reason String of MQTT 5, the broker's own words beside a reason code


class Connection:
    """Owns a client that has sent CONNECT, and calls `events`, until closed.

    paho's callbacks only queue events, which are called after paho has returned. So what they publish is written at
    once, and an exception in one cannot interrupt paho. number: of this connection, for tickets; None where paho
    acknowledges messages itself. unacked: id -> the QoS 1 message that the broker has not acknowledged. lost_s: seconds
    after which it never will. limits: what it announced.
    """

    limits = Limits()
    lost_s = LOST_S
    kind: ClassVar[type[Client]] = Client
    most_in_flight: ClassVar[int] = 20  # the usual limit of brokers

    def __init__(self, client: Client, events: Events, loop: asyncio.AbstractEventLoop, number: int | None) -> None:
        sock = client.socket()
        assert sock is not None
        self.unacked: dict[int, Moment] = {}
        self.protocol, self._keepalive_s = int(client.protocol), client.keepalive
        self._client, self._events, self._loop, self._number = client, events, loop, number
        self._news: deque[Callable[[], None]] = deque()
        self._topics: dict[str, Any] = {}
        self._asked: dict[int | None, Collection[str]] = {}
        self._refused: dict[str, ReasonCode] = {}
        self._held: dict[int, bool] = {}
        self._again: asyncio.TimerHandle | None = None
        self._closed, self._writing, self._overtaken = False, False, 0
        self._last: int | None = None  # the reason of a DISCONNECT behind which the socket was already broken
        self._oldest: tuple[int, float, Moment | None] = 0, loop.time(), None  # id, since when, what is reported
        client.on_connect, client.on_disconnect = self._connack, self._end
        client.on_publish, client.on_message = self._puback, self._message
        client.on_subscribe, client.on_socket_close = self._suback, self._parted
        self._fd = sock.fileno()
        loop.add_reader(self._fd, self._read)
        self._timer = loop.call_later(CONNECT_S, self._give_up)

    @classmethod
    def dial(cls, broker: BrokerSettings, will: Message | None, version: int) -> Client:
        """Connect by TCP and TLS and send CONNECT; block up to `CONNECT_S` for each.

        `version`: 5, or 4 for MQTT 3.1.1. The answer is not read yet. Raises errors that `BrokerErrors.unreachable`
        explains.
        """
        is_5 = version == MQTTProtocolVersion.MQTTv5
        client = cls.kind(
            CallbackAPIVersion.VERSION2,
            broker.client_id,
            clean_session=None if is_5 else not broker.keeps_session,
            protocol=MQTTProtocolVersion(version),
            reconnect_on_failure=False,
            manual_ack=broker.window is not None,
        )
        client.connect_timeout = CONNECT_S
        client.max_inflight_messages = cls.most_in_flight
        # paho sends bytes as they are, though it only declares str.
        client.username_pw_set(broker.username, broker.password)  # type: ignore[arg-type]  # paho takes bytes, its types say text
        if will is not None:
            client.will_set(will.topic, will.payload, will.qos, will.retain)
        if broker.encrypted:
            client.tls_set_context(broker.tls or tls_context(broker.ca, broker.cert, broker.key))
        # paho pings after one interval of silence and gives up after a second one; the ticks add half of one.
        keepalive_s = max(1, broker.keepalive_s * 2 // 5)
        session = _session(broker) if is_5 else {}
        client.connect(broker.host, broker.port, keepalive_s, **session)
        if isinstance(sock := client.socket(), socket.socket):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    @property
    def certificate_ends(self) -> float | None:
        """When the broker's certificate ends, s since 1970; None without TLS."""
        sock = self._client.socket()
        ends = (sock.getpeercert() or {}).get("notAfter") if isinstance(sock, ssl.SSLSocket) else None
        return float(ssl.cert_time_to_seconds(ends)) if isinstance(ends, str) else None

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool, correlation: bytes | None) -> int | None:
        """Send a message at once; return its id, None if the connection broke (`ended` follows), or it is too large."""
        size = len(payload)
        if self.limits.packet < NO_LIMIT and size + len(topic.encode()) + HEADS > self.limits.packet:
            self._loop.call_soon(self._serve, lambda _: self._note(self._events.oversized, topic, size))
            return None
        mid = self._send(topic, payload, qos, retain, correlation)
        if mid is None:
            self._loop.call_soon(self._serve, _end)
            return None
        if qos:
            self.unacked[mid] = Moment(topic, size)
        if self._client.want_write():
            self._watch_writes()
        return mid

    def _send(self, topic: str, payload: bytes, qos: int, retain: bool, correlation: bytes | None) -> int | None:
        properties = None
        if correlation is not None and self.protocol == MQTTProtocolVersion.MQTTv5:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho types it not
            properties.CorrelationData = correlation
        info = self._client.publish(topic, payload, qos, retain, properties)
        return None if info.rc else info.mid

    def acknowledge(self, tickets: Iterable[Ticket]) -> None:
        """Acknowledge messages of this connection, in the order they came in: each waits for those before."""
        for number, mid in tickets:
            if number == self._number and mid in self._held:
                self._held[mid] = True
        for mid, is_done in list(self._held.items()):
            if not is_done:
                break
            del self._held[mid]
            if self._client.ack(mid, 1):
                self._loop.call_soon(self._serve, Client.loop_misc)
        if self._client.want_write():
            self._watch_writes()

    def subscribe(
        self, topics: Mapping[str, int | None], as_published: Collection[str] = (), of_others: Collection[str] = ()
    ) -> None:
        """Subscribe to topics, each at its QoS; None: unsubscribe.

        as_published: topics on which live messages keep their retain flag (MQTT 5; none by 3.1.1). of_others: topics on
        which own messages are not received (MQTT 5).
        """
        for topic, qos in topics.items():
            if qos is None:
                self._topics.pop(topic, None)
                self._client.unsubscribe(topic)
            elif self.protocol == MQTTProtocolVersion.MQTTv5:
                is_kept, is_of_others = topic in as_published, topic in of_others
                self._topics[topic] = SubscribeOptions(qos=qos, noLocal=is_of_others, retainAsPublished=is_kept)
            else:
                self._topics[topic] = qos
        self._ask([topic for topic, qos in topics.items() if qos is not None])

    def _ask(self, topics: Collection[str]) -> None:
        if topics:
            _, mid = self._client.subscribe([(topic, self._topics[topic]) for topic in topics])
            self._asked[mid] = topics

    @property
    def moment(self) -> Moment | None:
        """What the oldest SUBACK or PUBACK that is missing is about; None where none is."""
        if self._asked:
            return Moment(next(iter(next(iter(self._asked.values())))))
        return next(iter(self.unacked.values()), None)

    def close(self, *, in_order: bool = False) -> None:
        """Close the connection without more events; `in_order` sends DISCONNECT first, so no will is published."""
        if in_order:
            with suppress(Exception):
                self._client.disconnect()
        self._closed = True
        self._timer.cancel()
        if self._again:
            self._again.cancel()
        self._news.clear()
        self._unwatch()
        hang_up(self._client)
        del self._client  # breaks the cycle, so that a dead client does not wait for garbage collection

    def _read(self) -> None:
        """Read one packet; TLS may have decrypted more, which no selector reports."""
        self._serve(lambda client: client.loop_read())
        if not self._closed and isinstance(sock := self._client.socket(), ssl.SSLSocket) and sock.pending():
            self._loop.call_later(0, self._read)

    def _serve(self, step: Callable[[Client], object]) -> None:
        """Run one of paho's steps, then call the queued events."""
        if self._closed:
            return
        try:
            step(self._client)
            while self._news:
                self._news.popleft()()
        except Exception as error:
            log.exception("serving the broker failed")
            self._news.clear()
            self._events.crashed(error)
        self._watch_writes()

    def _note(self, event: Callable[..., None], *what: object) -> None:
        self._news.append(partial(event, *what))

    def _give_up(self) -> None:
        self._note(self._events.silent)
        self._serve(Client.loop_misc)

    def _tick(self) -> None:
        """Let paho ping and notice silence, four times per keep-alive interval, and look for what is unanswered."""
        self._timer = self._loop.call_later(self._client.keepalive / 4 or 1.0, self._tick)
        self._look()
        self._serve(Client.loop_misc)

    def _look(self) -> None:
        mid = next(iter(self._asked), None) or next(iter(self.unacked), 0)
        known, since, reported = self._oldest
        waits = self.moment if mid and mid == known and self._loop.time() - since >= UNANSWERED_S else None
        self._oldest = mid, since if mid == known else self._loop.time(), waits
        if waits != reported:
            self._note(self._events.waits, waits)
        if waits and not self._asked and (mid == self._overtaken or self._loop.time() - since >= self.lost_s):
            self._note(self._events.lost, waits)

    def _connack(
        self, client: Client, _: object, flags: ConnectFlags, code: ReasonCode, properties: Properties | None
    ) -> None:
        self._timer.cancel()
        self._note_reason(properties)
        if code.is_failure:
            self._note(self._events.refused, code)
            return
        given = [(properties, name) for name in ("MaximumPacketSize", "MaximumQoS", "RetainAvailable")]
        packet, qos, retain = (getattr(*each, usual) for each, usual in zip(given, (NO_LIMIT, 2, 1), strict=True))
        self.limits = Limits(packet, qos, bool(retain))
        self._timer = self._loop.call_later(client.keepalive / 4 or 1.0, self._tick)
        self._note(self._events.accepted, flags.session_present)

    def _end(self, _client: Client, _: object, flags: DisconnectFlags, code: ReasonCode, more: object) -> None:
        self._note_reason(more)
        if self._last is not None:
            code = ReasonCode(PacketTypes.DISCONNECT, identifier=self._last)
        self._note(self._events.ended, code, flags.is_disconnect_packet_from_server or self._last is not None)

    def _puback(self, _client: Client, _: object, mid: int, code: ReasonCode, more: object) -> None:
        if mid in self.unacked:  # paho also calls this for QoS 0 messages
            oldest, topic = next(iter(self.unacked)), self.unacked.pop(mid).topic
            if not code.is_failure:
                if mid != oldest:
                    self._overtaken, topic = oldest, ""
                self._note(self._events.acked, mid, topic)
                return
            self._note_reason(more)
            self._note(self._events.rejected, topic, code)

    def _suback(self, _client: Client, _: object, mid: int, codes: list[ReasonCode], more: object) -> None:
        self._note_reason(more)
        answers = dict(zip(self._asked.pop(mid, ()), codes, strict=False))
        refused = {topic: code for topic, code in answers.items() if code.is_failure}
        new = {topic: code for topic, code in refused.items() if self._refused.get(topic) != code}
        self._refused = {topic: code for topic, code in self._refused.items() if topic not in answers} | refused
        self._note(self._events.subscribed, new, self._refused)
        if self._again:
            self._again.cancel()
        if self._refused:
            again = [topic for topic in self._topics if topic in self._refused]
            self._again = self._loop.call_later(AGAIN_S, self._serve, lambda _: self._ask(again))

    def _note_reason(self, properties: object) -> None:
        if text := getattr(properties, "ReasonString", ""):
            self._note(self._events.reason, text)

    def _message(self, _client: Client, _: object, message: MQTTMessage) -> None:
        ticket = None
        if message.qos and self._number is not None:
            ticket = self._number, message.mid
            self._held[message.mid] = False
        response_topic = getattr(message.properties, "ResponseTopic", None)
        correlation = getattr(message.properties, "CorrelationData", None)
        payload, is_retained = bytes(message.payload), bool(message.retain)
        incoming = Incoming(message.topic, payload, is_retained, response_topic, correlation, ticket)
        self._note(self._events.received, incoming)

    def _parted(self, _client: Client, _: object, sock: Any) -> None:
        """Read what the broker said last: that a message could not be written is noticed before it."""
        with suppress(OSError, ValueError):
            for kind, body in _packets(sock.recv(LARGEST)):
                if kind == PUBACK:
                    self.unacked.pop(int.from_bytes(body[:2], "big"), None)
                elif kind == SUBACK:
                    self._asked.pop(int.from_bytes(body[:2], "big"), None)
                elif kind == DISCONNECT and self.protocol == MQTTProtocolVersion.MQTTv5:
                    self._last = body[0] if body else NORMAL
        self._unwatch()

    def _unwatch(self) -> None:
        """Stop watching the socket, before it is closed and its number is reused."""
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
        self._fd, self._writing = -1, False

    def _watch_writes(self) -> None:
        """Wait for room in the socket while paho holds bytes that did not fit."""
        wanted = self._fd >= 0 and self._client.want_write()
        if wanted and not self._writing:
            self._loop.add_writer(self._fd, self._serve, Client.loop_write)
        elif self._writing and not wanted:
            self._loop.remove_writer(self._fd)
        self._writing = wanted


def _end(client: Client) -> None:
    """Let paho notice that its connection is lost; raise RuntimeError where it stands and takes no message."""
    client.loop_misc()
    if client.socket() is not None:
        raise RuntimeError("a message was refused on a connection that stands")


def _packets(rest: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the first byte and body of whole packets."""
    at = 0
    while at + 1 < len(rest):
        kind, length, shift = rest[at], 0, 0
        for at in range(at + 1, len(rest)):  # noqa: B020  # a variable byte integer: its last byte is below 128
            length |= (rest[at] & 0x7F) << shift
            shift += 7
            if rest[at] < 0x80:
                break
        yield kind, rest[at + 1 : at + 1 + length]
        at += 1 + length


def hang_up(client: Client) -> None:
    """Close the socket at once; the broker publishes the will unless DISCONNECT was sent before."""
    sock = client.socket()
    if sock is not None:
        sock.close()


def _session(broker: BrokerSettings) -> dict[str, Any]:
    """Return the CONNECT arguments of MQTT 5: session expiry, and the limits of what the broker may send."""
    if broker.window is None:
        return {"clean_start": True}
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho types it not
    properties.SessionExpiryInterval = SESSION_S if broker.keeps_session else 0
    properties.ReceiveMaximum = min(broker.window, MOST_WINDOW)
    properties.MaximumPacketSize = LARGEST
    return {"clean_start": not broker.keeps_session, "properties": properties}
