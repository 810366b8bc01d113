"""Certificates: the code by which a table knows the authority of its broker, and how long one is valid."""

import re
import socket
import ssl
import subprocess
import time
from base64 import b32encode
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.decoding import text_of

CODE_BYTES: Final = 10
"""80 bits of the SHA-256 of the authority's certificate: 16 characters of base32."""

ASK_S: Final = 20.0
REACH_S: Final = 5.0
"""Seconds for an answer of the broker: to a technician who waits for it, and among other checks."""

DAY_S: Final = 86_400.0
WARNED_DAYS: Final = 30
"""Days before the end of a certificate from which on it is reported."""

RENEW: Final = "renew it (docs/broker.md, Certificates): a changed file is used between two rounds"

_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n")


class TlsError(BridgeError):
    """Certificates that cannot be made, fetched or taken."""


def code_of(certificate: str) -> str:
    """Return the code of a certificate in PEM, in four groups to be read aloud."""
    digest = sha256(ssl.PEM_cert_to_DER_cert(certificate)).digest()
    code = b32encode(digest[:CODE_BYTES]).decode("ascii")
    return "-".join(code[n : n + 4] for n in range(0, len(code), 4))


def shown_at(host: str, port: int) -> list[str]:
    """Return the certificates that a server shows, each in PEM; nothing of them is verified. Raises TlsError."""
    at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    command = ["openssl", "s_client", "-showcerts", "-connect", at]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=ASK_S, check=False)
    except subprocess.TimeoutExpired:
        raise TlsError(f"{at} does not answer in TLS", "check the address, the port and the firewall") from None
    except OSError as error:
        raise TlsError(f"openssl cannot be started ({error.strerror})", "sudo apt install openssl") from None
    found = _PEM.findall(done.stdout.decode("ascii", "replace"))
    if not found:
        what = f"{at} shows no certificate"
        raise TlsError(what, "check the address, that the broker runs, and that this port of it speaks TLS")
    return found


class Validity(NamedTuple):
    """From when to when a certificate is valid, s since 1970."""

    begins: float
    ends: float


def validity(text: str) -> Validity:
    """Return the validity of the first certificate in a PEM text (RFC 5280, 4.1.2.5). Raises ValueError."""
    found = _PEM.search(text)
    if found is None:
        raise ValueError("no certificate")
    der = ssl.PEM_cert_to_DER_cert(found[0])
    try:
        _, at, _ = _element(der, 0)
        _, at, _ = _element(der, at)
        tag, _, end = _element(der, at)
        at = end if tag == _VERSION else at
        for _ in ("serial number", "algorithm of the signature", "issuer"):
            _, _, at = _element(der, at)
        _, at, _ = _element(der, at)
        begins, at = _time(der, at)
        return Validity(begins, _time(der, at)[0])
    except IndexError:
        raise ValueError("a certificate that is cut off") from None


Level = Literal["OK", "WARN", "FAIL"]


def standing(name: str, valid: Validity) -> tuple[Level, str, str]:
    """Return level, text and remedy of a finding about a certificate, by this machine's clock."""
    now_s = time.time()
    begins, until = (datetime.fromtimestamp(each, UTC).strftime("%Y-%m-%d") for each in valid)
    if now_s < valid.begins:
        return "FAIL", f"{name}: the certificate is valid from {begins} on", "set this machine's clock: timedatectl"
    if now_s >= valid.ends:
        return "FAIL", f"{name}: the certificate ended on {until}", RENEW
    days = int((valid.ends - now_s) // DAY_S)
    text = f"{name}: the certificate ends on {until}, in {days} days"
    return ("WARN", text, RENEW) if days < WARNED_DAYS else ("OK", text, "")


def of_broker(host: str, port: int, context: ssl.SSLContext) -> tuple[str, Validity] | None:
    """Return the version of TLS that a broker speaks, and its certificate's validity; None without a connection."""
    try:
        with (
            socket.create_connection((host, port), REACH_S) as plain,
            context.wrap_socket(plain, server_hostname=host) as shown,
        ):
            version, known = shown.version(), shown.getpeercert() or {}
    except (OSError, UnicodeError):  # of a name that cannot be one
        return None
    begins, ends = (str(known.get(name, "")) for name in ("notBefore", "notAfter"))
    if not begins or not ends:
        return None
    return version or "TLS", Validity(*(float(ssl.cert_time_to_seconds(each)) for each in (begins, ends)))


_VERSION: Final = 0xA0
_FORMS: Final = {0x17: "%y%m%d%H%M%S%z", 0x18: "%Y%m%d%H%M%S%z"}
"""Tags of times in DER, and their forms."""


def _element(der: bytes, at: int) -> tuple[int, int, int]:
    """Return tag, begin and end of the content of an element in DER."""
    tag, length, begin = der[at], der[at + 1], at + 2
    if length >= 0x80:
        begin += length - 0x80
        length = int.from_bytes(der[at + 2 : begin])
    if begin + length > len(der):
        raise IndexError
    return tag, begin, begin + length


def _time(der: bytes, at: int) -> tuple[float, int]:
    """Return a time, s since 1970, and where it ends. Raises ValueError."""
    tag, begin, end = _element(der, at)
    if tag not in _FORMS:
        raise ValueError("no time")
    try:
        return datetime.strptime(text_of(der[begin:end], "ascii"), _FORMS[tag]).astimezone(UTC).timestamp(), end
    except OverflowError:
        raise ValueError("no time of the calendar") from None
