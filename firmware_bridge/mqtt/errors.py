"""Error texts of a broker for a technician, a floor's programmer or its log: what is wrong, and what to do."""

import socket
import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple

from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.mqtt.settings import BrokerSettings

UNSUPPORTED_PROTOCOL_VERSION: Final = 0x84  # reason codes of MQTT 5, 2.4; paho translates those of 3.1.1 to them
PROTOCOL_ERROR: Final = 0x82
KEEP_ALIVE_TIMEOUT: Final = 0x8D
SESSION_TAKEN_OVER: Final = 0x8E
OVERLOADED: Final = (0x88, 0x89, 0x97, 0x9F)
"""Unavailable (code 3 of MQTT 3.1.1), busy, quota exceeded, connection rate exceeded: retry with patience."""

LOGIN: Final = (0x86, 0x87)
"""Bad user name or password, not authorised: a later attempt does not change that."""

REMEDIES: Final = {
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
"""What to do, by the reason code of CONNACK."""


SENTENCES: Final = {
    "unknown_host": "the broker's host {host!r} is not known: correct [mqtt] host or check the DNS server",
    "refused": "nothing listens at {at}: start the broker or correct [mqtt] host and port",
    "timeout": "{at} does not answer: check the network cable, [mqtt] host and the firewall",
    "not_trusted": "the certificate of {at} is not trusted ({why}): check [mqtt] ca and host, and this machine's clock",
    "tls": "TLS with {at} failed ({error}): "
    "check that this port speaks TLS and that [mqtt] cert and key belong together",
    "file": "cannot read {file} ({why}): correct [mqtt] ca, cert, key or the file's rights",
    "no_way": "cannot reach {at} ({why}): check the network cable and [mqtt] host",
    "no_connection": "cannot connect to {at} ({error}): check the section [mqtt]",
    "login": "the broker {at} refuses {user} ({code}): "
    "check [mqtt] username and password_file, or cert, and the broker's list of users",
    "turned_away": "the broker {at} turns us away ({code}): {remedy}",
    "silence": "{at} takes connections but does not answer: restart the broker or correct [mqtt] port",
    "hung_up": "{at} hangs up without an answer: look into the broker's log, it may want TLS: see [mqtt] ca",
    "hung_up_tls": "{at} hangs up without an answer: look into the broker's log, check [mqtt] cert and key",
    "no_mqtt": "{at} answers in no MQTT that is spoken here (5, 3.1.1): "
    "update the broker, or correct [mqtt] host and port",
    "shared_name": "another client has the name {name}: "
    "is a second shoe switched on with this table id? Switch one off, or correct its [table] id or [mqtt] client_id",
    "fell_silent": "{at} has fallen silent: check the network cable and the broker",
    "ended": "the broker {at} ended the connection ({code}): look into the broker's log",
    "broke": "the connection to {at} broke: "
    "check that the broker runs and can be reached, and that no other client has the name {name}",
    "not_taken": "the broker {at} refuses a message to {topic} ({code}): let {who} write this table's "
    "topics in the broker's ACL, and check its quota; the message is sent again",
    "no_echo": "the broker {at} does not pass on what is sent to {topic}: let {who} write and read "
    "this topic in the broker's ACL; nothing counts as sent, it is sent again",
}


_FAILURES: Final[Mapping[type[Exception] | tuple[type[Exception], ...], str]] = {
    (socket.gaierror, UnicodeError): "unknown_host",
    ConnectionRefusedError: "refused",
    TimeoutError: "timeout",
    ssl.SSLCertVerificationError: "not_trusted",
    ssl.SSLError: "tls",
    OSError: "no_way",
    Exception: "no_connection",
}


class ErrorTexts(NamedTuple):
    """The texts for one audience: a sentence for each failure, a remedy for each reason code of CONNACK."""

    sentences: Mapping[str, str]
    remedies: Mapping[int, str]


TABLE: Final = ErrorTexts(SENTENCES, REMEDIES)
_BACKEND_HANGS_UP: Final = "{at} hangs up without an answer: look into the broker's log, it may want TLS: see `tls`"

BACKEND: Final = ErrorTexts(
    SENTENCES
    | dict.fromkeys(("fell_silent", "ended"), SENTENCES["broke"])
    | dict.fromkeys(("hung_up", "no_mqtt"), _BACKEND_HANGS_UP)
    | {
        "unknown_host": "the broker's host is not known ({at}): correct `host` or check the DNS server",
        "refused": "nothing listens at {at}: start the broker or correct `host` and `port`",
        "timeout": "{at} does not answer: check the network cable, `host` and the firewall",
        "not_trusted": "the certificate of {at} is not trusted ({why}): check the CA, `host` and this machine's clock",
        "tls": "TLS with {at} failed ({error}): check that this port speaks TLS, and your own certificate",
        "no_way": "cannot reach {at} ({why}): check the network cable and `host`",
        "no_connection": "cannot connect to {at} ({error}): check `host`, `port` and `tls`",
        "login": "the broker does not let {name} in: {code}",
        "silence": "{at} takes connections but does not answer: restart the broker or correct `port`",
        "hung_up_tls": "{at} hangs up without an answer: look into the broker's log, check your certificate and key",
        "shared_name": "another client has the name {name}: they throw each other out, for ever. "
        "End the other program, or give each floor a name of its own",
    },
    {
        0x84: "it does not speak MQTT 3.1.1: update the broker, or correct `host` and `port`",
        0x85: "give the floor another name, or let the broker take names of this form and length",
        0x88: REMEDIES[0x88],
    },
)
"""The texts of a backend's floor, which has arguments in place of a section [mqtt]."""

INGEST: Final = ErrorTexts(
    dict.fromkeys(SENTENCES, "it is out of reach: {error}")
    | dict.fromkeys(("login", "turned_away"), "it refuses us: {code}")
    | dict.fromkeys(("silence", "hung_up", "hung_up_tls", "no_mqtt"), "it does not answer")
    | dict.fromkeys(("fell_silent", "broke"), "it is gone")
    | {"ended": "{code}", "shared_name": "another client has the name {name}: end it, or set [mqtt] client_id"},
    {},
)
"""The texts of the back office, behind the name of the broker."""


class BrokerErrors:
    """The error texts of one broker."""

    def __init__(self, broker: BrokerSettings, texts: ErrorTexts = TABLE) -> None:
        self._encrypted, self._texts = broker.encrypted, texts
        self._known = {
            "at": broker.address,
            "host": broker.host,
            "name": broker.client_id,
            "user": f"user {broker.username!r}" if broker.username else "a client without a user name",
            "who": repr(broker.username or broker.client_id),
        }

    def text(self, what: str, **known: object) -> str:
        """The sentence `what`, filled in."""
        return self._texts.sentences[what].format(**self._known, **known)

    def unreachable(self, error: Exception) -> str:
        """The reason why no connection was made, and what to do."""
        what = next(what for kinds, what in _FAILURES.items() if isinstance(error, kinds))
        why = getattr(error, "verify_message", None) or getattr(error, "strerror", None) or error
        file = getattr(error, "filename", None)
        return self.text("file" if what == "no_way" and file else what, error=error, why=why, file=file)

    def refusal(self, code: ReasonCode) -> str:
        """The reason why the broker refused the connection, and what to do."""
        remedy = self._texts.remedies.get(code.value, "look into the broker's log")
        return self.text("login" if code.value in LOGIN else "turned_away", code=code, remedy=remedy)

    def unanswered(self, code: int | None = None) -> str:
        """The text for a broker that closed the connection in place of an answer, or sent no valid one."""
        hung_up = "hung_up_tls" if self._encrypted else "hung_up"
        return self.text("no_mqtt" if code == PROTOCOL_ERROR else hung_up)

    def ended(self, code: ReasonCode, by_broker: bool) -> str:
        """The text for a working connection that ended, and what to do."""
        what = "fell_silent" if code.value == KEEP_ALIVE_TIMEOUT else "ended" if by_broker else "broke"
        return self.text(what, code=code)
