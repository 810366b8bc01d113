"""The failure of a broker, by what is seen of it: its code in facts/book/failures.py, with its values."""

import re
import socket
import ssl
from collections.abc import Mapping
from typing import Final

from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.errors import in_words
from firmware_bridge.facts.book.failures import ROWS
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
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

SEEN: Final[Mapping[str, str]] = {
    "unknown_host": "the name server has no address",
    "refused": "TCP is refused",
    "timeout": "TCP is not answered",
    "no_way": "TCP fails otherwise",
    "file": "a file of [mqtt] cannot be read",
    "not_pem": "a file of [mqtt] has no certificate or key, or the two are not a pair",
    "no_tls": "the TLS handshake is cut off, or answered with something else",
    "tls_silence": "the TLS handshake is not answered",
    "not_trusted": "the broker's certificate is not of this CA",
    "expired": "the broker's certificate is out of date, or not valid yet",
    "other_name": "the broker's certificate is of another name",
    "wants_certificate": "TLS ends with the alert that a client certificate is required",
    "certificate_refused": "TLS ends with an alert about the client's certificate",
    "tls": "the TLS handshake fails otherwise",
    "no_connection": "connecting fails otherwise",
    "login": "CONNACK 0x86 or 0x87",
    "login_marks": "the same, with a password that has marks which nobody sees",
    "turned_away": "CONNACK with another code",
    "silence": "CONNECT is not answered",
    "wants_tls": "CONNECT is answered by hanging up, and a TLS handshake succeeds",
    "hung_up": "CONNECT is answered by hanging up",
    "hung_up_tls": "CONNECT is answered by hanging up, after TLS",
    "no_mqtt": "CONNECT is answered with something else",
    "shared_name": "DISCONNECT 0x8E",
    "fell_silent": "pings are not answered",
    "ended": "DISCONNECT",
    "broke": "the connection ends",
    "broke_often": "the connection ends three times in a row, within seconds",
    "broke_at_topic": "the connection ends three times in a row, each time before SUBACK",
    "broke_at_message": "the connection ends three times in a row, each time before the same PUBACK",
    "not_taken": "PUBACK with a reason code",
    "not_given": "SUBACK with a reason code",
    "no_puback": "no PUBACK for a minute",
    "no_suback": "no SUBACK for a minute",
    "announced": "CONNACK announces less than a table needs",
    "too_large": "a message is larger than CONNACK announces",
    "no_echo": "a message to a subscribed topic does not come back",
}
"""Code of every way a connection fails -> what is seen of it."""

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


class BrokerErrors:
    """The failures of one broker."""

    def __init__(self, broker: BrokerSettings) -> None:
        self._encrypted = broker.encrypted
        self._known: dict[str, Value] = {
            "at": broker.address,
            "host": broker.host,
            "name": broker.client_id,
            "user": phrase("user", name=broker.username) if broker.username else phrase("no_user"),
            "who": broker.username or broker.client_id,
            "marks": tuple([phrase(each) for each in marks(broker.password or b"")]),
        }

    def failure(self, code: str, /, **values: Value) -> Phrase:
        """Return the failure of this code, with the values of its row."""
        known = self._known | values
        return Phrase(code, {name: known[name] for name in ROWS[code]})

    def unreachable(self, error: Exception) -> Phrase:
        """Return why no connection was made."""
        why = getattr(error, "verify_message", None) or getattr(error, "strerror", None) or error
        file, shown = getattr(error, "filename", None), _IN_OPENSSL.sub("", in_words(error))
        return self.failure(_row(error, self._encrypted), error=shown, why=str(why), file=str(file))

    def refusal(self, code: ReasonCode) -> Phrase:
        """Return why the broker refused the connection."""
        row = "turned_away" if code.value not in LOGIN else "login_marks" if self._known["marks"] else "login"
        return self._stated(row, code, {})

    def not_taken(self, topic: str, code: ReasonCode) -> Phrase:
        """Return why the broker refused a message."""
        return self._stated("not_taken", code, MAY_WRITE, topic=topic)

    def not_given(self, topic: str, code: ReasonCode) -> Phrase:
        """Return why the broker refused a subscription."""
        return self._stated("not_given", code, MAY_READ, topic=topic)

    def lacking(self, limits: Limits) -> Phrase | None:
        """Return what of the least that a table needs a broker has announced not to have; None where nothing."""
        for is_there, limit, remedy in (
            (limits.retain, "retain_missing", "no_retained"),
            (limits.qos, "qos_missing", "no_qos_1"),
        ):
            if not is_there:
                return self.failure("announced", limit=phrase(limit), remedy=phrase(remedy))
        return None

    def small(self, limits: Limits, largest: int) -> Phrase | None:
        """Return the failure of a broker that announces smaller packets than the largest; None where it does not."""
        if limits.packet >= largest:
            return None
        limit = phrase("packets_of", count=limits.packet)
        return self.failure("announced", limit=limit, remedy=phrase("packet_limit"))

    def too_large(self, topic: str, size: int, limits: Limits) -> Phrase:
        """Return the failure of a message that is larger than the broker takes."""
        return self.failure("too_large", topic=topic, size=size, limit=limits.packet, remedy=phrase("packet_limit"))

    def broke_at(self, moment: Moment) -> Phrase:
        """Return the failure of a broker that ends each connection at one moment, without a word."""
        return self.failure("broke_at_message" if moment.size else "broke_at_topic", **moment._asdict())

    def waits(self, moment: Moment) -> Phrase:
        """Return the failure of a message or a subscription that is not acknowledged."""
        return self.failure("no_puback" if moment.size else "no_suback", **moment._asdict())

    def unanswered(self, code: int | None = None) -> Phrase:
        """Return the failure of a broker that closed the connection in place of an answer, or sent no valid one."""
        hung_up = "hung_up_tls" if self._encrypted else "hung_up"
        return self.failure("no_mqtt" if code == PROTOCOL_ERROR else hung_up)

    def ended(self, code: ReasonCode, by_broker: bool) -> Phrase:
        """Return the failure of a working connection that ended."""
        if by_broker and code.value == SESSION_TAKEN_OVER:
            return self.failure("shared_name")
        row = "ended" if by_broker else "fell_silent" if code.value == KEEP_ALIVE_TIMEOUT else "broke"
        return self._stated(row, code, {})

    def _stated(self, row: str, code: ReasonCode, right: Mapping[int, str], **values: Value) -> Phrase:
        """Return the failure of a reason code. right: remedies in place of those of every packet."""
        remedy = self.failure(right.get(code.value) or REMEDIES.get(code.value, SEE_LOG))
        return self.failure(row, code=str(code), remedy=remedy, **values)


def _row(error: Exception, encrypted: bool) -> str:
    """Return the code of the failure for an error of connecting."""
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
    """Return the code of the failure for an error text of OpenSSL; None for another one."""
    return next((row for reasons, row in _ALERTS if re.search(reasons, error)), None)
