"""The broker this table reports to, and the messages that go there and come from there."""

import ssl
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_bridge.errors import BridgeError


class BrokerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The broker's address and the login there; `ca`, `cert` or `tls` switch TLS on.

    A broker that falls silent is noticed within `keepalive_s` seconds (3 or more). `protocol`: what to try first,
    5, or 4 (MQTT 3.1.1) for a broker that is known to know no other: some need seconds to refuse 5. only_311: 4 alone.
    keeps_session: whether the broker keeps what comes while we are away. window: messages are acknowledged by hand, and
    at most so many are not at a time (MQTT 5; by 3.1.1 the broker's limit counts); None: each is as it comes.
    """

    client_id: str
    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password: bytes | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    tls: ssl.SSLContext | None = None
    keepalive_s: int = 20
    protocol: int = 5
    only_311: bool = False
    keeps_session: bool = False
    window: int | None = None

    @property
    def address(self) -> str:
        """`host:port`, for messages."""
        return f"{self.host}:{self.port}"

    @property
    def encrypted(self) -> bool:
        """Whether to speak TLS."""
        return any(each is not None for each in (self.ca, self.cert, self.tls))

    def __repr__(self) -> str:
        """Never show the password."""
        return f"BrokerSettings({self.address}, client_id={self.client_id!r}, username={self.username!r})"


class Message(NamedTuple):
    """A message to publish."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False


Ticket = tuple[int, int]
"""What a message is acknowledged by: the number of its connection, and its id there."""


class Incoming(NamedTuple):
    """A message received; response_topic and correlation are MQTT 5 properties, None where the sender gave none.

    `retained`: published with the retain flag (MQTT 3.1.1 tells it only of what is older than the link). `ticket`: None
    where there is nothing to acknowledge by hand.
    """

    topic: str
    payload: bytes
    retained: bool
    response_topic: str | None = None
    correlation: bytes | None = None
    ticket: Ticket | None = None


class NotConnected(BridgeError, ConnectionError):
    """The broker is out of reach at the moment; the message must be sent again once the link is up."""


def tls_context(ca: str | None, cert: str | None, key: str | None) -> ssl.SSLContext:
    """What to connect with, from files. Raises OSError, which names a file that cannot be read."""
    for path in filter(None, (ca, cert, key)):
        Path(path).open("rb").close()  # ssl's own error would not name the file
    context = ssl.create_default_context(cafile=ca)
    if cert is not None:
        context.load_cert_chain(cert, key)
    return context
