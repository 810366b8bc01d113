"""A copy of the project with a history of its own, and what runs in a directory tree that it was installed into."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

PROJECT = Path(__file__).parents[2]
UNIT = PROJECT / "systemd/firmware-bridge.service"
FOLDERS = ("docs", "firmware_bridge", "hardware", "requirements", "scripts", "systemd")
FILES = (".gitignore", "CHANGELOG.md", "LICENSE", "README.md", "hatch_build.py", "pyproject.toml")
AUTHOR = ("-c", "user.name=a test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")


Install = Callable[..., str]
"""Runs scripts/install with options, and `env` beside the environment; what it says."""


def installer(project: Path, root: Path) -> Install:
    """The installer of a project or a bundle that nobody signed, for a directory tree."""

    def install(*options: str, env: Mapping[str, str] = {}) -> str:
        command = [str(project / "scripts/install"), "--unsigned", "--root", str(root), *options]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd="/", env=os.environ | env)
        return done.stdout

    return install


def copy_of_the_project(to: Path) -> Path:
    """The sources as they are now, so that nobody edits them meanwhile, as the one commit of a repository."""
    for part in FOLDERS:
        shutil.copytree(PROJECT / part, to / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in FILES:
        shutil.copy(PROJECT / part, to)
    _git(to, "init", "--quiet")
    commit(to)
    return to


def commit(project: Path) -> str:
    """Commit what changed; the name that a build of it has."""
    _git(project, "add", "--all")
    _git(project, *AUTHOR, "commit", "--quiet", "--allow-empty", "-m", "as it is")
    return _git(project, "show", "--no-patch", "--abbrev=12", "--date=format-local:%Y-%m-%d", "--format=%h %cd")


def runs(root: Path, product: str = "firmware-bridge", module: str = "firmware_bridge") -> str:
    """The build that the installed command names."""
    command = [str(root / "opt" / product / "bin/python"), "-IB", "-m", module, "--version"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd="/")
    return done.stdout.strip().partition("build ")[2]


def floor_runs(root: Path) -> str:
    """The build that the installed back office names."""
    return runs(root, "shoe-floor", "firmware_bridge.floor")


def tree(root: Path) -> dict[str, str]:
    """Every path below `root` with its mode and what it holds."""
    return {str(path.relative_to(root)): content(path) for path in sorted(root.rglob("*"))}


def content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    body = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "directory"
    return f"{path.stat().st_mode:o} {body}"


def verify(root: Path, unit: str = UNIT.name) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", f"--root={root}", unit]
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _git(project: Path, *words: str) -> str:
    command = ["git", "-C", str(project), *words]
    env = os.environ | {"TZ": "UTC0"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env).stdout.strip()
