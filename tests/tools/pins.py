"""Pins cells of dear test functions, so that those of a day reach every line of the product that all cells reach.

    python -m tests.tools.pins [FUNCTION ..]

Functions are named as in tests/costs.json; without a name: all whose cells the budget of a day does not hold. All cells
of each run under coverage. What is pinned stays; cells that reach further lines are added to tests/costs.json, the one
with the most new lines first. Lines in processes that a test starts are not seen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Generator, Mapping
from pathlib import Path
from typing import Final

import coverage
import pytest

from tests.kit import costs

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = [str(ROOT / package) for package in ("firmware_bridge", "hardware")]
OUT: Final = "PINS_OUT"
"""Variable with the file to which a run under coverage writes what its cells reach."""

Lines = set[tuple[str, int]]


def main() -> int:
    """Pin what the named functions need, or all of which a day turns cells away."""
    known = costs.read()
    for function in sys.argv[1:] or sorted(turned_away(known)):
        cells, pinned = reached(function), known.get(function, costs.QUICK).pins
        pins = cover(cells, [cell for cell in pinned if cell in cells])
        costs.write(known := known | {function: known.get(function, costs.QUICK)._replace(pins=tuple(pins))})
        print(f"{len(pins)} of {len(cells)}  {function}", flush=True)
    return 0


def turned_away(known: costs.Costs) -> set[str]:
    """The functions some of whose cells do not run by day."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-m", "story or not story"]
    shown = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    cases = [line for line in shown.splitlines() if "::" in line]
    return {costs.function_of(case) for case in {*cases} - costs.of_a_day(cases, known)}


def cover(cells: Mapping[str, Lines], pinned: Collection[str] = ()) -> list[str]:
    """Cells, those pinned before first, that reach every line that all of them reach."""
    chosen = list(pinned)
    left = Lines().union(*cells.values()).difference(*(cells[cell] for cell in chosen))
    while left:
        chosen.append(max(cells, key=lambda cell: len(cells[cell] & left)))
        left -= cells[chosen[-1]]
    return chosen


def reached(function: str) -> dict[str, Lines]:
    """Cell -> the lines of the product that it reaches in the process of the tests."""
    with tempfile.NamedTemporaryFile() as out:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "tests.tools.pins", "--no-header", function]
        subprocess.run(command, cwd=ROOT, env=os.environ | {OUT: out.name}, stdout=subprocess.DEVNULL, check=False)
        found: dict[str, list[tuple[str, int]]] = json.loads(out.read() or b"{}")
    return {cell: {(file, line) for file, line in lines} for cell, lines in found.items()}


# ---------------------------------------------------------------- a plugin of pytest, in the process under coverage


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MEASURED] = measured = coverage.Coverage(data_file=None, config_file=False, source=PACKAGES)
    measured.start()


MEASURED: Final = pytest.StashKey[coverage.Coverage]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.config.stash[MEASURED].switch_context(costs.cell_of(item.nodeid))
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[MEASURED].stop()
    data, lines = config.stash[MEASURED].get_data(), defaultdict[str, list[tuple[str, int]]](list)
    for file in data.measured_files():
        for line, cells in data.contexts_by_lineno(file).items():
            for cell in filter(None, cells):
                lines[cell].append((file, line))
    Path(os.environ[OUT]).write_text(json.dumps(lines))


if __name__ == "__main__":
    sys.exit(main())
