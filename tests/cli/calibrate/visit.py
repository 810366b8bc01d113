"""A running `shoe calibrate` at a table, and the hand that pulls the cards it asks for."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.config.calibration import Calibration, load
from hardware.sim.board import NativeBoard
from hardware.sim.optics import Light, Optics
from tests.kit.broker import free_port
from tests.kit.command import Heard
from tests.kit.daemon_table import BridgeTable
from tests.kit.people import Forked
from tests.kit.process import python

GAP_MS = 130
"""From one card to the next, by the board's clock."""
DIM = Light(lamp=0.4)
"""It takes other settings to read cards by this."""


class Visit:
    """A running `shoe calibrate`; `work` pulls the cards it asks for until it ends."""

    def __init__(self, table: BridgeTable, *words: object, **options: Any) -> None:
        self.table = table
        command = ("calibrate", "--by", "anna", *words, "--config", table.config_path)
        self.process: subprocess.Popen[str] | Forked = self._begin(*command, **options)
        self.out, self.err = Heard(self.process.stdout), Heard(self.process.stderr)
        self._done = 0
        table.at_close.append(self._put_away)

    def _begin(self, *command: object, **options: Any) -> subprocess.Popen[str] | Forked:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return python("-m", "firmware_bridge", *command, text=True, **streams | options)

    @property
    def json(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.lines]

    def said(self, text: str) -> None:
        """Wait until it says so."""
        self.table.until(lambda: any(text in line for line in self.out.lines) or self.process.poll() is not None)
        assert any(text in line for line in self.out.lines), self.story()

    def work(self, pull: Callable[[int], None]) -> int:
        """Pull what each "pull N" asks for; the exit code."""
        while self.process.poll() is None:
            asks = [line for line in self.out.lines if "pull " in line]
            if len(asks) > self._done:
                count = int(asks[self._done].partition("pull ")[2].split()[0])
                self._done += 1
                one_by_one(self.table, pull, count)
            self.table.pause(0.02)
        return self.end()

    def interrupt(self) -> None:
        """Ctrl-C, which it has taken when this returns: it waits again."""
        os.kill(self.process.pid, signal.SIGINT)
        self.table.until(lambda: self.process.poll() is not None or waits(self.process.pid))

    def end(self) -> int:
        self.table.until(lambda: self.process.poll() is not None)
        self.out.close()
        self.err.close()
        return self.process.wait()

    def story(self) -> str:
        return "\n".join([*self.out.lines, *self.err.lines])

    def _put_away(self) -> None:
        """End it if it still runs, as after a failed test: no later test finds its process or its streams."""
        self.process.kill()
        self.process.wait()
        self.out.close()
        self.err.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., BridgeTable]]:
    """`table(light, start, **sections)`: a table whose board reads by this light, or every card as it is told."""
    made: list[BridgeTable] = []

    def make(light: Light | None = None, start: bool = True, **sections: Any) -> BridgeTable:
        table = BridgeTable(tmp_path, free_port(), **sections)
        table.board = table.pty.board = NativeBoard(optics=Optics(light) if light else None)
        made.append(table)
        return table.start() if start else table

    yield make
    for each in made:
        each.close()


def waits(pid: int) -> bool:
    """Whether a process sleeps, and no signal is on its way to it. One that is gone waits for nothing more."""
    try:
        status = dict(re.findall(r"^(\w+):\s+(\w+)", Path(f"/proc/{pid}/status").read_text(), re.M))
    except (FileNotFoundError, ProcessLookupError):
        return True
    return status["State"] == "S" and not int(status["SigPnd"] + status["ShdPnd"], 16)


def puller(table: BridgeTable) -> Callable[[int], None]:
    """What pulls the card with this number at a native board."""

    def pull(n: int) -> None:
        assert isinstance(table.board, NativeBoard)
        table.board.pull(n % 52)
        table.pty.tick()

    return pull


def one_by_one(table: BridgeTable, pull: Callable[[int], None], count: int) -> None:
    """Pull cards as a hand does, one after the other."""
    for n in range(count):
        pull(n)
        until = table.pty.clock_ms + GAP_MS
        table.until(lambda until=until: table.pty.clock_ms >= until)  # type: ignore[misc]  # bound now


def pull(table: BridgeTable, count: int) -> None:
    """Pull cards at a native board."""
    one_by_one(table, puller(table), count)


def record(table: BridgeTable) -> Calibration:
    return load(table.journal_dir / "calibration.toml")


def lost(table: BridgeTable) -> bool:
    return any(each.id == "reader_lost" for each in table.bridge.table.shoe.device.irregular)


def asked_to_keep(table: BridgeTable) -> Visit:
    """A visit whose test went well: the technician is asked whether to keep it."""
    visit = Visit(table, "reader", "--cards", 5, stdin=subprocess.PIPE)
    done = 0
    while visit.process.poll() is None:
        asks = [line for line in visit.out.lines if "pull 5 cards" in line]
        if len(asks) > done:
            pull(table, 5)
            if "the test" in asks[done]:
                visit.said("quality 0")
                break
            done += 1
        table.pause(0.02)
    assert visit.process.poll() is None, visit.story()
    return visit
