"""The shoe bridge: cards from the shoe become rounds at the backend."""

from pathlib import Path
from typing import Final

__version__ = "0.1.0"


def _build(package: Path) -> str:
    """Return the build that a wheel names; for a package in a clone the commit; else `unknown`."""
    try:
        return (package / "build.txt").read_text("utf-8").strip()
    except OSError:
        commit = _commit(package.parent / ".git")
        return f"{commit[:12]} clone" if commit else "unknown"


def _commit(git: Path) -> str:
    """Return the commit that a clone or worktree has checked out, empty if unknown. Reads files: git takes too long."""
    try:
        if git.is_file():
            git = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text("utf-8").strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        common = git / "commondir"
        shared = git / common.read_text("utf-8").strip() if common.exists() else git
        if (shared / name).exists():
            return (shared / name).read_text("utf-8").strip()
        packed = (line.split(" ") for line in (shared / "packed-refs").read_text("utf-8").splitlines())
        return next((words[0] for words in packed if words[1:] == [name]), "")
    except (OSError, UnicodeDecodeError):
        return ""


__build__: Final = _build(Path(__file__).parent)
"""What the package was built from: commit and date (UTC), with `dirty` after them where sources differed from it. In a
clone: commit and `clone`; `--version` also says whether its files differ. `unknown` where there is neither. What is
judged depends on the version alone."""
