"""A daemon tells what was done by hand in a shift once the shift has ended."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable, clock_ahead

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port, table={"shifts": {"day": "08:00"}})
    yield table
    table.close()


def test_the_acts_of_a_day_are_published_on_the_next(table: DaemonTable, backend: Backend) -> None:
    table.start().deal("9s Td")
    answer = table.ask(do="void", why="misdeal", by="anna")
    assert answer["ok"], answer
    table.stop()
    table.code = clock_ahead(days=1)
    table.start()
    backend.wait_until(lambda: "ShiftEnded" in {each["event"]["type"] for each in backend.on("event")})
    (ended,) = (each["event"] for each in backend.on("event") if each["event"]["type"] == "ShiftEnded")
    assert [each["voided"] for each in ended["acts"]] == [1]
