"""How fast the roads are, beside PyBaccarat's in the same run.

    pip install pytest-benchmark pybaccarat==0.12
    pytest scripts/bench/test_roads_bench.py --benchmark-columns=min,median --benchmark-sort=name

PyBaccarat 0.10 has no boards and 0.18 has no build for Linux; 0.12 has both, once it finds the Windows module it
asks for the keyboard. Its boards are four (no bead plate) and carry no ties, pairs, cells, ask road or good roads.
Its marks are put one by one as each round ends, and so are ours (`append`): that is the like of it, and the limit:
half as many shoes again in a second. Drawing all roads again, as after a correction, and the whole board as it is
published have no like there; they are printed beside it. CPU time is measured, so that others matter less.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec
import pytest

from firmware_bridge.games.baccarat.roads import Bead, Outcome, Roads, append, bead_cells, board, roads_of
from firmware_bridge.games.baccarat.roads.board import big_grid

pytest.importorskip("pytest_benchmark")
pytestmark = pytest.mark.benchmark(timer=time.process_time)

ROUNDS = 70
WEIGHTS = (4586, 4462, 952)
"""Banker, player, tie of 10,000 rounds."""

OUTCOMES: tuple[Outcome, ...] = ("B", "P", "T")
dice = random.Random(70)
SHOES = [[Bead(letter) for letter in dice.choices(OUTCOMES, WEIGHTS, k=ROUNDS)] for _ in range(100)]
BEST: dict[str, float] = {}
"""Name -> seconds of CPU for all shoes, the best of many: others may use this machine."""

LEAST = 1.5
"""How many times as fast as PyBaccarat's boards ours must grow."""


def five_roads(shoe: list[Bead]) -> tuple[Any, ...]:
    """Return bead plate, big road and derived roads of a shoe, every cell."""
    roads = roads_of(shoe)
    return bead_cells(roads.beads), big_grid(roads), *[road.picture.cells for road in roads.derived]


def whole_board(shoe: list[Bead]) -> bytes:
    """Return all that is published: with record, ask road, its cells, and good roads."""
    return msgspec.json.encode(board(roads_of(shoe)))


def theirs() -> Any:
    """Return PyBaccarat's class for one board."""
    sys.modules.setdefault("msvcrt", keyboard := ModuleType("msvcrt"))
    keyboard.getch = None  # type: ignore[attr-defined]  # a stub made here
    baccarat = pytest.importorskip("pybaccarat.baccarat")
    if not hasattr(baccarat, "Scoreboard"):
        pytest.skip("this PyBaccarat has no boards: pip install pybaccarat==0.12")
    return baccarat.Scoreboard


def their_boards(scoreboard: Any, shoe: list[Bead]) -> list[Any]:
    """Return their big road and three derived roads, marked as their own game does."""
    boards = [scoreboard(kind) for kind in range(4)]
    for bead in shoe:
        if bead.outcome != "T":
            boards[0].mark(bead.outcome)
            for each in boards[1:]:
                each.mark(each.get_cs_mark(boards[0].get_array()))
    return boards


def for_each(work: Callable[[list[Bead]], Any]) -> None:
    """Do it for all shoes, keeping nothing."""
    for shoe in SHOES:
        work(shoe)


def took(benchmark: Any, name: str) -> None:
    """Keep the time."""
    if benchmark.stats:  # none under --benchmark-disable
        BEST[name] = benchmark.stats.stats.min


def test_five_roads(benchmark: Any) -> None:
    """Draw the roads again from the rounds."""
    benchmark(for_each, five_roads)
    took(benchmark, "five roads")


def test_pybaccarat(benchmark: Any) -> None:
    """Draw the roads of the same shoes."""
    scoreboard = theirs()
    benchmark(for_each, lambda shoe: their_boards(scoreboard, shoe))
    took(benchmark, "theirs")


def test_whole_board(benchmark: Any) -> None:
    """Make the bytes that are published, from the rounds."""
    benchmark(for_each, whole_board)
    took(benchmark, "whole board")


def test_grown_shoe(benchmark: Any) -> None:
    """Append seventy rounds one by one."""

    def grow(shoe: list[Bead]) -> Roads:
        roads = roads_of(())
        for bead in shoe:
            append(roads, bead)
        return roads

    benchmark(for_each, grow)
    took(benchmark, "grown shoe")


def test_both_do_the_same_work() -> None:
    """Compare every mark of every shoe."""
    scoreboard = theirs()
    for shoe in SHOES:
        signs = [
            "".join({"s": "R", "C": "B"}[mark] * count for mark, count in each.get_array()[1:])
            for each in their_boards(scoreboard, shoe)[1:]
        ]
        assert signs == [road.signs for road in roads_of(shoe).derived]


def test_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """Print all figures and compare those of the same kind."""
    if "five roads" not in BEST:
        pytest.skip("nothing was measured")
    each = {name: 1e6 * best / len(SHOES) for name, best in BEST.items()}
    with capsys.disabled():
        print()
        for name, micros in each.items():
            print(f"{name:<12} {micros:8.1f} us  {1e6 / micros:10,.0f} a second")
        if "theirs" in each:
            print(f"grown mark by mark: {each['theirs'] / each['grown shoe']:.2f} x PyBaccarat")
    if "theirs" in each:
        assert each["theirs"] >= LEAST * each["grown shoe"]
