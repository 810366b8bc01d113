"""The parts of .ci/night: runs them piece by piece, keeps what is done, and tells which have not been green lately.

A piece is a command; a part is green when each of its pieces has ended with 0 at one commit. What is done of a part
that was broken off is kept in .night/COMMIT.json, and what became of it in .ci/nights.jsonl, a line for each:
`{"commit": "0123456789ab", "part": "soak", "seconds": 1234, "outcome": "green"}`; for a red one also the piece, and
`figure`, the number that a piece left in $NIGHT/PART.figure: the lines that tests reach, in percent.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
LEDGER: Final = ".ci/nights.jsonl"
STATE: Final = ".night"
LAST: Final = 20
"""Commits that `--missing` looks at, where none is named."""

LOOK_S, TO_END_S = 0.2, 60.0

Parts = Mapping[str, Sequence[str]]
"""Name of a part -> its pieces, a command each."""

Row = dict[str, Any]
Run = Callable[[str], int]
"""Runs a piece; its exit code."""


def parts(root: Path = ROOT) -> Parts:
    """Return all parts, in the order that they run in."""
    files = sorted(path.name for path in (root / "tests/floor_whole").glob("test_*.py"))
    return {
        **{f"cells-{name}": [f"EVERY_CELL=yes scripts/test tests/{name}"] for name in _folders_with_tests(root)},
        **_numbered("floor", [f"EVERY_CELL=yes scripts/test-floor {_paths(files[n::8])}" for n in range(8)], 4),
        "package": [
            f"scripts/test-package {_paths(names, 'tests/package')}"
            for names in (
                ["test_floor.py", "test_package.py"],
                ["test_install.py", "test_wheel.py"],
                ["test_release.py"],
            )
        ],
        **{f"mutations-{name}": [f"{MUTATIONS} --only {room}" for room in rooms] for name, rooms in _rooms(root)},
        **_numbered("go", [f"scripts/test-go --exports 1000000 --parts {n}-{n + 1}" for n in range(0, 40, 2)], 5),
        **_numbered("soak", [f"scripts/soak --kills 50 --seed {seed}" for seed in range(1, 21)], 5),
        "crash-states": [f"scripts/crash-states --states 1000 --seed {seed}" for seed in range(1, 8)],
        "fuzz": [f"scripts/fuzz --inputs 100000 --seed {seed}" for seed in range(1, 11)],
        **_numbered("stored-kills", [f"{STORED_KILLS} --seed {seed} --state $NIGHT/{seed}" for seed in range(1, 9)], 4),
        "fleet": ["scripts/fleet --tables 300 --minutes 10 --witnesses 3 --faults"],
        "calibration": ["scripts/calibration-proof"],
        "hil": ["scripts/hil --if-possible"],
        "coverage": [
            *[f"{COVERAGE} run --parallel-mode -m pytest -q -n 0 tests/{name}" for name in _folders_with_tests(root)],
            f"{COVERAGE} combine --keep -q && {COVERAGE} report --format=total >$NIGHT/coverage.figure",
        ],
        "documents": ["scripts/pictures --check", "scripts/docs --check", "scripts/asyncapi"],
        "costs": ["scripts/test --write-costs", "scripts/test-floor --write-costs"],
    }


MUTATIONS: Final = "$venv/bin/python -m tests.tools.mutants --again"
COVERAGE: Final = "COVERAGE_FILE=$NIGHT/coverage $venv/bin/python -m coverage"
"""Of the process of the tests: what they start is not seen."""

STORED_KILLS: Final = "scripts/stored-kills --kills 25"


def _numbered(name: str, pieces: Sequence[str], count: int) -> Parts:
    """Return the parts of `count` pieces each: name-1, name-2, .."""
    starts = range(0, len(pieces), count)
    return {f"{name}-{n}": pieces[start : start + count] for n, start in enumerate(starts, 1)}


def _folders_with_tests(root: Path) -> Iterator[str]:
    for folder in sorted((root / "tests").iterdir()):
        if folder.name not in ("floor_whole", "package") and any(folder.glob("**/test_*.py")):
            yield folder.name


def _rooms(root: Path) -> list[tuple[str, list[str]]]:
    """Return names of rooms, and the rooms with frozen mutations of that name: `sim` of hardware and bridge."""
    named = defaultdict[str, list[str]](list)
    rows = (root / "tests/tools/mutants/mutants.jsonl").read_text("utf-8").splitlines()
    for room in sorted({json.loads(row)["room"] for row in rows}):
        named[Path(room).stem].append(room)
    return sorted(named.items())


def _paths(names: Iterable[str], folder: str = "tests/floor_whole") -> str:
    return " ".join(f"{folder}/{name}" for name in names)


class Night:
    """Runs parts at a commit.

    root: where the ledger is, and the folder of what is done. run: runs a piece.
    """

    def __init__(self, root: Path, commit: str, run: Run) -> None:
        self._ledger, self._commit, self._run = root / LEDGER, commit, run
        self._state = root / STATE / f"{commit}.json"
        self._done: dict[str, float] = json.loads(self._state.read_text()) if self._state.exists() else {}

    def is_green(self, part: str) -> bool:
        """Return whether its last line at this commit says so."""
        outcomes = [
            row["outcome"] for row in rows(self._ledger) if (row["commit"], row["part"]) == (self._commit, part)
        ]
        return outcomes[-1:] == ["green"]

    def play(self, part: str, pieces: Sequence[str]) -> bool:
        """Run the pieces not done, up to one that fails; return whether all are green. The ledger gets a line."""
        for n, piece in enumerate(pieces, 1):
            if piece in self._done:
                continue
            print(f"== {part} {n}/{len(pieces)}: {piece}", flush=True)
            began = time.monotonic()
            code = self._run(piece)
            seconds = time.monotonic() - began
            if code != 0:
                self._write(part, pieces, seconds, {"outcome": "red", "piece": piece})
                return False
            self._keep(piece, seconds)
        figure = self._state.with_suffix("") / f"{part}.figure"
        more = {"figure": float(figure.read_text())} if figure.exists() else {}
        self._write(part, pieces, 0.0, {"outcome": "green", **more})
        return True

    def forget(self, pieces: Iterable[str]) -> None:
        """Let pieces run again."""
        for piece in pieces:
            self._done.pop(piece, None)

    def _keep(self, piece: str, seconds: float) -> None:
        self._done[piece] = round(seconds, 1)
        self._state.parent.mkdir(exist_ok=True)
        new = self._state.with_suffix(".new")  # a power cut leaves the one or the other
        new.write_text(json.dumps(self._done, indent=1))
        new.replace(self._state)

    def _write(self, part: str, pieces: Sequence[str], more: float, outcome: Row) -> None:
        seconds = round(sum(self._done.get(piece, 0.0) for piece in pieces) + more)
        with self._ledger.open("a") as file:
            file.write(json.dumps({"commit": self._commit, "part": part, "seconds": seconds, **outcome}) + "\n")


def rows(ledger: Path) -> list[Row]:
    """Return what became of all parts, the oldest first."""
    return [json.loads(line) for line in ledger.read_text().splitlines()] if ledger.exists() else []


def missing(names: Iterable[str], held: Iterable[Row], commits: Iterable[str]) -> list[str]:
    """Return the parts without a green row at one of these commits."""
    known = set(commits)
    green = {row["part"] for row in held if row["outcome"] == "green" and row["commit"] in known}
    return [name for name in names if name not in green]


def chosen(words: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the parts named, or whose names begin so; all without a word. ValueError: no part is called so."""
    known = list(names)
    for word in words:
        if not any(_is_meant(word, name) for name in known):
            raise ValueError(word)
    return [name for name in known if not words or any(_is_meant(word, name) for word in words)]


def _is_meant(word: str, name: str) -> bool:
    return name == word or name.startswith(f"{word}-")


# ---------------------------------------------------------------- of this repository


def commits(*span: str, root: Path = ROOT) -> list[str]:
    """Return the short names of commits, the newest first: without those that only add lines to the ledger."""
    words = ["log", "--abbrev=12", "--format=%h", *span, "--", ".", f":(exclude){LEDGER}"]
    return _git(root, *words).split()


def is_changed(root: Path = ROOT) -> bool:
    """Return whether files differ from the commit: the ledger may."""
    return bool(_git(root, "status", "--porcelain", "--", ".", f":(exclude){LEDGER}"))


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def _in_a_shell(commit: str) -> Run:
    """Return what runs pieces with bash, in a group of their own, which an interrupt ends: KeyboardInterrupt."""
    kept, interrupts = ROOT / STATE / commit, list[int]()
    kept.mkdir(parents=True, exist_ok=True)
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell lets what it runs in the background ignore the first
        signal.signal(number, lambda number, _: interrupts.append(number))

    def run(piece: str) -> int:
        env = os.environ | {"NIGHT": str(kept)}
        with subprocess.Popen(["bash", "-c", piece], cwd=ROOT, env=env, start_new_session=True) as process:
            while not interrupts:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(LOOK_S)
            _end(process)
        raise KeyboardInterrupt

    return run


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a group of processes; after a while, in which tests end what they started, kill what is left."""
    os.killpg(process.pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(TO_END_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _print_list(known: Parts) -> None:
    green = {row["part"]: row for row in rows(ROOT / LEDGER) if row["outcome"] == "green"}
    for name, pieces in known.items():
        row = green.get(name)
        last = f"green at {row['commit']}, {row['seconds']} s" if row else "never green"
        more = f" (and {len(pieces) - 1} more)" if len(pieces) > 1 else ""
        print(f"{name}: {last}\n    {pieces[0]}{more}")


def _print_missing(known: Parts, words: Sequence[str]) -> int:
    span = [f"{words[0]}..HEAD"] if words else [f"--max-count={LAST}"]
    try:
        found = missing(known, rows(ROOT / LEDGER), commits(*span))
    except subprocess.CalledProcessError:  # git has said why
        return 2
    for name in found:
        print(name)
    return 1 if found else 0


def _play(known: Parts, names: Sequence[str], is_again: bool) -> int:
    if is_changed():
        print("night: files differ from the commit: commit them first", file=sys.stderr)
        return 2
    [commit] = commits("--max-count=1")
    night, red = Night(ROOT, commit, _in_a_shell(commit)), []
    for name in names:
        if is_again:
            night.forget(known[name])
        elif night.is_green(name):
            print(f"== {name}: green at {commit}")
            continue
        if not night.play(name, known[name]):
            red.append(name)
    print(f"red: {', '.join(red)}" if red else f"all green at {commit}; commit {LEDGER}")
    return 1 if red else 0


def main(words: list[str]) -> int:
    known = parts()
    match words:
        case ["--list"]:
            _print_list(known)
            return 0
        case ["--missing", *since] if len(since) < 2:
            return _print_missing(known, since)
    is_again = words[:1] == ["--again"]
    try:
        names = chosen(words[is_again:], known)
    except ValueError as unknown:
        print(f"night: no part {unknown}; .ci/night --list has them", file=sys.stderr)
        return 2
    try:
        return _play(known, names, is_again)
    except KeyboardInterrupt:
        print("\nbroken off; the same command goes on there", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
