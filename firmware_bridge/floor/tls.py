"""TLS to a broker, as the sections of `floor.toml` ask for it."""

from __future__ import annotations

import ssl

from firmware_bridge.floor.config.secrets import secret
from firmware_bridge.floor.config.sections import MqttSection, NatsSection


def context(config: MqttSection | NatsSection) -> ssl.SSLContext | None:
    """What to connect with; None without TLS. Raises OSError where a file cannot be read."""
    if not config.ca and not config.cert:
        return None
    made = ssl.create_default_context(cafile=config.ca)
    if config.cert:
        made.load_cert_chain(config.cert, config.key and secret(config.key))
    return made
