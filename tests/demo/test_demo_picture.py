"""The picture of `shoe demo` on a terminal: what it shows, its keys, and where there are lines instead."""

import os
import pty
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firmware_bridge.demo.demo_view import _waiting
from tests.demo.demos import demo, environment
from tests.kit.patience import ended
from tests.kit.process import python


def on_terminal(
    folder: Path,
    *words: str,
    keys: dict[str, bytes] | None = None,
    code: int = 0,
    env: dict[str, str] | None = None,
    program: str = "firmware_bridge",
) -> str:
    """What a demo draws on a terminal of 100 x 40. keys: what is pressed once a text was seen, one after the other."""
    host, terminal = pty.openpty()
    size = {"COLUMNS": "100", "LINES": "40", "TERM": "xterm-256color"} | (env or {})
    waiting = list((keys or {}).items())
    command = ("-m", program, "demo", "--seed", "3", *words)
    # tests.war adds its game before anything is imported.
    execute, env = program != "firmware_bridge", environment(folder, **size)
    with python(*command, execute=execute, env=env, stdin=terminal, stdout=terminal) as running:
        os.close(terminal)
        drawn = b""
        try:
            while chunk := os.read(host, 65536):
                drawn += chunk
                if waiting and waiting[0][0] in plain(drawn):
                    os.write(host, waiting.pop(0)[1])
        except OSError:  # the last one to write has gone
            pass
        assert ended(running) == code
    os.close(host)
    return plain(drawn)


def plain(drawn: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn.decode(errors="ignore"))


def test_the_picture_on_a_terminal(tmp_path: Path) -> None:
    drawn = on_terminal(tmp_path, "--rounds", "3", "--speed", "10")
    for text in (
        "table DEMO",
        "PLAYER",
        "BANKER",
        "ready 1 Hz",
        "P1 steady",
        "5♥ ░░ ░░ ░░ ░░ ░░",
        "round 2: PLAYER 7:0",
        "✓ mosquitto, MQTT 5",
        "Bead plate",
        "Big road",
        "Ctrl-C or q: end; SPACE: pause",
        "3 rounds delivered",
    ):
        assert text in drawn, text
    assert re.search("║ *DRAW *║", drawn)
    assert re.search("│ 9♦ +│", drawn)
    assert re.search("round 1 over, round 2 ready|round 2 over, round 3 ready", drawn), "a late screen may miss one"


def test_the_picture_says_what_to_do_when_something_is_wrong(tmp_path: Path) -> None:
    words = "--rounds 2 --speed 50 --fault reader_lost --procedure six-card"
    drawn = on_terminal(tmp_path, *words.split())
    for text in ("✗ CABLE PULLED", "fault 5 Hz", "! reader_lost: Stop drawing.", "RESERVE", "░░░░"):
        assert text in drawn, text


def test_the_picture_of_a_game_that_the_demo_has_never_heard_of(tmp_path: Path) -> None:
    drawn = on_terminal(tmp_path, "--game", "war", "--rounds", "1", "--speed", "5", program="tests.war")
    for text in ("SEATS", "DEALER", " DRAW ", "D steady", "round 1: SEATS", " 5:5:6:2 ", "betting: round 1: open"):
        assert text in drawn, text


def test_keys_let_the_demo_rest_and_end(tmp_path: Path) -> None:
    keys = {"P2 steady": b" ", "PAUSED. SPACE: go on": b" ", "round 1: PLAYER": b"q"}
    drawn = on_terminal(tmp_path, "--rounds", "1000", "--speed", "10", keys=keys, code=0)
    assert re.search(r"\d+ rounds? delivered", drawn)


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"TERM": "dumb"}, "this terminal cannot move its cursor (TERM=dumb); showing lines; Ctrl-C: end"),
        ({"COLUMNS": "40", "LINES": "10"}, "this terminal is 40x10; the picture needs 80x22; showing lines; Ctrl-C"),
    ],
)
def test_a_terminal_without_room_or_a_cursor_gets_lines(tmp_path: Path, env: dict[str, str], text: str) -> None:
    drawn = on_terminal(tmp_path, "--rounds", "1", "--speed", "200", env=env)
    folded = " ".join(drawn.split())
    assert folded.startswith(text)
    assert "demo 1 round, " in folded
    assert "round 1 PLAYER 9:7" in folded
    assert "╭" not in drawn


def test_the_last_picture_can_be_kept(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    kept = tmp_path_factory.mktemp("kept") / "demo.svg"
    said = demo(tmp_path, "--rounds", "2", "--speed", "50", "--svg", str(kept))
    assert said.endswith(f"picture: {kept}\n")
    drawn = kept.read_text("utf-8")
    assert "url(" not in drawn
    assert "<style" not in drawn
    words = [(len(places.split()), word) for places, word in re.findall(r'<text x="([^"]+)"[^>]*>([^<]+)<', drawn)]
    assert all(count == len(unescape(word)) for count, word in words)
    assert {"PLAYER", "BANKER", "DEMO", "Big", "Bead"} <= {word for _, word in words}


@pytest.mark.parametrize(
    ("waits", "acked", "said"),
    [
        (False, ("j2", 7), "queue empty"),
        (True, ("j2", 7), "queue 3 entries"),
        (True, ("j1", 7), "queue on disk"),
        (True, None, "queue on disk"),
    ],
)
def test_the_picture_counts_what_the_broker_lacks_of_this_journal(
    waits: bool, acked: tuple[str, int] | None, said: str
) -> None:
    shoe = SimpleNamespace(journal="j2", seq=10)
    harness: Any = SimpleNamespace(bridge=SimpleNamespace(table=SimpleNamespace(shoe=shoe)))
    assert _waiting(harness, {"waiting": waits, "acked": acked}) == said
