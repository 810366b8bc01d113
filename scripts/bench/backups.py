"""How many bytes a round takes of a WAL archive of PostgreSQL, and of Litestream, as it comes and when it is compacted.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/backups.py --from FOLDER

FOLDER: as of `size.py`. A second stands for a minute of 20 tables: PostgreSQL makes a checkpoint, and begins a new
file, after every 100 rounds, as it does each five minutes; Litestream copies each second, and hourly each minute.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.floor.store.postgres import PostgresStore
from firmware_bridge.floor.store.sqlite import SqliteStore
from scripts.bench.size import deliveries
from tests.floor.house import shoes_over
from tests.floor.test_ingest import Said
from tests.floor_whole.cluster import Cluster

BATCH: Final = 25
"""Messages that 20 tables send in a second or two."""

FIVE_MINUTES: Final = 98
"""Batches of five minutes: some 100 rounds."""

SETTLE_S: Final = 10.0

CONFIG: Final = """
levels: [{{interval: 1s}}, {{interval: 1m}}]
l0-retention: 3s
dbs: [{{path: {0}/floor.db, replica: {{type: file, path: {0}/copy, sync-interval: 1s}}}}]
"""


def fill(store: Store, source: Path, after: Callable[[int], None]) -> None:
    """Send the messages through an ingest. after: called after each batch with its number."""
    clock, number, batch = 0.0, 0, []
    ingest = Ingest(store, Said(), clock=lambda: clock)
    for each in deliveries(source):
        batch.append(each)
        if len(batch) == BATCH:
            ingest.save(batch)
            batch.clear()
            clock, number = clock + 1.0, number + 1
            ingest.ask()
            after(number)
    ingest.save(batch)
    for _ in range(30):
        clock += 1.0
        ingest.ask()


def measure(name: str, store: Store, source: Path, archive: Path, after: Callable[[int], None]) -> None:
    """Fill and compact a store; print what its archive then has."""
    fill(store, source, after)
    after(FIVE_MINUTES)
    time.sleep(SETTLE_S)
    rounds, came = store.count("rounds"), _size(archive)
    shoes_over(store, [])
    compact(store, 0, rest=False)
    after(FIVE_MINUTES)
    time.sleep(SETTLE_S)
    compacted = _size(archive) - came
    print(f"{name:11} {came / rounds:8,.0f} bytes a round as it comes, {compacted / rounds:8,.0f} when it is compacted")


def _size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


def of_postgres(source: Path) -> None:
    """Measure a WAL archive."""
    cluster = Cluster("archive_mode=on", "checkpoint_timeout=1h", "max_wal_size=4GB")
    archive = cluster.directory / "archive"
    archive.mkdir()
    archive.chmod(0o777)
    cluster.start()
    cluster.sql(f"alter system set archive_command = 'gzip -n < %p > {archive}/%f.gz'")
    cluster.sql("select pg_reload_conf()")

    def after(number: int) -> None:
        if number % FIVE_MINUTES == 0:
            cluster.sql("checkpoint")
            cluster.sql("select pg_switch_wal()")

    try:
        with closing(PostgresStore(cluster.url("postgres"))) as store:
            measure("postgresql", store, source, archive, after)
    finally:
        cluster.remove()


def of_sqlite(source: Path) -> None:
    """Measure what Litestream keeps."""
    with tempfile.TemporaryDirectory() as name, closing(SqliteStore(Path(name) / "floor.db")) as store:
        folder, began = Path(name), time.monotonic()
        (folder / "litestream.yml").write_text(CONFIG.format(folder))
        running = subprocess.Popen(
            ["litestream", "replicate", "-config", folder / "litestream.yml"], stdout=subprocess.DEVNULL
        )

        def after(number: int) -> None:
            time.sleep(max(0.0, 5.0 * number / FIVE_MINUTES - (time.monotonic() - began)))

        try:
            measure("sqlite", store, source, folder / "copy", after)
        finally:
            running.kill()
            running.wait()


def main() -> int:
    """Measure both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--from", dest="folder", type=Path, required=True, metavar="FOLDER")
    [source] = parser.parse_args().folder.glob("**/floor.db")
    of_postgres(source)
    of_sqlite(source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
