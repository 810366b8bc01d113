"""A `shoe calibrate` whose device is taken back: it ends at once, wherever it waits, or is named where it hangs."""

import os
import signal
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.calibrate import visit as visits
from tests.cli.calibrate.visit import DIM, Visit, asked_to_keep, pull
from tests.kit.daemon_table import BridgeTable
from tests.kit.technician import Caller, back, settled

table = visits.table  # a fixture

PINS: dict[str, Any] = {"pins": {"factory": "mock", "next": 22, "cut_card": 27}, "lamps": {"P1": 5}}


def take_back(table: BridgeTable) -> dict[str, Any]:
    floor = Caller(table)
    answer = floor.ask(do="take_back", by="bo")
    floor.hang_up()
    assert answer["ok"]
    return answer


@pytest.mark.parametrize("what", ["reader", "pack", "lamps", "keypad", "cut-card"])
def test_it_ends_wherever_it_waits(table: Callable[..., BridgeTable], what: str) -> None:
    bridge = settled(table(DIM, **PINS))
    visit = Visit(bridge, what, "--patience", 600, stdin=subprocess.PIPE)
    bridge.until(lambda: bridge.bridge.control.status()["lent"])
    if what == "lamps":
        bridge.pause(1.0)  # its question is not a whole line: it cannot be waited for
    else:
        bridge.until(lambda: visit.out.lines)
    take_back(bridge)
    assert visit.end() == 1
    device = "reader" if what in ("reader", "pack") else "pins"
    assert f"NOT CALIBRATED: the {device} was taken back by bo\n" in visit.story()
    assert "nothing was kept; ask bo, then try again" in visit.story()
    bridge.until(lambda: back(bridge))
    assert bridge.bridge.control.status()["lent"] is None
    visit.process.stdin.close()


def test_what_it_tried_is_put_back_by_the_daemon_alone(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table(DIM))
    before = dict(bridge.board.params)
    visit = Visit(bridge, "reader", "--yes", "--json")
    visit.said("pull 5 cards")
    pull(bridge, 5)
    bridge.until(lambda: bridge.board.params != before)
    take_back(bridge)
    assert visit.end() == 1
    assert visit.json[-1]["error"] == "the reader was taken back by bo"
    bridge.until(lambda: back(bridge) and bridge.board.params == before)


def test_a_question_that_nobody_answers_is_no_shelter(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table(DIM))
    before = dict(bridge.board.params)
    visit = asked_to_keep(bridge)
    take_back(bridge)
    assert visit.end() == 1
    visit.process.stdin.close()
    assert "taken back by bo" in visit.story()
    bridge.until(lambda: back(bridge) and bridge.board.params == before)


def test_a_daemon_that_ends_ends_it_too_and_its_settings_are_put_back_here(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table(DIM))
    before = dict(bridge.board.params)
    visit = asked_to_keep(bridge)
    bridge.stop()
    assert visit.end() == 1
    visit.process.stdin.close()
    assert "NOT CALIBRATED: the daemon closed the connection and has its device again" in visit.story()
    assert bridge.board.params == before


def test_a_command_that_hangs_is_named(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    visit = Visit(bridge, "pack", "--yes")
    visit.said("pull 52 cards")
    os.kill(visit.process.pid, signal.SIGSTOP)
    kill = f"sudo kill -9 {visit.process.pid}"
    assert take_back(bridge)["hint"] == f"if the reader stays lost: {kill}"
    assert bridge.bridge.control.status()["returning"] == {"to": "anna", "pid": visit.process.pid}
    os.kill(visit.process.pid, signal.SIGKILL)
    visit.end()
    bridge.until(lambda: back(bridge))
