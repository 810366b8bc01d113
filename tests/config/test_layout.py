"""Lines for people at every width: nothing overflows, nothing is lost, and colours are for terminals alone."""

import os
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from rich.cells import cell_len
from rich.text import Text

from firmware_bridge.cli import check
from firmware_bridge.cli import status as command_status
from firmware_bridge.cli.calibrate.session import Guide
from firmware_bridge.cli.watch.model import Watched
from firmware_bridge.config import layout
from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.findings import Finding
from firmware_bridge.topics.texts.alarms import what
from tests.cli.watch.test_cli_screen import GONE, LENT, status
from tests.kit import command

shoe = command.shoe  # fixture

WIDTHS = [40, 60, 80, 120, 200]
LONG = "the port /dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0 is there, but nothing answers on it"
FINDINGS = [
    Finding("OK", "config", "/etc/firmware-bridge/bridge.toml, table T07"),
    Finding("WARN", "calibrated", "reader: never calibrated", "sudo shoe calibrate reader --by NAME"),
    Finding("FAIL", "reader", LONG, "see that its power is on; then run: sudo shoe calibrate reader --by NAME"),
    Finding("FAIL", "broker", "卡" * 60, "令牌" * 60),
]
STATES = {
    "in order": (status("9sTdTsTc 2s"), "in_order", 0),
    "an alarm": (status("9s ?? Td lid-open"), "stopped", 1),
    "no disk": (status("9s", disk="no space"), "stopped", 1),
    "calibrated": (status("9s", lent=LENT), "calibration", 1),
    "observing": (status("9s", mode="OBSERVE"), "stopped", 1),
    "no broker": (status("9s", broker=GONE, mode="NO_BROKER"), "goes_on", 0),
}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[int], None]:
    """`terminal(columns)`: stdout is a terminal of that width from now on."""

    def make(columns: int) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size((columns, 24)))

    return make


def words_of(text: str) -> str:
    """The letters of a text, however it is wrapped."""
    return re.sub(r"\s", "", re.sub(r"\x1b\[[0-9;]*m", "", text))


def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "findings", lambda path: iter(FINDINGS))


@pytest.mark.parametrize("width", WIDTHS)
def test_check_fits_and_says_the_failures_once_more_at_the_end(
    shoe: command.Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    checked(monkeypatch)
    monkeypatch.setenv("COLUMNS", str(width))
    ran = shoe("check")
    assert ran.code == Exit.FAILED
    assert max(map(cell_len, ran.out.splitlines())) <= width
    for each in FINDINGS:
        assert words_of(each.text) in words_of(ran.out)
    last = words_of(ran.out[ran.out.index("2 failed: reader, broker") :])
    for each in FINDINGS[2:]:
        assert words_of(f"{each.level}{each.name}{each.text}->{each.remedy}") in last
    assert words_of(FINDINGS[1].text) not in last


def test_a_pipe_gets_whole_lines_without_colours(shoe: command.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    checked(monkeypatch)
    out = shoe("check").out
    assert f"FAIL  reader     {LONG}\n                 -> see that its power is on; then run: sudo" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("NO_COLOR", ""), ("TERM", "dumb")])
def test_colours_are_for_terminals_that_want_them(
    shoe: command.Run, monkeypatch: pytest.MonkeyPatch, terminal: Callable[[int], None], variable: str, value: str
) -> None:
    checked(monkeypatch)
    terminal(80)
    coloured = shoe("check").out
    assert "\x1b[1;31mFAIL" in coloured
    assert "\x1b[33mWARN" in coloured
    assert "\x1b[32mOK" in coloured
    monkeypatch.setenv(variable, value)
    plain = shoe("check").out
    assert "\x1b" not in plain
    assert words_of(plain) == words_of(coloured)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", STATES)
def test_status_fits_and_its_exit_code_says_whether_the_table_can_be_dealt_at(
    shoe: command.Run, monkeypatch: pytest.MonkeyPatch, width: int, name: str
) -> None:
    reply, _, code = STATES[name]
    monkeypatch.setattr(command_status, "ask", lambda path, request: reply)
    monkeypatch.setenv("COLUMNS", str(width))
    ran = shoe("status")
    assert ran.code == Exit.FINE
    assert max(map(cell_len, ran.out.splitlines())) <= width
    for alarm in reply["alarm"]["open"]:
        assert words_of(what("en", alarm["id"], alarm["values"])) in words_of(ran.out)
    assert shoe("status", "--exit-code").code == code
    assert shoe("status", "--exit-code", "--json").code == code


@pytest.mark.parametrize("name", STATES)
def test_the_verdict_has_a_colour_and_no_stopped_table_is_full(
    shoe: command.Run, monkeypatch: pytest.MonkeyPatch, terminal: Callable[[int], None], name: str
) -> None:
    reply, stands, _ = STATES[name]
    monkeypatch.setattr(command_status, "ask", lambda path, request: reply)
    terminal(80)
    out = shoe("status").out
    colour = {"in_order": "1;32", "goes_on": "1;33", "calibration": "1;33", "stopped": "1;31"}[stands]
    assert out.startswith(f"\x1b[{colour}m")
    assert ("FULL" in out) == (stands == "in_order")


def test_without_a_daemon_the_exit_code_is_its_own(shoe: command.Run, tmp_path: Any) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(f'[journal]\ndir = "{tmp_path}"\n')
    assert shoe("status", "--exit-code", "--config", config).code == Exit.NO_DAEMON
    assert shoe("do", "next", "--by", "a", "--config", config).code == Exit.NO_DAEMON


@pytest.mark.parametrize("width", WIDTHS)
def test_calibrate_fits(
    capsys: pytest.CaptureFixture[str], terminal: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    terminal(width)
    monkeypatch.setenv("NO_COLOR", "1")
    guide = Guide("reader", as_json=False, yes=False)
    guide.say(f"{LONG}; pull 20 cards")
    guide.bar(0.5, 10, 20, "good, quality 230, the weakest of them 180 of 255", "dwell")
    guide.end(f"NOT CALIBRATED: {LONG}\n    {LONG}", {"ok": False})
    monkeypatch.setattr("sys.stdin", type("Typed", (), {"readline": lambda self: "y\n"})())
    assert guide.ask(f"{LONG}: is it lit, and no other lamp?") == "y"
    lines = re.split(r"[\r\n]", capsys.readouterr().out.replace("\x1b[K", ""))
    assert max(map(cell_len, lines)) <= width
    assert words_of("".join(lines)).count(words_of(LONG)) == 4


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", STATES)
def test_the_picture_of_watch_fits(width: int, name: str) -> None:
    watched = Watched()
    watched.update(
        STATES[name][0] | {"health": {"uptime_s": 102, "reader": {"reads": 4, "unread": 1}, "faults": ["P1"] * 40}}
    )
    assert all(line.cell_len <= width for line in watched.screen(width, 24, "q: end"))


@pytest.mark.parametrize(
    ("line", "width", "lines"),
    [
        ("  next     draw a card now", 0, ["  next     draw a card now"]),
        ("  next     draw a card now", 80, ["  next     draw a card now"]),
        ("  next     draw a card", 18, ["  next", "  draw a card"]),
        ("  next     draw a card now, please", 30, ["  next", "  draw a card now, please"]),
        ("  next     draw a card now, please", 33, ["  next     draw a card now,", "           please"]),
        ("  what you see:  nothing at all", 28, ["  what you see:", "  nothing at all"]),
        ("  what you see:  nothing at all", 57, ["  what you see:  nothing at all"]),
        ("1. Look at the lamps.", 16, ["1. Look at the", "   lamps."]),
        ("- a b c d e", 8, ["- a b c", "  d e"]),
        ("no label here at all", 10, ["no label", "here at", "all"]),
        ("0123456789abcdef", 10, ["0123456789", "abcdef"]),
        ("      sudo shoe do next --by ANN", 20, ["      sudo shoe do", "      next --by ANN"]),
    ],
)
def test_a_line_hangs_below_its_label(line: str, width: int, lines: list[str]) -> None:
    assert [each.plain for each in layout.hanging(Text(line), width)] == lines


@pytest.mark.parametrize(("columns", "width"), [("", 0), ("0", 0), ("x", 0), ("72", 72), ("-5", 0)])
def test_a_pipe_is_wrapped_at_columns_alone(monkeypatch: pytest.MonkeyPatch, columns: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert layout.columns() == width
