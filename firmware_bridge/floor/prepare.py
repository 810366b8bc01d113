"""`shoe-floor prepare`: what has to be there before the first table connects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Final

from msgspec.structs import replace

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config.secrets import password
from firmware_bridge.floor.config.sections import FloorConfig
from firmware_bridge.floor.extras import need
from firmware_bridge.floor.ingest import KEPT, topics
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store.open import open_store, place

TOUCH_S: Final = 60.0
"""How long a cluster may take to make the streams of its MQTT listener: it drops the first client meanwhile."""


def prepared(config: FloorConfig, writers: Sequence[str] = (), readers: Sequence[str] = ()) -> Iterator[str]:
    """Make what is missing; each thing in words, as it is there. Raises StoreError, ConfigError, NatsError.

    writers, readers: roles of PostgreSQL that may from now on keep messages, and read them.
    """
    store = open_store(config, make=True)
    try:
        yield f"the store {place(config)} is there"
        for role in writers:
            store.grant(role, "ingest")
            yield f"the role {escaped(role)} may keep messages"
        for role in readers:
            store.grant(role, "reader")
            yield f"the role {escaped(role)} may read them"
    finally:
        store.close()
    if not config.nats.servers:
        yield "the broker keeps the session from the first shoe-floor ingest on"
        return
    need("nats", "nats")
    from firmware_bridge.floor.source.nats.consumer import prepare

    yield from _touched(config)
    yield prepare(config.nats, password(config.nats), topics(config.mqtt.root, KEPT))


def _touched(config: FloorConfig) -> Iterator[str]:
    """Come once as an MQTT client: with the first of an account NATS makes the streams. Raises BridgeError."""
    mqtt, began = config.mqtt, monotonic()
    probe = replace(mqtt, client_id=f"{mqtt.client_id}-prepare")
    source = MqttSource(probe, password(mqtt), topics(mqtt.root, KEPT), 1, clean=True)
    try:
        why = source.tried(TOUCH_S)
    finally:
        source.close()
    where = f"the MQTT listener {mqtt.host}:{mqtt.port}"
    if why is not None:
        raise BridgeError(f"{where}: {why}", "look at [mqtt] of floor.toml: it has to name a node of the cluster")
    yield f"{where} lets us in, after {monotonic() - began:.0f} s"
