"""Error texts of a broker for a technician, a floor's programmer or its log: what is wrong, and what to do."""

import re
import socket
import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple

from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.errors import in_words
from firmware_bridge.mqtt.reasons import (
    KEEP_ALIVE_TIMEOUT,
    LOGIN,
    MAY_READ,
    MAY_WRITE,
    PROTOCOL_ERROR,
    REMEDIES,
    SEE_LOG,
    SESSION_TAKEN_OVER,
)
from firmware_bridge.mqtt.settings import BrokerSettings, Limits, Moment, NotPem, marks


class Failure(NamedTuple):
    """A way a connection to the broker fails: what is seen of it, and the text about it: the fault, then what to do."""

    seen: str
    text: str


FAILURES: Final[Mapping[str, Failure]] = {
    "unknown_host": Failure(
        "the name server has no address",
        "the broker's host {host!r} is unknown: correct [mqtt] host or check the DNS server",
    ),
    "refused": Failure(
        "TCP is refused",
        "nothing listens at {at}: start the broker or correct [mqtt] host and port",
    ),
    "timeout": Failure(
        "TCP is not answered",
        "{at} does not answer: check the network cable, [mqtt] host and the firewall",
    ),
    "no_way": Failure(
        "TCP fails otherwise",
        "cannot reach {at} ({why}): check the network cable and [mqtt] host",
    ),
    "file": Failure(
        "a file of [mqtt] cannot be read",
        "cannot read {file} ({why}): correct [mqtt] ca, cert, key or the file's permissions",
    ),
    "not_pem": Failure(
        "a file of [mqtt] has no certificate or key, or the two are not a pair",
        "{file} cannot be used for TLS ({why}): [mqtt] ca and cert are certificates as text (PEM), key is the one of "
        "cert and has no password",
    ),
    "no_tls": Failure(
        "the TLS handshake is cut off, or answered with something else",
        "{at} speaks no TLS: correct [mqtt] port (with TLS it is usually 8883), or remove ca, cert and key",
    ),
    "tls_silence": Failure(
        "the TLS handshake is not answered",
        "{at} accepts connections but does not answer in TLS: correct [mqtt] port (with TLS it is usually 8883)",
    ),
    "not_trusted": Failure(
        "the broker's certificate is not of this CA",
        "the certificate of {at} is not trusted ({why}): set [mqtt] ca to the certificate of the CA that signed it",
    ),
    "expired": Failure(
        "the broker's certificate is out of date, or not valid yet",
        "the certificate of {at} is not valid now ({why}): check this machine's clock, then renew the certificate",
    ),
    "other_name": Failure(
        "the broker's certificate is of another name",
        "the certificate of {at} is not for this name ({why}): write [mqtt] host as in the certificate",
    ),
    "wants_certificate": Failure(
        "TLS ends with the alert that a client certificate is required",
        "{at} requires a client certificate: set [mqtt] cert and key",
    ),
    "certificate_refused": Failure(
        "TLS ends with an alert about the client's certificate",
        "{at} does not accept the certificate of [mqtt] cert: have its CA sign a new one",
    ),
    "tls": Failure(
        "the TLS handshake fails otherwise",
        "TLS with {at} failed ({error}): check that this port uses TLS and that [mqtt] cert and key belong together",
    ),
    "no_connection": Failure(
        "connecting fails otherwise",
        "cannot connect to {at} ({error}): check the section [mqtt]",
    ),
    "login": Failure(
        "CONNACK 0x86 or 0x87",
        "the broker {at} refuses {user} ({code}): "
        "check [mqtt] username and password_file, or cert, and the broker's list of users",
    ),
    "login_marks": Failure(
        "the same, with a password that has marks which nobody sees",
        "the broker {at} refuses {user} ({code}), and the password has what nobody sees ({marks}): write the file of "
        "[mqtt] password_file again without it",
    ),
    "turned_away": Failure(
        "CONNACK with another code",
        "the broker {at} refuses the connection ({code}): {remedy}",
    ),
    "silence": Failure(
        "CONNECT is not answered",
        "{at} accepts connections but does not answer: restart the broker or correct [mqtt] port",
    ),
    "wants_tls": Failure(
        "CONNECT is answered by hanging up, and a TLS handshake succeeds",
        "{at} requires TLS: set [mqtt] ca",
    ),
    "hung_up": Failure(
        "CONNECT is answered by hanging up",
        "{at} closes the connection without an answer: check the broker's log; it may require TLS, see [mqtt] ca",
    ),
    "hung_up_tls": Failure(
        "CONNECT is answered by hanging up, after TLS",
        "{at} closes the connection without an answer: "
        "check the broker's log, and [mqtt] cert and key; it may require a client certificate",
    ),
    "no_mqtt": Failure(
        "CONNECT is answered with something else",
        "{at} does not answer in MQTT 5 or 3.1.1: update the broker, or correct [mqtt] host and port",
    ),
    "shared_name": Failure(
        "DISCONNECT 0x8E",
        "another client uses the client id {name}: is a second shoe switched on with this table id? Switch one off, "
        "or correct its [table] id or [mqtt] client_id",
    ),
    "fell_silent": Failure(
        "pings are not answered",
        "{at} has stopped answering: check the network cable and the broker",
    ),
    "ended": Failure(
        "DISCONNECT",
        "the broker {at} ended the connection ({code}): {remedy}",
    ),
    "broke": Failure(
        "the connection ends",
        "the connection to {at} was lost: check that the broker runs and can be reached",
    ),
    "broke_often": Failure(
        "the connection ends three times in a row, within seconds",
        "{at} ends each connection and states no reason: check the broker's log (perhaps another client uses the "
        "client id {name}: is a second shoe switched on with this table id?)",
    ),
    "broke_at_topic": Failure(
        "the connection ends three times in a row, each time before SUBACK",
        "{at} ends each connection at the subscription to {topic} and states no reason: check the broker's log "
        "(perhaps it must allow {who} to read this topic)",
    ),
    "broke_at_message": Failure(
        "the connection ends three times in a row, each time before the same PUBACK",
        "{at} ends each connection at a message of {size} bytes to {topic} and states no reason: check the broker's "
        "log (perhaps it must allow {who} to write this topic, messages so large, or retained ones)",
    ),
    "not_taken": Failure(
        "PUBACK with a reason code",
        "the broker {at} refuses a message to {topic} ({code}): {remedy}; the message is sent again",
    ),
    "not_given": Failure(
        "SUBACK with a reason code",
        "the broker {at} refuses the subscription to {topic} ({code}): {remedy}",
    ),
    "no_puback": Failure(
        "no PUBACK for a minute",
        "the broker {at} does not acknowledge a message to {topic}: check the broker's log and its disk",
    ),
    "no_suback": Failure(
        "no SUBACK for a minute",
        "the broker {at} does not answer the subscription to {topic}: check the broker's log",
    ),
    "announced": Failure(
        "CONNACK announces less than a table needs",
        "the broker {at} announces a limit ({limit}): {remedy}",
    ),
    "too_large": Failure(
        "a message is larger than CONNACK announces",
        "a message to {topic} has {size} bytes, and the broker {at} announces that it takes {limit}: {remedy}; "
        "the message is sent again",
    ),
    "no_echo": Failure(
        "a message to a subscribed topic does not come back",
        "the broker {at} does not forward messages to {topic}: allow {who} to write and read "
        "this topic in the broker's ACL; the messages are sent again",
    ),
}
"""Every way a connection fails, in the words of `shoe check`, alarms, log and status."""

SENTENCES: Final = {row: failure.text for row, failure in FAILURES.items()}

_OUT_OF_DATE: Final = (9, 10)
"""Codes of X509_verify_cert: not yet valid, expired."""

_OTHER_NAME: Final = (62, 64)
"""Codes of X509_verify_cert: the host name differs, the address differs."""

_IN_OPENSSL: Final = re.compile(r"^\[\w+: \w+\] | \(_ssl\.c:\d+\)$")
"""What Python puts around OpenSSL's text."""

_ALERTS: Final = (
    ("CERTIFICATE_REQUIRED", "wants_certificate"),
    ("ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE|DECRYPT|UNSUPPORTED_CERT|NO_CERTIFICATE)", "certificate_refused"),
    ("WRONG_VERSION_NUMBER|UNEXPECTED_EOF|EOF occurred|HTTP_REQUEST|RECORD_LAYER_FAILURE|PACKET_LENGTH", "no_tls"),
)
"""Reasons in an error of OpenSSL, and their row."""


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
    | dict.fromkeys(("login", "login_marks"), "the broker refuses {name}: {code}")
    | dict.fromkeys(("hung_up", "no_mqtt"), _BACKEND_HANGS_UP)
    | {
        "unknown_host": "the broker's host is unknown ({at}): correct `host` or check the DNS server",
        "refused": "nothing listens at {at}: start the broker or correct `host` and `port`",
        "timeout": "{at} does not answer: check the network cable, `host` and the firewall",
        "not_trusted": "the certificate of {at} is not trusted ({why}): give `tls` the CA that signed it",
        "expired": "the certificate of {at} is not valid now ({why}): check this machine's clock, then renew it",
        "other_name": "the certificate of {at} is not for this name ({why}): write `host` as in the certificate",
        "no_tls": "{at} speaks no TLS: correct `port` (with TLS it is usually 8883), or remove `tls`",
        "tls_silence": "{at} accepts connections but does not answer in TLS: correct `port`",
        "wants_certificate": "{at} requires a client certificate: load one into `tls`",
        "certificate_refused": "{at} does not accept your certificate: have its CA sign a new one",
        "wants_tls": "{at} requires TLS: set `tls`",
        "tls": "TLS with {at} failed ({error}): check that this port uses TLS, and your own certificate",
        "no_way": "cannot reach {at} ({why}): check the network cable and `host`",
        "no_connection": "cannot connect to {at} ({error}): check `host`, `port` and `tls`",
        "silence": "{at} accepts connections but does not answer: restart the broker or correct `port`",
        "hung_up_tls": "{at} closes the connection without an answer: "
        "check the broker's log, and your certificate and key",
        "shared_name": "another client uses the client id {name}: they disconnect each other again and again. "
        "End the other program, or give each floor its own name",
        "broke_often": "{at} ends each connection and states no reason: check the broker's log (perhaps another client "
        "uses the client id {name}: end the other program, or give each floor its own name)",
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
    | dict.fromkeys(("login", "login_marks", "turned_away"), "it refuses the connection: {code}")
    | dict.fromkeys(("silence", "hung_up", "hung_up_tls", "no_mqtt"), "it does not answer")
    | dict.fromkeys(("fell_silent", "broke"), "the connection was lost")
    | {
        "broke_often": "it ends each connection and states no reason (perhaps another client uses the client id "
        "{name}: end it, or set [mqtt] client_id)",
        "broke_at_topic": "it ends each connection at the subscription to {topic} and states no reason",
        "broke_at_message": "it ends each connection at a message to {topic} and states no reason",
    }
    | {"ended": "{code}", "shared_name": "another client uses the client id {name}: end it, or set [mqtt] client_id"},
    {},
)
"""The texts of the back office, behind the name of the broker."""


class BrokerErrors:
    """The error texts of one broker."""

    def __init__(self, broker: BrokerSettings, texts: ErrorTexts = TABLE) -> None:
        self._encrypted, self._texts, self._made = broker.encrypted, texts, dict[str, str]()
        self._marks = ", ".join(marks(broker.password or b""))
        self._known = {
            "at": broker.address,
            "host": broker.host,
            "name": broker.client_id,
            "user": f"user {broker.username!r}" if broker.username else "a client without a user name",
            "who": repr(broker.username or broker.client_id),
        }

    def text(self, what: str, **known: object) -> str:
        """Return the sentence `what`, filled in."""
        self._made[what] = text = self._texts.sentences[what].format(**self._known, **known)
        return text

    def unreachable(self, error: Exception) -> str:
        """Return the reason why no connection was made, and what to do."""
        why = getattr(error, "verify_message", None) or getattr(error, "strerror", None) or error
        file = getattr(error, "filename", None)
        shown = _IN_OPENSSL.sub("", in_words(error))
        return self.text(_row(error, self._encrypted), error=shown, why=why, file=file)

    def refusal(self, code: ReasonCode) -> str:
        """Return the reason why the broker refused the connection, and what to do."""
        row = "turned_away" if code.value not in LOGIN else "login_marks" if self._marks else "login"
        return self.text(row, code=code, remedy=self._texts.remedies.get(code.value, SEE_LOG), marks=self._marks)

    def not_taken(self, topic: str, code: ReasonCode) -> str:
        """Return the reason why the broker refused a message, and what to do."""
        return self.text("not_taken", topic=topic, code=code, remedy=self._remedy(code, MAY_WRITE))

    def not_given(self, topic: str, code: ReasonCode) -> str:
        """Return the reason why the broker refused a subscription, and what to do."""
        return self.text("not_given", topic=topic, code=code, remedy=self._remedy(code, MAY_READ))

    def lacking(self, limits: Limits) -> str | None:
        """Return what of the least that a table needs a broker has announced not to have; None where nothing."""
        for is_there, code, limit in (
            (limits.retain, 0x9A, "Retain not supported"),
            (limits.qos, 0x9B, "QoS not supported"),
        ):
            if not is_there:
                return self.text("announced", limit=limit, remedy=self._texts.remedies.get(code, SEE_LOG))
        return None

    def small(self, limits: Limits, largest: int) -> str | None:
        """Return what to do about a broker that announces smaller packets than the largest; None where it does not."""
        if limits.packet >= largest:
            return None
        return self.text("announced", limit=f"packets of {limits.packet} bytes", remedy=REMEDIES[0x95])

    def too_large(self, topic: str, size: int, limits: Limits) -> str:
        """Return the text about a message that is larger than the broker takes."""
        return self.text("too_large", topic=topic, size=size, limit=limits.packet, remedy=REMEDIES[0x95])

    def broke_at(self, moment: Moment) -> str:
        """Return the text about a broker that ends each connection at one moment, without a word."""
        return self.text("broke_at_message" if moment.size else "broke_at_topic", **moment._asdict())

    def waits(self, moment: Moment) -> str:
        """Return the text about a message or a subscription that is not acknowledged."""
        return self.text("no_puback" if moment.size else "no_suback", **moment._asdict())

    def _remedy(self, code: ReasonCode, right: Mapping[int, str]) -> str:
        found = right.get(code.value) or REMEDIES.get(code.value, SEE_LOG)
        return found.format(**self._known)

    def unanswered(self, code: int | None = None) -> str:
        """Return the text for a broker that closed the connection in place of an answer, or sent no valid one."""
        hung_up = "hung_up_tls" if self._encrypted else "hung_up"
        return self.text("no_mqtt" if code == PROTOCOL_ERROR else hung_up)

    def row_of(self, text: str | None) -> str | None:
        """Return the row of FAILURES that this text was made of last; None if it is of none."""
        return next((row for row, made in self._made.items() if made == text), None)

    def ended(self, code: ReasonCode, by_broker: bool) -> str:
        """Return the text for a working connection that ended, and what to do."""
        if by_broker and code.value == SESSION_TAKEN_OVER:
            return self.text("shared_name")
        what = "ended" if by_broker else "fell_silent" if code.value == KEEP_ALIVE_TIMEOUT else "broke"
        return self.text(what, code=code, remedy=self._remedy(code, {}))


def _row(error: Exception, encrypted: bool) -> str:
    """Return the row of FAILURES for an error of connecting."""
    match error:
        case socket.gaierror() | UnicodeError():
            return "unknown_host"
        case ConnectionRefusedError():
            return "refused"
        case NotPem():
            return "not_pem"
        case TimeoutError():
            return "tls_silence" if "handshake" in str(error) else "timeout"
        case ssl.SSLCertVerificationError():
            code = getattr(error, "verify_code", 0)
            return "expired" if code in _OUT_OF_DATE else "other_name" if code in _OTHER_NAME else "not_trusted"
        case ssl.SSLError():
            return alert_row(str(error)) or "tls"
        case ConnectionResetError() | BrokenPipeError() | ConnectionAbortedError() if encrypted:
            return "no_tls"
        case OSError():
            return "file" if error.filename else "no_way"
    return "no_connection"


def alert_row(error: str) -> str | None:
    """Return the row of FAILURES for an error text of OpenSSL; None for another one."""
    return next((row for reasons, row in _ALERTS if re.search(reasons, error)), None)
