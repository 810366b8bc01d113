"""No line of a command for people is wider than the terminal, in the three languages."""

from contextlib import suppress

import pytest
from rich.cells import cell_len

from firmware_bridge.cli import main
from firmware_bridge.games import GAMES
from tests.docs.pages import ROOT

CONFIG = str(ROOT / "systemd" / "bridge.toml")
COMMANDS = [
    *(["play", game] for game in GAMES),
    *(["odds", "--game", game] for game in GAMES),
    ["roads", "BPTBBP"],
    ["wiring", "--config", CONFIG],
    ["check", "--config", CONFIG],
    ["help"],
    *(["help", topic] for topic in ("3am", "reader_gap", "payouts", "commission")),
    *([command, "--help"] for command in ("check", "do", "enter", "journal", "odds", "play", "watch")),
    ["demo", "--plain", "--rounds", "1", "--speed", "500"],
]


@pytest.mark.parametrize("lang", ["en_US", "zh_TW", "zh_CN"])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_line_is_too_wide(
    words: list[str], lang: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", f"{lang}.UTF-8")
    for width in (40, 60, 80, 120, 200):
        if words[0] == "demo" and width != 40:
            continue
        monkeypatch.setenv("COLUMNS", str(width))
        with suppress(SystemExit):
            main(words)
        out, err = capsys.readouterr()
        assert out
        wide = [line for line in (out + err).splitlines() if cell_len(line) > width and " " in line.strip()]
        assert wide == [], width
