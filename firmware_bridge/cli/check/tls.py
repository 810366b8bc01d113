"""Check of the encryption between this table and its broker: version, certificates, who may read the key."""

import socket
import ssl
import stat
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import broker_settings
from firmware_bridge.errors import ConfigError
from firmware_bridge.mqtt.certificates import Validity, validity
from firmware_bridge.mqtt.settings import BrokerSettings, NotPem, tls_context

REACH_S: Final = 5.0
DAY_S: Final = 86_400.0
WARNED_DAYS: Final = 30

RENEW: Final = "renew it: shoe help broker, Certificates"
CLOCK: Final = "set this machine's clock: timedatectl"


def tls(machine: Machine) -> Iterator[Finding]:
    """The connection's encryption, each certificate's last day, and the key file's mode; of a broker that answers."""
    try:
        settings = broker_settings(machine.config)
    except (ConfigError, OSError):
        return  # the line about the broker says why
    if not settings.encrypted:
        if not _is_here(settings.host):
            what = f"passwords and messages to {settings.address} are not encrypted"
            yield Finding("WARN", "tls", what, "sudo shoe-floor tls new at the broker, then sudo shoe tls join here")
        return
    yield from _key(settings.key)
    for path in filter(None, (settings.ca, settings.cert)):
        try:
            yield _lasts(path, validity(Path(path).read_text("ascii")))
        except (OSError, ValueError):
            continue  # so does it say this
    yield from _broker(settings)


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _key(key: str | None) -> Iterator[Finding]:
    """Whether others than its owner may read the key."""
    if key is None:
        return
    try:
        mode = stat.S_IMODE(Path(key).stat().st_mode)
    except OSError:
        return
    if mode & 0o077:
        what = f"{key} has the mode {mode:04o}: others than its owner may read this table's key"
        yield Finding("WARN", "tls", what, f"sudo chown shoe-bridge {key} && sudo chmod 600 {key}")


def _broker(settings: BrokerSettings) -> Iterator[Finding]:
    """Version of the protocol, and the broker's certificate."""
    try:
        context = tls_context(settings.ca, settings.cert, settings.key)
        with (
            socket.create_connection((settings.host, settings.port), REACH_S) as plain,
            context.wrap_socket(plain, server_hostname=settings.host) as shown,
        ):
            version, ends = shown.version(), (shown.getpeercert() or {}).get("notAfter")
    except (OSError, NotPem):
        return
    if isinstance(ends, str):
        yield _lasts(f"{settings.address}, {version}", Validity(0.0, float(ssl.cert_time_to_seconds(ends))))


def _lasts(whose: str, valid: Validity) -> Finding:
    now_s = time.time()
    days = int((valid.ends - now_s) // DAY_S)
    until = datetime.fromtimestamp(valid.ends, UTC).strftime("%Y-%m-%d")
    if now_s < valid.begins:
        begins = datetime.fromtimestamp(valid.begins, UTC).strftime("%Y-%m-%d")
        return Finding("FAIL", "tls", f"{whose}: the certificate is valid from {begins} on", CLOCK)
    if days < 0:
        return Finding("FAIL", "tls", f"{whose}: the certificate ended on {until}", RENEW)
    left = f"{whose}: the certificate ends on {until}, in {days} days"
    return Finding("WARN", "tls", left, RENEW) if days < WARNED_DAYS else Finding("OK", "tls", left)
