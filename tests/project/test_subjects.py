"""The form of commits: their subjects fit a line of `git log`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from scripts.tools.subjects import MOST, main

ROOT = Path(__file__).parents[2]
SINCE = "56fb9700"
"""The last commit before subjects were checked."""


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("Refuse an order that nobody gives", ""),
        ("outbox: send the last entries before the farewell", ""),
        ("x" * MOST, "small letter"),
        ("X" * (MOST + 1), "has 73 characters"),
        ("Refuse it.", "full stop"),
        ("refuse it", "small letter"),
        ("Refuse it\nat once", "not empty"),
        ("Refuse it\n\nAt once. # and so on", ""),
        ("# only git's lines\n", "no subject"),
        ('Revert "' + "x" * MOST + '"', ""),
    ],
)
def test_what_is_wrong_with_a_message(
    message: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "COMMIT_EDITMSG"
    path.write_text(message)
    assert main([str(path)]) == (1 if fault else 0)
    assert fault in capsys.readouterr().err


def test_subjects_since_they_are_checked_fit() -> None:
    command = ["git", "-C", str(ROOT), "log", "--no-merges", "--format=%h %s", f"{SINCE}..HEAD"]
    try:
        known = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a tree without git history")
    long = [line for line in known.splitlines() if len(line.partition(" ")[2]) > MOST]
    assert not long, "\n".join(long)


def test_a_hook_runs_the_style_and_the_form_of_the_subject() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    entries = re.findall(r"entry: \.venv/bin/(\S+ \S+ ?\S*)", hooks)
    assert [entry.split()[:2] for entry in entries] == [
        ["ruff", "check"],
        ["ruff", "format"],
        ["python", "-m"],
    ]
    assert "scripts.tools.subjects" in hooks
