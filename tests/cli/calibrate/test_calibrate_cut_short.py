"""A `shoe calibrate reader` that is cut short: the board has its settings from before, whoever gives them back."""

import os
import signal
from collections.abc import Callable

import pytest

from firmware_bridge.config.calibration import Calibration, ReaderSection, ReaderSettings, Reading, save
from firmware_bridge.daemon.devices.leased import LeftBehind, leave
from hardware.calibrate.bench import Bench
from tests.cli.calibrate import visit as visits
from tests.cli.calibrate.visit import DIM, Visit, asked_to_keep, lost, pull, puller, record
from tests.kit.daemon_table import BridgeTable

table = visits.table  # a fixture


@pytest.mark.parametrize(("end", "code"), [(signal.SIGKILL, -9), (signal.SIGHUP, 129), (signal.SIGTERM, 143)])
def test_a_killed_command_gives_the_reader_back_with_its_settings_from_before(
    table: Callable[..., BridgeTable], end: signal.Signals, code: int
) -> None:
    bridge = table(DIM)
    before = dict(bridge.board.params)
    visit = Visit(bridge, "reader", "--yes")
    visit.said("pull 5 cards")
    assert not bridge.bridge.reader.port.is_open
    pull(bridge, 5)
    bridge.until(lambda: bridge.board.params != before)  # more light is tried
    os.kill(visit.process.pid, end)
    assert visit.end() == code
    bridge.until(lambda: bridge.bridge.reader.port.is_open and not lost(bridge) and bridge.board.params == before)
    assert bridge.bridge.table.shoe.number == 0


@pytest.mark.parametrize(("has_daemon", "whose"), [(True, "back with the daemon"), (False, "free")])
def test_ctrl_c_says_what_becomes_of_the_work(table: Callable[..., BridgeTable], has_daemon: bool, whose: str) -> None:
    bridge = table(DIM, start=has_daemon)
    visit = Visit(bridge, "reader", "--yes")
    visit.said("pull 5 cards")
    os.kill(visit.process.pid, signal.SIGINT)
    assert visit.end() == 130
    assert visit.out.lines[-1] == f"stopped: nothing was kept, the reader is {whose}\n"
    assert visit.err.lines == []


def test_an_unplugged_reader_is_reported_at_once_and_has_its_settings_when_it_is_back(
    table: Callable[..., BridgeTable],
) -> None:
    bridge = table(DIM)
    before = dict(bridge.board.params)
    visit = Visit(bridge, "reader", "--yes")
    visit.said("pull 5 cards")
    pull(bridge, 5)
    bridge.until(lambda: bridge.board.params != before)
    bridge.pty.unplug()
    assert visit.end() == 1
    expected = "NOT CALIBRATED: the reader was unplugged\n    plug it in and calibrate again; nothing was kept\n"
    assert "".join(visit.out.lines[-2:]) == expected
    bridge.pty.replug()
    bridge.until(lambda: bridge.board.params == before)
    assert record(bridge).reader is None


@pytest.mark.parametrize("next_one", ["a daemon", "another command"])
def test_without_a_daemon_whoever_comes_next_gives_the_board_its_settings_back(
    table: Callable[..., BridgeTable], next_one: str
) -> None:
    bridge = table(DIM, start=False)
    before = dict(bridge.board.params)
    killed = Visit(bridge, "reader", "--yes")
    killed.said("pull 5 cards")
    pull(bridge, 5)
    bridge.until(lambda: bridge.board.params != before)
    os.kill(killed.process.pid, signal.SIGKILL)
    killed.end()
    if next_one == "a daemon":
        bridge.start()
        bridge.until(lambda: bridge.board.params == before)
    else:
        visit = Visit(bridge, "reader", "--yes", "--json", "--cards", 3)
        assert visit.work(puller(bridge)) == 0, visit.story()
        assert visit.json[-1]["before"]["threshold"] == before[1]
        assert visit.json[-1]["before"]["gain"] == before[3]


def test_what_a_killed_command_wanted_back_does_not_undo_an_undo(table: Callable[..., BridgeTable]) -> None:
    bridge = table(DIM, start=False)
    measured = Reading(cards=1, decode_rate=1.0)
    before: ReaderSettings = {"threshold": 777, "hysteresis": 40}
    section = ReaderSection(at="2026-11-20T21:33:05Z", by="bo", before=before, measured=measured)
    bridge.journal_dir.mkdir()
    save(bridge.journal_dir / "calibration.toml", Calibration(reader=section))
    leave(bridge.journal_dir, LeftBehind(None, 0, "bo", Bench.restoring({1: 999})))
    undone = Visit(bridge, "reader", "--undo")
    assert undone.end() == 0, undone.story()
    assert undone.out.lines == ["the board has its old settings: threshold 777, hysteresis 40\n"]
    assert bridge.board.params[1] == 777
    again = Visit(bridge, "reader", "--undo")
    assert again.end() == 1
    assert "NOT CALIBRATED: nothing to undo: " in again.story()
    bridge.start()
    bridge.until(lambda: bridge.bridge.table.shoe.device.reader is not None and not lost(bridge))
    assert bridge.board.params[1] == 777


@pytest.mark.parametrize(
    ("end", "has_daemon"), [("n", True), ("Ctrl-C, then n", True), ("two Ctrl-C", True), ("Ctrl-C, then n", False)]
)
def test_whoever_does_not_keep_it_has_the_settings_from_before(
    table: Callable[..., BridgeTable], end: str, has_daemon: bool
) -> None:
    bridge = table(DIM, start=has_daemon)
    before = dict(bridge.board.params)
    visit = asked_to_keep(bridge)
    assert bridge.board.params != before
    for _ in range(end.count("Ctrl-C") + end.count("two")):
        visit.interrupt()
    if end.endswith("n"):
        visit.process.stdin.write("n\n")
        visit.process.stdin.flush()
    assert visit.end() != 0
    visit.process.stdin.close()
    if not has_daemon:
        bridge.start()
    bridge.until(lambda: bridge.board.params == before)
    bridge.until(lambda: bridge.bridge.reader.port.is_open and not lost(bridge))
    assert record(bridge).reader is None
