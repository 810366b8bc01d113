"""`shoe-floor metrics`: listens to all tables, and answers Prometheus, until it is told to stop."""

from __future__ import annotations

import logging
import os
import signal
from threading import Event
from typing import Final

from msgspec.structs import replace

from firmware_bridge.floor.config import FloorConfig, password
from firmware_bridge.floor.metrics.exporter import Exporter
from firmware_bridge.floor.metrics.server import PATH, Server
from firmware_bridge.floor.metrics.tables import TOPICS, Tables
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.systemd import Systemd

log = logging.getLogger(__name__)

BATCH: Final = 500
"""Messages taken before the watchdog is told."""

WAIT_S: Final = 0.5


def run(config: FloorConfig) -> int:
    """Export until SIGTERM or SIGINT; 0. Raises PortTaken, ConfigError, OtherFormat."""
    stop, systemd = Event(), Systemd()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    store = Asked(config)
    store.verify_format()
    mqtt = replace(config.mqtt, client_id=f"shoe-floor-metrics-{os.urandom(4).hex()}")
    source = MqttSource(mqtt, password(mqtt), [f"{mqtt.root}/+/{name}" for name in TOPICS], BATCH, clean=True)
    exporter = Exporter(Tables(mqtt.root), lambda: store(lambda reader: reader.counts()))
    server = Server(config.metrics.host, config.metrics.port, exporter.text)
    server.start()
    where = f"http://{config.metrics.host}:{server.port}{PATH}"
    log.info("metrics of all tables at %s", where)
    systemd.tell("READY=1", f"STATUS=metrics at {where}")
    try:
        while not stop.is_set():
            exporter.take(source.receive(BATCH, WAIT_S))
            exporter.connected = source.is_up
            systemd.tell("WATCHDOG=1")
    finally:
        systemd.tell("STOPPING=1")
        server.close()
        source.close()
    return 0
