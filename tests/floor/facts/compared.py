"""Compares reports and facts of a store with what the second program reads in exported journals.

`python -m tests.floor.facts.compared --rounds 20000` plays so many rounds of all games, and takes some minutes; `--url`
names an empty database of PostgreSQL in place of a file.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import tempfile
from collections import Counter
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

from firmware_bridge.cli import main as shoe
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.floor.config import load
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.journal.files import journal_files
from tests.floor.facts.dealing import deal
from tests.floor.facts.second import COLUMNS, TITLES, Round, facts, report, rounds_in

SINCE, UNTIL = "2026-01-01", "2030-12-31"
HOURS: Final = 20 * 365 * 24
"""So far after now no round was dealt."""

MONTH: Final = ("2026-11-01", "2026-11-30")


def exported(folders: list[Path], to: Path) -> list[Path]:
    """What `shoe journal export` makes of each journal."""
    to.mkdir()
    made = []
    for folder in folders:
        for path in journal_files(folder):
            made.append(to / f"{folder.name}-{path.stem}.export")
            assert shoe(["journal", "export", "--dir", str(folder), str(path), "-o", str(made[-1])]) == 0
    return made


class Played:
    """Rounds of all games as exported journals, stored by `shoe-floor backfill` in any order, some files twice.

    store: the lines of `[store]`. rounds: what the second program reads.
    """

    def __init__(self, folder: Path, rounds: int, store: str, *, tables: int = 1, seed: int = 1) -> None:
        self._out, self._config = folder / "out", folder / "floor.toml"
        self._config.write_text(f"[store]\n{store}\n")
        self.files = exported(deal(folder / "journals", rounds, tables=tables, seed=seed), folder / "exports")
        self.rounds = rounds_in(self.files)
        order = [*self.files, *self.files[::5]]
        Random(seed).shuffle(order)
        self.run("backfill", *map(str, order))

    def run(self, *words: str) -> None:
        """Run `shoe-floor` as it is typed; what it says is dropped."""
        with redirect_stdout(io.StringIO()):
            assert shoe_floor(["--config", str(self._config), *words]) == 0

    def compact(self) -> str:
        """Compress the events of all shoes that are over, however new; what was done, in words."""
        with closing(open_store(load(self._config))) as store:
            return compact(store, -HOURS, rest=False)

    def rebuild(self) -> str:
        """Make all facts again; what was done, in words."""
        self.run("rebuild", "facts")
        return "facts rebuilt"

    def written(self, *words: str) -> str:
        """What it writes into a file."""
        self.run(*words, "-o", str(self._out))
        return self._out.read_text("utf-8")

    def counts(self) -> str:
        """What was played, in words."""
        statuses = Counter(str(each.body["status"]) for each in self.rounds)
        games = Counter(str(each.body["game"]) for each in self.rounds)
        twice = sum(each.body["revision"] > 1 for each in self.rounds)
        days = len({each.day for each in self.rounds})
        return f"{len(self.rounds)} rounds: {dict(statuses)}, {twice} corrected twice, {dict(games)}, {days} days"


def differences(played: Played, rounds: list[Round] | None = None) -> list[str]:
    """What differs: each report of all days, of a month and of each table, and each table of facts.

    rounds: to compare the store with in place of those that were played.
    """
    found, run = list[str](), played.written
    rounds = played.rounds if rounds is None else rounds
    tables = sorted({each.table for each in rounds})
    for kind in TITLES:
        for since, until in ((SINCE, UNTIL), MONTH):
            for table in ("", *tables):
                of = [each for each in rounds if since <= each.day <= until and table in ("", each.table)]
                if not of:
                    continue
                rows = _sheet(run("report", kind, "--csv", "--since", since, "--until", until, "--table", table))
                found += _compared(f"report {kind} {since} {table}", rows, report(kind, of))
    for name, columns in COLUMNS.items():
        _, *rows = _sheet(run("export", name, "--csv", "--columns", columns))
        ended = [[_plain(each) for each in row] for row in rows if name != "fact_round" or "open" not in row]
        found += _compared(name, sorted(ended), facts(name, rounds))
    return found


def _sheet(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def _plain(cell: str) -> str:
    return json.dumps(json.loads(cell)) if cell.startswith("{") else cell


def _compared(what: str, rows: list[list[str]], wanted: list[list[str]]) -> list[str]:
    there, here = {tuple(row) for row in rows}, {tuple(row) for row in wanted}
    if rows == wanted:
        return []
    return [f"{what}: the store has {sorted(there - here)[:3]}, the journals {sorted(here - there)[:3]}"]


def main() -> int:
    """Run as asked on the command line; 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="compared")
    parser.add_argument("--rounds", type=int, default=20_000, metavar="N")
    parser.add_argument("--tables", type=int, default=2, metavar="N", help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--url", help="of an empty database of PostgreSQL")
    asked = parser.parse_args()
    code, began = 0, monotonic()
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
        store = f'url = "{asked.url}"' if asked.url else f'path = "{folder}/floor.db"'
        played = Played(Path(folder), asked.rounds, store, tables=asked.tables, seed=asked.seed)
        print(f"{played.counts()}; {monotonic() - began:.0f} s", flush=True)
        for do in None, played.compact, played.rebuild:
            what, found = do() if do else "stored", differences(played)
            print(f"{what}: {len(found)} differences; {monotonic() - began:.0f} s", flush=True)
            print("".join(f"{each[:500]}\n" for each in found[:5]), end="")
            code = code or bool(found)
    return code


if __name__ == "__main__":
    sys.exit(main())
