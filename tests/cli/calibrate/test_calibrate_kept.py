"""What a technician leaves who had the reader while no daemon ran."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.calibrate.lease import BorrowedAlone
from firmware_bridge.daemon.devices.leased import LEFT_BEHIND
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.journal.journal import Journal
from hardware.readers import READERS
from hardware.readers.messages import ReportNo
from hardware.readers.native import NativeDecoder
from hardware.sim.code_boards import SsiBoard
from hardware.sim.pty import PtyBoard
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.technician import Technician, irregular, order, pass_test_cards, seen, settled

BY_ORDER = {"table": {"new_shoe": "command"}}


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """`made(kind, **sections)`: a table of that kind that runs."""
    tables: list[BridgeTable] = []

    def make(kind: type[BridgeTable] = BridgeTable, **sections: Any) -> BridgeTable:
        tables.append(kind(tmp_path, free_port(), **(BY_ORDER | sections)))
        return tables[-1].start()

    yield make
    for each in tables:
        each.close()


def without_a_daemon(table: BridgeTable, cards: int, will: bytes = b"") -> ReportNo:
    """Take test cards as `shoe calibrate` does beside no daemon; the last one's report."""
    anna = BorrowedAlone(table.journal_dir, "anna")
    assert anna.report
    if table.bridge.reader.status()["protocol"] == "native":
        pass_test_cards(table, anna.report, anna.passed, cards)
    else:
        for _ in range(cards):
            anna.passed(ReportNo(anna.report.session, (anna.report.seq + 1) % 256))
    if will:
        anna.leave(will)
    return anna.report


@pytest.mark.parametrize("lent", [False, True])
def test_cards_are_numbered_on_from_the_last_test_card(
    made: Callable[..., Any], mocker: MockerFixture, lent: bool
) -> None:
    table = settled(made())
    if lent:
        Technician(table)
    table.stop()
    last = without_a_daemon(table, 4)
    resumed = mocker.spy(NativeDecoder, "resume")
    table.start()
    table.until(lambda: resumed.call_args and resumed.call_args.args[1] == last)
    assert table.bridge.table.shoe.device.reader == inputs.ReportNo(last.session, last.seq)
    assert not (table.journal_dir / LEFT_BEHIND).exists()


class EngineTable(BridgeTable):
    """A table with a scan engine."""

    def __init__(self, folder: Path, port: int, **sections: Any) -> None:
        self.engine = SsiBoard()
        super().__init__(folder, port, reader={"protocol": "ssi", "hold": 0}, **sections)

    async def _plugged(self) -> PtyBoard:
        return PtyBoard(self.engine, self.folder / "reader")


def test_an_engine_that_was_lent_twice_loses_no_card_afterwards(
    made: Callable[..., Any], mocker: MockerFixture
) -> None:
    mocker.patch.dict(READERS, {"ssi": replace(READERS["ssi"], repeats_within_s=0.2)})
    table = made(EngineTable, table={"new_shoe": "command", "burn": "none"})
    table.engine.pull("9d")
    table.until(lambda: table.bridge.table.shoe.device.reader and not table.engine.waiting)
    Technician(table)
    table.stop()
    without_a_daemon(table, 4)
    table.start()
    table.until(lambda: not irregular(table) and table.bridge.reader.port.is_open)
    assert order(table, "open_shoe")
    for drawn, card in enumerate(("9h", "4h", "Th", "8d"), 1):
        table.engine.pull(card)
        table.until(lambda drawn=drawn: seen(table) == drawn)
    assert [past.outcome for past in table.bridge.table.shoe.rounds] == ["player"]


def test_what_was_left_is_heard_once_also_where_the_disk_was_full_then(
    made: Callable[..., Any], mocker: MockerFixture
) -> None:
    table = settled(made())
    table.stop()
    without_a_daemon(table, 2)
    full = mocker.patch.object(Journal, "append", side_effect=DiskError("full", "free some", "disk_full"))
    table.start()
    table.until(lambda: full.called and table.bridge.reader.port.is_open)
    assert (table.journal_dir / LEFT_BEHIND).exists()
    mocker.stop(full)
    table.until(lambda: not (table.journal_dir / LEFT_BEHIND).exists())
    table.until(lambda: not irregular(table))
    assert order(table, "open_shoe")
    table.deal("9s Td")
    table.pty.unplug()
    table.until(lambda: "reader_lost" in irregular(table))
    table.pull("Th")
    table.pty.replug()
    table.until(lambda: seen(table) == 3)
    assert irregular(table) == []


def test_a_will_is_delivered_whenever_the_reader_is_there(made: Callable[..., Any], mocker: MockerFixture) -> None:
    table = settled(made())
    table.stop()
    without_a_daemon(table, 1, will=b"will")
    written = mocker.patch("hardware.ports.Port.write", return_value=False)
    table.start()
    table.until(lambda: mocker.call(b"will") in written.call_args_list)
    assert (table.journal_dir / LEFT_BEHIND).exists()
    written.return_value = True
    table.pty.unplug()
    table.until(lambda: not table.bridge.reader.port.is_open)
    table.pty.replug()
    table.until(lambda: written.call_args_list.count(mocker.call(b"will")) == 2)
    table.until(lambda: not (table.journal_dir / LEFT_BEHIND).exists())


def test_what_was_left_is_heard_before_the_reader_is_lent_again(made: Callable[..., Any]) -> None:
    """The daemon had no port yet: the test cards of the second loan are later than those of the first."""
    table = settled(made())
    table.stop()
    without_a_daemon(table, 4)
    table.pty.unplug()
    table.start()
    bo = Technician(table)
    table.pty.replug()
    bo.read(230)
    bo.ask(do="give_back")
    table.until(lambda: table.bridge.reader.port.is_open and not irregular(table))
    assert order(table, "open_shoe")
    table.deal("9s Td Ts Tc")
    assert (seen(table), irregular(table)) == (4, [])


def test_no_card_is_taken_before_a_reader_with_a_will_is_ours(made: Callable[..., Any], mocker: MockerFixture) -> None:
    table = settled(made())
    table.stop()
    without_a_daemon(table, 0, will=b"\0")
    mocker.patch("hardware.ports.Port.write", return_value=False)
    mocker.patch("firmware_bridge.daemon.devices.reader.Reader._end_lease")  # the second beat would, before a slow look
    table.start()  # once its port is open
    table.until(lambda: irregular(table))
    assert (irregular(table), table.bridge.table.shoe.device.lent) == (["reader_lost"], "anna")
    assert not order(table, "open_shoe")


def undelivered(table: BridgeTable, mocker: MockerFixture) -> MagicMock:
    """Let a borrower be killed who left `aa` to restore, and keep the port shut by the patch that is returned."""
    killed = Technician(settled(table))
    killed.say(do="leave", restore="aa")
    table.until(lambda: table.bridge.control._leases._restore)
    opened = mocker.patch("hardware.ports.Port.start")
    killed.hang_up()
    table.until(lambda: not table.bridge.control.status()["lent"])
    return opened


def test_who_borrows_a_reader_that_has_not_got_its_settings_yet_sends_them(
    made: Callable[..., Any], mocker: MockerFixture
) -> None:
    table = made()
    opened = undelivered(table, mocker)
    bo = Technician(table)
    assert bo.answer["restore"] == "aa"
    bo.say(do="leave", restore="")
    bo.ask(do="give_back")
    mocker.stop(opened)
    written = mocker.spy(table.bridge.reader.port, "write")
    table.bridge.reader.port.start()
    table.until(lambda: written.called)
    assert mocker.call(b"\xaa") not in written.call_args_list


def test_a_will_outlives_a_daemon_that_could_not_deliver_it(made: Callable[..., Any], mocker: MockerFixture) -> None:
    table = made()
    opened = undelivered(table, mocker)
    table.stop()
    mocker.stop(opened)
    written = mocker.patch("hardware.ports.Port.write", return_value=True)
    table.start()
    table.until(lambda: mocker.call(b"\xaa") in written.call_args_list)
