"""An MQTT broker as a source, with a persistent session and manual acknowledgements.

All work is done in the thread that calls `receive`: between two calls nothing is read, and the broker waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Final

from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import MqttSection, secret
from firmware_bridge.floor.source import Delivery, delivery
from firmware_bridge.mqtt.connection import Connection
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, NotConnected
from firmware_bridge.mqtt.subscriber import Reader, Subscriber
from firmware_bridge.topics.texts.refusals import english

log = logging.getLogger(__name__)

KEEPALIVE_S: Final = 50
"""Keep-alive: a ping after 20 s of silence, and as long for its answer."""

SUBACK_S: Final = 10.0
"""Time after which a broker that does not answer a subscription is named."""

IDLE_S: Final = 0.003
"""Silence after which a batch is complete, as the broker has sent what it has."""

_REFUSED: Final = "it refuses the connection: {code}"
_SILENT: Final = "it does not answer"
_LOST: Final = "the connection was lost"

SENTENCES: Final = {
    "unknown_host": "it cannot be reached: its host is unknown",
    "refused": "it cannot be reached: nothing listens there",
    "timeout": "it cannot be reached: nothing answers there",
    **dict.fromkeys(("file", "not_pem"), "it cannot be reached: {file}: {why}"),
    **dict.fromkeys(("no_way", "not_trusted", "expired", "other_name"), "it cannot be reached: {why}"),
    **dict.fromkeys(("tls", "no_connection"), "it cannot be reached: {error}"),
    **dict.fromkeys(("login", "login_marks", "turned_away"), _REFUSED),
    **dict.fromkeys(("silence", "hung_up", "hung_up_tls", "no_mqtt"), _SILENT),
    **dict.fromkeys(("fell_silent", "broke"), _LOST),
    "tls_silence": "it does not answer in TLS",
    "no_tls": "it speaks no TLS",
    "wants_tls": "it requires TLS",
    "wants_certificate": "it requires a client certificate",
    "certificate_refused": "it does not accept our certificate",
    "ended": "{code}",
    "shared_name": "another client uses the client id {name}: end it, or set [mqtt] client_id",
    "broke_often": "it ends each connection and states no reason (perhaps another client uses the client id {name}: "
    "end it, or set [mqtt] client_id)",
    "broke_at_topic": "it ends each connection at the subscription to {topic} and states no reason",
    "broke_at_message": "it ends each connection at a message to {topic} and states no reason",
    "no_puback": "it does not acknowledge a message to {topic}: see its log and its disk",
    "no_suback": "it does not answer our subscription to {topic}: see its log",
    "too_large": "it takes {limit} bytes, and a message to {topic} has {size}: raise its packet limit",
    "no_thread": "no thread can be started to connect ({error}): raise TasksMax in the service, and report it",
    "crashed": "internal error ({error}): report it with the log",
}
"""Code of a failure -> its words, to stand behind the name of the broker: of each that a `Subscriber` meets."""


class MqttSource(Reader):
    """A source of the messages of `topics`, with at most `window` not acknowledged.

    refused: last words of topics that the broker refuses our messages on, each with its reason; with MQTT 5 alone.
    fault: why nothing comes now; "" if the broker lets us read.

    clean: without a persistent session. All messages are at QoS 0, nothing is acknowledged, messages during a
    disconnect are lost, and all retained messages come at each connect. At QoS 1 a broker queues about 1,000 of them
    and drops the rest; a floor of 200 tables retains more.
    """

    def __init__(
        self, config: MqttSection, password: bytes | None, topics: Sequence[str], window: int, *, clean: bool = False
    ) -> None:
        self._settings = BrokerSettings(
            client_id=config.client_id, host=config.host, port=config.port, username=config.username,
            password=password, ca=config.ca, cert=config.cert, key=str(secret(config.key)) if config.key else None,
            keepalive_s=KEEPALIVE_S, keeps_session=not clean, window=window,
        )  # fmt: skip
        self._topics = dict.fromkeys(topics, 0 if clean else 1)
        self._link: Subscriber | None = None
        self._is_away = True
        self._came: list[Delivery] = []
        self._most: float = inf
        self._idle: asyncio.TimerHandle | None = None
        self._late: asyncio.TimerHandle | None = None
        self.fault, self.refused = "it does not answer", dict[str, str]()

    @property
    def is_up(self) -> bool:
        """Whether there is a connection."""
        return self._link is not None and self._link.up

    @property
    def is_answered(self) -> bool:
        """Whether the broker has acknowledged all that was published."""
        return self._link is None or not self._link.unanswered

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        """Return the next messages, at most `most`; [] after `wait_s` seconds without one."""
        if len(self._came) < most:
            self._most = most
            self._serve(wait_s)
        came, self._came = self._came[:most], self._came[most:]
        return came

    def tried(self, limit_s: float) -> str | None:
        """Try to subscribe within so many seconds; return why not, None if the broker accepts."""
        give_up = monotonic() + limit_s
        while self.fault and (left := give_up - monotonic()) > 0:
            self._serve(left)
        return self.fault or None

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        """Acknowledge messages; those of a lost connection come again."""
        if self._link is not None:
            self._link.acknowledge(each.ticket for each in deliveries)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Send a message; without a connection it is lost.

        At QoS 1, at which a broker says what it refuses; at QoS 0 while `Connection.most_in_flight` are not answered.
        Their answers come behind all messages that wait to be read, so what waited for them would grow without end.
        """
        if self._link is not None:
            qos = int(self._link.unanswered < Connection.most_in_flight)
            with suppress(NotConnected):
                self._link.publish(topic, payload, qos=qos, retain=retain)

    def drop(self) -> None:
        """Drop the connection without a disconnect: what is not acknowledged comes again."""
        self._came.clear()
        self._answered()
        if self._link is not None:
            self._link.pause()
        self._is_away = True

    def close(self) -> None:
        """Disconnect; the broker keeps the session."""
        link, self._link = self._link, None
        self._answered()
        if link is not None:
            self._loop.run_until_complete(link.close(None))
            self._loop.close()
        self._came.clear()

    def _serve(self, wait_s: float) -> None:
        """Read until there are enough messages, or no more come; connect first."""
        if self._link is None:
            self._loop, self._is_away = asyncio.SelectorEventLoop(), True
            self._link = Subscriber(self._settings, sentence, self._topics, self, self._loop)
        if self._is_away:
            self._link.start()
            self._is_away = False
        if self._came:
            self._look()
        end = self._loop.call_later(wait_s, self._loop.stop)
        self._loop.run_forever()
        end.cancel()
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _look(self, before: int | None = None) -> None:
        """Stop reading if there are still `before` messages, else look again later."""
        if len(self._came) == before:
            self._stop()
        self._idle = self._loop.call_later(IDLE_S, self._look, len(self._came))

    def _stop(self) -> None:
        if self._link is not None:  # `close` runs the loop to its end
            self._loop.stop()

    def handle(self, message: Incoming) -> None:
        self._came.append(delivery(message.topic, message.payload, message.ticket or (0, 0), retained=message.retained))
        if len(self._came) >= self._most:
            self._stop()
        elif self._idle is None:
            self._look()

    def up(self, kept: bool) -> None:
        log.info("connected to %s, session %s", self._settings.address, "kept" if kept else "new")
        self._answered()
        self._late = self._loop.call_later(SUBACK_S, self._unanswered)

    def down(self, why: str, code: int) -> None:
        self._answered()
        self.fault = why
        text = why.removeprefix("it ") if why.startswith("it ") else f"is gone: {why}"
        level = logging.ERROR if code else logging.WARNING
        log.log(level, "the broker %s %s", self._settings.address, text)

    def _unanswered(self) -> None:
        self._late, self.fault = None, "it does not answer our subscription"
        log.warning("the broker %s does not answer our subscription: see its log", self._settings.address)

    def _answered(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def subscribed(self, refused: Sequence[str], left: bool) -> None:
        self._answered()
        if not left:
            self.fault = ""
        for topic in refused:
            self.fault = f"it refuses our subscription to {topic}"
            log.error("the broker refuses our subscription to %s: allow it in its ACL", topic)
        self._stop()

    def rejected(self, topic: str, why: str) -> None:
        name = topic.rpartition("/")[2]
        if name not in self.refused:
            self.refused[name] = why
            log.error("the broker refuses our messages on %s (%s): allow them in its ACL", escaped(topic), why)


def sentence(why: Phrase) -> str:
    """Return the words of a failure; those of a table where there are none for the office."""
    words = SENTENCES.get(why.code)
    return words.format(**why.values) if words else english(why)
