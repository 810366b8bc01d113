"""How many rounds a second the ingest takes while shoes are compressed and reports are made beside it.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/beside.py [--rounds 5000] [--runs 3]

Each store holds so many rounds of whole shoes that are over. Then as many rounds are ingested, in turn alone, and
beside `shoe-floor compact` without an end and a report of all bets every `REST_S` seconds, each a process of its own. A
figure is the median of all runs.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Final

from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.floor.store.postgres import PostgresStore
from firmware_bridge.floor.store.sqlite import SqliteStore
from scripts.bench.ingest import Silent, batches, shoes
from tests.floor.house import shoes_over
from tests.floor_whole.cluster import Cluster

REST_S: Final = 2.0
"""Time from a report to the next one."""

Opens = Callable[[], Store]


def compacting(opens: Opens) -> None:
    """Compress what is over, as `shoe-floor compact` does, until ended."""
    with closing(opens()) as store:
        while True:
            compact(store, 0)
            time.sleep(0.1)


def reporting(config: Path) -> None:
    """Make a report, again and again, until ended."""
    command = [sys.executable, "-m", "firmware_bridge.floor", "--config", str(config), "report", "bet"]
    while True:
        subprocess.run([*command, "--since", "1970-01", "--until", "2100-01"], check=True, stdout=subprocess.DEVNULL)
        time.sleep(REST_S)


@contextmanager
def others(opens: Opens, config: Path) -> Iterator[None]:
    """Run both beside the block."""
    context = get_context("fork")
    made = [context.Process(target=compacting, args=(opens,)), context.Process(target=reporting, args=(config,))]
    for each in made:
        each.start()
    try:
        yield
        assert all(each.is_alive() for each in made)
    finally:
        for each in made:
            each.terminate()
            each.join()


def rate(store: Store, came: Sequence[Delivery], rounds: int) -> float:
    """Return rounds a second."""
    ingest, began = Ingest(store, Silent()), time.perf_counter()
    for batch in batches(came):
        ingest.save(batch)
    return rounds / (time.perf_counter() - began)


def measure(engine: str, opens: Opens, config: Path, rounds: int) -> float:
    """Print a run; return what is left of the rate."""
    with closing(opens()) as store:
        rate(store, shoes(rounds, "old"), rounds)
        shoes_over(store, [])
        alone = rate(store, shoes(rounds, "alone"), rounds)
        with others(opens, config):
            beside = rate(store, shoes(rounds, "beside"), rounds)
        [(blocks,)] = store._db.execute("select count(*) from block").fetchall()
    print(f"  {engine:11} alone {alone:6,.0f} rounds/s, beside {beside:6,.0f}: {beside / alone:.2f}; {blocks} blocks")
    return beside / alone


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    cluster = Cluster()
    found: dict[str, list[float]] = {}
    try:
        cluster.start()
        for run in range(options.runs):
            with tempfile.TemporaryDirectory() as folder:
                config, file, database = Path(folder) / "floor.toml", Path(folder) / "floor.db", f"run_{run}"
                cluster.sql(f"create database {database}")
                url = cluster.url(database)
                stores: dict[str, tuple[Opens, str]] = {
                    "SQLite": (partial(SqliteStore, file), f'path = "{file}"'),
                    "PostgreSQL": (partial(PostgresStore, url), f'url = "{url}"'),
                }
                for engine, (opens, key) in stores.items():
                    config.write_text(f"[store]\n{key}\n")
                    found.setdefault(engine, []).append(measure(engine, opens, config, options.rounds))
    finally:
        cluster.remove()
    for engine, parts in found.items():
        print(f"{engine:11} {median(parts):.2f} of the rate, median of {options.runs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
