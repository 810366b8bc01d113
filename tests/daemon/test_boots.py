"""A reader board that restarts again and again: the journal does not grow with it, and no card is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.daemon.devices.reader_limits import NOTED
from tests.kit.broker import free_port
from tests.kit.daemon_table import DaemonTable

BOOTS = 200


@pytest.fixture
def table(tmp_path: Path) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, free_port())
    yield table
    table.close()


def test_a_board_in_a_loop_of_restarts_is_noted_a_few_times(table: DaemonTable) -> None:
    table.start().deal("9s Td")
    for session in range(1_000, 1_000 + BOOTS):
        table.board.reset(session)
        table.pty.tick()
        table.pause(0.002)
    table.until(lambda: "the reader board keeps restarting" in table.log)
    events = [event for line in table.lines() if line.entry for event in line.entry.events]
    sessions = [event for event in events if type(event).__name__ == "ReaderSession"]
    assert len(sessions) <= NOTED + 1
    table.deal("Ts")
    last = [line.entry for line in table.lines() if line.entry][-1]
    assert last.input.report.session == 1_000 + BOOTS - 1
    assert table.ask(do="status")["alarm"]["open"][-1]["id"] == "reader_gap"
