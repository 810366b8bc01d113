"""What a person who is not root is told where no daemon runs: that, and nothing of rights, paths or passwords."""

import importlib
import os
import pkgutil
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from firmware_bridge import cli
from firmware_bridge.cli import main
from tests.kit.people import GID, UID, Forked
from tests.kit.rows import each_row

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")

BLAMES: Final = re.compile(r"ermission|denied|password|owner|group|log in|--dir")

NONE_LISTENS: Final = "no daemon listens at "
DAEMONS_ALONE: Final = "is the daemon's alone, and no daemon runs; start the daemon, or put sudo before the command"


@pytest.fixture(scope="module")
def config() -> Iterator[Path]:
    """The config of a table that is switched off, with a journal and a password of its own; all modules are loaded."""
    for each in pkgutil.walk_packages(cli.__path__, f"{cli.__name__}."):
        importlib.import_module(each.name)
    with TemporaryDirectory(prefix="shoe-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "journal").mkdir(0o700)
        (folder / "password").touch(0o600)
        file = folder / "bridge.toml"
        file.write_text(
            f'[table]\nid = "T1"\n[reader]\nport = "{folder}/reader"\n[pins]\nfactory = "mock"\n'
            f'[mqtt]\nport = 9\nusername = "T1"\npassword_file = "{folder}/password"\n'
            f'[journal]\ndir = "{folder}/journal"\n'
        )
        file.chmod(0o644)
        yield file


def run_as(words: list[str], config: Path, who: str = "nobody") -> tuple[int, str]:
    """Exit code and all output of a command of somebody else."""
    child = Forked(lambda: main([*words, "--config", str(config)]), UID[who], [GID[who]] if who in GID else [])
    with child.stdout, child.stderr:
        said = child.stdout.read() + child.stderr.read()
    return child.wait(), said


@each_row(
    ("words", "code", "says"),
    [
        ("status", 3, NONE_LISTENS),
        ("watch --plain", 3, NONE_LISTENS),
        ("do next --by anna", 3, NONE_LISTENS),
        ("enter 9s --by anna --second bo", 3, NONE_LISTENS),
        ("key show", 3, NONE_LISTENS),
        ("key rotate --by anna --second bo", 3, NONE_LISTENS),
        ("key retire --by anna --second bo", 3, NONE_LISTENS),
        ("record begin --by anna --second bo --why card", 3, NONE_LISTENS),
        ("roads", 1, DAEMONS_ALONE),
        ("journal list", 1, DAEMONS_ALONE),
        ("journal show", 1, DAEMONS_ALONE),
        ("journal verify", 1, DAEMONS_ALONE),
        ("journal export 1-a", 1, DAEMONS_ALONE),
        ("calibrate reader --by anna", 78, DAEMONS_ALONE),
        ("calibrate lamps --by anna", 78, DAEMONS_ALONE),
    ],
)
def test_no_command_blames_a_right_where_no_daemon_runs(words: str, code: int, says: str, config: Path) -> None:
    ended, said = run_as(words.split(), config)
    assert (ended, says in said) == (code, True), said
    assert not BLAMES.search(said), said


def test_what_a_check_may_not_read_is_no_fault_of_a_table_that_is_off(config: Path) -> None:
    _, said = run_as(["check"], config)
    assert "OK    daemon     not running" in said
    for line in said.splitlines():
        assert not (BLAMES.search(line) and not line.startswith("WARN")), line
    assert {"broker", "disk", "journal", "calibrated"} <= set(re.findall(r"WARN  (\w+) +not checked, as it is", said))
    assert set(re.findall(r"as it is for root: .*\n +-> (.*)", said)) == {"put sudo before the command"}


def test_where_one_listens_the_right_that_is_missing_is_named(config: Path) -> None:
    path = config.parent / "journal" / "control.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        code, said = run_as(["do", "next", "--by", "anna"], config)
    path.unlink()
    assert (code, "it is for the group shoe-pit" in said) == (3, True), said
