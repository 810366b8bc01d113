"""The scripts do what they do from any directory, and take paths relative to it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.kit.patience import run
from tests.kit.rows import each_row

SCRIPTS = Path(__file__).parents[2] / "scripts"


def at(cwd: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return run([SCRIPTS / script, *arguments], 120.0, cwd=cwd, env=environment)


@pytest.mark.parametrize(
    ("script", "arguments", "says"),
    [
        ("demo", ["--help"], "--speed"),
        ("fleet", ["--help"], "--tables"),
        ("play", ["--help"], "FILE"),
        ("soak", ["--help"], "--kills"),
        ("stored-kills", ["--help"], "--kills"),
        ("crash-states", ["--help"], "--states"),
        ("calibration-proof", ["--help"], ""),
    ],
)
def test_a_script_runs_from_any_directory(script: str, arguments: list[str], says: str, tmp_path: Path) -> None:
    done = at(tmp_path, script, *arguments)
    assert done.returncode == 0, done.stderr
    assert says.lower() in done.stdout.lower()


@each_row(
    ("script", "says"),
    [
        ("asyncapi", "@asyncapi/parser"),
        ("back-office", "--database-port"),
        ("bench/run", "--record"),
        ("docs", "scripts/docs --check"),
        ("docs", "scripts/docs --site"),
        ("floor", "--port"),
        ("hil", "--if-possible"),
        ("install", "--floor"),
        ("lock", "--upgrade"),
        ("package", "scripts/package --out DIR"),
        ("pictures", "scripts/pictures --check"),
        ("audit", "could not ask"),
        ("release", "--new-key"),
        ("test", "--fast"),
        ("test", "--stories"),
        ("test", "--slowest"),
        ("test-floor", "PostgreSQL"),
        ("test-go", "--parts 0-4"),
        ("test-package", "some minutes"),
        ("test-package", "--one"),
        ("texts", "three languages"),
    ],
)
@each_row("option", ["--help", "-h"])
def test_help_is_printed_at_once_and_nothing_is_begun(script: str, says: str, option: str, tmp_path: Path) -> None:
    done = run([SCRIPTS / script, option], cwd=tmp_path, check=True)
    assert done.stderr == ""
    assert says in done.stdout
    assert "#!" not in done.stdout


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("demo", "--fault ID"),
        ("play", "blackjack rounds.jsonl"),
        ("fleet", "--tables"),
        ("soak", "--kills"),
        ("stored-kills", "--kills"),
        ("crash-states", "--states"),
        ("calibration-proof", "--seed"),
        ("fuzz", "--inputs"),
    ],
)
@pytest.mark.parametrize("words", [["--help"], ["baccarat", "-h"]], ids=" ".join)
def test_help_in_a_fresh_clone_installs_nothing(script: str, says: str, words: list[str], tmp_path: Path) -> None:
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    done = run([tmp_path / "scripts" / script, *words], cwd=tmp_path, check=True)
    assert done.stderr == ""
    assert says in done.stdout
    assert "source" not in done.stdout
    assert [each.name for each in tmp_path.iterdir()] == ["scripts"]


@pytest.mark.parametrize("script", ["back-office", "docs", "hil", "install", "package", "pictures", "release", "texts"])
def test_an_unknown_option_is_named_and_nothing_is_begun(script: str, tmp_path: Path) -> None:
    done = run([SCRIPTS / script, "--foo"], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown option --foo" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def in_bash(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """What a few lines print that use scripts/lib.sh."""
    command = ["bash", "-c", f'set -euo pipefail; source "{SCRIPTS}/lib.sh"; {script}', "a script", *words]
    return subprocess.run(command, cwd=SCRIPTS.parent, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("", ""),
        ("-n 2 --dist loadfile -x --fast", ""),
        ("tests/shoe -k tests/shoe", "tests/shoe"),
        ("-k pit tests/shoe/test_table.py::test_it tests/facts/", "tests/shoe/test_table.py tests/facts/"),
        ("tests/nothing", ""),
    ],
)
def test_style_and_types_are_checked_of_the_paths_among_the_words_for_pytest(words: str, named: str) -> None:
    assert in_bash('find_named "$@"; echo "${named[@]-}"', *words.split()).stdout == f"{named}\n"


PIP = """#!/bin/sh
echo 'Collecting a==1'
echo '  Downloading a-1-py3-none-any.whl.metadata (400 kB)'
echo 'Downloading a-1-py3-none-any.whl (11.1 MB)'
echo 'Using cached b-1-py3-none-any.whl (500.0 MB)'
echo 'WARNING: something' >&2
exit 0
"""
LOCK = """a==1 \\
    --hash=sha256:00
b==1 ; python_full_version < '3.13' \\
    --hash=sha256:00
c==1 ; sys_platform == 'win32' \\
    --hash=sha256:00
"""


@pytest.mark.parametrize("code", [0, 1])
def test_a_setup_is_one_line_with_packages_and_mb_unless_it_fails(code: int, tmp_path: Path) -> None:
    python = tmp_path / "venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PIP.replace("exit 0", f"exit {code}"))
    python.chmod(0o755)
    (tmp_path / "some.lock").write_text(LOCK)
    done = in_bash('install_lock "$1" "$2"', str(python), str(tmp_path / "some.lock"))
    begun = f"Setting up {tmp_path}/venv: 2 packages of requirements/some.lock .."
    assert (done.returncode, done.stdout) == (code, "")
    if code:
        assert done.stderr.splitlines()[0] == begun
        assert "WARNING: something" in done.stderr
    else:
        assert re.fullmatch(re.escape(begun) + r" 12 MB downloaded, \d+ s\n", done.stderr)


def test_given_rounds_are_read_from_a_relative_path(tmp_path: Path) -> None:
    (tmp_path / "rounds.jsonl").write_text("")
    done = at(tmp_path, "play", "baccarat", "rounds.jsonl")
    assert "No such file" not in done.stderr


@pytest.mark.story
def test_a_fleet_writes_into_a_relative_folder(tmp_path: Path) -> None:
    done = at(tmp_path, "fleet", "--tables", "2", "--minutes", "0.1", "--out", "result")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "result").iterdir())
