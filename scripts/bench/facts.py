"""How long each report and export takes on a floor's facts of six weeks.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/facts.py FILE|URL [--rounds 1000000] [--whole 100000] [--cold]

Fills a store with rounds as facts, without messages: real results of shuffled shoes of baccarat, every fifth table with
stakes that are known, a dealer for each 20 rounds, a card by hand in each 300 rounds, a correction or void in each
1,000; then, through the ingest, with all messages of whole shoes. Runs reports, exports and the check as they are typed
and the queries of docs/facts.md, all of November, beside a mosquitto of its own with as many tables, and prints the
seconds of each, of a program its start included; then those of the page, beside a page of an empty store.

--from FILE: copies the facts of a store of SQLite into a database. --keep: measures the store that is there. --cold:
only root can; what the kernel keeps of files is dropped before each. Exit 1 where a report or a query takes more than
2 s, the check more than 1 s, or the export of a day more than 10 s.
"""

import argparse
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from typing import NamedTuple

from firmware_bridge.floor.config import parse
from firmware_bridge.floor.facts.made import Facts, facts_of
from firmware_bridge.floor.facts.rows import At, HandEntered, Round, ShoeBegan, ShoeOver
from firmware_bridge.floor.record.message import now, rfc3339, row
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.condition import Heartbeat
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.games import GAMES
from scripts.bench.large import at_a_broker, copy_facts, fill_whole, paged
from tests.kit.broker import Broker

FIRST = date(2026, 10, 20)
DAYS = 42
SHOE = 70
"""Rounds of a shoe."""

STINT = 20
"""Rounds until another dealer deals."""

BATCH = 5_000
MOST_REPORT_S, MOST_EXPORT_S, MOST_CHECK_S = 2.0, 10.0, 1.0


def results() -> list[Round]:
    """Return the rounds of some shuffled shoes, as the shoe says them."""
    found: list[Round] = []
    for seed in range(4):
        cards = list(GAMES["baccarat"].pack) * 8
        Random(seed).shuffle(cards)
        command = [sys.executable, "-m", "firmware_bridge", "replay", "--no-burn", "--topic", "round", "-"]
        dealt = " ".join(f"{each.value}" for each in cards[:400])
        done = subprocess.run(command, input=f"{dealt}\n", capture_output=True, text=True, check=True)
        payloads = (json.loads(line)["payload"] for line in done.stdout.splitlines())
        found += facts_of(row("round", each["table"], json.dumps(each).encode(), now()) for each in payloads).rounds
    return found


def played(rounds: int, tables: int) -> Iterator[tuple[Round, str]]:
    """Yield the rounds of a floor, day by day and table by table, each with the time at which it opened."""
    chance, known = Random(1), results()
    of_day = max(1, rounds // (DAYS * tables))
    gap = timedelta(hours=20) / of_day
    for number in range(rounds):
        day, rest = divmod(number, of_day * tables)
        table, nth = divmod(rest, of_day)
        place = day * of_day + nth
        shoe, at = place // SHOE + 1, datetime.combine(FIRST, datetime.min.time(), UTC) + timedelta(day, 36_000)
        at += gap * nth
        name = f"T{table + 1:03}"
        is_money, odd = table % 5 == 0, chance.random()
        put = chance.choice((25, 100, 500)) * 1_000_000 if is_money else None
        net = put and chance.choice((-put, -put, put, 0, -put, put))
        yield (
            chance.choice(known)._replace(
                table=name,
                journal=f"{shoe}-{table:012x}",
                shoe=shoe,
                round=place % SHOE + 1,
                seq=10 * (place % SHOE) + 10,
                revision=int(odd < 0.001),
                status="voided" if odd < 0.0003 else "corrected" if odd < 0.001 else "closed",
                at=rfc3339(at),
                day=(FIRST + timedelta(day)).isoformat(),
                pit=f"Pit {table // 10 + 1}",
                shift=("early", "late", "night")[nth * 3 // of_day],
                dealt_by=f"dealer {(table // 10 * 20 + place // STINT + table) % (tables * 3):03}",
                unit="money" if is_money else "stake",
                staked=put,
                house=None if net is None else -net,
                by_hand=int(odd > 1 - 1 / 300),
                stakes=() if put is None or net is None else (("player", put, net),),
            ),
            rfc3339(at - gap * 0.6),
        )


def fill(store: Store, rounds: int, tables: int) -> None:
    """Write the facts as the ingest does, some thousand rounds a commit."""
    told = 0
    if isinstance(store._db, sqlite3.Connection):
        store._db.execute("pragma synchronous = off")  # what is measured comes later
        store._db.execute("pragma cache_size = -500000")
    made = played(rounds, tables)
    began = time.perf_counter()
    while some := list(islice(made, BATCH)):
        opened = {each.name: at for each, at in some}
        with store._transaction(), store._alone():
            store._save_facts(Facts([each for each, _ in some], opened, list(events(some)), []))
        told += len(some)
        if told % (BATCH * 40) == 0:
            print(f"  {told:,} rounds, {told / (time.perf_counter() - began):,.0f} a second", flush=True)


def events(rounds: list[tuple[Round, str]]) -> Iterator[ShoeBegan | ShoeOver | HandEntered]:
    """Yield what else happened: shoes, every ninth ended early, and cards by hand."""
    for each, opened_at in rounds:
        place = At(each.table, each.journal, each.seq, each.n, opened_at)
        if each.round == 1:
            yield ShoeBegan(place, each.shoe, each.game, 8)
        if each.round == SHOE:
            yield ShoeOver(
                place._replace(at=each.at), each.shoe, SHOE, "closed" if each.shoe % 9 == 0 else "last_round"
            )
        if each.by_hand:
            yield HandEntered(place, "entered", f"Pit boss {each.shoe % 7}", f"Inspector {each.round % 5}")


def commands() -> dict[str, list[str]]:
    """Return what is measured -> how it is typed."""
    between = ["--since", "2026-11-01", "--until", "2026-11-30"]
    made = {f"report {kind}": ["report", kind, *between] for kind in ("day", "shift", "table", "dealer", "bet")}
    made |= {f"report {kind} --html": ["report", kind, *between, "--html"] for kind in ("day", "table", "dealer")}
    made["report bet, one table"] = ["report", "bet", *between, "--table", "T007"]
    return made


def exports(folder: Path) -> dict[str, list[str]]:
    """Return the same of exports of a day."""
    day = ["export", "fact_round", "--since", "2026-11-20", "--until", "2026-11-20"]
    return {
        "export, a day, JSON": [*day, "-o", str(folder / "day.jsonl")],
        "export, a day, CSV": [*day, "--csv", "-o", str(folder / "day.csv")],
        "export, a day, Parquet": [*day, "--parquet", str(folder / "day.parquet")],
    }


def queries() -> dict[str, str]:
    """Return the title of each query of docs/facts.md -> the query."""
    doc = (Path(__file__).parents[2] / "docs/facts.md").read_text("utf-8")
    return dict(re.findall(r"^### ([^\n]+)\n.*?^```sql\n(.*?)^```", doc, re.M | re.S))


class Took(NamedTuple):
    """Seconds by the clock and of CPU, and MB that came from the disk; not what a server of PostgreSQL did."""

    clock: float
    cpu: float
    read: float

    def __str__(self) -> str:
        return f"{self.clock:6.2f} s, CPU {self.cpu:5.2f} s, {self.read:4.0f} MB read"


def took(who: int, do: Callable[[], object]) -> Took:
    """Return what something took. who: RUSAGE_SELF or RUSAGE_CHILDREN."""
    began, before = time.perf_counter(), getrusage(who)
    do()
    clock, used = time.perf_counter() - began, getrusage(who)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return Took(clock, cpu, (used.ru_inblock - before.ru_inblock) * 512 / 1e6)


def asked(config: str, query: str) -> Took:
    """Return what a query takes."""
    with closing(open_store(parse(tomllib.loads(config)))) as store:
        return took(RUSAGE_SELF, lambda: store._db.execute(query).fetchall())


def forget_files() -> None:
    """Drop what the kernel keeps of files."""
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")


def timed(config: Path, words: list[str]) -> Took:
    """Return what a command takes as a program of its own."""
    program = [sys.executable, "-m", "firmware_bridge.floor", "--config", str(config), *words]
    nothing = subprocess.DEVNULL
    return took(RUSAGE_CHILDREN, lambda: subprocess.run(program, stdout=nothing, stderr=nothing, check=True))


def measured(config: Path, folder: Path, is_cold: bool) -> bool:
    """Measure and print; return whether something took too long."""
    asks: list[tuple[str, Callable[[], Took], float]] = []
    asks += [("check", partial(timed, config, ["check"]), MOST_CHECK_S)]
    asks += [(name, partial(timed, config, words), MOST_REPORT_S) for name, words in commands().items()]
    asks += [(name, partial(asked, config.read_text(), query), MOST_REPORT_S) for name, query in queries().items()]
    asks += [(name, partial(timed, config, words), MOST_EXPORT_S) for name, words in exports(folder).items()]
    is_late = False
    for name, ask, most in asks:
        if is_cold:
            forget_files()
        found = ask()
        is_late |= found.clock > most
        print(f"  {name:46} {found}{', LATE' if found.clock > most else ''}", flush=True)
    return is_late


def compared(config: Path, broker: Broker, folder: Path) -> None:
    """Print what the page takes beside a page of an empty store."""
    large, empty = (
        parse(tomllib.loads(text)).store for text in (config.read_text(), f'[store]\npath = "{folder}/e.db"\n')
    )
    open_store(parse(tomllib.loads(f'[store]\npath = "{folder}/e.db"\n')), make=True).close()
    for path, ((first, later), (first_empty, later_empty)) in paged(broker, (large, empty), folder).items():
        each = f"{later * 1000:6.1f} ms, with an empty store {later_empty * 1000:6.1f} ms"
        print(f"  page {path:41} {each}; the first {first * 1000:.0f} and {first_empty * 1000:.0f} ms")


def main() -> int:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", metavar="FILE|URL", help="a new file of SQLite, or a database of PostgreSQL")
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--whole", type=int, default=100_000, help="rounds with all their messages")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="copy the facts of this store")
    parser.add_argument("--keep", action="store_true", help="measure what is there")
    parser.add_argument("--cold", action="store_true", help="drop what is kept of files before each")
    options = parser.parse_args()
    key = "url" if "://" in options.store else "path"
    text = f"[store]\n{key} = {json.dumps(options.store)}\n"
    with closing(open_store(parse(tomllib.loads(text)), make=True)) as store:
        if not options.keep:
            if options.source:
                copy_facts(options.source, store)
            else:
                fill(store, options.rounds, options.tables)
            fill_whole(store, options.whole, options.tables, FIRST + timedelta(DAYS - 1))
        store.beat(Heartbeat("shoe-floor-ingest", now(), now(), now()))
    with TemporaryDirectory() as name:
        folder = Path(name)
        broker = Broker(folder).start()
        try:
            at_a_broker(broker, options.tables)
            config = folder / "floor.toml"
            config.write_text(f"[mqtt]\nport = {broker.port}\n{text}")
            print(f"load {os.getloadavg()[0]:.1f}; an empty command {timed(config, ['help'])}")
            is_late = measured(config, folder, options.cold)
            compared(config, broker, folder)
        finally:
            broker.stop()
    return int(is_late)


if __name__ == "__main__":
    sys.exit(main())
