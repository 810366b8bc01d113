"""What the log says of the reader: when it was lost and why, and when it was back."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge import __version__
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.technician import Technician, back, settled


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[[], BridgeTable]]:
    made: list[BridgeTable] = []

    def make() -> BridgeTable:
        made.append(BridgeTable(tmp_path, free_port()))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO)

    def of_the_reader() -> list[str]:
        return [f"{each.levelname} {each.message}" for each in caplog.records if "reader is" in each.message]

    return of_the_reader


def test_a_reader_that_is_missing_at_the_start_and_unplugged_later(
    table: Callable[[], BridgeTable], said: Callable[[], list[str]]
) -> None:
    bridge = table()
    bridge.pty.unplug()
    bridge.start()
    bridge.until(said)
    assert said()[0].startswith(f"WARNING the reader is lost: no reader at {bridge.folder}/reader: check its cable")
    bridge.pty.replug()
    bridge.until(lambda: said()[1:] == ["INFO the reader is back"])
    bridge.pty.unplug()
    bridge.until(lambda: len(said()) == 3)
    assert "is gone" in said()[2] or "has disconnected" in said()[2]
    bridge.pty.replug()
    bridge.until(lambda: said()[3:] == ["INFO the reader is back"])


def test_a_start_in_order_has_nothing_to_say_and_a_loan_begins_and_ends(
    table: Callable[[], BridgeTable], said: Callable[[], list[str]]
) -> None:
    bridge = settled(table().start())
    assert said() == []
    anna = Technician(bridge)
    anna.ask(do="give_back")
    anna.hang_up()
    bridge.until(lambda: back(bridge))
    bridge.until(lambda: said() == ["INFO the reader is lent to anna", "INFO the reader is back"])


def test_the_log_has_a_line_of_what_began_and_one_of_how_it_ended(
    table: Callable[[], BridgeTable], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    bridge = settled(table().start())
    bridge.deal("9s")
    shoe = bridge.bridge.table.shoe
    bridge.stop()
    began, ended = [each.message for each in caplog.records if each.name == "firmware_bridge.daemon.bridge"]
    assert began == (
        f"version {__version__}; table T07, baccarat; reader native at {bridge.folder}/reader; no pins; "
        f"journal 0-{began.partition('journal 0-')[2].partition(' ')[0]} in {bridge.journal_dir}, entry 1; no shoe yet"
    )
    assert ended == f"stopped; journal {shoe.journal}, entry {shoe.seq}"
    assert "9s" not in caplog.text
    caplog.clear()
    bridge.start()
    assert f"journal {shoe.journal} in {bridge.journal_dir}, entry {shoe.seq + 1}; shoe 1 open, round 1" in caplog.text
