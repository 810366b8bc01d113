"""No line for people is wider than their terminal: all commands with help, results and errors, in three languages."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from rich.cells import cell_len

from firmware_bridge import cli
from firmware_bridge.cli.journal import ACTIONS
from firmware_bridge.config.plain import wrapped
from firmware_bridge.floor import cli as floor_cli
from firmware_bridge.games import GAMES
from tests.cli.test_wrong_words import parsers
from tests.cli.watch.test_cli_screen import status
from tests.kit.control import answering
from tests.kit.nightly import EVERY, some

LONG = "averyveryveryverylongwordthatiswiderthanforty.columns"
TABLE = '[table]\nid = "T07"\n[journal]\ndir = "{0}/j"\n[mqtt]\nport = 1\n'
FILES = {
    "bridge.toml": TABLE,
    "bad.toml": f'[table]\nid = "T07"\nhsot = 1\npassword = "x"\n[roads]\ngood = ["dragon", "{LONG}"]\n',
    "floor.toml": '[mqtt]\nport = 1\n[store]\npath = "{0}/none/floor.db"\n',
    "lines": '{{}}\n[\n{{"type": "round", "moves": 3}}\n',
}
"""Name of a file -> its text; {0} is the folder."""

COMMANDS = [
    *(f"play {game}" for game in GAMES),
    *(f"odds --game {game}" for game in GAMES),
    *(f"{command} --config bridge.toml" for command in ("wiring", "check", "support", "journal list", "status")),
    *(f"{command} --config bad.toml" for command in ("config", "check", "wiring", "run")),
    *(f"help {topic}" for topic in ("", "3am", "reader_gap", "payouts", "commission", "glossary", "exit codes", LONG)),
    "roads BPTBBP",
    "--version",
    "",
    LONG,
    f"--{LONG}",
    f"status --config {LONG}",
    f"config --config /{LONG}/{LONG}/bridge.toml",
    "do",
    f"do {LONG} --by a",
    f"do correct 1 {LONG} --by a --why b",
    "do next --by a --config bridge.toml",
    "enter Kz --by a --second b",
    "enter Ks --by a --second b --config bridge.toml",
    "calibrate nosuch",
    "calibrate reader --by a --config bridge.toml",
    f"support -o {LONG}/{LONG}/",
    f"retire {LONG} --config bridge.toml",
    *(f"journal {action} {LONG} --config bridge.toml" for action in ACTIONS if action != "list"),
    "journal nosuch",
    f"schema {LONG}",
    "odds --decks 99",
    f"odds --game {LONG}",
    f"roads {LONG}",
    f"replay {LONG}",
    "replay lines",
    "play blackjack lines",
    f"play {LONG}",
    "demo --fault nosuch",
    "demo --fault wrong_slot --game blackjack",
    f"demo --svg {LONG}",
]
FLOOR = [
    "",
    "chekc",
    "check --config floor.toml",
    "check --config bad.toml",
    "export rounds --config floor.toml",
    f"export {LONG}",
    "backup none/",
    "expire --config floor.toml",
    f"pseudonym {LONG} --config floor.toml",
]
WIDTHS = (40, 60, 80, 120, 200) if EVERY else (40, 80)
LANGUAGES = ("en_US", "zh_TW", "zh_CN")


@contextmanager
def terminal(width: int, monkeypatch: pytest.MonkeyPatch, *, is_raw: bool = False) -> Iterator[list[str]]:
    """A pseudo-terminal as standard output and error; at its end, the list holds the lines that it was sent.

    is_raw: with the sequences that move the cursor or colour.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    heard, lines = bytearray(), list[str]()

    def hear() -> None:
        with os.fdopen(ours, "rb", buffering=0) as stream:
            while chunk := _chunk(stream.fileno()):
                heard.extend(chunk)

    thread = threading.Thread(target=hear)
    thread.start()
    try:
        with monkeypatch.context() as patch, os.fdopen(theirs, "w", encoding="utf-8", buffering=1) as screen:
            for name in ("stdout", "__stdout__", "stderr", "__stderr__"):
                patch.setattr(sys, name, screen)
            yield lines
    finally:
        thread.join()
        text = heard.decode() if is_raw else re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", heard.decode())
        lines += [line for each in text.split("\n") for line in each.removesuffix("\r").split("\r")]


def _chunk(file: int) -> bytes:
    try:
        return os.read(file, 65_536)
    except OSError:  # the other end is closed
        return b""


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Runs a command among `FILES` in terminals of each width, and finds no line that is too wide."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.format(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for name, value in {"TERM": "xterm", "PAGER": "cat", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)

    def fits(main: Callable[[list[str]], int], words: list[str], languages: tuple[str, ...] = LANGUAGES) -> None:
        for language in languages:
            monkeypatch.setenv("LANG", f"{language}.UTF-8")
            for width in WIDTHS:
                with terminal(width, monkeypatch) as lines, suppress(SystemExit):
                    main(words)
                assert any(lines)
                assert [line for line in lines if cell_len(line) > width] == [], (language, width)

    return fits


@pytest.mark.parametrize("words", COMMANDS)
def test_what_a_command_says_fits(words: str, screen: Callable[..., None]) -> None:
    speaks = words.startswith(("do", "enter", "status", "help reader_gap", "play", "odds"))
    screen(cli.main, words.split(), LANGUAGES if speaks or EVERY else LANGUAGES[:1])


@pytest.mark.parametrize("words", FLOOR)
def test_what_the_back_office_says_fits(words: str, screen: Callable[..., None]) -> None:
    screen(floor_cli.main, words.split(), LANGUAGES[:1])


def test_the_help_of_every_command_fits(screen: Callable[..., None]) -> None:
    for words, _ in some(parsers(cli.parser_of(cli.COMMANDS)), 8):
        screen(cli.main, [*words, "--help"], LANGUAGES[:1])
    for words, _ in some(parsers(floor_cli._parser()), 8):
        screen(floor_cli.main, [*words, "--help"], LANGUAGES[:1])


def test_a_table_that_answers_fits(screen: Callable[..., None], tmp_path: Path) -> None:
    refused = {"ok": False, "error": "next refused: a card is due at P1", "hint": f"wait for the card {LONG}"}
    with answering(tmp_path / "bridge.toml", status=status("9s ??"), next=refused):
        for words in ("status", "do next --by a"):
            screen(cli.main, [*words.split(), "--config", str(tmp_path / "bridge.toml")])


def test_a_demo_in_lines_fits(screen: Callable[..., None]) -> None:
    screen(cli.main, ["demo", "--plain", "--rounds", "1", "--speed", "500"], LANGUAGES[:1])


@pytest.mark.parametrize(
    ("line", "width", "lines"),
    [
        ("one two three", 20, ["one two three"]),
        ("one two three", 10, ["one two", "  three"]),
        ("one twothreefourfive six", 10, ["one", "  twothree", "  fourfive", "  six"]),
        ("必須給出指令；見說明", 10, ["必須給出指", "  令；見說", "  明"]),
        ("必須給出指令，見", 12, ["必須給出指", "  令，見"]),
        ("  indented words", 12, ["  indented", "  words"]),
        ("", 10, [""]),
        ("abcdefghij", 1, ["abcdefgh", "  ij"]),
    ],
)
def test_a_line_is_broken_at_a_blank_or_between_characters(line: str, width: int, lines: list[str]) -> None:
    assert list(wrapped(line, width)) == lines


def test_nothing_is_wrapped_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    with pytest.raises(SystemExit):
        cli.main([LONG, LONG, LONG])
    assert len(capsys.readouterr().err.splitlines()) == 1
    monkeypatch.setenv("COLUMNS", "40")
    with pytest.raises(SystemExit):
        cli.main([LONG, LONG, LONG])
    assert len(capsys.readouterr().err.splitlines()) > 1
