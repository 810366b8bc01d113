"""What `shoe calibrate reader` says in a terminal of 80x24 at a reader that says nothing, or is not understood."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import tty
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from firmware_bridge.daemon.devices.code_books import Known, native_code, save
from firmware_bridge.facts.cards import FACES
from hardware.readers import READERS, ssi
from hardware.sim.board import NativeBoard
from tests.cli.calibrate import wired
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable, toml
from tests.kit.patience import ended, until
from tests.kit.process import python
from tests.kit.rows import row

wired_table = wired.table  # fixture

ROWS, COLUMNS = 24, 80

IMPATIENT = """\
import sys
from firmware_bridge.cli import main
from firmware_bridge.cli.calibrate import reader_port
reader_port.EACH_S, reader_port.SILENT_S, reader_port.GARBLED_S, reader_port.GREETING_S = 0.05, 0.2, 0.2, 0.0
sys.exit(main())
"""
"""`shoe`, which finds in a tenth of the time that it waits in vain."""


class Screen:
    """A `shoe calibrate reader` in a terminal, and what it has shown: lines as they stand there."""

    def __init__(self, config: Path, *step: str, patience_s: float = 4.0) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.set_blocking(self._ours, False)
        of = step or ("reader", "--cards", "5")
        words = ("calibrate", *of, "--by", "ann", "--patience", patience_s, "--config", config)
        environ = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
        environ["TERM"] = "xterm-256color"
        self.process = python("-c", IMPATIENT, *words, stdin=theirs, stdout=theirs, stderr=theirs, env=environ)
        os.close(theirs)
        self._shown = b""

    @property
    def lines(self) -> list[str]:
        with suppress(OSError):
            self._shown += os.read(self._ours, 65_536)
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._shown.decode(errors="replace")).replace("\r\n", "\n")
        return [line.rpartition("\r")[2] for line in text.splitlines()]

    @property
    def words(self) -> str:
        """All of it, however it is wrapped."""
        return " ".join(" ".join(self.lines).split())

    def has(self, text: str) -> bool:
        return text in self.words

    def end(self) -> int:
        """Its exit code. AssertionError where what it said does not fit."""
        until(lambda: self.has("CALIBRATED"))
        code = ended(self.process)
        assert len(self.lines) < ROWS
        assert max(map(len, self.lines)) <= COLUMNS
        return code

    def close(self) -> None:
        self.process.kill()
        ended(self.process)
        os.close(self._ours)


class Cable:
    """The end of a cable at which a reader would be, with the table's config."""

    def __init__(self, folder: Path, protocol: str) -> None:
        folder.mkdir()
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        reader = {"port": os.ttyname(self.slave), "protocol": protocol}
        if protocol == "rdm6300":
            save(folder / "codes.csv", {f"00{native_code(face):08X}": Known(face, None, face.value) for face in FACES})
            reader["code_book"] = str(folder / "codes.csv")
        self.config = folder / "bridge.toml"
        sections = {"reader": reader, "mqtt": {"port": free_port()}, "journal": {"dir": str(folder / "journal")}}
        self.config.write_text(toml({"table": {"id": "T07", "decks": 1}, **sections}))

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)


Screens = dict[str, tuple[Cable, Screen]]


@pytest.fixture
def screens(tmp_path: Path) -> Iterator[Callable[..., Screens]]:
    """`screens(protocols)`: a screen of each of these protocols, all at once."""
    made: list[Cable | Screen] = []

    def make(protocols: Iterable[str], *step: str) -> Screens:
        found: Screens = {}
        for each in protocols:
            cable = Cable(tmp_path / each, each)
            found[each] = cable, Screen(cable.config, *step)
            made.extend(found[each])
        return found

    yield make
    for each in reversed(made):
        each.close()


def names_all(protocol: str, words: str) -> bool:
    """Whether cable, speed and mode are named."""
    speed = f"its speed, here {READERS[protocol].baud} baud"
    return "cable" in words and speed in words and " ".join(f"its mode: {READERS[protocol].mode}".split()) in words


def test_at_a_silent_reader_it_names_cable_speed_and_mode(
    screens: Callable[..., Screens], subtests: pytest.Subtests
) -> None:
    for protocol, (_, screen) in screens(READERS).items():
        with row(subtests, protocol):
            assert screen.end() == 1
            waiting, _, end = screen.words.partition("NOT CALIBRATED: ")
            assert names_all(protocol, end)
            assert "nothing came from it. If cards were pulled: check its power and cable" in end
            assert "pull them one by one" not in screen.words
            if protocol != "native":  # which is asked before a card is waited for
                assert "pull 5 cards" in waiting
                assert names_all(protocol, waiting.partition("nothing has come from the reader yet. ")[2])


def test_a_scan_engine_is_started_until_it_answers(screens: Callable[..., Screens]) -> None:
    ((cable, screen),) = screens(["ssi"]).values()
    assert screen.end() == 1
    assert os.read(cable.master, 65_536).count(ssi.encode(ssi.Packet(ssi.START))) > 2


GARBAGE = {
    "without a line end": b"\x9c\xe2\x8e\x86\x80\xf8",
    "with line ends": b"\xe9\x8f~\x01\r\n",
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_where_what_comes_is_not_understood_it_says_so_while_it_waits(
    garbage: bytes, screens: Callable[..., Screens], subtests: pytest.Subtests
) -> None:
    every = screens([each for each in READERS if each != "native"])
    for cable, screen in every.values():
        until(lambda screen=screen: screen.has("pull 5 cards"))  # type: ignore[misc]  # bound now
        os.write(cable.master, garbage)
    for protocol, (_, screen) in every.items():
        with row(subtests, protocol):
            assert screen.end() == 1
            waiting, _, end = screen.words.partition("NOT CALIBRATED: ")
            said = waiting.partition(f"what comes is not understood as {protocol} ({len(garbage)} bytes): ")[2]
            assert names_all(protocol, said)
            assert names_all(protocol, end)
            assert "pull them one by one" not in screen.words


@pytest.mark.parametrize("step", ["codebook", "pack"])
def test_other_steps_that_wait_for_cards_name_them_too(step: str, screens: Callable[..., Screens]) -> None:
    ((cable, screen),) = screens(["rdm6300"], step, "--yes").values()
    until(lambda: screen.has("nothing has come from the reader yet. "))
    os.write(cable.master, GARBAGE["with line ends"])
    assert screen.end() == 1
    assert names_all("rdm6300", screen.words.partition("NOT CALIBRATED: ")[2])


def test_a_simulated_board_without_optics_is_named(wired_table: Callable[..., BridgeTable]) -> None:
    bridge = wired_table(NativeBoard())
    screen = Screen(bridge.config_path)
    try:
        bridge.until(lambda: screen.has("hardware.sim --optics"))
        assert screen.end() == 1
        assert "the board sends too few raw samples to calibrate it" in screen.words
        assert "cable" not in screen.words
    finally:
        screen.close()
