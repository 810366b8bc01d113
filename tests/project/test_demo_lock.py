"""The demo sets up what it runs on, and no tools of development."""

from __future__ import annotations

import re
from pathlib import Path

LOCKS = Path(__file__).parents[2] / "requirements"


def _locked(name: str) -> set[str]:
    return set(re.findall(r"^([\w.-]+==\S+)", (LOCKS / f"{name}.lock").read_text(), re.M))


def test_the_demo_installs_what_development_has_in_the_same_versions() -> None:
    assert _locked("demo") < _locked("dev")


def test_it_installs_no_tool_of_development() -> None:
    names = {each.partition("==")[0] for each in _locked("demo")}
    assert not names & {"mypy", "ruff", "pytest", "hypothesis", "import-linter", "pillow", "babel", "jsonschema"}
    assert len(names) <= 40
