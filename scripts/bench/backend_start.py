"""How long the program of docs/backend.md takes to start with many rounds in its store, and how much memory.

    PYTHONPATH=. .venv/bin/python scripts/bench/backend_start.py [--tables 200] [--shoes 70] [--rounds 72]

The store has so many shoes of so many rounds of each table; all but the three newest of each table are old. The program
is the page's own, up to its first batch. Rounds have 1,000 bytes. Exit 1 above 2 s or 64 MB.
"""

import argparse
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_bridge.client.testing import FakeTable

ROOT = Path(__file__).parents[2]
MOST_S, MOST_MB = 2.0, 64.0
PROGRAM = next(
    each
    for each in re.findall(r"```python\n(.*?)```", (ROOT / "docs/backend.md").read_text("utf-8"), re.S)
    if "PlainFloor(" in each and "create table" in each
)
END = """
    took = time.perf_counter() - began
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    raise SystemExit
"""


def program() -> str:
    """Return the page's program, which ends instead of waiting for its first batch, and prints seconds and MB."""
    before, _, rest = PROGRAM.replace("1883", "9").partition("    for batch in ")
    return f"import resource, time\nbegan = time.perf_counter()\n{before}    {rest.splitlines()[0][:-1]}{END}"


def rows(tables: int, shoes: int, rounds: int) -> Iterator[tuple[str, str, int, int, bytes]]:
    """Yield the rows of `round`, each naming the one before it at its table."""
    fake = FakeTable(lambda *_: None)
    fake.round()
    made = json.loads(fake.rounds[0]) | {"cards": ["x" * 380]}
    for table in (f"T{number:03}" for number in range(tables)):
        prev = None
        for shoe in range(1, shoes + 1):
            journal = f"{shoe}-9f8a7c"
            for number in range(1, rounds + 1):
                seq = 9 * number
                head = {"table": table, "shoe": shoe, "journal": journal, "seq": seq, "round": number, "prev": prev}
                yield table, journal, seq, 1, json.dumps(made | head, separators=(",", ":")).encode()
                prev = {"journal": journal, "seq": seq}


def main() -> int:
    """Print seconds and megabytes; return 1 if either is too much."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, count in (("tables", 200), ("shoes", 70), ("rounds", 72)):
        parser.add_argument(f"--{name}", type=int, default=count)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        with closing(sqlite3.connect(f"{folder}/rounds.db")) as db, db:
            for statement in re.findall(r'db.execute\("(create table .*?)"\)', PROGRAM):
                db.execute(statement)
            db.executemany("insert into round values (?, ?, ?, ?, ?)", rows(asked.tables, asked.shoes, asked.rounds))
            db.execute("insert into journal select distinct tbl, journal, 0 from round")
            db.execute("update journal set old = 1 where cast(journal as integer) <= ?", (asked.shoes - 3,))
            [(count,)] = db.execute("select count(*) from round")
        done = subprocess.run(
            [sys.executable, "-c", program()], cwd=folder, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE
        )
    seconds, megabytes = map(float, done.stdout.split())
    print(f"{count:,} rounds of {asked.tables} tables: {seconds:.2f} s, {megabytes:.0f} MB")
    return int(seconds > MOST_S or megabytes > MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
