"""The broker this table reports to, and the messages that go there and come from there."""

from typing import NamedTuple

import msgspec

from firmware_bridge.errors import BridgeError


class BrokerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The broker's address and the table's login there; `ca` or `cert` switch TLS on.

    A broker that falls silent is noticed within `keepalive_s` seconds (3 or more). `protocol`: what to try first,
    5, or 4 (MQTT 3.1.1) for a broker that is known to know no other: some need seconds to refuse 5.
    """

    client_id: str
    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password: bytes | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    keepalive_s: int = 20
    protocol: int = 5

    @property
    def address(self) -> str:
        """`host:port`, for messages."""
        return f"{self.host}:{self.port}"

    @property
    def encrypted(self) -> bool:
        """Whether to speak TLS."""
        return self.ca is not None or self.cert is not None

    def __repr__(self) -> str:
        """Never show the password."""
        return f"BrokerSettings({self.address}, client_id={self.client_id!r}, username={self.username!r})"


class Message(NamedTuple):
    """A message to publish."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False


class Incoming(NamedTuple):
    """A message received; the last two are MQTT 5 properties, None where the sender gave none.

    `retained`: published with the retain flag (MQTT 3.1.1 tells it only of what is older than the link).
    """

    topic: str
    payload: bytes
    retained: bool
    response_topic: str | None = None
    correlation: bytes | None = None


class NotConnected(BridgeError, ConnectionError):
    """The broker is out of reach at the moment; the message must be sent again once the link is up."""
