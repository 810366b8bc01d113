"""Each kind of trouble at each protocol: no card is wrong, extra or silently missing, as docs/readers.md says."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.docs.pages import DOCS
from tests.kit import reader_matrix as matrix
from tests.kit.nightly import EVERY, some

PAGE = DOCS / "readers.md"


def test_every_cell_is_as_the_page_says() -> None:
    """By day some cells; by night all, and no row of the page is of anything else."""
    played = {cell: _played(cell) for cell in some(matrix.cells(), of=20)}
    wrong = {cell: matrix.mistakes(seen) for cell, seen in played.items() if cell not in matrix.CANNOT_KNOW}
    assert {cell: found for cell, found in wrong.items() if found} == {}
    page = PAGE.read_text("utf-8")
    told = matrix.told(page)
    assert {cell: matrix.row(seen, matrix.CANNOT_KNOW.get(cell, "")) for cell, seen in played.items()} == {
        cell: told.get(cell) for cell in played
    }
    assert sorted(told) == sorted(matrix.cells())
    if EVERY:
        assert matrix.placed(page, matrix.table(played)) == page, "run python -m tests.kit.reader_matrix"


def _played(cell: tuple[str, str]) -> matrix.Seen:
    with tempfile.TemporaryDirectory() as folder:
        return matrix.play(Path(folder), *cell)
