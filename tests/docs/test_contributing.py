"""docs/contributing.md: every script and path it names exists; CONTRIBUTING.md leads to it."""

import re

from tests.docs.pages import DOCS, ROOT
from tests.kit.rows import each_row

TEXT = (DOCS / "contributing.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_]+/[\w/.-]*)[ `]", TEXT)))


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= 90


def test_every_script_is_named() -> None:
    scripts = {path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and path.stat().st_mode & 0o100}
    shown = {"demo", "floor", "play", "install", "lock"}
    assert {name for name in scripts if f"scripts/{name}" not in TEXT} <= shown


@each_row("path", NAMED)
def test_every_path_exists(path: str) -> None:
    assert any((ROOT / place / path).exists() for place in (".", "firmware_bridge"))


def test_the_root_leads_to_it() -> None:
    linked = re.findall(r"\]\(([^)]+)\)", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert "docs/contributing.md" in linked
    assert all((ROOT / each).exists() for each in linked)
