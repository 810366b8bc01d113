"""The tests that SECURITY.md names exist, and each actor and each attack has one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [line for line in (ROOT / "SECURITY.md").read_text("utf-8").splitlines() if line.startswith("| ")]
HEADS = ("tried by", "test")
"""The last columns of the tables that name tests."""


def of_a_table(head: str) -> list[str]:
    """The last cells of the rows below a head that ends so."""
    (start,) = [n for n, row in enumerate(ROWS) if row.endswith(f" | {head} |")]
    width = ROWS[start].count("|")
    below = ROWS[start + 1 :]
    end = next((n for n, row in enumerate(below) if row.count("|") != width), len(below))
    return [row.rsplit("|", 2)[1].strip() for row in below[:end]]


@pytest.mark.parametrize("head", HEADS)
def test_each_row_names_tests_that_exist(head: str) -> None:
    cells = of_a_table(head)
    assert len(cells) > 10
    for cell in cells:
        named = re.findall("`(tests/[a-z0-9_/]+[.]py)`", cell)
        assert ", ".join(f"`{name}`" for name in named) == cell
        assert named
        assert [name for name in named if not (ROOT / name).is_file()] == []
