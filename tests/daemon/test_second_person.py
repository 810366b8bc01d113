"""The second person of a correction and of a void stands in the messages, as their schema says."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port, service={"second_person": ["void"]})
    yield table
    table.close()


def test_it_is_in_the_round_and_in_its_event(table: DaemonTable, backend: Backend) -> None:
    table.start().deal("9s Td Ts Tc 9s")
    people = {"by": "anna", "second": "bo"}
    cards = ["9s", "Td", "Ts", "9c"]
    assert table.ask(do="correct", round=1, cards=cards, why="misread", **people)["ok"]
    assert table.ask(do="void", why="misdeal", **people)["ok"]
    backend.wait_until(lambda: len(backend.on("round")) == 3)
    rounds = {each["status"]: each for each in backend.on("round")}
    events = {each["event"]["type"]: each["event"] for each in backend.on("event")}
    changed = [rounds["corrected"], rounds["voided"], events["RoundCorrected"], events["RoundVoided"]]
    assert [(each["by"], each["second"]) for each in changed] == [("anna", "bo")] * 4
    assert "second" not in rounds["closed"]
