"""A reader board that restarts again and again: the journal does not grow with it, and no card is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.daemon.devices.reader_limits import NOTED
from firmware_bridge.facts.events import ReaderSession
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


def test_another_board_is_on_record_and_the_pit_is_notified_in_an_open_shoe(table: DaemonTable) -> None:
    def serials() -> list[str]:
        events = [event for line in table.lines() if line.entry for event in line.entry.events]
        return [event.board for event in events if isinstance(event, ReaderSession)]

    table.start()
    table.until(lambda: serials() == ["SIM00001"])
    table.deal("9s Td")
    table.board.serial = "OTHER\x1b1"
    table.board.reset(table.board.session)  # the same session is no way around
    table.pty.tick()
    table.until(lambda: serials() == ["SIM00001", r"OTHER\x1b1"])
    assert table.ask(do="status")["reader"]["serial"] == r"OTHER\x1b1"
    (why,) = [each["values"]["why"] for each in table.ask(do="status")["alarm"]["open"]]
    assert why == {"code": "other_reader", "values": {"serial": r"OTHER\x1b1", "known": "SIM00001"}}
    assert r"another reader is plugged in: its serial number is OTHER\x1b1, and was SIM00001" in table.log
    table.stop()
    table.start()
    assert table.ask(do="status")["reader"]["serial"] == r"OTHER\x1b1"
