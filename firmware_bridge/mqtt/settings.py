"""The broker this table reports to: its settings, and its failures in words for a technician."""

import socket
import ssl
from typing import NamedTuple

import msgspec
from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.errors import BridgeError

UNSUPPORTED_PROTOCOL_VERSION = 0x84  # reason codes of MQTT 5, 2.4
BAD_CREDENTIALS = (0x86, 0x87)
KEEP_ALIVE_TIMEOUT = 0x8D
SESSION_TAKEN_OVER = 0x8E


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


def unreachable(error: Exception, broker: BrokerSettings) -> str:
    """Say why no connection came about and what to do."""
    match error:
        case socket.gaierror() | UnicodeError():
            return f"the broker's host {broker.host!r} is not known: correct [mqtt] host or check the DNS server"
        case ConnectionRefusedError():
            return f"nothing listens at {broker.address}: start the broker or correct [mqtt] host and port"
        case TimeoutError():
            return f"{broker.address} does not answer: check the network cable, [mqtt] host and the firewall"
        case ssl.SSLCertVerificationError():
            why = getattr(error, "verify_message", error)
            return (
                f"the certificate of {broker.address} is not trusted ({why}): "
                "check [mqtt] ca and host, and this machine's clock"
            )
        case ssl.SSLError():
            return (
                f"TLS with {broker.address} failed ({error}): "
                "check that this port speaks TLS and that [mqtt] cert and key belong together"
            )
        case OSError(filename=str(name)):
            return f"cannot read {name} ({error.strerror}): correct [mqtt] ca, cert, key or the file's rights"
        case OSError():
            reason = error.strerror or error
            return f"cannot reach {broker.address} ({reason}): check the network cable and [mqtt] host"
        case _:
            return f"cannot connect to {broker.address} ({error}): check the section [mqtt]"


def refusal(code: ReasonCode, broker: BrokerSettings) -> str:
    """Say why the broker turned us away and what to do."""
    if code.value in BAD_CREDENTIALS:
        who = f"user {broker.username!r}" if broker.username else "a client without a user name"
        return (
            f"the broker {broker.address} refuses {who} ({code}): "
            "check [mqtt] username and password_file, or cert, and the broker's list of users"
        )
    return f"the broker {broker.address} turns us away ({code}): look into the broker's log"


def silence(broker: BrokerSettings) -> str:
    """Say that the broker took the connection and never answered."""
    return f"{broker.address} takes connections but does not answer: restart the broker or correct [mqtt] port"


def hung_up(broker: BrokerSettings) -> str:
    """Say that the broker closed the connection instead of answering."""
    tls = "check [mqtt] cert and key" if broker.encrypted else "it may want TLS: see [mqtt] ca"
    return f"{broker.address} hangs up without an answer: look into the broker's log, {tls}"


def ended(code: ReasonCode, by_broker: bool, broker: BrokerSettings) -> str:
    """Say how a working connection ended and what to do."""
    if code.value == SESSION_TAKEN_OVER:
        return (
            f"another machine connected to {broker.address} as {broker.client_id!r}: "
            "two bridges share a client id, correct [mqtt] client_id on one"
        )
    if code.value == KEEP_ALIVE_TIMEOUT:
        return f"{broker.address} has fallen silent: check the network cable and the broker"
    if by_broker:
        return f"the broker {broker.address} ended the connection ({code}): look into the broker's log"
    return f"the connection to {broker.address} broke: check that the broker runs, and the network cable"


def not_taken(code: ReasonCode, broker: BrokerSettings) -> str:
    """Say that the broker acknowledged a message as refused and what to do."""
    who = broker.username or broker.client_id
    return (
        f"the broker {broker.address} refuses a message ({code}): let {who!r} write this table's topics "
        "in the broker's ACL, and check its quota; the message is sent again"
    )
