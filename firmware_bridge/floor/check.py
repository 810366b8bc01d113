"""`shoe-floor check`: what is wrong with the store and with the way to the broker, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from firmware_bridge.floor.config.secrets import password
from firmware_bridge.floor.config.sections import FloorConfig
from firmware_bridge.floor.extras import need
from firmware_bridge.floor.finding import Finding
from firmware_bridge.floor.ingest import topics
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.open import open_store

ANSWER_S: Final = 5.0
"""How long the broker is waited for."""


def findings(config: FloorConfig) -> Iterator[Finding]:
    """Everything that can be wrong, one after the other. Raises StoreError, ConfigError."""
    store = open_store(config)
    try:
        yield from _of_the_store(store)
    finally:
        store.close()
    yield _broker(config)
    if config.nats.servers:
        need("nats", "nats")
        from firmware_bridge.floor.source.nats import check as cluster

        yield from cluster.findings(config.nats, password(config.nats))


def _of_the_store(store: Store) -> Iterator[Finding]:
    faults = store.faults()
    yield Finding(not faults, "; ".join(faults) or "the store reads well", "restore the last backup (docs/floor.md)")
    gaps = store.count("gaps")
    yield Finding(not gaps, f"{gaps} journals with gaps", "shoe-floor export gaps; back-fill from exported journals")
    owing = {key.table for key in store.lacking() if store.load(key).progress.since}
    todo = (
        "they are asked again; where it stays so, the log of the ingest has their answer: let them allow resend "
        "([mqtt] commands in bridge.toml)"
    )
    yield Finding(not owing, f"{len(owing)} tables have not sent what they said before their newest shoe", todo)
    conflicts = store.count("conflicts")
    todo = "shoe-floor export conflicts, and compare both with the journal of the shoe"
    yield Finding(not conflicts, f"{conflicts} messages in conflict", todo)
    bad = store.count("quarantine")
    yield Finding(not bad, f"{bad} messages in quarantine", "shoe-floor export quarantine tells the reasons")


def _broker(config: FloorConfig) -> Finding:
    """Whether the broker lets the ingest in, tried under another client id: the session stays untouched."""
    mqtt = config.mqtt
    probe = replace(mqtt, client_id=f"{mqtt.client_id}-check")
    source = MqttSource(probe, password(mqtt), topics(mqtt.root), 1, clean=True)
    try:
        why = source.tried(ANSWER_S)
    finally:
        source.close()
    where = f"the broker {mqtt.host}:{mqtt.port}"
    return Finding(
        why is None, f"{where} lets us in" if why is None else f"{where}: {why}", "look at [mqtt] of floor.toml"
    )
