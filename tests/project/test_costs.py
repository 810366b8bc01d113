"""Which cells of a test run by day follows from what they cost, and from nothing else."""

from pathlib import Path

import pytest

from tests.kit.costs import Cost, Costs, added, function_of, of_a_day, pinned, read, renewed, slowest, write
from tests.tools.pins import cover, reached

VOID = "tests/shoe/test_pit.py::test_void"
CELLS = [f"{VOID}[{n}]" for n in range(20)]


@pytest.mark.parametrize(
    ("cost", "cells"),
    [
        (Cost(0.02), list(range(20))),
        (Cost(0.1), [0, 4, 8, 12, 16]),
        (Cost(0.1, processes=1), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]),
        (Cost(0.1, pins=("7", "11")), [0, 6, 7, 11, 14]),
        (Cost(3.0), [0]),
        (Cost(3.0, pins=("5", "6", "19")), [5, 6, 19]),
        (Cost(0.0), list(range(20))),
    ],
)
def test_the_budget_holds_pinned_cells_and_others_spread_evenly(cost: Cost, cells: list[int]) -> None:
    assert of_a_day(CELLS, {VOID: cost}) == {f"{VOID}[{n}]" for n in cells}


def test_a_new_function_runs_whole() -> None:
    assert of_a_day(CELLS, {}) == set(CELLS)


def test_what_is_pinned_and_gone_leaves_its_room_to_others() -> None:
    assert len(of_a_day(CELLS, {VOID: Cost(0.1, pins=("gone",))})) == 5


def test_costs_are_written_a_function_a_line_without_the_quick_ones(tmp_path: Path) -> None:
    costs: Costs = {"b::f": Cost(0.5, 2, ("a-1", "三")), "a::g": Cost(0.03), "a::quick": Cost(0.01)}
    write(costs, path := tmp_path / "costs.json")
    assert path.read_text() == '{\n"a::g": [0.03, 0],\n"b::f": [0.5, 2, "a-1", "三"]\n}\n'
    assert read(path) == {"a::g": Cost(0.03), "b::f": Cost(0.5, 2, ("a-1", "三"))}


def test_a_row_stays_until_its_cost_has_moved_by_a_third() -> None:
    before = {"a::1": Cost(1.0, 1, ("x",)), "a::2": Cost(1.0), "a::gone": Cost(1.0), "b::other": Cost(1.0)}
    spent = {"a::1": [2.6, 2.0, 2.0], "a::2": [1.4, 0.0, 1.0], "a::new": [0.06, 0.0, 2.0]}
    after = {"a::1": Cost(1.0, 1, ("x",)), "a::2": Cost(1.4), "a::new": Cost(0.03), "b::other": Cost(1.0)}
    assert renewed(before, spent, is_all=True) == after
    assert renewed(before, spent) == after | {"a::gone": Cost(1.0)}


def test_a_function_that_starts_processes_now_is_written_anew() -> None:
    assert renewed({"a::1": Cost(1.0)}, {"a::1": [1.0, 1.0, 2.0]}) == {"a::1": Cost(0.5, 1)}


def test_what_workers_spent_is_added_up_and_the_dearest_is_first() -> None:
    spent = {"a": [1.0, 0.0, 1.0]}
    added(spent, {"a": [0.5, 1.0, 1.0], "b": [9.0, 0.0, 3.0]})
    assert slowest(spent) == [
        "   10.50 CPU-s     5 cases    1 processes  together",
        "    9.00 CPU-s     3 cases    0 processes  b",
        "    1.50 CPU-s     2 cases    1 processes  a",
    ]


def test_a_cell_is_pinned_by_the_name_of_its_case() -> None:
    case = f"{VOID}[baccarat-[8]]"
    assert function_of(case) == VOID
    assert case in of_a_day([case, *CELLS], pinned({VOID: Cost(3.0)}, case))


def test_pins_reach_every_line_that_all_cells_reach() -> None:
    cells = {"a": {("f", 1), ("f", 2)}, "b": {("f", 2), ("f", 3), ("g", 1)}, "c": {("f", 3)}, "d": {("f", 1)}}
    assert cover(cells) == ["b", "a"]
    assert cover(cells, ["c"]) == ["c", "a", "b"]
    assert cover({}) == []


@pytest.mark.story
def test_the_lines_of_each_cell_are_measured() -> None:
    cells = reached("tests/games/baccarat/test_rules.py::test_on_demand_card_by_card")
    assert len(cells) > 5
    assert len({frozenset(lines) for lines in cells.values()}) > 2
    assert all(any(file.endswith("baccarat/rules.py") for file, _ in lines) for lines in cells.values())
