"""Commands of people who are not root: which socket they take, and what a false daemon can do to their terminal."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.daemon_socket import NotAllowed, connected, signed
from firmware_bridge.facts.book.roles import GROUPS
from tests.kit import command
from tests.kit.control import answering

shoe = command.shoe  # a fixture

FALSE: dict[str, Any] = {"ok": False, "error": "\x1b[2Jgone", "hint": "\x1b]0;PWN\x07"}


@pytest.mark.parametrize(
    "words",
    [("do", "next", "--by", "anna"), ("enter", "Kc", "--by", "anna", "--second", "bo"), ("do", "fly", "--by", "a")],
)
def test_a_false_daemon_cannot_write_to_the_terminal(shoe: command.Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(f'[journal]\ndir = "{tmp_path}/j"\n')
    with answering(config, **{words[0 if words[0] == "enter" else 1]: FALSE}):
        ran = shoe(*words, "--config", config)
    assert (ran.code, r"\x1b[2Jgone" in ran.err) == (1, True)
    assert not {"\x1b", "\x07"} & set(ran.out + ran.err)


def test_a_command_takes_the_first_socket_it_may_use(tmp_path: Path) -> None:
    heard = {}
    for role in ("pit", "tech", "audit"):
        (tmp_path / role).mkdir()
        heard[role] = socket.create_server(str(tmp_path / role / "control.sock"), family=socket.AF_UNIX)
    for do, role in (
        ("void", "pit"),
        ("status", "pit"),
        ("lend", "tech"),
        ("rotate_key", "tech"),
        ("journals", "audit"),
    ):
        with connected(tmp_path / "control.sock", do):
            heard[role].accept()[0].close()
    for each in heard.values():
        each.close()


def test_who_may_not_ask_is_shown_the_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with socket.create_server(str(tmp_path / "control.sock"), family=socket.AF_UNIX):
        monkeypatch.setattr("socket.socket.connect", refuse)
        with pytest.raises(NotAllowed) as refused:
            connected(tmp_path / "control.sock", "void")
    assert GROUPS["pit"] in refused.value.hint


def test_a_request_with_a_name_has_the_terminal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.ttyname", lambda fd: "/dev/pts/3")
    assert signed({"do": "next", "by": "anna"}) == {"do": "next", "by": "anna", "terminal": "pts/3"}
    assert json.dumps(signed({"do": "status"})) == '{"do": "status"}'
