"""The bar that tells how far a long command is: only for people, only after a while, and gone in the end."""

import os
import pty
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from select import select
from types import SimpleNamespace

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli import long_commands
from firmware_bridge.cli.long_commands import Bar
from tests.kit import command
from tests.kit.delivered_record import record

shoe = command.shoe  # fixture
Seen = Callable[[], str]

QUIET_S = 0.1
"""Seconds: longer than a terminal takes to pass on what it is told."""

CLEAR = "\r\x1b[K"


@pytest.fixture
def terminal(mocker: MockerFixture) -> Iterator[Seen]:
    """Stderr is a terminal; what it was told."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as stderr:
        mocker.patch.object(long_commands, "sys", SimpleNamespace(stderr=stderr))  # pytest sets that of all others anew

        def seen() -> str:
            output = b""
            while select([master], [], [], QUIET_S)[0]:
                output += os.read(master, 65536)
            return output.decode()

        yield seen
    os.close(master)


@pytest.fixture
def at_once(mocker: MockerFixture) -> None:
    mocker.patch.object(long_commands, "WAIT_S", 0.0)
    mocker.patch.object(long_commands, "EVERY_S", 0.0)


@pytest.mark.usefixtures("at_once")
def test_it_tells_the_share_and_the_time_left_and_is_gone_at_the_end(terminal: Seen) -> None:
    with Bar("verified", 1000) as shown:
        shown.reach(250)
        assert re.fullmatch(re.escape(CLEAR) + r"verified  25% #{10}-{30} 0:00 left", terminal())
        shown.clear()
        assert terminal() == CLEAR
        shown.reach(1000)
        assert "100%" in terminal()
    assert terminal() == CLEAR


@pytest.mark.usefixtures("at_once")
def test_where_nobody_knows_the_whole_it_tells_what_is_done(terminal: Seen) -> None:
    with Bar("replayed") as shown:
        shown.reach(2_345_678)
        assert terminal() == f"{CLEAR}replayed 2.3 MB"


@pytest.mark.usefixtures("at_once")
def test_it_is_never_wider_than_the_terminal(terminal: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in ("20", "30", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        with Bar("verified", 3) as shown:
            shown.reach(1)
        assert len(terminal().split(CLEAR)[1]) < int(columns)


def test_a_quick_command_shows_none(terminal: Seen) -> None:
    with Bar("verified", 10) as shown:
        shown.reach(10)
    assert terminal() == ""


@pytest.mark.usefixtures("at_once")
def test_nor_is_one_drawn_on_a_terminal_that_cannot_move_its_cursor(
    terminal: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with Bar("verified", 10) as shown:
        shown.reach(10)
    assert terminal() == ""


@pytest.mark.usefixtures("at_once")
def test_nor_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar("verified", 10) as shown:
        shown.reach(10)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("what", ["script", "journal", "record"])
def test_long_commands_have_one(shoe: command.Run, terminal: Seen, tmp_path: Path, what: str) -> None:
    (tmp_path / "j").mkdir()
    files = record(tmp_path / "j", "shoe 9sTdTsTc")
    script = tmp_path / "a.deal"
    script.write_text("9sTdTsTc\nTs\n")
    words = {
        "script": ("replay", script),
        "journal": ("replay", files[-1]),
        "record": ("journal", "verify", "--dir", tmp_path / "j"),
    }
    assert shoe(*words[what]).code == 0
    shown = terminal()
    assert "100%" in shown
    assert shown.endswith(CLEAR)
