"""Check of the encryption between this table and its broker: version, certificates, who may read the key."""

import stat
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import broker_settings
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.mqtt.certificates import of_broker, standing, validity
from firmware_bridge.mqtt.settings import NotPem, tls_context


def tls(machine: Machine) -> Iterator[Finding]:
    """Yield the encryption, each certificate's last day, and the key file's mode, of a broker that answers."""
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
            valid = validity(text_in(Path(path), "ascii"))
        except (OSError, ValueError):
            continue  # so does it say this
        level, text, remedy = standing(path, valid)
        yield Finding(level, "tls", text, remedy)
    try:
        found = of_broker(settings.host, settings.port, tls_context(settings.ca, settings.cert, settings.key))
    except (OSError, NotPem):
        return
    if found:
        level, text, remedy = standing(f"{settings.address}, {found[0]}", found[1])
        yield Finding(level, "tls", text, remedy)


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _key(key: str | None) -> Iterator[Finding]:
    """Check whether others than its owner may read the key."""
    if key is None:
        return
    try:
        mode = stat.S_IMODE(Path(key).stat().st_mode)
    except OSError:
        return
    if mode & 0o077:
        what = f"{key} has the mode {mode:04o}: others than its owner may read this table's key"
        yield Finding("WARN", "tls", what, f"sudo chown shoe-bridge {key} && sudo chmod 600 {key}")
