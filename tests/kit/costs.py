"""What the test functions cost, by tests/costs.json, and which of their cells run by day.

A function may cost half a CPU second by day, one with processes a whole one. Of one that costs more, the pinned cells
run, and as many others, spread evenly, as the budget holds; with `EVERY_CELL=yes` all of them. The same commit always
runs the same tests. A function without a row is quick, or new: it runs.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple

from tests.kit.process import Forked, spent_s

COSTS: Final = Path(__file__).parents[1] / "costs.json"
BUDGET_S, BUDGET_WITH_PROCESSES_S = 0.5, 1.0
"""CPU seconds that a function may cost by day."""

QUICK_S: Final = 0.02
"""CPU seconds of a case of the tier `--fast`, at most; it starts no process."""

MOVED: Final = 1 / 3
"""A row is written anew once its cost has moved by so much: the same machine is never the same."""

STARTS: Final = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})


class Cost(NamedTuple):
    """CPU seconds of a case and of what it waited for; processes that it starts; cells that run by day."""

    cpu: float
    processes: int = 0
    pins: tuple[str, ...] = ()

    @property
    def is_quick(self) -> bool:
        """Whether it is in the tier `--fast`."""
        return self.cpu <= QUICK_S and not self.processes

    @property
    def cells(self) -> int:
        """How many of its cells the budget of a day holds, at least one."""
        return max(1, int((BUDGET_WITH_PROCESSES_S if self.processes else BUDGET_S) / max(self.cpu, 1e-6)))


QUICK: Final = Cost(0.0)
"""What a function without a row is taken for."""

Costs = dict[str, Cost]
"""Function (`tests/shoe/test_pit.py::test_void`) -> its cost."""


def read(path: Path = COSTS) -> Costs:
    """The costs on record."""
    rows = json.loads(path.read_text()) if path.exists() else {}
    return {name: Cost(cpu, processes, tuple(pins)) for name, (cpu, processes, *pins) in rows.items()}


def write(costs: Costs, path: Path = COSTS) -> None:
    """Keep the costs of all that is not quick, a function a line."""
    rows = {name: cost for name, cost in sorted(costs.items()) if not cost.is_quick or cost.pins}
    lines = [
        f"{json.dumps(name)}: {json.dumps([cost.cpu, cost.processes, *cost.pins], ensure_ascii=False)}"
        for name, cost in rows.items()
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def pinned(costs: Costs, case: str) -> Costs:
    """The costs, with a case among the pinned cells of its function."""
    function = function_of(case)
    cost = costs.get(function, QUICK)
    return costs | {function: cost._replace(pins=(*cost.pins, cell_of(case)))}


def function_of(nodeid: str) -> str:
    """The function of a case."""
    return nodeid.partition("[")[0]


def cell_of(nodeid: str) -> str:
    """The cell of a case, as a pin names it; empty where a function has one case."""
    return nodeid.partition("[")[2].removesuffix("]")


def of_a_day(cases: Sequence[str], costs: Costs) -> set[str]:
    """Which cases run by day."""
    cells = defaultdict[str, list[str]](list)
    for case in cases:
        cells[function_of(case)].append(case)
    return {case for function, those in cells.items() for case in _kept(those, costs.get(function))}


def _kept(cases: list[str], cost: Cost | None) -> Iterable[str]:
    if cost is None or len(cases) <= cost.cells:
        return cases
    kept = [case for case in cases if cell_of(case) in cost.pins]
    rest = [case for case in cases if case not in kept]
    room = max(0, cost.cells - len(kept))
    return kept + [rest[n * len(rest) // room] for n in range(room)]


# ---------------------------------------------------------------- what a run cost

Spent = dict[str, list[float]]
"""Function -> CPU seconds and processes of its cases in this run, and how many they were."""


class Meter:
    """Adds up what cases cost in this process, in those it waits for, and in forked ones."""

    def __init__(self) -> None:
        self.spent: Spent = {}
        self._started = 0
        sys.addaudithook(self._audit)

    def __call__(self) -> tuple[float, int]:
        """CPU seconds and processes so far."""
        ours = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(each.ru_utime + each.ru_stime for each in ours) + spent_s(), self._started + Forked.count

    def add(self, case: str, before: tuple[float, int]) -> None:
        """Count a case that has run."""
        added(self.spent, {function_of(case): [self()[0] - before[0], self()[1] - before[1], 1]})

    def _audit(self, event: str, _: object) -> None:
        self._started += event in STARTS


def added(spent: Spent, more: Spent) -> None:
    """Add what another process of a run has spent."""
    for function, numbers in more.items():
        spent[function] = [a + b for a, b in zip(spent.get(function, [0, 0, 0]), numbers, strict=True)]


def renewed(costs: Costs, spent: Spent, *, is_all: bool = False) -> Costs:
    """The costs after a run: of new functions, and of those that moved.

    `is_all`: every case of the files ran; a row of theirs without one goes.
    """
    files = {name.partition("::")[0] for name in spent} if is_all else set()
    found = {name: cost for name, cost in costs.items() if name.partition("::")[0] not in files}
    for name, (seconds, started, cases) in spent.items():
        cpu, processes, before = round(seconds / cases, 3), ceil(started / cases), costs.get(name, QUICK)
        moved = abs(cpu - before.cpu) > MOVED * max(before.cpu, QUICK_S) or bool(processes) != bool(before.processes)
        found[name] = Cost(cpu, processes, before.pins) if moved else before
    return found


def slowest(spent: Spent, count: int = 20) -> list[str]:
    """The dearest functions of a run, as lines, below the sum of all."""
    whole = ("together", [sum(column) for column in zip(*spent.values(), strict=True)])
    rows = [whole, *sorted(spent.items(), key=lambda row: -row[1][0])[:count]]
    return [f"{cpu:8.2f} CPU-s {n:5.0f} cases {started:4.0f} processes  {name}" for name, (cpu, started, n) in rows]
