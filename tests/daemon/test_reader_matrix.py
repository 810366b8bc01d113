"""Each kind of trouble at each protocol: no card is wrong, extra or silently missing, as docs/readers.md says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.docs.pages import DOCS
from tests.kit import reader_matrix as matrix
from tests.kit.nightly import EVERY, some
from tests.kit.reader_plays import ENDED_BY, KINDS, cells, play
from tests.kit.reader_stage import Seen

PAGE = DOCS / "readers.md"


def test_every_cell_is_as_the_page_says() -> None:
    """By day some cells; by night all, and no row of the page is of anything else."""
    ended = [next(cell for cell in cells() if cell[0] == kind) for _, kind in ENDED_BY]
    chosen = dict.fromkeys([*some(cells(), of=20), *ended, ("held by another, a part of a card", "line")])
    played = {cell: _played(cell) for cell in cells() if cell in chosen}
    wrong = {cell: matrix.mistakes(seen) for cell, seen in played.items()}
    assert {cell: found for cell, found in wrong.items() if found and cell not in matrix.CANNOT_KNOW} == {}
    assert [cell for cell, found in wrong.items() if not found and cell in matrix.CANNOT_KNOW] == []
    page = PAGE.read_text("utf-8")
    rows = matrix.rows_of(page)
    assert {cell: matrix.row(cell, seen) for cell, seen in played.items()} == {cell: rows.get(cell) for cell in played}
    assert sorted(rows) == sorted(cells())
    if EVERY:
        assert matrix.placed(page, matrix.table(played)) == page, "run python -m tests.kit.reader_matrix"


def test_behind_each_kind_that_cannot_be_known_stands_what_ends_it() -> None:
    kinds = list(KINDS)
    for kind, ended in ENDED_BY:
        assert kinds.index(ended) == kinds.index(kind) + 1


@pytest.mark.parametrize(
    ("drawn", "dealt", "waiting", "alarms", "is_right"),
    [
        ("9s Kd", "9s Kd", "", "", True),
        ("9s Kd", "8s Kd", "", "", False),
        ("9s Kd", "8s Kd", "", "reader_gap", False),
        ("9s Kd", "9s 9s Kd", "", "", False),
        ("9s Kd", "9s", "9s Kd", "", False),
        ("9s Kd", "9s", "9s Kd", "read_again", True),
        ("9s Kd 4h", "9s 4h", "", "", False),
        ("9s Kd 4h", "9s", "4h", "", False),
        ("9s Kd 4h", "9s", "4h", "reader_gap", True),
        ("9s Kd 4h", "9s", "? 4h", "foreign", True),
        ("9s Kd 4h 2c", "9s", "? 2c", "foreign", False),
        ("9s Kd", "9s Kd", "?", "foreign", False),
        ("9s Kd", "9s", "8s", "", False),
    ],
)
def test_each_card_is_judged_by_itself(drawn: str, dealt: str, waiting: str, alarms: str, is_right: bool) -> None:
    line = [*dealt.split(), *(None if card == "?" else card for card in waiting.split())]
    seen = Seen(drawn.split(), dealt.split(), line, alarms.split())
    assert (matrix.mistakes(seen) == []) is is_right


def _played(cell: tuple[str, str]) -> Seen:
    with tempfile.TemporaryDirectory() as folder:
        return play(Path(folder), *cell)
