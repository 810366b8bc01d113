"""A broker that speaks MQTT as a source: a session that stays, and acknowledgements given by hand.

One thread does all: an acknowledgement can never go out on a later connection than its message came in on.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Any, Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import MqttSection, tls_context
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.source.waits import Waits

log = logging.getLogger(__name__)

SESSION_S: Final = 7 * 24 * 3600
"""How long the broker keeps the session of an ingest that is gone (MQTT 5)."""

CONNECT_S: Final = 5.0
"""How long a broker may take to answer."""

KEEPALIVE_S: Final = 20

LARGEST: Final = 2**20
"""Bytes of the largest message that a broker of MQTT 5 is to send; one of a table is far smaller."""

IDLE_S: Final = 0.003
"""A broker that is silent for so long has sent what it has: what came is committed."""

UNSUPPORTED_PROTOCOL_VERSION: Final = 0x84
"""The reason of a broker that is to be asked in MQTT 3.1.1."""

TAKEN_OVER: Final = "Session taken over"
"""The reason of a broker to which another client came under our name."""


class MqttSource:
    """A source of the messages of `topics`, with at most `window` not acknowledged.

    refused: the last words of topics on which the broker takes nothing from us, each with its reason; by MQTT 5 alone.

    clean: without a session that the broker keeps. All messages are at QoS 0, there is nothing to acknowledge, what is
    said while the source is away is lost to it, and what the broker retains comes whole at each connect: of messages at
    QoS 1 a broker queues 1,000 or so and drops the rest, which a floor of 200 tables retains.
    """

    def __init__(
        self, config: MqttSection, password: bytes | None, topics: Sequence[str], window: int, *, clean: bool = False
    ) -> None:
        self._clean, self._fault, self._why = clean, "it does not answer", ""
        self._config, self._password, self._topics, self._window = config, password, topics, window
        self._address = f"{config.host}:{config.port}"
        self._client: Client | None = None
        self._link = 0
        self._up = self._ended = False
        self._came: list[Delivery] = []
        self._protocol = MQTTProtocolVersion.MQTTv5
        self._waits, self._since = Waits(), 0.0
        self._said: dict[int, str] = {}
        self.refused: dict[str, str] = {}

    @property
    def is_up(self) -> bool:
        """Whether the broker has let us in."""
        return self._up

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        """What came, at most so many messages; none after `wait_s` seconds of nothing."""
        give_up = monotonic() + wait_s
        while len(self._came) < most and (left := give_up - monotonic()) > 0:
            if self._client is None and not self._connect(left):
                continue
            before = len(self._came)
            self._turn(IDLE_S if self._came else left)
            if before and len(self._came) == before:
                break
        came, self._came = self._came[:most], self._came[most:]
        return came

    def tried(self, limit_s: float) -> str | None:
        """Why the broker does not let us subscribe within so many seconds; None where it does."""
        give_up = monotonic() + limit_s
        while self._fault and monotonic() < give_up:
            if self._client is not None or self._connect(give_up - monotonic()):
                self._turn(IDLE_S)
        return self._fault or None

    @property
    def fault(self) -> str:
        """Why nothing comes now; empty where the broker lets us read."""
        return self._fault

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        """Let the broker forget them; those of a lost connection come again."""
        for each in deliveries:
            link, mid = each.ticket
            if self._client is not None and link == self._link and mid:
                self._client.ack(mid, 1)

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message at QoS 1; it is lost where the broker is."""
        if self._client is not None and self._up:
            self._said[self._client.publish(topic, payload, 1).mid] = topic

    @property
    def is_answered(self) -> bool:
        """Whether the broker has answered all that was published."""
        return not self._said

    def drop(self) -> None:
        """Leave the broker for now, without a word: what is not acknowledged comes again."""
        client, self._client = self._client, None
        self._came.clear()
        self._said.clear()
        self._up = False
        if client is not None and (sock := client.socket()) is not None:
            sock.close()

    def close(self) -> None:
        """Leave the broker in order; it keeps the session."""
        if self._client is not None and self._up:
            self._client.disconnect()
            self._client.loop(0.1)
        self.drop()

    def _turn(self, wait_s: float) -> None:
        """Let the client read and write once."""
        client = self._client
        assert client is not None
        code = client.loop(wait_s)
        answer_late = not self._up and monotonic() - self._since > CONNECT_S
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS or self._ended or answer_late:
            self._lost(code)

    def _lost(self, code: MQTTErrorCode) -> None:
        self._waits.lost(monotonic() - self._since if self._up else 0.0)
        if self._up:
            if self._waits.is_fought_over or self._why == TAKEN_OVER:
                self._why = f"another client has the name {self._config.client_id}: end it, or set [mqtt] client_id"
            self._fault = self._why or "it is gone"
            log.warning("the broker %s is gone%s", self._address, self._why and f": {self._why}")
        elif not self._ended:
            log.warning("the broker %s gives no answer (%s)", self._address, code.name)
        if not self._up:  # some brokers know MQTT 3.1.1 alone
            is_new = self._protocol == MQTTProtocolVersion.MQTTv5
            self._protocol = MQTTProtocolVersion.MQTTv311 if is_new else MQTTProtocolVersion.MQTTv5
        self.drop()

    def _connect(self, left_s: float) -> bool:
        """Try to connect where it is time to; whether a client is there."""
        if (early := self._waits.left_s) > 0:
            sleep(min(early, left_s))
            return False
        self._link += 1
        self._ended, self._why, self._since = False, "", monotonic()
        try:
            client = self._made()
            client.connect(self._config.host, self._config.port, KEEPALIVE_S, **self._session())
        except OSError as error:
            self._fault = f"it is out of reach: {error}"
            log.warning("the broker %s is out of reach: %s", self._address, error)
            self._waits.lost(0.0)
            return False
        self._client = client
        return True

    def _made(self) -> Client:
        config = self._config
        version = self._protocol
        kept = {} if version == MQTTProtocolVersion.MQTTv5 else {"clean_session": self._clean}
        client = Client(
            CallbackAPIVersion.VERSION2,
            config.client_id,
            protocol=version,
            manual_ack=True,
            reconnect_on_failure=False,
            **kept,  # type: ignore[arg-type]  # a truth, for a parameter of its own
        )
        client.connect_timeout = CONNECT_S
        client.max_inflight_messages_set(self._window)
        client.username_pw_set(config.username, self._password)  # type: ignore[arg-type]  # paho takes bytes, its types say text
        if (secured := tls_context(config)) is not None:
            client.tls_set_context(secured)
        client.on_connect, client.on_message = self._connected, self._message
        client.on_subscribe, client.on_disconnect = self._subscribed, self._disconnected
        client.on_publish = self._published
        return client

    def _session(self) -> dict[str, Any]:
        """What asks the broker to keep the session, or not to, by MQTT 5."""
        if self._protocol != MQTTProtocolVersion.MQTTv5:
            return {}
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho types it not
        properties.SessionExpiryInterval = 0 if self._clean else SESSION_S
        properties.ReceiveMaximum = min(self._window, 65_535)
        properties.MaximumPacketSize = LARGEST
        return {"clean_start": self._clean, "properties": properties}

    def _connected(self, client: Client, _: object, flags: ConnectFlags, code: ReasonCode, properties: object) -> None:
        if code.is_failure:
            self._fault = f"it refuses us: {code}"
            knows_it = code.value != UNSUPPORTED_PROTOCOL_VERSION or self._protocol == MQTTProtocolVersion.MQTTv311
            log.log(logging.ERROR if knows_it else logging.INFO, "the broker %s refuses: %s", self._address, code)
            self._ended = True
            return
        self._up = True
        log.info("connected to %s, session %s", self._address, "kept" if flags.session_present else "new")
        qos = 0 if self._clean else 1
        if self._protocol == MQTTProtocolVersion.MQTTv5:
            client.subscribe([(topic, SubscribeOptions(qos=qos)) for topic in self._topics])
        else:
            client.subscribe([(topic, qos) for topic in self._topics])

    def _subscribed(self, client: Client, _: object, mid: int, codes: list[ReasonCode], properties: object) -> None:
        self._fault = ""
        for topic, code in zip(self._topics, codes, strict=False):
            if code.is_failure:
                self._fault = f"it does not let us subscribe to {topic}"
                log.error("the broker does not let us subscribe to %s: let its acl allow it", topic)

    def _published(self, client: Client, _: object, mid: int, code: ReasonCode, properties: object) -> None:
        name = (topic := self._said.pop(mid, "")).rpartition("/")[2]
        if code.is_failure and name not in self.refused:
            self.refused[name] = str(code)
            log.error("the broker takes nothing from us on %s (%s): let its acl allow it", escaped(topic), code)

    def _disconnected(self, _: Client, __: object, flags: DisconnectFlags, code: ReasonCode, *___: object) -> None:
        self._ended = True
        self._why = str(code) if flags.is_disconnect_packet_from_server else ""

    def _message(self, client: Client, _: object, message: MQTTMessage) -> None:
        ticket = (self._link, message.mid if message.qos else 0)
        self._came.append(Delivery(message.topic, bytes(message.payload), ticket, bool(message.retain)))
