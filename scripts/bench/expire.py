"""How long `shoe-floor expire` of one month out of twelve takes, and how long an ingest beside it waits.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/expire.py --from FOLDER [--engine sqlite] [--times 100]

FOLDER: as of `size.py`. Its messages are compacted once, then stored so many times under other names of tables, in
twelve months, with all facts and leaves; the tables are enrolled. A program beside it saves a message each 20 ms.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing import Event, Process, Queue
from pathlib import Path
from typing import Any, Final

from firmware_bridge.floor.record.message import Key, now
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.floor.store.postgres import PostgresStore
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.floor.store.tables import TABLES
from scripts.bench.size import fill
from tests.floor.house import shoes_over
from tests.floor.journals import event
from tests.floor_whole.cluster import Cluster

MONTHS: Final = 12
PAUSE_S: Final = 0.02
FAR: Final = 1_000_000
"""More than there are numbers of names and changes in the first copy."""

TIMES: Final = {"message": ("at", "received_at"), "block": ("first_at", "last_at", "received_at")}


def copied(table: str, column: str, copy: int) -> str:
    """Return the value of a column in a copy."""
    name = f'"{column}"'
    match table, column:
        case _, "tbl":
            return f"case tbl when '' then '' else tbl || 'x{copy}' end"
        case "names", "name":
            return f"case tbl when '' then name || 'x{copy}' else name end"
        case _, "origin":
            return f"origin || 'x{copy}'"
        case ("names", "id") | ("leaf", "record" | "journal") | ("fact_round", "changed"):
            return f"{name} + {copy * FAR}"
        case _ if column in TIMES.get(table, ()):
            return f"'2025-{copy % MONTHS + 1:02}-15' || substr({name}, 11)"
    return name


def copy_all(store: Store, times: int) -> None:
    """Store what is there so many times."""
    tables = [each for each in TABLES.sorted_tables if "tbl" in each.c or each.name == "leaf"]
    for number in range(1, times):
        with store._transaction():
            for table in tables:
                columns = [each.name for each in table.c]
                names = ", ".join(f'"{each}"' for each in columns)
                values = ", ".join(copied(table.name, each, number) for each in columns)
                of = " or ".join(f"\"{each}\" like '%x%'" for each in ("tbl", "name") if each in columns)
                mine = f"not ({of})" if of else f"journal < {FAR}"
                store._db.execute(f"insert into {table.name} ({names}) select {values} from {table.name} where {mine}")


def write(opens: Callable[[], Store], stop: Any, waits: Any) -> None:
    """Save a message each 20 ms; put how long each took."""
    found, seq = list[float](), 0
    with closing(opens()) as store:
        while not stop.is_set():
            seq, began = seq + 1, time.monotonic()
            store.save([event(seq, journal="9-now")._replace(at=now(), received_at=now())], [], [])
            found.append(time.monotonic() - began)
            time.sleep(PAUSE_S)
    waits.put(sorted(found))


def measure(name: str, opens: Callable[[], Store], source: Path, times: int) -> None:
    """Fill a store, delete a month beside an ingest, and print the seconds of both."""
    with closing(opens()) as store:
        fill(store, source)
        shoes_over(store, [])
        store.save([event(1, journal="9-now")], [], [])
        compact(store, 0, rest=False)
        with store._transaction():
            store._db.execute("update record_key set trust = 'enrolled'")
        copy_all(store, times)
        store._db.execute("analyze")
        rounds = store.count("rounds")
        stop = Event()
        waits: Any = Queue()
        beside = Process(target=write, args=(opens, stop, waits))
        beside.start()
        began = time.monotonic()
        old = store.old("2025-02-01T00:00:00.000Z")
        found_s, gone, longest = time.monotonic() - began, 0, 0.0
        for each in old:
            start = time.monotonic()
            gone += store.expire(Key(*each.key), "2025-02-01T00:00:00.000Z", now()) is not None
            longest = max(longest, time.monotonic() - start)
            time.sleep(time.monotonic() - start)  # as `shoe-floor expire` does
        took = time.monotonic() - began
        stop.set()
        found: list[float] = waits.get()
        beside.join()
        print(f"{name:11} {rounds} rounds, {gone} of {len(old)} journals in {took:.1f} s, the longest {longest:.2f} s")
        middle = found[len(found) // 2]
        print(f"    {found_s:.1f} s to find them; the ingest waits {middle:.3f} s, at most {found[-1]:.2f} s")


def main() -> int:
    """Measure each engine."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--from", dest="folder", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--engine", choices=("sqlite", "postgresql"))
    parser.add_argument("--times", type=int, default=100)
    options = parser.parse_args()
    [source] = options.folder.glob("**/floor.db")
    if options.engine != "postgresql":
        with tempfile.TemporaryDirectory() as folder:
            measure("sqlite", lambda: SqliteStore(Path(folder) / "floor.db"), source, options.times)
    if options.engine != "sqlite":
        cluster = Cluster()
        try:
            cluster.start()
            measure("postgresql", lambda: PostgresStore(cluster.url("postgres")), source, options.times)
        finally:
            cluster.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
