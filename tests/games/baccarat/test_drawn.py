"""Pictures of roads: nothing lies outside its place, and the newest mark is seen."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.cli.roads import beads
from firmware_bridge.facts.languages import Language
from firmware_bridge.games.baccarat.drawn.grid import BEHIND, BESIDE, TITLE, Grid, cells_of, road, window
from firmware_bridge.games.baccarat.drawn.places import places
from firmware_bridge.games.baccarat.drawn.shapes import Box, Dot, Label, Line, Sheet
from firmware_bridge.games.baccarat.drawn.sheet import NOTHING, Heading, Look, sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS, Kind
from firmware_bridge.games.baccarat.roads import ROWS, Bead, Board, RoadSettings, board, roads_of
from tests.games.baccarat.areas import GRIDS, HEADING, SIZES, Area, area

runs = st.lists(st.tuples(st.sampled_from("BPT"), st.integers(1, 40)), max_size=9)
rounds = st.one_of(
    runs.map(lambda each: "".join(letter * count for letter, count in each)), st.text("BPT", max_size=120)
)
"""Long runs and chops: both leave tails."""


@st.composite
def boards(draw: st.DrawFn) -> Board:
    outcomes = draw(rounds)
    signs = draw(st.lists(st.tuples(*[st.booleans()] * 3), min_size=len(outcomes), max_size=len(outcomes)))
    chosen = RoadSettings(
        draw(st.sampled_from(["first-bead", "own-column"])), draw(st.sampled_from(["stay", "descend"]))
    )
    return board(
        roads_of([Bead(each.outcome, *said) for each, said in zip(beads(outcomes or "."), signs, strict=True)], chosen)
    )


def around(grid: Grid) -> Area:
    """A grid with its title and the signs beside it."""
    return Area(grid.x - BESIDE, grid.y - TITLE, grid.x + grid.width + BESIDE, grid.y + grid.height)


@given(boards(), st.sampled_from(GRIDS), st.integers(1, 60), st.integers(12, 70), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_mark_lies_in_its_grid_and_the_newest_is_seen(
    now: Board, kind: Kind, columns: int, cell: int, pair_dots: bool
) -> None:
    grid = Grid(300, 200, cell, columns)
    shapes = list(road(now, kind, grid, WORDS["en"], pair_dots))
    inner = Area(grid.x, grid.y, grid.x + grid.width, grid.y + grid.height)
    for shape in shapes:
        where = area(shape)
        if where.y1 >= grid.y - 0.01 and not isinstance(shape, Line):
            assert inner.holds(where), shape
        assert around(grid).holds(where), shape
    cells = cells_of(now, kind)
    if not cells:
        return
    frames = [shape for shape in shapes if isinstance(shape, Box) and shape.ink == "text"]
    assert len(frames) == 1
    first = window(cells, columns).first
    assert frames[0].x == pytest.approx(grid.x + (cells[-1][0] - first) * cell)
    assert inner.holds(area(frames[0]))


@given(boards(), st.sampled_from(GRIDS), st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_what_is_out_of_sight_has_a_sign(now: Board, kind: Kind, columns: int) -> None:
    grid, cells = Grid(300, 200, 30, columns), cells_of(now, kind)
    seen = window(cells, columns)
    shapes = list(road(now, kind, grid, WORDS["en"]))
    beside = [shape for shape in shapes if isinstance(shape, Line) and shape.width > 1 and shape.y1 > grid.y]
    assert any(line.x2 < grid.x for line in beside) == (seen.earlier > 0)
    assert any(line.x1 > grid.x + grid.width for line in beside) == (seen.later > 0)
    marks = sum(seen.shows(cell[0]) for cell in cells)
    assert marks + seen.earlier + seen.later == len(cells)


@given(st.lists(st.integers(1, 200), min_size=1), st.integers(1, 60))
def test_a_window_ends_at_the_right_or_shows_what_is_around_the_newest_mark(taken: list[int], columns: int) -> None:
    seen = window([(column, 1) for column in taken], columns)
    assert seen.shows(taken[-1])
    assert seen.last - seen.first + 1 == columns
    right, behind = max(1, max(taken) - columns + 1), max(1, taken[-1] - min(BEHIND, columns // 2))
    assert seen.first == min(right, behind)


@given(boards(), st.sampled_from(SIZES), st.sampled_from(get_args(Language)))
@settings(max_examples=40, deadline=None)
def test_everything_on_a_board_lies_on_it(now: Board, size: tuple[int, int], language: Language) -> None:
    drawn = sheet(now, Look(language=language, size=size), HEADING)
    whole = Area(0, 0, drawn.width / drawn.scale, drawn.height / drawn.scale)
    assert [shape for shape in drawn.shapes if not whole.holds(area(shape))] == []


@given(st.integers(480, 3840), st.integers(480, 3840))
def test_no_two_things_on_a_board_share_a_place(width: int, height: int) -> None:
    at = places(width, height)
    boxes = {
        name: Area(box.x, box.y - TITLE, box.x + box.width, box.y + box.height)
        for name, box in {"ask": at.ask, "good": at.good}.items()
    }
    heads = {"title": at.title, "last": at.last, "counts": at.counts, "legend": at.legend}
    areas = boxes | {name: area(box) for name, box in heads.items()} | {k: around(grid) for k, grid in at.grids.items()}
    assert [pair for pair in combinations(areas, 2) if areas[pair[0]].meets(areas[pair[1]])] == []
    assert all(Area(0, 0, at.width, at.height).holds(each) for each in areas.values())


@pytest.mark.parametrize("size", SIZES)
def test_a_board_has_room_for_an_ordinary_shoe(size: tuple[int, int]) -> None:
    """The bead plate is not scrolled before round 85; the derived roads are half as large as the big road."""
    grids = places(*size).grids
    assert grids["bead"].columns * ROWS >= 84
    for kind in ("big-eye", "small", "cockroach"):
        assert grids[kind].cell == pytest.approx(grids["big"].cell / 2)
        assert grids[kind].y > grids["big"].y
    if size[0] > size[1]:
        assert grids["big"].columns >= 42
        assert len({grids[kind].y for kind in ("big-eye", "small", "cockroach")}) == 1


def labels(drawn: Sheet) -> list[str]:
    return [shape.text for shape in drawn.shapes if isinstance(shape, Label)]


def test_the_board_names_table_shoe_limits_and_the_last_round() -> None:
    limits = {"player": "100–10000", "banker": "100–10000", "tie": "≤ 500", "dragon": "1–2"}
    heading = Heading("T07", 12, limits=limits, points={"player": "natural 9", "banker": "0"})
    texts = labels(sheet(board(roads_of(beads("BP 00 00 01"))), Look(), heading))
    first = ["Table T07 · Shoe 12", "Limits: Banker, Player 100–10000 · Tie ≤ 500", "Rounds 2"]
    assert texts[:3] == first
    assert {"Last round", "P 9 : 0 B", "Natural", "Naturals"} <= set(texts)
    assert "Last round" not in labels(sheet(board(roads_of(())), Look(), NOTHING))


def test_the_dots_of_pairs_in_the_big_road_are_an_option() -> None:
    now = board(roads_of(beads("TBPT 1010 0001 0000"), RoadSettings("own-column")))
    shown_dots = [cell[4:] for cell in cells_of(now, "big", pair_dots=True)]
    assert shown_dots == [(True, False), (False, False), (True, False)]
    grid = Grid(0, 50, 40, 10)
    with_dots, without = (list(road(now, "big", grid, WORDS["en"], dots)) for dots in (True, False))
    assert [shape.ink for shape in with_dots if isinstance(shape, Dot) and shape.ink != "panel"] == ["banker", "banker"]
    assert [shape for shape in without if isinstance(shape, Dot)] == []
