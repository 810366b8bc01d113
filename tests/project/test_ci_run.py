""".ci/run: its parts, with the seconds of each at its end, and the name of the one that failed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.kit.patience import until

ROOT = Path(__file__).parents[2]
SCRIPTS = set(re.findall(r"'scripts/([\w-]+)", (ROOT / ".ci/run").read_text()))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The build machine's script, and scripts that only say how they were called."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    (tmp_path / "scripts").mkdir()
    for name in SCRIPTS:
        script = tmp_path / "scripts" / name
        script.write_text('#!/bin/sh\necho "called: ${0##*/} $*"\n')
        script.chmod(0o755)
    return tmp_path


def run(project: Path, *words: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [project / ".ci/run", *words], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout.splitlines()


def seconds(lines: list[str]) -> list[str]:
    """The table at the end, without the numbers."""
    return [line.split(" s  ")[1] for line in lines if re.match(r" *\d+ s  ", line)]


def test_every_part_is_run_and_its_seconds_are_shown_at_the_end(project: Path) -> None:
    code, lines = run(project)
    assert code == 0
    assert seconds(lines) == [
        *("tests", "stories", "floor", "package", "soak", "crash-states", "calibration", "go", "docs", "hil"),
        "together",
    ]
    assert {line.split()[1] for line in lines if line.startswith("called: ")} == SCRIPTS


def test_the_part_that_failed_is_named_last_and_ends_the_run(project: Path) -> None:
    (project / "scripts/soak").write_text("#!/bin/sh\nexit 3\n")
    code, lines = run(project)
    assert code == 3
    assert seconds(lines)[-2:] == ["soak FAILED: scripts/soak --kills 20", "together"]
    assert not any("crash-states" in line for line in lines)


def test_what_ran_beside_the_others_is_shown_last_and_its_failure_is_one(project: Path) -> None:
    (project / "scripts/hil").write_text("#!/bin/sh\necho no such board\nexit 4\n")
    code, lines = run(project)
    assert code == 4
    assert seconds(lines)[-3:] == ["docs", "hil FAILED: scripts/hil --short --if-possible", "together"]
    assert "no such board" in lines[lines.index("called: docs --site") :]


def test_what_runs_beside_a_part_that_failed_is_ended(project: Path) -> None:
    left = project / "pid"
    (project / "scripts/hil").write_text(f"#!/bin/sh\nsleep 999 &\necho $! >{left}.new\nmv {left}.new {left}\nwait\n")
    (project / "scripts/soak").write_text(f"#!/bin/sh\nwhile [ ! -e {left} ]; do sleep 0.01; done\nexit 3\n")
    code, lines = run(project)
    assert (code, seconds(lines)[-2]) == (3, "soak FAILED: scripts/soak --kills 20")
    until(lambda: not runs(int(left.read_text())))


def runs(pid: int) -> bool:
    """Whether a process runs; what ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_parts_are_run_by_name(project: Path) -> None:
    code, lines = run(project, "docs", "soak")
    assert (code, seconds(lines)) == (0, ["docs", "soak", "together"])


def test_what_is_no_part_is_refused_before_anything_runs(project: Path) -> None:
    code, lines = run(project, "docs", "stages")
    assert (code, len(lines)) == (2, 1)
    assert lines[0].startswith("run: no part stages; they are tests hil stories ")


def test_every_script_that_it_calls_exists() -> None:
    assert {"test", "test-floor", "docs"} < SCRIPTS
    assert [name for name in SCRIPTS if not (ROOT / "scripts" / name).exists()] == []
