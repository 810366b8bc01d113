"""A table that hears rubbish on every topic and at its control socket: cards go on, and its log stays short."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from paho.mqtt import publish

from firmware_bridge.config.socket_address import socket_address
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.nightly import EVERY
from tests.kit.patience import until
from tests.kit.rubbish import examples, rubbish

broker, brokers = real.broker, real.brokers  # fixtures

TOPICS: Final = ("status", "stored", "witnessed", "command", "event", "round", "table", "alarm", "checkpoint")
"""Topics of a table that others may have the right to write."""

COUNT: Final = 300 if EVERY else 0
"""Spoiled messages of each topic beyond those that are always sent."""

LINES: Final = 20
"""Most lines of log."""


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port, mqtt={"stored": "floor", "commands": ["next", "void"]})
    yield table
    table.close()


def heard(topic: str) -> list[bytes]:
    return list(rubbish(examples()[topic], Random(topic), COUNT))


def test_rubbish_on_each_topic(table: DaemonTable) -> None:
    table.start().deal("9s")
    table.until(lambda: "connected to" in table.log)  # the first time; none later
    before = len(table.log.splitlines())
    said: list[Any] = [(f"shoe/T07/{topic}", body, 1, False) for topic in TOPICS for body in heard(topic)]
    publish.multiple(said, port=table.port)
    for line in heard("command"):
        with socket.socket(socket.AF_UNIX) as control, socket_address(table.journal_dir / "control.sock") as address:
            control.connect(address)
            with suppress(OSError):  # a connection ends behind a line that is too long
                control.sendall(line + b"\n")
    until(lambda: "table" in table.ask(do="status"))
    table.deal("Kh")
    log = table.log.splitlines()[before:]
    assert "Traceback" not in table.log
    assert not [each for each in log if "failed" in each or "connected to" in each], "the broker was left"
    assert len(log) <= LINES, log
    assert table.stop() == 0
