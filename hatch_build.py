"""Puts the name of the commit into the wheel and the sdist that are built of it, and the docs into the wheel."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILD: Final = "firmware_bridge/build.txt"
SOURCES: Final = (
    *("firmware_bridge", "hardware", "docs", "systemd", "requirements", "scripts", "pyproject.toml", "hatch_build.py"),
    "CHANGELOG.md",
)
"""What a wheel or an installation is made of: a change in one of these makes a build `dirty`."""

FOLDERS: Final = ("examples", "prometheus", "small-house")
"""Folders of the docs whose files a page, or a command, reads or copies."""


class BuildHook(BuildHookInterface[Any]):
    """Adds what is made or moved at a build; an editable installation is no build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files. version: `standard` or `editable`."""
        if version == "editable":
            return
        root = Path(self.root)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False) as file:
            file.write(build(root) + "\n")
        Path(file.name).chmod(0o644)
        self._written = Path(file.name)
        added = {file.name: BUILD}
        if self.target_name == "wheel":
            docs = root / "docs"
            pages = [*sorted(docs.glob("*.md")), docs / "asyncapi.json", root / "CHANGELOG.md"]
            added |= {str(page): f"firmware_bridge/docs/{page.name}" for page in pages if page.exists()}
            files = sorted(file for folder in FOLDERS for file in (docs / folder).rglob("*") if file.is_file())
            added |= {str(file): f"firmware_bridge/docs/{file.relative_to(docs)}" for file in files}
        build_data["force_include"].update(added)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take the temporary file away."""
        if version != "editable":
            self._written.unlink(missing_ok=True)


def build(root: Path) -> str:
    """Return `COMMIT DATE`, the date in UTC, with ` dirty` behind it where sources differ from the commit; else
    `unknown`.

    Sources without their repository, of an sdist, keep what was written when that was made.
    """
    try:
        if Path(_git(root, "rev-parse", "--show-toplevel")) == root.resolve():
            named = _git(root, "show", "--no-patch", "--abbrev=12", "--date=format-local:%Y-%m-%d", "--format=%h %cd")
            return f"{named} dirty" if _git(root, "status", "--porcelain", "--", *SOURCES) else named
    except (OSError, subprocess.CalledProcessError):
        pass
    written = root / BUILD
    return written.read_text("utf-8").strip() if written.exists() else "unknown"


def _git(root: Path, *words: str) -> str:
    """Return the output of git. For root it accepts another user's checkout, as in `sudo scripts/install`."""
    command = ["git", "-c", f"safe.directory={root.resolve()}", "-C", str(root), "--no-optional-locks", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"TZ": "UTC0"})
    return done.stdout.strip()
