"""How many bytes a round takes in a store, before and after `shoe-floor compact`, in SQLite and in PostgreSQL.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/size.py --from FOLDER [--engine sqlite] [--by]

FOLDER: what `scripts/fleet --out FOLDER --minutes 8 --every 3 --tables 20 --processes 2` kept. Its messages go through
the ingest into a fresh store, in the order in which they came. Then every shoe counts as over. A file of SQLite is
measured by the pages that are in use, a database by its tables after `vacuum full`. --by: each table and index too.
"""

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.floor.store.postgres import PostgresStore
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.house import shoes_over
from tests.floor.journals import event
from tests.floor.test_ingest import Said
from tests.floor_whole.cluster import Cluster

BATCH = 500


def deliveries(store: Path) -> Iterator[Delivery]:
    """Yield the messages of a store in the order in which they came."""
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as db:
        for topic, table, body in db.execute("select topic, tbl, body from message order by rowid"):
            yield Delivery(f"shoe/{table}/{topic}", body)


def fill(store: Store, source: Path) -> None:
    """Send the messages of a fleet's store through an ingest, until all records are verified."""
    clock = 0.0
    ingest = Ingest(store, Said(), clock=lambda: clock)
    batch: list[Delivery] = []
    for each in deliveries(source):
        batch.append(each)
        if len(batch) == BATCH:
            ingest.save(batch)
            batch.clear()
            clock += 1.0
            ingest.ask()
    ingest.save(batch)
    for _ in range(30):
        clock += 1.0
        ingest.ask()


def sqlite_sizes(store: Store) -> dict[str, int]:
    """Return table or index -> bytes of its pages."""
    found: Any = store._db.execute("select name, sum(pgsize) from dbstat group by name").fetchall()
    return {name: int(size) for name, size in found}


def postgres_sizes(store: Store) -> dict[str, int]:
    """Return table with its indexes and long values -> bytes."""
    store._db.execute("vacuum full")
    found: Any = store._db.execute(
        "select relname, pg_total_relation_size(oid) from pg_class where relkind = 'r' and relnamespace = "
        "current_schema()::regnamespace"
    ).fetchall()
    return {name: int(size) for name, size in found}


def measure(name: str, store: Store, source: Path, by: bool) -> None:
    """Fill a store, and print what a round takes."""
    fill(store, source)
    sizes = sqlite_sizes if name == "sqlite" else postgres_sizes
    [(rounds,)] = store._db.execute("select count(*) from fact_round where revision is not null").fetchall()
    before = sizes(store)
    shoes_over(store, [])
    store.save([event(1)], [], [])  # SQLite leaves the journal of its last row
    began = time.process_time()
    said = compact(store, 0, rest=False)
    used = time.process_time() - began
    after = sizes(store)
    for what, found in (("before", before), ("after", after)):
        print(f"{name:11} {what:7} {sum(found.values()) / rounds:8,.0f} bytes a round, {rounds} rounds")
        for each, size in sorted(found.items(), key=lambda item: -item[1]) if by else ():
            if size / rounds >= 10:
                print(f"    {each:32} {size / rounds:8,.0f}")
    print(f"    {said}; {used:.1f} s of CPU")
    print(json.dumps({"engine": name, "rounds": rounds, "before": sum(before.values()), "after": sum(after.values())}))


def main() -> int:
    """Measure each engine."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--from", dest="folder", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--engine", choices=("sqlite", "postgresql"))
    parser.add_argument("--by", action="store_true")
    options = parser.parse_args()
    [source] = options.folder.glob("**/floor.db")
    if options.engine != "postgresql":
        with tempfile.TemporaryDirectory() as folder, closing(SqliteStore(Path(folder) / "floor.db")) as store:
            measure("sqlite", store, source, options.by)
    if options.engine != "sqlite":
        cluster = Cluster()
        try:
            cluster.start()
            with closing(PostgresStore(cluster.url("postgres"))) as store:
                measure("postgresql", store, source, options.by)
        finally:
            cluster.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
