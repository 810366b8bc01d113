"""Manual page and completion of `shoe-floor`, and the words of `shoe` that are asked at the table."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.help import man
from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.cli import main


def completed(folder: Path, script: str, command: str, typed: str) -> set[str]:
    """The words that bash offers. `shoe` in the folder answers what is asked."""
    (folder / "script").write_text(script)
    about = '[ "$3" != choices ] || { set -- "$1" "$2" "$3-$4" "${@:5}"; }'
    (folder / "shoe").write_text(f'#!/bin/bash\n{about}\necho "$3-1${{5:+-$5}}" "$3-2${{5:+-$5}}"\n')
    (folder / "shoe").chmod(0o755)
    words = " ".join(map(repr, typed.split(" ")))
    last = len(typed.split(" ")) - 1
    name = "_" + command.replace("-", "_")
    asked = f"PATH={folder}:$PATH; source {folder}/script; COMP_WORDS=({words}); COMP_CWORD={last}; {name}"
    asked += '; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-uec", asked], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("shoe do resolve ", {"alarms-1", "alarms-2"}),
        ("shoe do resolve reader_gap ", {"choices-reader_gap-1", "choices-reader_gap-2"}),
        ("shoe do resolve jam --config F ", {"choices-jam-1-F", "choices-jam-2-F"}),
        ("shoe journal show ", {"journals-1", "journals-2"}),
        ("shoe journal verify journals-2", {"journals-2"}),
        ("shoe do resend --since ", {"dates-1", "dates-2"}),
        ("shoe do resolve --config F ", {"alarms-1-F", "alarms-2-F"}),
        ("shoe do resolve --config = F ", {"alarms-1-F", "alarms-2-F"}),
        ("shoe do resolve --by ann reader_gap ", {"choices-reader_gap-1", "choices-reader_gap-2"}),
        ("shoe do resolve --by acc", set()),
        ("shoe do resolve --wh", {"--why"}),
        ("shoe journal show --config F ", {"journals-1-F", "journals-2-F"}),
        ("shoe journal verify --config F --re", {"--replay"}),
        ("shoe do resend --config F --journal ", {"journals-1-F", "journals-2-F"}),
        ("shoe demo --fault wrong", {"wrong_slot"}),
        ("shoe demo --fault = wrong_", {"wrong_slot"}),
        ("shoe do ", {"orders-1", "orders-2"}),
        ("shoe do orders_", {"orders_1", "orders_2"}),
        ("shoe do --he", {"--help"}),
        ("shoe do bets_closed --mo", {"--money"}),
    ],
)
def test_what_the_table_has_is_offered(tmp_path: Path, typed: str, offered: set[str]) -> None:
    assert completed(tmp_path, man.bash_of_shoe(), "shoe", typed) == offered


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("shoe-floor che", {"check"}),
        ("shoe-floor export gap", {"gaps"}),
        ("shoe-floor export --c", {"--columns", "--config", "--csv", "--cursor"}),
        ("shoe-floor help --completion ", {"bash"}),
        ("shoe-floor --config F export gap", {"gaps"}),
    ],
)
def test_the_back_office_completes_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: str, offered: set[str]
) -> None:
    assert main(["help", "--completion", "bash"]) == 0
    assert completed(tmp_path, capsys.readouterr().out, "shoe-floor", typed) == offered


@pytest.mark.skipif(not shutil.which("groff"), reason="there is no groff here")
def test_the_manual_page_of_the_back_office(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "--man", "shoe-floor.1"]) == 0
    text = capsys.readouterr().out
    words = ["groff", "-man", "-Tutf8", "-ww", "-P-c"]
    done = subprocess.run(words, input=text, check=True, capture_output=True, text=True)
    assert (done.stderr, "backfill" in re.sub(".\b", "", done.stdout)) == ("", True)


def test_open_alarms_are_listed_once(tmp_path: Path, mocker: MockerFixture) -> None:
    gap, unread = {"id": "reader_gap", "choices": ["accept", "void"]}, {"id": "unreadable", "choices": ["void"]}
    status = {"alarm": {"open": [gap, unread, gap]}}
    asked = mocker.patch("firmware_bridge.cli.help.man.ask", return_value=json.loads(json.dumps(status)))
    config = tmp_path / "bridge.toml"
    config.write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{tmp_path}"\n')
    assert man.words("alarms", config) == ["reader_gap", "unreadable"]
    assert man.words("choices", config, "unreadable") == ["void"]
    assert man.words("choices", config, "jam") == []
    assert asked.call_args[0][0] == tmp_path / "control.sock"
    asked.side_effect = BridgeError("no daemon")
    assert man.words("alarms", config) == []


def test_orders_are_offered_that_the_table_takes_now(tmp_path: Path, mocker: MockerFixture) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{tmp_path}"\n')
    table = {"orders": {"void": "no_round_to_void", "close_table": "shoe_in_use"}}
    asked = mocker.patch("firmware_bridge.cli.help.man.ask", return_value={"table": table})
    offered = man.words("orders", config)
    assert {"close-shoe", "take-back", "confirm"} <= set(offered)
    assert {"void", "close-table"}.isdisjoint(offered)
    asked.return_value = {"table": {}}
    assert "void" in man.words("orders", config)


@pytest.mark.parametrize("words", [["--config", "/nowhere", "check"], ["check", "--config", "/nowhere"]])
def test_the_config_stands_before_or_after_the_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 78
    assert "/nowhere" in capsys.readouterr().err
