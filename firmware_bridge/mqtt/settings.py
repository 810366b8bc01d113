"""Settings of a broker, and messages to and from it."""

import ssl
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from firmware_bridge.errors import BridgeError


class BrokerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Address and login of a broker; `ca`, `cert` or `tls` switch TLS on.

    A broker that falls silent is noticed within `keepalive_s` seconds (3 or more). `protocol`: the first to try, 5, or
    4 (MQTT 3.1.1) for a broker without 5: some need seconds to refuse it. only_311: 4 alone. keeps_session: whether
    the broker keeps messages while this client is away. window: messages are acknowledged by hand, at most so many
    unacknowledged at a time (MQTT 5; by 3.1.1 the broker's limit counts); None: each is acknowledged as it comes.
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
        """Return the settings without the password."""
        return f"BrokerSettings({self.address}, client_id={self.client_id!r}, username={self.username!r})"


class Message(NamedTuple):
    """A message to publish."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False


Ticket = tuple[int, int]
"""The handle to acknowledge a message: the number of its connection, and its id there."""


class Incoming(NamedTuple):
    """A message received; response_topic and correlation are MQTT 5 properties, None where the sender gave none.

    `retained`: published with the retain flag (by MQTT 3.1.1 only set on messages older than the link). `ticket`: None
    where nothing is acknowledged by hand.
    """

    topic: str
    payload: bytes
    retained: bool
    response_topic: str | None = None
    correlation: bytes | None = None
    ticket: Ticket | None = None


LARGEST_MESSAGE: Final = 32_000
"""Bytes: no message of a table is larger."""

NO_LIMIT: Final = 2**28 + 4
"""Bytes of the largest packet there is: the remaining length has 28 bits (MQTT 5, 1.5.5)."""


class Limits(NamedTuple):
    """What a broker announces in CONNACK (MQTT 5, 3.2.2.3): the largest packet it takes, the highest QoS, retain."""

    packet: int = NO_LIMIT
    qos: int = 2
    retain: bool = True


class Moment(NamedTuple):
    """What a connection waits for: the answer to a subscription (size 0), or to a message of so many bytes."""

    topic: str
    size: int = 0


class NotConnected(BridgeError, ConnectionError):
    """The broker is out of reach; the message must be sent again once the link is up."""


class NotPem(BridgeError, ValueError):
    """A file without a certificate or key that TLS can use."""

    def __init__(self, filename: str, why: str) -> None:
        super().__init__(why)
        self.filename = filename


UNSEEN: Final = {
    "\ufeff": "bom",
    **dict.fromkeys("\u200b\u200c\u200d\u2060\u00ad", "zero_width"),
    "\u00a0": "no_break_space",
    "\r": "carriage_return",
    "\n": "line_end",
    "\t": "tab",
    "\0": "zero_byte",
}
"""What is in a text and not seen: its code in facts/book/failures.py."""


def marks(secret: bytes) -> list[str]:
    """Return the codes of signs in a secret that are not seen, as editors and copies from a page leave there."""
    if secret[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return ["utf_16"]
    text = secret.decode("utf-8", "replace")
    found = dict.fromkeys(UNSEEN[each] for each in text if each in UNSEEN)
    if text != text.strip(" "):
        found["outer_space"] = None
    return list(found)


def tls_context(ca: str | None, cert: str | None, key: str | None) -> ssl.SSLContext:
    """Return a TLS context from files, for TLS 1.2 and later. Raises NotPem; OSError, with the unreadable file."""
    for path in filter(None, (ca, cert, key)):
        Path(path).open("rb").close()  # ssl's own error would not name the file
    try:
        context = trusting(ca)
    except ssl.SSLError as error:
        raise NotPem(str(ca), error.reason or str(error)) from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if cert is not None:
        try:
            context.load_cert_chain(cert, key, password="")  # else OpenSSL asks for one at the terminal
        except ssl.SSLError as error:
            raise NotPem(key or cert, error.reason or str(error)) from None
    return context


def trusting(ca: str | None) -> ssl.SSLContext:
    """Return a TLS context that trusts the authorities in the file `ca`, or else those that this machine trusts.

    It asks for no more than Python 3.11 does: from 3.13 on a default context also refuses an authority without
    keyUsage, which is what `openssl req -x509` makes. Raises ssl.SSLError, OSError.
    """
    context = ssl.create_default_context(cafile=ca)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context
