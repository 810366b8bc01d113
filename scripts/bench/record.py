"""What signing costs, from the results of one run of `run --record` or `run --sealed`: record.py RESULTS.json

Medians of the runs of each variant; behind a plus sign what it adds to `unsigned`, the median over the rounds of its
figure by that of the same round. Ends with 1 where `ours` is beyond one of `BOUNDS`.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

Run = dict[str, Any]
"""Figures of one round of a target, as bench.py writes them."""


class Column(NamedTuple):
    """A figure of a run. is_share: compared by ratio, else by difference."""

    name: str
    of: Callable[[Run], float]
    digits: int
    is_share: bool = False


COLUMNS: Final = (
    Column("p50 us", lambda run: median(run["latency_us"]), 0, is_share=True),
    Column("closing p50 us", lambda run: median(run["heavy_us"]), 0, is_share=True),
    Column("CPU us/card", lambda run: float(run["cpu_us"]), 0, is_share=True),
    Column("flushes/card", lambda run: float(run["flushes"]), 3),
    Column("KiB/card", lambda run: float(run["disk_kib"]), 1),
    Column("RSS MiB", lambda run: float(run["rss_mib"]), 1),
    Column("start s", lambda run: float(run["start_s"]), 2),
)

BOUNDS: Final = {"p50 us": 0.05, "closing p50 us": 0.08, "flushes/card": 0.01, "RSS MiB": 3.0}
"""What signing may add at most."""

START_S: Final = 0.8
"""Seconds to the first card, at most."""


def added(column: Column, variant: list[Run], unsigned: list[Run]) -> float:
    """Return what a variant adds to the figure without a key: a share of it, or a difference."""
    pairs = [(column.of(run), column.of(base)) for run, base in zip(variant, unsigned, strict=True)]
    return median(ours / base - 1 if column.is_share else ours - base for ours, base in pairs)


def row(name: str, runs: list[Run], unsigned: list[Run]) -> str:
    """Return a row of the table."""
    cells = [name]
    for column in COLUMNS:
        text = f"{median(map(column.of, runs)):,.{column.digits}f}"
        if runs is not unsigned:
            more = added(column, runs, unsigned)
            text += f" ({more:+.1%})" if column.is_share else f" ({more:+.{column.digits}f})"
        cells.append(text)
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Print the table, and what is beyond a bound."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    results = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    rounds: dict[str, list[Run]] = results["rounds"]
    unsigned, ours = rounds["unsigned"], rounds["ours"]
    load, others = results["host"]["load"][0], median(run["other_cpu_pct"] for run in ours)
    print(f"load {load:.1f}, others' CPU {others:.0f} %, {len(ours)} runs of {len(ours[0]['latency_us'])} cards")
    print(f"|  | {' | '.join(column.name for column in COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}")
    for name in ("unsigned", "ours", *(["sign_sealed"] if "sign_sealed" in rounds else [])):
        print(row(name, rounds[name], unsigned))
    more = {column.name: added(column, ours, unsigned) for column in COLUMNS}
    beyond = [name for name, most in BOUNDS.items() if more[name] > most]
    beyond += ["start s"] if median(run["start_s"] for run in ours) > START_S else []
    print(f"beyond its bound: {', '.join(beyond) or 'nothing'}")
    return int(bool(beyond))


if __name__ == "__main__":
    sys.exit(main())
