"""How long each report and export takes on a floor's facts of six weeks.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/facts.py FILE|URL [--rounds 1000000] [--tables 200] [--keep]

Fills a store with rounds as facts, without messages: real results of shuffled shoes of baccarat, every fifth table with
stakes that are known, a dealer for each 20 rounds, a card by hand in each 300 rounds, a correction or void in each
1,000. Then runs reports and exports as they are typed and the queries of docs/facts.md, all of November, and prints the
seconds of each, of a program its start included. --keep: measures the store that is there. Exit 1 where a report or a
query takes more than 2 s, or the export of a day more than 10 s.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from firmware_bridge.floor.config import parse
from firmware_bridge.floor.facts.made import Facts, facts_of
from firmware_bridge.floor.facts.rows import At, HandEntered, Round, ShoeBegan, ShoeOver
from firmware_bridge.floor.record.message import now, rfc3339, row
from firmware_bridge.floor.store.open import open_store
from firmware_bridge.games import GAMES

FIRST = date(2026, 10, 20)
DAYS = 42
SHOE = 70
"""Rounds of a shoe."""

STINT = 20
"""Rounds until another dealer deals."""

BATCH = 5_000
MOST_REPORT_S, MOST_EXPORT_S = 2.0, 10.0


def results() -> list[Round]:
    """Rounds of some shuffled shoes, as the shoe says them."""
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
    """Rounds of a floor, day by day and table by table, each with the time at which it opened."""
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


def fill(config: str, rounds: int, tables: int) -> None:
    """Write the facts as the ingest does, some thousand rounds a commit."""
    store, told = open_store(parse(tomllib.loads(config)), make=True), 0
    if "path" in config:
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
    store.close()


def events(rounds: list[tuple[Round, str]]) -> Iterator[ShoeBegan | ShoeOver | HandEntered]:
    """What else happened: shoes, every ninth ended early, and cards by hand."""
    for each, opened_at in rounds:
        place = At(each.table, each.journal, each.seq, each.n, opened_at)
        if each.round == 1:
            yield ShoeBegan(place, each.shoe, each.game, 8)
        if each.round == SHOE:
            why = "closed by pit" if each.shoe % 9 == 0 else "the last round is over"
            yield ShoeOver(place._replace(at=each.at), each.shoe, why, SHOE)
        if each.by_hand:
            yield HandEntered(place, "entered", f"Pit boss {each.shoe % 7}", f"Inspector {each.round % 5}")


def commands() -> dict[str, list[str]]:
    """What is measured -> how it is typed."""
    between = ["--since", "2026-11-01", "--until", "2026-11-30"]
    made = {f"report {kind}": ["report", kind, *between] for kind in ("day", "shift", "table", "dealer", "bet")}
    made |= {f"report {kind} --html": ["report", kind, *between, "--html"] for kind in ("day", "table", "dealer")}
    made["report bet, one table"] = ["report", "bet", *between, "--table", "T007"]
    return made


def exports(folder: Path) -> dict[str, list[str]]:
    """The same of exports of a day."""
    day = ["export", "fact_round", "--since", "2026-11-20", "--until", "2026-11-20"]
    return {
        "export, a day, JSON": [*day, "-o", str(folder / "day.jsonl")],
        "export, a day, CSV": [*day, "--csv", "-o", str(folder / "day.csv")],
        "export, a day, Parquet": [*day, "--parquet", str(folder / "day.parquet")],
    }


def asked(config: str) -> Iterator[tuple[str, float, float]]:
    """Seconds of each query of docs/facts.md, and of this program's CPU."""
    doc = (Path(__file__).parents[2] / "docs/facts.md").read_text("utf-8")
    with closing(open_store(parse(tomllib.loads(config)))) as store:
        for title, query in re.findall(r"^### ([^\n]+)\n.*?^```sql\n(.*?)^```", doc, re.M | re.S):
            began, cpu = time.perf_counter(), time.process_time()
            store._db.execute(query).fetchall()
            yield title, time.perf_counter() - began, time.process_time() - cpu


def timed(config: Path, words: list[str]) -> tuple[float, float]:
    """Seconds of a command as a program of its own, and of its CPU."""
    began, before = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    program = [sys.executable, "-m", "firmware_bridge.floor", "--config", str(config), *words]
    subprocess.run(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    used = getrusage(RUSAGE_CHILDREN)
    return time.perf_counter() - began, used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", metavar="FILE|URL", help="a new file of SQLite, or a database of PostgreSQL")
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--keep", action="store_true", help="measure what is there")
    options = parser.parse_args()
    key = "url" if "://" in options.store else "path"
    text = f"[store]\n{key} = {json.dumps(options.store)}\n"
    if not options.keep:
        fill(text, options.rounds, options.tables)
    is_late = False
    with TemporaryDirectory() as folder:
        config = Path(folder) / "floor.toml"
        config.write_text(text)
        print(f"load {os.getloadavg()[0]:.1f}; an empty command {timed(config, ['help'])[0]:.2f} s")
        found = [(name, *timed(config, words), MOST_REPORT_S) for name, words in commands().items()]
        found += [(*each, MOST_REPORT_S) for each in asked(text)]
        found += [(name, *timed(config, words), MOST_EXPORT_S) for name, words in exports(Path(folder)).items()]
        for name, took, cpu, most in found:
            is_late |= took > most
            print(f"  {name:46} {took:6.2f} s, CPU {cpu:5.2f} s{', LATE' if took > most else ''}")
    return int(is_late)


if __name__ == "__main__":
    sys.exit(main())
