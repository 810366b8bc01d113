"""`shoe roads` in this process, and the shoe that the docs show."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.cli import roads as roads_

DOCS = Path(__file__).parents[3] / "docs" / "roads"
SHOE = (DOCS / "shoe.txt").read_text("utf-8").split()

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shoe_roads(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: object) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser()
        roads_.options(parser)
        code = roads_.run(parser.parse_args([str(word) for word in words]))
        return code, *capsys.readouterr()

    return run


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
