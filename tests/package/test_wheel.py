"""The wheel as anybody installs it: without extras, by pip and by pipx, and for a client alone."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.cli import COMMANDS, parser_of
from firmware_bridge.config.arguments import Exit
from firmware_bridge.floor import cli as floor
from scripts.tools.documents import DOCS
from tests.kit.patience import run
from tests.kit.project_copy import copy_of_the_project

SHARED: Final = {
    "man/man1/shoe.1": "man/shoe.1",
    "man/man1/shoe-floor.1": "man/shoe-floor.1",
    "man/man5/bridge.toml.5": "man/bridge.toml.5",
    "bash-completion/completions/shoe": "man/shoe.bash",
    "bash-completion/completions/shoe-floor": "man/shoe-floor.bash",
}
"""File in an environment's share/ -> the one in docs/."""

WORDS: Final = {
    "demo": "--rounds 0",
    "odds": "baccarat",
    "roads": "PBB",
    "play": "baccarat",
    "help": "3am",
    "enter": "9s --by ann --second bo",
    "mark": "1 H --by ann",
    "next": "--by ann",
    "reader": "--by ann",
    "pseudonym": "ann",
    "export": "rounds",
    "report": "day",
}
"""Command -> arguments with which it has something to do; any other gets none but a config that is not there."""

WRITES: Final = ("new", "rotate", "install", "tls", "screens", "user")
"""Commands that write to places of the machine: here they only show their help."""

OTHERS: Final = ("by_pipx", "of_a_client")

NOWHERE: Final = ("--config", "nowhere.toml")
ENDS: Final = {int(code) for code in Exit} - {Exit.INTERRUPTED}


def lines(path: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, ...]]:
    """The words of each command and subcommand: for its help, and with a config that is not there."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                below = f"{path} {name}".split()
                yield (*below, "--help")
                if not set(below) & set(WRITES):
                    program = [below[0], *NOWHERE] if below[0] == "shoe-floor" else below[:1]
                    config = NOWHERE if "--config" in each._option_string_actions else ()
                    yield (*program, *below[1:], *WORDS.get(name, "").split(), *config)
                yield from lines(" ".join(below), each)


ALL: Final = [("shoe", "--version"), ("shoe-floor", "--version"), *lines("shoe", parser_of(COMMANDS))]
ALL.extend(lines("shoe-floor", floor._parser()))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip makes of the sources."""
    to = tmp_path_factory.mktemp("wheel")
    project = copy_of_the_project(to / "project")
    pip(Path(sys.executable), "wheel", "--no-deps", "--wheel-dir", to, project)
    (made,) = to.glob("*.whl")
    return made


def pip(python: Path, *words: object) -> None:
    run([python, "-m", "pip", "--quiet", "--disable-pip-version-check", *words], check=True)


def empty(folder: Path) -> Path:
    """The Python of a new environment."""
    venv.create(folder, with_pip=True)
    return folder / "bin/python"


@pytest.fixture(scope="session")
def by_pip(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("pip")
    pip(empty(folder), "install", wheel)
    return folder


@pytest.fixture(scope="session")
def by_pipx(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what pipx installs for a user."""
    folder = tmp_path_factory.mktemp("pipx")
    pip(python := empty(folder / "pipx"), "install", "pipx")
    places = {"PIPX_HOME": folder / "home", "PIPX_BIN_DIR": folder / "bin", "PIPX_MAN_DIR": folder / "share/man"}
    env = os.environ | {name: str(place) for name, place in places.items()}
    run([python, "-m", "pipx", "install", wheel], env=env, check=True)
    return folder


@pytest.fixture(scope="session")
def of_a_client(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment as docs/backend.md has it."""
    folder = tmp_path_factory.mktemp("client")
    pip(python := empty(folder), "install", "msgspec", "paho-mqtt")
    pip(python, "install", "--no-deps", wheel)
    return folder


def called(folder: Path, words: tuple[str, ...], home: Path) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    program = [folder / "bin" / words[0], *words[1:]]
    return run(program, cwd=home, env=env, stdin=subprocess.DEVNULL)


BEGUN: Final = [words for words in ALL if words[-1] != "--help"]
CELLS: Final = [("by_pip", words) for words in ALL] + [(way, words) for way in OTHERS for words in BEGUN]


@pytest.mark.parametrize(("way", "words"), CELLS, ids=lambda each: each if isinstance(each, str) else " ".join(each))
def test_each_command_works_or_says_what_is_missing(
    way: str, words: tuple[str, ...], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    done = called(request.getfixturevalue(way), words, tmp_path)
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert done.returncode in ENDS, said
    if way != "of_a_client":
        assert "Python module" not in said
        assert done.returncode == Exit.FINE or words[-1] not in ("--help", "--version"), said


@pytest.mark.parametrize("way", ["by_pip", "by_pipx"])
def test_manual_pages_and_completion_come_with_it(way: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(way)
    for place, made in SHARED.items():
        if way == "by_pip" or place.startswith("man/"):  # pipx links no completion
            assert (folder / "share" / place).read_bytes() == (DOCS / made).read_bytes(), place
