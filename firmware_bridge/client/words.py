"""Why a floor's broker cannot be read, in words for whoever runs the program: what is wrong, and what to do."""

from __future__ import annotations

import socket
import ssl
from typing import Final

_REMEDIES: Final = {
    0x84: "it does not speak MQTT 3.1.1: update the broker, or correct `host` and `port`",
    0x85: "give the floor another name, or let the broker take names of this form and length",
    0x88: "it is overloaded or just starting: nothing to do here, it is asked again more and more slowly",
}
"""What to do, by what CONNACK says (its reason code in MQTT 5)."""


def unreachable(error: BaseException | None, address: str) -> str:
    """Say why no connection came about and what to do."""
    match error:
        case socket.gaierror():
            return f"the broker's host is not known ({address}): correct `host` or check the DNS server"
        case ConnectionRefusedError():
            return f"nothing listens at {address}: start the broker or correct `host` and `port`"
        case TimeoutError():
            return f"{address} does not answer: check the network cable, `host` and the firewall"
        case ssl.SSLCertVerificationError():
            why = getattr(error, "verify_message", error)
            return f"the certificate of {address} is not trusted ({why}): check the CA, `host` and this machine's clock"
        case ssl.SSLError():
            return f"TLS with {address} failed ({error}): check that this port speaks TLS, and your own certificate"
        case OSError(strerror=str(why)):
            return f"cannot reach {address} ({why}): check the network cable and `host`"
        case _:
            return f"cannot connect to {address} ({error}): check `host`, `port` and `tls`"


def turned_away(code: int, words: str, address: str) -> str:
    """Say why the broker turned us away and what to do."""
    remedy = _REMEDIES.get(code, "look into the broker's log")
    return f"the broker {address} turns us away ({words}): {remedy}"


def hung_up(address: str, *, encrypted: bool) -> str:
    """Say that the broker closed the connection instead of answering."""
    tls = "check your certificate and key" if encrypted else "it may want TLS: see `tls`"
    return f"{address} hangs up without an answer: look into the broker's log, {tls}"


def shared_name(name: str) -> str:
    """Say that another client of the broker has our name and what to do."""
    return (
        f"another client has the name {name}: they throw each other out, for ever. "
        "End the other program, or give each floor a name of its own"
    )


def broke(address: str, name: str) -> str:
    """Say that a working connection ended and what to do."""
    return (
        f"the connection to {address} broke: "
        f"check that the broker runs and can be reached, and that no other client has the name {name}"
    )
