"""Mutations of the source that the tests must catch: picks them, tries them, and repeats them on a later tree.

They are kept in mutants.jsonl with the outcome at the commit they were picked from. A place is kept by its names, so
that a mutation can be repeated after its file has moved. To repeat, in a tree whose changes are committed:

    python -m tests.tools.mutants --again [--only firmware_bridge/mqtt] [--day] [--jobs 2] [--renames FILE] [--keep]
    python -m tests.tools.mutants --again --find

A line for each mutation that was caught there, or is by a test written `since`, prints what became of it: `caught`, and
by which test; `SURVIVES`; `AMBIGUOUS` or `GONE`, and why; `BROKEN OFF`: a run that did not come to its end proves
nothing. It must be caught by what .ci/run runs: the cells of a day, of the test that caught it first, next of its
files, and then their stories. `--day`: without the stories, as scripts/test runs. `--pin`: where only a cell that no
day runs catches it, that cell is pinned in tests/costs.json. `--whole`: what is left runs together through the whole
suite. `--keep`: each row gets `proved`, today's date, once it is caught; `--since DATE` leaves out what was proved then
or later, so that a run that was broken off goes on. The last line counts. Exit code: 1 if one survives, 2 if none does
but places were not found, or runs broken off. A place that is gone is judged by hand: its idea is gone; or its row
gets `now`, the fields (`file`, `place`, `was`, `becomes`) that hold today; or `--renames` names it: a JSON object of
old names to new ones (`Class.method`, a name within the text, or a file).

`tests` of a row are files: those that reach the line by a trace of the whole suite, the quickest first. Copies of the
tree, each with its own environments, are made in a temporary directory; the tree itself stays as it is. What tests of
tests/floor_whole catch wants the environment of scripts/test-floor. To pick again, from a clean tree: `--pick TREE`; to
try what has no outcome yet: `--try TREE`, then `--try TREE --whole` for the survivors.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from tests.kit import costs
from tests.tools.mutants.pick import PASSED_OVER, queues
from tests.tools.mutants.places import Mutated, Mutation, NotFound, mutated, text_of
from tests.tools.mutants.trial import Copy, caught_by, caught_together, is_no_test

ROOT: Final = Path(__file__).parents[3]
RECORD: Final = Path(__file__).with_name("mutants.jsonl")

PINNING: Final = threading.Lock()

Row = dict[str, Any]
"""A mutation's fields, `commit`, `tests`, `outcome`, `by`; `why`: the reason where no test catches it; `now`: fields
that were found by hand for later trees; `since`: a later test that catches it; `proved`: the day on which `--again`
found last that it does, and passes without the mutation; a commit that did not land has no name later."""

Keep = Callable[[Row, str], None]
"""Called with a row that is caught, and by which test."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutants")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--again", action="store_true", help="repeat on today's tree what was caught")
    what.add_argument("--try", dest="tree", type=Path, metavar="TREE", help="try what has no outcome yet")
    what.add_argument("--pick", type=Path, metavar="TREE", help="print the mutations picked from a tree")
    parser.add_argument("--only", default="", metavar="ROOM", help="only those of one room")
    parser.add_argument("--jobs", type=int, default=2, help="copies that run at a time")
    parser.add_argument("--renames", type=Path, metavar="FILE", help="JSON object of old names to new ones")
    parser.add_argument("--day", action="store_true", help="with --again: only what scripts/test runs")
    parser.add_argument("--pin", action="store_true", help="with --again: pin the cells that alone catch")
    parser.add_argument("--find", action="store_true", help="with --again: only say where each place is now")
    parser.add_argument("--whole", action="store_true", help="the whole suite for survivors")
    parser.add_argument("--keep", action="store_true", help="with --again: keep in the record what was proved")
    parser.add_argument("--since", metavar="DATE", help="with --again: leave out what was proved then or later")
    args = parser.parse_args()
    if args.pick:
        print(as_lines([asdict(each) for each in picked(args.pick)]), end="")
        return 0
    rows: list[Row] = [json.loads(line) for line in RECORD.read_text().splitlines()]
    chosen = [row for row in rows if args.only in ("", row["room"], row["room"].removesuffix(".py"))]
    if args.tree:
        tried(args.tree.resolve(), rows, chosen, args.jobs, whole=args.whole)
        return 0
    renames = json.loads(args.renames.read_text()) if args.renames else {}
    again = [row for row in chosen if row["outcome"] == "caught" or "since" in row]
    wanted = [row for row in again if not args.since or row.get("proved", "") < args.since]
    keep = keeping(rows, f"{datetime.now(UTC):%F}") if args.keep else lambda row, by: None
    return repeated(wanted, renames, args, keep)


def picked(tree: Path) -> list[Mutation]:
    """The mutations of every room: of the first candidates of its queue, those of the operators seen least so far."""
    seen: Counter[str] = Counter()
    left: dict[str, list[Mutation]] = {}

    def next_one(room: str) -> Mutation:
        best = min(left[room], key=lambda each: seen[each.operator])
        left[room].remove(best)
        seen[best.operator] += 1
        return best

    found: list[Mutation] = []
    for room, (wanted, candidates) in queues(tree).items():
        left[room] = candidates[: 2 * wanted + 2]
        found += [next_one(room) for _ in range(wanted)]
    return [next_one(each.room) if (each.place, each.was) in PASSED_OVER else each for each in found]


def tried(tree: Path, rows: list[Row], chosen: list[Row], jobs: int, *, whole: bool) -> None:
    """Try mutations on the tree they were picked from; the record is written after each."""
    lock = threading.Lock()

    def write(row: Row, by: str | None, survived: str) -> None:
        with lock:
            row |= {"outcome": "caught" if by else survived, "by": by}
            RECORD.write_text(as_lines(rows))
            print(f"{row['outcome']:20}{row['room']:28}{row['place']}  {by or ''}", flush=True)

    def one(copy: Copy, row: Row) -> None:
        change = mutated(tree, mutation_of(row))
        by, doubtful = caught_by(copy, change, row["tests"])
        if doubtful:
            row["doubtful"] = doubtful
        write(row, by, "survived its tests")

    if not whole:
        in_copies(tree, [row for row in chosen if row["outcome"] is None], jobs, one)
        return
    left = [(row, mutated(tree, mutation_of(row))) for row in chosen if row["outcome"] == "survived its tests"]
    for row, by in by_whole_suite(tree, left):
        write(row, by, "survived")


def keeping(rows: list[Row], day: str) -> Keep:
    """Writes into the record that a row is caught on a day, and by which test."""
    lock = threading.Lock()

    def keep(row: Row, by: str) -> None:
        with lock:
            row |= {"proved": day} if by == (row.get("since") or row["by"]) else {"since": by, "proved": day}
            RECORD.write_text(as_lines(rows))

    return keep


def repeated(rows: list[Row], renames: dict[str, str], args: argparse.Namespace, keep: Keep) -> int:
    """Repeat mutations on today's tree and say what became of each. keep: called with each that is caught."""
    left: list[tuple[Row, Mutated]] = []
    counts = Counter[str]()

    def say(row: Row, outcome: str, text: str) -> None:
        counts[outcome] += 1
        print(f"{outcome:11}{row['room']:28}{row['place']}  {text}", flush=True)

    def one(copy: Copy | None, row: Row) -> None:
        try:
            change = mutated(ROOT, mutation_of(row, renames), before(row))
        except NotFound as error:
            say(row, "AMBIGUOUS" if "ambiguous" in str(error) else "GONE", f"{row['file']}: {error}")
            return
        if not copy:
            say(row, "found", f"{change.path} ({change.how})")
            return
        by, pinned = caught_by_day(copy, change, row, is_day=args.day, may_pin=args.pin)
        if by and is_no_test(by):
            say(row, "BROKEN OFF", by)
        elif by:
            keep(row, by)
            say(row, "caught", f"{change.path} ({change.how}) by {by}{' (pinned)' * pinned}")
        else:
            left.append((row, change))

    if args.find:
        for row in rows:
            one(None, row)
    else:
        in_copies(ROOT, rows, args.jobs, one)
    for row, by in by_whole_suite(ROOT, left) if args.whole else [(row, None) for row, _ in left]:
        if by:
            keep(row, by)
        say(row, "caught" if by else "SURVIVES", by or row.get("why", ""))
    print(", ".join(f"{outcome}: {count}" for outcome, count in counts.items()))
    return 1 if counts["SURVIVES"] else 0 if set(counts) <= {"caught", "found"} else 2


def caught_by_day(copy: Copy, change: Mutated, row: Row, *, is_day: bool, may_pin: bool) -> tuple[str | None, bool]:
    """The test of a day or, unless `is_day`, of the stories that catches a mutation; whether its cell was pinned."""
    named, files = today([row.get("since") or row["by"]]), today(row["tests"])
    functions = [costs.function_of(test) for test in named]
    ways: list[tuple[list[str], list[str]]] = [(each, ["--by-day"]) for each in (named, functions, files)]
    if not is_day:
        ways += [(each, ["-m", "story"]) for each in (named, files)]
    for tests, options in ways:
        if tests and (by := caught_by(copy, change, tests, *options)[0]):
            return by, False
    if may_pin and (by := caught_by(copy, change, named)[0]):
        with PINNING:
            costs.write(costs.pinned(costs.read(), by))
        return by, True
    return None, False


def as_lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def before(row: Row) -> str:
    """The text of a row's place in the commit it was picked from; empty in a clone without that commit."""
    shown = subprocess.run(["git", "show", f"{row['commit']}:{row['file']}"], cwd=ROOT, capture_output=True, text=True)
    return text_of(shown.stdout, row["place"])


def by_whole_suite(tree: Path, left: list[tuple[Row, Mutated]]) -> list[tuple[Row, str | None]]:
    """The test of the whole suite that catches each mutation, if any."""
    if not left:
        return []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Copy(tree, Path(folder) / "copy")
        found = caught_together(copy, [change for _, change in left])
    return [(row, by) for (row, _), by in zip(left, found, strict=True)]


def today(tests: list[str]) -> list[str]:
    """Files or tests that are still there; a test that has moved is found by its name, a file by its own.

    A file that takes all tests of another one (`import *`) has those that it had.
    """
    found = []
    for test in tests:
        file, _, name = test.partition("::")
        function = name.partition("[")[0].rpartition("::")[2]
        if (path := ROOT / file).exists() and (not name or defines(path, function) or " import *" in path.read_text()):
            found.append(test)
        elif name:
            paths = [path for path in (ROOT / "tests").rglob("test_*.py") if defines(path, function)]
            found += [f"{path.relative_to(ROOT)}::{function}" for path in paths]
        else:
            found += [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob(Path(file).name)]
    return found


def defines(path: Path, function: str) -> bool:
    return f"def {function}(" in path.read_text()


def mutation_of(row: Row, renames: dict[str, str] | None = None) -> Mutation:
    """The mutation of a row, with today's names."""
    kept = {field.name: (row | row.get("now", {}))[field.name] for field in fields(Mutation)}
    for old, new in (renames or {}).items():
        for key in ("place", "was", "becomes", "file"):
            kept[key] = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, kept[key])
    return Mutation(**kept)


def in_copies(tree: Path, rows: list[Row], jobs: int, work: Callable[[Copy, Row], None]) -> None:
    """Do the work of each row in one of a few copies of a tree, never two in one at a time."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(min(jobs, len(rows))):
            copies.put(Copy(tree, Path(folder) / f"copy{number}"))

        def one(row: Row) -> None:
            copy = copies.get()
            try:
                work(copy, row)
            finally:
                copies.put(copy)

        for done in [pool.submit(one, row) for row in rows]:
            done.result()


if __name__ == "__main__":
    sys.exit(main())
