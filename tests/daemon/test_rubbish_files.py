"""A start with rubbish in every file that a daemon keeps beside its journal: play goes on, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.config import calibration
from firmware_bridge.daemon.bridge import CLIENT_NAME
from firmware_bridge.daemon.devices import health
from firmware_bridge.daemon.devices.leased import LEFT_BEHIND
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.nightly import EVERY
from tests.kit.rubbish import ALONE, DEEP, DIGITS

broker, brokers = real.broker, real.brokers  # fixtures

NULS: Final = b"\0" * 600
DEEP_JSON: Final = b'{"a":' * DEEP

FILES: Final = {
    "tree/origin": NULS,
    "cursor": NULS,
    "crashes": b"\xff" * 600,
    CLIENT_NAME: b"-1",
    LEFT_BEHIND: DEEP_JSON,
    health.FILE: DEEP_JSON,
    calibration.FILE: b"a = " + DIGITS,
}
"""What a daemon keeps in the folder of its journal and reads again -> rubbish for it."""

STARTS: Final = [FILES, *(dict.fromkeys(FILES, each) for each in (ALONE if EVERY else ()))]
"""The content of the files at each start."""


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    """A table with a signed record that has begun."""
    table = DaemonTable(tmp_path, broker.port)
    table.start().deal("9s Kh")
    assert table.stop() == 0
    yield table
    table.close()


def test_a_start_with_rubbish_in_each_file(table: DaemonTable) -> None:
    (table.journal_dir / "tree").mkdir(exist_ok=True)
    for number, contents in enumerate(STARTS):
        for name, content in contents.items():
            (table.journal_dir / name).write_bytes(content)
        table.start().deal("23456789TJQKA"[number % 13] + "c")
        table.until(lambda: b"shoe" in (table.journal_dir / "tree" / "origin").read_bytes())
        assert table.stop() == 0
        assert "Traceback" not in table.log
    assert sum(b'"CardDealt"' in line.data for line in table.lines()) == 2 + len(STARTS)
