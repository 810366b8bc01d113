"""How many rounds a second the ingest takes into each engine, beside the least that PostgreSQL can do with their rows.

    PYTHONPATH=. .venv-floor/bin/python scripts/bench/ingest.py [--rounds 20000] [--runs 3] [--whole] [--events]

A server of PostgreSQL of its own and a file of SQLite on one disk, both with every commit on it; 100 tables, 500
messages a commit. `ingest` is all that the ingest does between broker and broker: decode, keep count of gaps, commit,
acknowledge, say `stored`; `repeats` the same with messages that are there already. `executemany` and `COPY` write the
same rows, decoded before, with the same index. All are measured in turn, in each of the runs; a figure is the median.
--whole: rounds with all bets, as a shoe sends them, in place of short ones of about 800 bytes. --events: each with its
event, as a shoe sends them. --shoes: every message of whole shoes of baccarat, some 7 a round. Exit 1 below --least.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby, islice
from random import Random
from statistics import median
from typing import TypeVar

import msgspec
import psycopg

from firmware_bridge.client.heads import part, public_bytes
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.message import Row, now, row
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.postgres import PostgresStore
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.games import GAMES
from firmware_bridge.record.verify import FIRST_HEAD
from tests.floor_whole.cluster import Cluster

Item = TypeVar("Item")

WAYS = (
    ("ingest, PostgreSQL", "repeats, PostgreSQL"),
    ("executemany",),
    ("COPY",),
    ("ingest, SQLite", "repeats, SQLite"),
)
"""What is measured, one after the other, each line in a database of its own."""

TABLES = 100
BATCH = 500


class Silent:
    """A source without messages; counts acknowledgements and publications."""

    fault = ""

    def __init__(self) -> None:
        self.acknowledged = self.published = 0

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        return []

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        self.acknowledged += len(deliveries)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.published += 1

    def drop(self) -> None: ...

    def close(self) -> None: ...


PLACES = {"table": '"{table}"', "journal": '"1-{table}"', "seq": "{number}", "n": "1", "of": "1"}


def templates(whole: bool) -> dict[str, str]:
    """Return topic -> a message of a closed round as the shoe makes it, with places for table and number."""
    found = {}
    for topic, payload in replayed("Ks 5h 9d 3c"):
        if topic == "round" or '"event":{"type":"RoundClosed"' in payload:
            found[topic] = payload
    for topic, text in found.items():
        if not whole:
            text = re.sub(r'("bets":{(?:[^,]*,){4}[^,]*)[^}]*', r"\1", text)
            text = re.sub(r'"(why|reasons)":\[.*?\](?=,")', r'"\1":[]', text)
        text = text.replace("{", "{{").replace("}", "}}")
        for key, value in PLACES.items():
            text = re.sub(rf'"{key}":("[^"]*"|\d+)', f'"{key}":{value}', text, count=1)
        text = text.replace('"prev":null', '"prev":{prev}')
        found[topic] = re.sub(r'"round":\d+', '"round":{number}', text, count=1)
    return found


def deliveries(rounds: int, whole: bool, events: bool) -> list[Delivery]:
    """Return rounds as the broker brings them, a table after the other."""
    texts = templates(whole)
    topics = ("event", "round") if events else ("round",)
    made = []
    for at in range(rounds):
        table, number = f"t{at % TABLES:03}", at // TABLES + 1
        prev = f'{{"journal":"1-{table}","seq":{number - 1}}}' if number > 1 else "null"
        for topic in topics:
            text = texts[topic].format(table=table, number=number, prev=prev)
            made.append(Delivery(f"shoe/{table}/{topic}", text.encode()))
    return made


def shoes(rounds: int, name: str = "t") -> list[Delivery]:
    """Return every message of shuffled shoes, some 7 a round, of a table after the other, as a table sends it.

    name: how the tables' names begin.
    """
    cards = list(GAMES["baccarat"].pack) * 8
    Random(1).shuffle(cards)
    dealt = " ".join(f"{each.value}" for each in cards[:400])
    found = list(replayed(dealt, "--no-burn", "--topic", "event,round"))
    in_a_shoe = sum(topic == "round" for topic, _ in found)
    tables = [f"{name}{number:03}" for number in range(-(-rounds // in_a_shoe))]
    return [Delivery(f"shoe/{table}/{topic}", body) for table in tables for topic, body in named(found, table)]


def replayed(cards: str, *options: str) -> Iterator[tuple[str, str]]:
    """Yield topic and payload of each message about these cards."""
    command = [sys.executable, "-m", "firmware_bridge", "replay", *options, "-"]
    done = subprocess.run(command, input=f"{cards}\n", capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        topic, _, payload = line.removeprefix('{"topic":"').removesuffix("}").partition('","retain":false,"payload":')
        yield topic, payload


def named(found: Sequence[tuple[str, str]], table: str) -> Iterator[tuple[str, bytes]]:
    """Yield the messages of a table of another name, with the heads that follow from it."""
    head = FIRST_HEAD
    renamed = [(topic, text.replace('"replay"', f'"{table}"', 1).encode()) for topic, text in found]
    for _, of_entry in groupby(renamed, lambda each: msgspec.json.decode(each[1], type=Place).seq):
        entry = list(of_entry)
        parts = [each for topic, body in entry if topic == "event" and (each := part(body))]
        before = parts[0].head
        head = sha256(head.encode() + parts[-1].sealed.encode() + public_bytes(parts)).hexdigest()
        yield from ((topic, body.replace(before.encode(), head.encode(), 1)) for topic, body in entry)


class Place(msgspec.Struct):
    """What the bench reads of a message."""

    seq: int


def batches(all_of: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield as many as are committed at once."""
    remaining = iter(all_of)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def ingested(store: Store, came: Sequence[Delivery]) -> None:
    """Do all that the ingest does."""
    source = Silent()
    ingest = Ingest(store, source)
    for batch in batches(came):
        ingest.save(batch)
    assert source.acknowledged == len(came) == store.count("messages")
    store.close()


def inserted(url: str, rows: Sequence[Row]) -> None:
    """Do the least that a program does which inserts rows."""
    insert = f"insert into message values ({', '.join(['%s'] * len(Row._fields))})"
    with psycopg.connect(url) as db, db.cursor() as cursor:
        for batch in batches(rows):
            cursor.executemany(insert, batch)
            db.commit()


def copied(url: str, rows: Sequence[Row]) -> None:
    """Do the least that PostgreSQL can do with rows."""
    with psycopg.connect(url) as db, db.cursor() as cursor:
        for batch in batches(rows):
            with cursor.copy("copy message from stdin") as copy:
                for each in batch:
                    copy.write_row(each)
            db.commit()


def main() -> int:
    """Measure, print, and compare with --least."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--events", action="store_true")
    parser.add_argument("--shoes", action="store_true")
    parser.add_argument("--least", type=float, default=0.0, help="rounds/s that the ingest must take into PostgreSQL")
    options = parser.parse_args()
    came = shoes(options.rounds) if options.shoes else deliveries(options.rounds, options.whole, options.events)
    rows = [row(each.topic.split("/")[2], each.topic.split("/")[1], each.body, now()) for each in came]
    found: dict[str, list[float]] = {}

    cluster = Cluster()

    def measure(way: str, database: str) -> None:
        url, file = cluster.url(database), cluster.directory / f"{database}.db"
        server, began, cpu = cluster.cpu_s(), time.perf_counter(), time.process_time()
        match way:
            case "executemany":
                inserted(url, rows)
            case "COPY":
                copied(url, rows)
            case "ingest, PostgreSQL" | "repeats, PostgreSQL":
                ingested(PostgresStore(url), came)
            case _:
                ingested(SqliteStore(file), came)
        took, used = time.perf_counter() - began, time.process_time() - cpu
        found.setdefault(way, []).append(options.rounds / took)
        time.sleep(0.2)  # until the server has counted what its process used
        ours, theirs = (each / options.rounds * 1e6 for each in (used, cluster.cpu_s() - server))
        rate = options.rounds / took
        print(f"  {way:20} {rate:9,.0f} rounds/s, CPU a round: {ours:3.0f} us, of the server {theirs:3.0f} us")

    try:
        cluster.start()
        for run in range(options.runs):
            print(f"run {run + 1}, load {os.getloadavg()[0]:.1f}", flush=True)
            for number, ways in enumerate(WAYS):
                name = f"run_{run}_{number}"
                cluster.sql(f"create database {name}")
                PostgresStore(cluster.url(name)).close()
                cluster.sql("checkpoint")
                for way in ways:
                    measure(way, name)
                cluster.sql(f"drop database {name}")
    finally:
        cluster.remove()
    size = sum(len(each.body) for each in came) / len(came)
    print(f"median of {options.runs} runs of {options.rounds} rounds, {len(came)} messages of {size:.0f} bytes")
    for way, figures in found.items():
        print(f"  {way:20} {median(figures):9,.0f} rounds/s")
    return int(median(found["ingest, PostgreSQL"]) < options.least)


if __name__ == "__main__":
    sys.exit(main())
