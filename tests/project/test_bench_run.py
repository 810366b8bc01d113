"""scripts/bench/run measures what an installation does: modules that are compiled."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path

from tests.kit.patience import run

PROJECT = Path(__file__).parents[2]

NOTES = """#!/bin/sh
printf '%s|%s\\n' "${PYTHONDONTWRITEBYTECODE-unset}" "$*" >>"$0.notes"
"""
"""A Python that notes how it is called."""


def test_all_modules_are_compiled_before_it_measures(tmp_path: Path) -> None:
    shutil.copytree(PROJECT / "scripts", tmp_path / "scripts")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements/dev.lock").write_text("")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    python = tmp_path / ".venv/bin/python"
    python.write_text(NOTES)
    python.chmod(0o755)
    (tmp_path / ".venv/.matches").write_text(f"{sha256(b'').hexdigest()}  -\n")
    environ = {name: value for name, value in os.environ.items() if name != "PYTHON"}
    command = [tmp_path / "scripts/bench/run", "bench.py", "--rounds", "1"]
    done = run(command, cwd=tmp_path, env=environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    compiled, measured = Path(f"{python}.notes").read_text().splitlines()
    assert compiled == f"unset|-m compileall -q {tmp_path}/firmware_bridge {tmp_path}/hardware"
    assert measured.startswith(f"unset|{tmp_path}/bench.py --target ours=")
    assert measured.endswith(" --rounds 1")
