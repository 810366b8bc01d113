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
    0x85: "correct [mqtt] client_id, or let the broker accept client ids of this form and length",
    0x88: "it is overloaded or just starting: nothing to do here, it is tried again more and more slowly",
    0x89: "it is overloaded: nothing to do here, it is tried again more and more slowly",
    0x8A: "this table is banned there: remove it from the broker's ban list",
    0x8C: "the broker wants another login method: let it accept user names and passwords, or certificates",
    0x90: "it does not accept this topic: correct [mqtt] root, or the broker's list of topics",
    0x95: "its packet limit is too small: raise it to 128 kB",
    0x97: "this table is over the broker's quota: raise it; it is tried again more and more slowly",
    0x9A: "it does not keep retained messages: enable them at the broker",
    0x9B: "it does not accept QoS 1: enable it at the broker",
    0x9C: "it redirects to another server: correct [mqtt] host",
    0x9D: "it has moved: correct [mqtt] host",
    0x9F: "too many clients connect at once: nothing to do here, it is tried again more and more slowly",
}
"""What to do, by the reason code of CONNACK."""


SENTENCES: Final = {
    "unknown_host": "the broker's host {host!r} is unknown: correct [mqtt] host or check the DNS server",
    "refused": "nothing listens at {at}: start the broker or correct [mqtt] host and port",
    "timeout": "{at} does not answer: check the network cable, [mqtt] host and the firewall",
    "not_trusted": "the certificate of {at} is not trusted ({why}): check [mqtt] ca and host, and this machine's clock",
    "tls": "TLS with {at} failed ({error}): check that this port uses TLS and that [mqtt] cert and key belong together",
    "file": "cannot read {file} ({why}): correct [mqtt] ca, cert, key or the file's permissions",
    "no_way": "cannot reach {at} ({why}): check the network cable and [mqtt] host",
    "no_connection": "cannot connect to {at} ({error}): check the section [mqtt]",
    "login": "the broker {at} refuses {user} ({code}): "
    "check [mqtt] username and password_file, or cert, and the broker's list of users",
    "turned_away": "the broker {at} refuses the connection ({code}): {remedy}",
    "silence": "{at} accepts connections but does not answer: restart the broker or correct [mqtt] port",
    "hung_up": "{at} closes the connection without an answer: "
    "check the broker's log; it may require TLS, see [mqtt] ca",
    "hung_up_tls": "{at} closes the connection without an answer: check the broker's log, and [mqtt] cert and key",
    "no_mqtt": "{at} does not answer in MQTT 5 or 3.1.1: update the broker, or correct [mqtt] host and port",
    "shared_name": "another client uses the client id {name}: "
    "is a second shoe switched on with this table id? Switch one off, or correct its [table] id or [mqtt] client_id",
    "fell_silent": "{at} has stopped answering: check the network cable and the broker",
    "ended": "the broker {at} ended the connection ({code}): check the broker's log",
    "broke": "the connection to {at} was lost: "
    "check that the broker runs and can be reached, and that no other client uses the client id {name}",
    "not_taken": "the broker {at} refuses a message to {topic} ({code}): allow {who} to write this table's "
    "topics in the broker's ACL, and check its quota; the message is sent again",
    "no_echo": "the broker {at} does not forward messages to {topic}: allow {who} to write and read "
    "this topic in the broker's ACL; the messages are sent again",
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
_BACKEND_HANGS_UP: Final = (
    "{at} closes the connection without an answer: check the broker's log; it may require TLS, see `tls`"
)

BACKEND: Final = ErrorTexts(
    SENTENCES
    | dict.fromkeys(("fell_silent", "ended"), SENTENCES["broke"])
    | dict.fromkeys(("hung_up", "no_mqtt"), _BACKEND_HANGS_UP)
    | {
        "unknown_host": "the broker's host is unknown ({at}): correct `host` or check the DNS server",
        "refused": "nothing listens at {at}: start the broker or correct `host` and `port`",
        "timeout": "{at} does not answer: check the network cable, `host` and the firewall",
        "not_trusted": "the certificate of {at} is not trusted ({why}): check the CA, `host` and this machine's clock",
        "tls": "TLS with {at} failed ({error}): check that this port uses TLS, and your own certificate",
        "no_way": "cannot reach {at} ({why}): check the network cable and `host`",
        "no_connection": "cannot connect to {at} ({error}): check `host`, `port` and `tls`",
        "login": "the broker refuses {name}: {code}",
        "silence": "{at} accepts connections but does not answer: restart the broker or correct `port`",
        "hung_up_tls": "{at} closes the connection without an answer: "
        "check the broker's log, and your certificate and key",
        "shared_name": "another client uses the client id {name}: they disconnect each other again and again. "
        "End the other program, or give each floor its own name",
    },
    {
        0x84: "it does not speak MQTT 3.1.1: update the broker, or correct `host` and `port`",
        0x85: "give the floor another name, or let the broker accept client ids of this form and length",
        0x88: REMEDIES[0x88],
    },
)
"""The texts of a backend's floor, which has arguments in place of a section [mqtt]."""

INGEST: Final = ErrorTexts(
    dict.fromkeys(SENTENCES, "it cannot be reached: {error}")
    | dict.fromkeys(("login", "turned_away"), "it refuses the connection: {code}")
    | dict.fromkeys(("silence", "hung_up", "hung_up_tls", "no_mqtt"), "it does not answer")
    | dict.fromkeys(("fell_silent", "broke"), "the connection was lost")
    | {"ended": "{code}", "shared_name": "another client uses the client id {name}: end it, or set [mqtt] client_id"},
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
        remedy = self._texts.remedies.get(code.value, "check the broker's log")
        return self.text("login" if code.value in LOGIN else "turned_away", code=code, remedy=remedy)

    def unanswered(self, code: int | None = None) -> str:
        """The text for a broker that closed the connection in place of an answer, or sent no valid one."""
        hung_up = "hung_up_tls" if self._encrypted else "hung_up"
        return self.text("no_mqtt" if code == PROTOCOL_ERROR else hung_up)

    def ended(self, code: ReasonCode, by_broker: bool) -> str:
        """The text for a working connection that ended, and what to do."""
        what = "fell_silent" if code.value == KEEP_ALIVE_TIMEOUT else "ended" if by_broker else "broke"
        return self.text(what, code=code)
