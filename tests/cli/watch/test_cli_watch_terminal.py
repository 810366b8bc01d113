"""`shoe watch` in a terminal: its picture, its keys, and what it does in a small terminal or one without a cursor."""

import fcntl
import os
import pty
import re
import signal
import struct
import termios
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from firmware_bridge.cli.watch.model import Watched, rows
from tests.cli.watch import watched
from tests.kit import broker as real
from tests.kit import command
from tests.kit.command import LIMIT_S, status
from tests.kit.daemon_table import DaemonTable

broker, brokers, table = real.broker, real.brokers, watched.table  # fixtures


class Terminal:
    """A pseudo-terminal of a size, with `shoe watch` in it."""

    def __init__(self, bridge: DaemonTable, rows: int, columns: int, *words: str, term: str = "xterm-256color") -> None:
        self._bridge = bridge
        self.ours, theirs = pty.openpty()
        self.size(rows, columns)
        self.before = termios.tcgetattr(theirs)
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "env": os.environ | {"TERM": term}}
        self.process = command.spawn("watch", "--config", bridge.config_path, *words, **streams)
        self.theirs = theirs
        os.set_blocking(self.ours, False)
        self.shown = ""

    def size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def sees(self, text: str) -> bool:
        with suppress(BlockingIOError):
            self.shown += os.read(self.ours, 65_536).decode(errors="replace")
        return text in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.shown)

    def until(self, text: str) -> None:
        self._bridge.until(lambda: self.sees(text))

    def close(self) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    made: list[Terminal] = []

    def make(*arguments: Any, **options: Any) -> Terminal:
        made.append(Terminal(*arguments, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_terminal_shows_it_all_and_q_quits(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table(pins={"next": 22}, lamps={"P1": 5})
    bridge.deal("9s")
    shown = terminal(bridge, 24, 80)
    shown.until("IN ORDER")
    shown.until("inputs   next")
    shown.until("outputs  P1")
    bridge.deal("Td")
    shown.until("02 01 ?? ..")
    assert "quality" in shown.shown
    shown.shown = ""
    shown.size(40, 120)
    shown.process.send_signal(signal.SIGWINCH)
    shown.until("table T07")
    os.write(shown.ours, b"q")
    assert shown.process.wait(LIMIT_S) == 0
    assert termios.tcgetattr(shown.theirs) == shown.before
    assert "Traceback" not in shown.shown


def test_a_terminal_whose_daemon_goes(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 24, 80)
    shown.until("table T07")
    bridge.stop()
    shown.until("NO DAEMON: ")
    shown.process.send_signal(signal.SIGINT)
    assert shown.process.wait(LIMIT_S) == 0


def test_space_lets_the_picture_stand_still(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 24, 80)
    shown.until("SPACE: pause")
    os.write(shown.ours, b" ")
    shown.until("PAUSED. SPACE: go on; Ctrl-C or q: end")
    shown.shown = ""
    bridge.deal("9s Td")
    bridge.until(lambda: status(bridge)["table"]["due"] == "P2")
    assert not shown.sees("9♠")
    os.write(shown.ours, b" ")
    shown.until("9♠")
    os.write(shown.ours, b"Q")
    assert shown.process.wait(LIMIT_S) == 0


def test_the_last_round_stays_on_the_felt_until_the_next_begins(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 40, 120)
    bridge.deal("9s Td Ks Qc")
    shown.until("round 1 over, round 2 ready")
    shown.until("wins")
    shown.until("round 1: PLAYER 9:0, natural")
    shown.until("Big road")
    shown.shown = ""
    bridge.deal("2h")
    shown.until("║DRAW║")


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 24, 80, term="dumb")
    shown.until("this terminal cannot move its cursor (TERM=dumb); showing lines; Ctrl-C: end")
    bridge.deal("9s")
    shown.until("round 1 dealing, B1 is due  P1 9s")
    shown.process.send_signal(signal.SIGINT)
    assert shown.process.wait(LIMIT_S) == 0
    assert "\x1b" not in shown.shown


def test_a_small_terminal_gets_the_same_in_lines(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table()
    shown = terminal(bridge, 20, 60)
    shown.until("this terminal is 60x20; the picture needs 80x22; showing")
    shown.until("next     open a shoe: sudo shoe do open-shoe --by NAME")
    shown.size(22, 80)
    shown.until("╭─ table T07")


def test_the_dealer_sees_what_is_due_in_a_language(table: Any, terminal: Callable[..., Terminal]) -> None:
    bridge = table(pins={"next": 22}, lamps={"P1": 5})
    shown = terminal(bridge, 24, 80, "--dealer", "--lang", "zh-Hant")
    shown.until("不要抽牌：等候下一靴")
    bridge.deal("9s")
    shown.until("▶ 發牌：莊第 1 張")
    shown.until("發牌：閒第 1 張")


def test_health_is_told_in_numbers_and_words() -> None:
    health = {"queue": 3, "under_voltage": False, "faults": [], "reader": {"reads": 0, "quality": None}}
    assert list(rows({"health": health})) == [("health", "queue 3, under_voltage no, reader reads 0")]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 10), (132, 50)])
def test_a_screen_fits_its_terminal(table: Any, width: int, height: int) -> None:
    bridge = table(table={"decks": 1}, pins={"next": 22}, lamps={"P1": 5})
    bridge.deal("9s 9s")
    watched = Watched()
    frames = [{"n": n, "at": 0, "way": "in", "hex": "04 " * 60} for n in range(100)]
    seen = {"signal": {}, "good": 1, "bad": 0, "frames": frames, "pins": {"inputs": {}, "outputs": {"P1": None}}}
    watched.update(bridge.ask(do="status") | {"seen": seen})
    lines = [line.plain for line in watched.screen(width, height, "q ends")]
    assert len(lines) == height
    assert max(map(len, lines)) <= width
    if height > 20:
        assert "sudo shoe do resolve duplicate remove --by NAME" in re.sub(r"[│\s]+", " ", " ".join(lines))
