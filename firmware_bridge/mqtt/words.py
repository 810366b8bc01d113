"""The broker's failures in words for a technician: what is wrong, and what to do."""

import socket
import ssl
from typing import Final

from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.mqtt.settings import BrokerSettings

UNSUPPORTED_PROTOCOL_VERSION: Final = 0x84  # reason codes of MQTT 5, 2.4; paho gives those of 3.1.1 in them too
PROTOCOL_ERROR: Final = 0x82
KEEP_ALIVE_TIMEOUT: Final = 0x8D
SESSION_TAKEN_OVER: Final = 0x8E
OVERLOADED: Final = (0x88, 0x89, 0x97, 0x9F)
"""Unavailable (code 3 of MQTT 3.1.1), busy, over its quota, too many connections at once: it wants to be left alone."""

_REMEDIES: Final = {
    0x84: "it speaks neither MQTT 5 nor 3.1.1: update the broker, or correct [mqtt] host and port",
    0x85: "correct [mqtt] client_id, or let the broker take names of this form and length",
    0x88: "it is overloaded or just starting: nothing to do here, it is asked again more and more slowly",
    0x89: "it is overloaded: nothing to do here, it is asked again more and more slowly",
    0x8A: "this table is banned there: take it off the broker's list of bans",
    0x8C: "the broker wants another way to log in: let it take user names and passwords, or certificates",
    0x90: "it takes no such topic: correct [mqtt] root, or the broker's list of topics",
    0x95: "its limit for packets is too small: raise it to 128 kB",
    0x97: "this table is over the broker's quota: raise it; it is asked again more and more slowly",
    0x9A: "it keeps no retained messages: switch them on at the broker",
    0x9B: "it takes no messages of QoS 1: switch them on at the broker",
    0x9C: "it sends us to another server: correct [mqtt] host",
    0x9D: "it has moved: correct [mqtt] host",
    0x9F: "too many connect at once: nothing to do here, it is asked again more and more slowly",
}
"""What to do, by what CONNACK says."""

_LOGIN: Final = (0x86, 0x87)


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
    if code.value in _LOGIN:
        who = f"user {broker.username!r}" if broker.username else "a client without a user name"
        return (
            f"the broker {broker.address} refuses {who} ({code}): "
            "check [mqtt] username and password_file, or cert, and the broker's list of users"
        )
    remedy = _REMEDIES.get(code.value, "look into the broker's log")
    return f"the broker {broker.address} turns us away ({code}): {remedy}"


def silence(broker: BrokerSettings) -> str:
    """Say that the broker took the connection and never answered."""
    return f"{broker.address} takes connections but does not answer: restart the broker or correct [mqtt] port"


def hung_up(broker: BrokerSettings) -> str:
    """Say that the broker closed the connection instead of answering."""
    tls = "check [mqtt] cert and key" if broker.encrypted else "it may want TLS: see [mqtt] ca"
    return f"{broker.address} hangs up without an answer: look into the broker's log, {tls}"


def unanswered(code: ReasonCode, broker: BrokerSettings) -> str:
    """Say that the broker closed the connection, or sent what is no answer, and what to do."""
    if code.value != PROTOCOL_ERROR:
        return hung_up(broker)
    return (
        f"{broker.address} answers in no MQTT that is spoken here (5, 3.1.1): "
        "update the broker, or correct [mqtt] host and port"
    )


def shared_name(broker: BrokerSettings) -> str:
    """Say that another client of the broker has our name and what to do."""
    return (
        f"another client has the name {broker.client_id}: "
        "is a second shoe switched on with this table id? Switch one off, or correct its [table] id or [mqtt] client_id"
    )


def ended(code: ReasonCode, by_broker: bool, broker: BrokerSettings) -> str:
    """Say how a working connection ended and what to do."""
    if code.value == KEEP_ALIVE_TIMEOUT:
        return f"{broker.address} has fallen silent: check the network cable and the broker"
    if by_broker:
        return f"the broker {broker.address} ended the connection ({code}): look into the broker's log"
    return (
        f"the connection to {broker.address} broke: "
        f"check that the broker runs and can be reached, and that no other client has the name {broker.client_id}"
    )


def not_taken(topic: str, code: ReasonCode, broker: BrokerSettings) -> str:
    """Say that the broker acknowledged a message as refused and what to do."""
    return (
        f"the broker {broker.address} refuses a message to {topic} ({code}): let {_who(broker)} write this table's "
        "topics in the broker's ACL, and check its quota; the message is sent again"
    )


def no_echo(topic: str, broker: BrokerSettings) -> str:
    """Say that a message did not come back (MQTT 3.1.1) and what to do."""
    return (
        f"the broker {broker.address} does not pass on what is sent to {topic}: let {_who(broker)} write and read "
        "this topic in the broker's ACL; nothing counts as sent, it is sent again"
    )


def _who(broker: BrokerSettings) -> str:
    return repr(broker.username or broker.client_id)
