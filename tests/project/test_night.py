"""The parts of .ci/night: what is run, kept, told as missing, and goes on where it was broken off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

from scripts.tools import night
from scripts.tools.night import LEDGER, STATE, Night, chosen, commits, is_changed, missing, parts, rows
from tests.kit.patience import until

ROOT = Path(__file__).parents[2]
COMMIT = "0123456789ab"


class Pieces:
    """Runs pieces that do nothing. ran: those that were asked for. codes: their exit codes, where they are not 0."""

    def __init__(self, **codes: int) -> None:
        self.ran: list[str] = []
        self.codes = codes
        self.broken_off_at = ""

    def __call__(self, piece: str) -> int:
        if piece == self.broken_off_at:
            raise KeyboardInterrupt
        self.ran.append(piece)
        return self.codes.get(piece, 0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".ci").mkdir()
    return tmp_path


def outcomes(root: Path) -> list[tuple[str, str]]:
    return [(row["part"], row["outcome"]) for row in rows(root / LEDGER)]


def test_a_part_runs_its_pieces_once_and_adds_a_line(root: Path) -> None:
    run = Pieces()
    assert Night(root, COMMIT, run).play("soak", ["a", "b"])
    assert run.ran == ["a", "b"]
    [row] = rows(root / LEDGER)
    assert row == {"commit": COMMIT, "part": "soak", "seconds": 0, "outcome": "green"}


def test_a_part_that_was_broken_off_goes_on_where_it_was(root: Path) -> None:
    run = Pieces()
    run.broken_off_at = "b"
    with pytest.raises(KeyboardInterrupt):
        Night(root, COMMIT, run).play("soak", ["a", "b", "c"])
    assert outcomes(root) == []
    run.broken_off_at = ""
    assert Night(root, COMMIT, run).play("soak", ["a", "b", "c"])
    assert run.ran == ["a", "b", "c"]
    assert outcomes(root) == [("soak", "green")]


def test_a_piece_that_fails_ends_its_part_is_named_and_runs_again(root: Path) -> None:
    run = Pieces(b=3)
    assert not Night(root, COMMIT, run).play("soak", ["a", "b", "c"])
    assert not Night(root, COMMIT, run).is_green("soak")
    assert rows(root / LEDGER)[-1]["piece"] == "b"
    run.codes = {}
    assert Night(root, COMMIT, run).play("soak", ["a", "b", "c"])
    assert run.ran == ["a", "b", "b", "c"]
    assert outcomes(root) == [("soak", "red"), ("soak", "green")]
    assert Night(root, COMMIT, run).is_green("soak")


def test_a_figure_that_a_piece_leaves_is_in_the_line_of_its_part(root: Path) -> None:
    def run(piece: str) -> int:
        kept = root / STATE / COMMIT
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "coverage.figure").write_text("93.5\n")
        return 0

    night = Night(root, COMMIT, run)
    assert night.play("coverage", ["a", "b"])
    assert night.play("soak", ["c"])
    assert [row.get("figure") for row in rows(root / LEDGER)] == [93.5, None]


def test_coverage_is_of_all_folders_and_ends_in_a_figure() -> None:
    *run, last = parts()["coverage"]
    cells = [name.removeprefix("cells-") for name in parts() if name.startswith("cells-")]
    assert [piece.rpartition("tests/")[2] for piece in run] == cells
    assert last.endswith("$NIGHT/coverage.figure")


def test_another_commit_begins_at_the_first_piece(root: Path) -> None:
    run = Pieces()
    Night(root, COMMIT, run).play("soak", ["a"])
    other = Night(root, "f" * 12, run)
    assert not other.is_green("soak")
    other.play("soak", ["a"])
    assert run.ran == ["a", "a"]


def test_what_is_forgotten_runs_again(root: Path) -> None:
    run = Pieces()
    night = Night(root, COMMIT, run)
    night.play("soak", ["a"])
    night.forget(["a", "never run"])
    night.play("soak", ["a"])
    assert run.ran == ["a", "a"]


def test_missing_are_the_parts_without_a_green_run_at_one_of_the_commits() -> None:
    held = [
        {"commit": "new", "part": "soak", "seconds": 1, "outcome": "green"},
        {"commit": "new", "part": "soak", "seconds": 1, "outcome": "red"},
        {"commit": "new", "part": "fuzz", "seconds": 1, "outcome": "red"},
        {"commit": "old", "part": "fleet", "seconds": 1, "outcome": "green"},
    ]
    assert missing(["soak", "fuzz", "fleet", "hil"], held, ["new", "newer"]) == ["fuzz", "fleet", "hil"]
    assert missing(["soak", "fleet"], held, ["new", "old"]) == []


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], ["cells-shoe", "cells-floor", "floor-1", "hil"]),
        (["floor"], ["floor-1"]),
        (["hil", "cells"], ["cells-shoe", "cells-floor", "hil"]),
        (["cells-shoe"], ["cells-shoe"]),
    ],
)
def test_a_part_is_chosen_by_its_name_or_how_that_begins(words: list[str], names: list[str]) -> None:
    assert chosen(words, ["cells-shoe", "cells-floor", "floor-1", "hil"]) == names


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match="cell"):
        chosen(["cell"], ["cells-shoe"])


def git(root: Path, *words: str) -> None:
    author = ("-c", "user.name=a test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *author, *words], check=True, stdout=subprocess.PIPE)


def test_a_commit_of_the_ledger_alone_is_no_other_commit(root: Path) -> None:
    git(root, "init", "--quiet")
    (root / "code").write_text("1")
    git(root, "add", "--all")
    git(root, "commit", "-m", "code")
    [before] = commits(root=root)
    (root / LEDGER).write_text("{}\n")
    assert not is_changed(root)
    git(root, "add", "--all")
    git(root, "commit", "-m", "ledger")
    assert commits(root=root) == [before]
    assert len(before) == 12
    (root / "code").write_text("2")
    assert is_changed(root)


def test_an_interrupt_ends_all_processes_of_a_piece(tmp_path: Path) -> None:
    """Also of a night that a shell runs in the background, which lets it ignore an interrupt."""
    piece = f"echo $$ >{tmp_path}/pid; sleep 60 & wait"
    code = f"from scripts.tools import night; night.parts = lambda: {{'hil': [{piece!r}]}}; night.is_changed = bool"
    code += f"; night.ROOT = __import__('pathlib').Path({str(tmp_path)!r}); night.commits = lambda *_: ['{COMMIT}']"
    command = [sys.executable, "-c", f"{code}; raise SystemExit(night.main([]))"]
    ignoring = ["bash", "-c", 'trap "" INT; exec "$@"', "bash", *command]
    with subprocess.Popen(ignoring, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        group = int(until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text()))
        process.terminate()
        _, said = process.communicate()
    assert (process.returncode, "broken off" in said) == (130, True)
    until(lambda: not is_there(group))


def is_there(group: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        return True
    return False


def words_of(pieces: Iterable[str]) -> set[str]:
    return {word for piece in pieces for word in piece.split()}


def test_every_file_of_tests_is_in_a_part() -> None:
    found = words_of(piece for pieces in parts().values() for piece in pieces)
    for path in (ROOT / "tests").glob("**/test_*.py"):
        names = [str(each.relative_to(ROOT)) for each in (path, *path.parents) if each.is_relative_to(ROOT)]
        assert len(found.intersection(names)) == 1, path


def test_every_room_of_the_frozen_mutations_is_in_a_part() -> None:
    lines = (ROOT / "tests/tools/mutants/mutants.jsonl").read_text("utf-8").splitlines()
    found = words_of(piece for name, pieces in parts().items() if name.startswith("mutations-") for piece in pieces)
    assert {json.loads(line)["room"] for line in lines} <= found


def test_no_piece_is_run_by_two_parts_and_every_script_exists() -> None:
    pieces = [piece for each in parts().values() for piece in each]
    assert len(pieces) == len(set(pieces))
    for word in words_of(pieces):
        assert not word.startswith("scripts/") or (ROOT / word).exists(), word


@pytest.mark.parametrize("words", [["nothing"], ["--again", "nothing"], ["--foo"]], ids=" ".join)
def test_what_is_no_part_is_named(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert night.main(words) == 2
    assert words[-1] in capsys.readouterr().err


def test_all_parts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert night.main(["--list"]) == 0
    said = capsys.readouterr().out
    assert all(f"{name}: " in said for name in parts())
