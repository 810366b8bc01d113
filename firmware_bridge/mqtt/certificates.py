"""Certificates of a small house: the code by which a table knows the authority of its broker."""

import re
import ssl
import subprocess
from base64 import b32encode
from hashlib import sha256
from typing import Final

from firmware_bridge.errors import BridgeError

CODE_BYTES: Final = 10
"""80 bits of the SHA-256 of the authority's certificate: 16 characters of base32."""

ASK_S: Final = 20.0
"""Seconds for an answer of the broker."""

_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n")


class TlsError(BridgeError):
    """Certificates that cannot be made, fetched or taken."""


def code_of(certificate: str) -> str:
    """The code of a certificate in PEM, in four groups to be read aloud."""
    digest = sha256(ssl.PEM_cert_to_DER_cert(certificate)).digest()
    code = b32encode(digest[:CODE_BYTES]).decode("ascii")
    return "-".join(code[n : n + 4] for n in range(0, len(code), 4))


def shown_at(host: str, port: int) -> list[str]:
    """The certificates that a server shows, each in PEM; nothing of them is verified. Raises TlsError."""
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
