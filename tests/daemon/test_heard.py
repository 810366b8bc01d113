"""A reader and a keypad that speak and are not understood, that were not heard yet, and that say nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.cli.check.reader import keypads, reader
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import load
from firmware_bridge.daemon.devices import hearing, reader_alarms
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.shoe.state import held_cards
from hardware.ports import QUIET
from hardware.sim.pty import PtyBoard
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import Patience
from tests.kit.process import python


class Raw:
    """A device that says what it is given."""

    def __init__(self) -> None:
        self.unsaid = self.received = b""

    def receive(self, chunk: bytes) -> None:
        self.received += chunk

    def tick(self, _: int) -> bytes:
        said, self.unsaid = self.unsaid, b""
        return said


class Deaf(BridgeTable):
    """A table whose reader and keypad say what they are given, judged in a tenth of the time."""

    def start(self, *_: Any) -> Deaf:
        super().start()
        self.pause(0.3)
        return self

    async def _plugged(self) -> PtyBoard:
        self.raw, self.pad = Raw(), Raw()
        pad = PtyBoard(self.pad, self.folder / "pad")
        self.at_close.append(pad.close)
        return PtyBoard(self.raw, self.folder / "reader")

    def say(self, text: str, device: Raw | None = None, times: int = 1) -> None:
        for _ in range(times):
            (device or self.raw).unsaid += text.encode()
            self.pause(0.2)

    def repeat(self, text: str, alarm: str, device: Raw | None = None) -> None:
        """Say it until it is an alarm: what a busy machine reads at once counts as one burst."""
        patience = Patience()
        while alarm not in self.alarms:
            assert not patience.is_over, self.story()
            self.say(text, device)

    @property
    def alarms(self) -> set[str]:
        return {each.id for each in self.bridge.table.alarms().open} - {"broker_lost", "record_unsigned", "keypad_lost"}

    @property
    def heard(self) -> str:
        return str(self.bridge.control.status()["reader"]["heard"]["state"])

    def found(self, check: Callable[[Machine], Iterator[Finding]]) -> list[Finding]:
        return list(check(Machine(load(self.config_path), self.bridge.control.status())))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Deaf]]:
    for name, value in (("QUIET_S", 0.05), ("SETTLES_S", 0.2), ("INTERVAL_S", 0.1), ("LONGEST_S", 0.5)):
        monkeypatch.setattr(hearing, name, value)
    monkeypatch.setattr(reader_alarms, "SETTLED_S", 0.01)
    made: list[Deaf] = []

    def make(protocol: str = "line", pad: bool = False, **keys: Any) -> Deaf:
        made.append(Deaf(tmp_path, free_port(), reader={"protocol": protocol, "hold": 0}, **keys))
        if pad:
            path = made[-1].config_path
            path.write_text(path.read_text() + f'[[keypad]]\nport = "{tmp_path / "pad"}"\nseats = [2]\n')
        return made[-1].start()

    yield make
    for each in made:
        each.close()


def test_a_reader_in_another_mode_is_an_alarm_until_it_is_understood(table: Callable[..., Deaf]) -> None:
    at = table("line")
    (before,) = at.found(reader)
    assert (before.level, before.text.partition(": ")[2]) == ("WARN", "nothing was understood yet")
    at.say("9s", times=2)
    assert (at.alarms, at.heard) == (set(), "not_understood")
    at.repeat("9s", "reader_not_understood")
    assert at.alarms == {"reader_not_understood"}
    (during,) = at.found(reader)
    assert (during.level, "line_end" in during.remedy) == ("FAIL", True)
    assert at.bridge.table.shown().lit == {"fault": "blocked"}
    health = at.bridge.health.state().reader
    assert health.heard == "not_understood"
    assert health.not_understood in range(3, 99)
    at.say("\n9s\n")
    at.until(lambda: "reader_not_understood" not in at.alarms)
    assert (at.heard, at.found(reader)[0].level) == ("understood", "OK")


def test_what_was_heard_before_a_restart_counts(table: Callable[..., Deaf]) -> None:
    at = table("line")
    assert at.heard == "not_heard"
    at.say("9s\n")
    at.until(lambda: at.heard == "understood")
    at.stop()
    at.start()
    at.until(lambda: at.heard == "understood")
    at.stop()
    at.config_path.write_text(at.config_path.read_text().replace('"line"', '"grow"'))
    at.start()
    at.pause(0.3)
    assert at.heard == "not_heard"


def test_lines_of_garbage_are_not_understood_though_each_ends(table: Callable[..., Deaf]) -> None:
    """As at another speed: bytes that no card has, and now and then a line end."""
    at = table("line")
    at.repeat("\0é~\n", "reader_not_understood")
    assert at.heard == "not_understood"
    assert at.found(reader)[0].level == "FAIL"


def test_a_keypad_that_is_not_understood_names_its_seats(table: Callable[..., Deaf]) -> None:
    at = table("line", pad=True, table={"game": "blackjack"})
    at.repeat("AT\r\n", "keypad_not_understood", at.pad)
    assert at.alarms == {"keypad_not_understood"}
    (alarm,) = (each for each in at.bridge.table.alarms().open if each.id == "keypad_not_understood")
    assert alarm.values == {"keypads": ("seats 2",)}
    (found,) = (each for each in at.found(keypads) if "speaks" in each.text)
    assert (found.level, found.text) == ("FAIL", "of seats 2: it speaks and is not understood")
    assert at.bridge.health.state().keypads == {"seats 2": "not_understood"}


HOLDS = (
    "import os, sys, time; os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); print('holds', flush=True); time.sleep(60)"
)


def test_another_program_at_the_port_is_named(table: Callable[..., Deaf], caplog: pytest.LogCaptureFixture) -> None:
    at = table("line")
    at.bridge.reader._close_port()
    with python("-c", HOLDS, os.path.realpath(at.folder / "reader"), stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"holds\n"
        at.bridge.reader._open()
        at.until(lambda: f"(pid {other.pid}), too" in caplog.text)
        at.pause(2 * QUIET)  # else the line may lack its head
        at.say("ab\n")
        at.until(lambda: "foreign" in at.alarms)
        (alarm,) = (each for each in at.bridge.table.alarms().open if each.id == "foreign")
        assert alarm.values == {"why": phrase("port_shared")}
        (found,) = at.found(reader)
        assert (found.level, f"(pid {other.pid})" in found.text) == ("WARN", True)
        at.say("\r\n")  # what it left of a card is one that was not read
        at.until(lambda: len(at.bridge.table.shoe.held) == 2)
        at.say("9")
        at.until(lambda: len(at.bridge.table.shoe.held) == 3)
        at.say("Kd\n")
        at.until(lambda: held_cards(at.bridge.table.shoe)[-1].card is Card("Kd"))
        other.kill()
