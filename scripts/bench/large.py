"""What a store of millions of rounds has beside its facts, for facts.py: whole shoes, tables at a broker, a page."""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_bridge.floor.config import StoreSection
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.message import now, rfc3339
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.closings import Closing
from firmware_bridge.floor.store.fact_tables import FACTS
from firmware_bridge.floor.store.tables import TABLES
from scripts.bench.ingest import BATCH, Silent, shoes
from tests.floor.tables import alive, baccarat, latest, renamed, sent_by
from tests.floor_whole.pages import Page
from tests.kit.broker import Broker

PAGES = ("/", "/table/T007", "/api/tables", "/api/tables/T007", "/api/tables/T007/rounds?limit=100")
"""What is asked of the page: the wall, a table, and the addresses for programs."""

TIMES = 15
"""Requests of each page: the figure is their median."""

KEYS = """
select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
where contype = 'p' and conrelid::regclass::text like 'fact\\_%'
"""
INDEXES = "select indexname, indexdef from pg_indexes where tablename like 'fact\\_%'"

REPLAYED = "1970-01-01T00:00:00.000Z"
"""The time in all messages of a replay."""


def whole_shoes(rounds: int, tables: int, newest: date) -> Iterator[Delivery]:
    """Yield every message of shuffled shoes, a shoe of each table a day up to the newest; tables are W001 and so on."""
    found = [(each.topic.rpartition("/")[2], each.body.decode()) for each in shoes(1)]
    ends = [json.loads(body) for topic, body in found if topic == "round"]
    each_table = -(-rounds // (len(ends) * tables))
    last = json.dumps({"journal": "BEFORE", "seq": ends[-1]["seq"]})
    for number in range(1, each_table + 1):
        at = rfc3339(datetime.combine(newest, datetime.min.time(), UTC) + timedelta(number - each_table, 43_200))
        for table in range(1, tables + 1):
            name = f"W{table:03}"
            of = {"BEFORE": f"{number - 1}-{table:012x}", ends[0]["journal"]: f"{number}-{table:012x}"}
            for topic, body in found:
                text = body.replace('"t000"', f'"{name}"').replace(REPLAYED, at)
                text = text.replace('"shoe": 1,', f'"shoe": {number},').replace('"number": 1,', f'"number": {number},')
                if number > 1:
                    text = text.replace('"prev": null', f'"prev": {last}')
                for old, new in of.items():
                    text = text.replace(old, new)
                yield Delivery(f"shoe/{name}/{topic}", text.encode())


def copy_facts(source: Path, store: Store) -> None:
    """Copy the facts of a store of SQLite into an empty database, in their order; indexes are made behind it."""
    target: Any = store._db
    with closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as db:
        indexes = without_indexes(target)
        for table in FACTS:
            copy_table(db, target, table.name)
    target.execute("set maintenance_work_mem = '1GB'")
    for each in indexes:
        target.execute(each)
    target.execute("vacuum analyze")


def without_indexes(target: Any) -> list[str]:
    """Drop the indexes of all facts; return the statements that make them again."""
    made = []
    for table, name, definition in target.execute(KEYS).fetchall():
        target.execute(f"alter table {table} drop constraint {name}")
        made.append(f"alter table {table} add constraint {name} {definition}")
    for name, definition in target.execute(INDEXES).fetchall():
        target.execute(f"drop index {name}")
        made.append(definition)
    return made


def copy_table(db: sqlite3.Connection, target: Any, name: str, rows: str = "true") -> None:
    """Copy rows of a table of facts: no text of the benchmark has a backslash, a tab or an end of line."""
    columns = " || char(9) || ".join(f"coalesce({each.name}, '\\N')" for each in TABLES.tables[name].columns)
    with target.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:
        found = db.execute(f"select {columns} from {name} where {rows}")
        while some := found.fetchmany(1_000):
            copy.write("".join(f"{line}\n" for (line,) in some))


def fill_whole(store: Store, rounds: int, tables: int, newest: date) -> None:
    """Put whole shoes into a store, through the ingest."""
    ingest, made, began, count = Ingest(store, Silent()), whole_shoes(rounds, tables, newest), time.perf_counter(), 0
    while some := list(islice(made, BATCH)):
        ingest.save(some)
        count += len(some)
    for key in store.lacking():  # nobody answers for what was before their first shoes
        store.close_gap(key, 0, Closing("bench", "tables of a replay", now()))
    print(f"  {count:,} messages of whole shoes, {count / (time.perf_counter() - began):,.0f} a second", flush=True)


def at_a_broker(broker: Broker, tables: int) -> None:
    """Publish what these tables retain, as a floor that deals."""
    client = Client(CallbackAPIVersion.VERSION2, "bench")
    client.connect(broker.host, broker.port)
    client.loop_start()
    moment, said = int(time.time() * 1000), sent_by(baccarat(30))
    for number in range(1, tables + 1):
        name = f"T{number:03}"
        for each in (*latest(renamed(name, said, moment)), *alive(name, moment)):
            client.publish(each.topic, each.payload, 1, retain=True).wait_for_publish(60)
    client.disconnect()
    client.loop_stop()


def paged(broker: Broker, stores: Sequence[StoreSection], folder: Path) -> dict[str, list[tuple[float, float]]]:
    """Return address -> seconds of the first request, median of the next, for a page of each store, asked in turn."""
    pages = []
    for number, each in enumerate(stores):
        (own := folder / f"page-{number}").mkdir()
        page = Page(own, broker.port)
        key = f"path = {json.dumps(str(each.path))}" if each.url is None else f"url = {json.dumps(each.url)}"
        page.config.write_text(f"{page.config.read_text()}[store]\n{key}\n")
        pages.append(page.start())
    try:
        links = [page.link() for page in pages]
        for link in links:
            _until_all(link)
        found: dict[str, list[tuple[float, float]]] = {}
        for path in PAGES:
            took: list[list[float]] = [[] for _ in links]
            for _ in range(TIMES):
                for link, of in zip(links, took, strict=True):
                    of.append(_asked(link, path))
            found[path] = [(of[0], median(of[1:])) for of in took]
        return found
    finally:
        for page in pages:
            page.stop()


def _asked(link: HTTPConnection, path: str) -> float:
    began = time.perf_counter()
    link.request("GET", path)
    answer = link.getresponse()
    answer.read()
    assert answer.status in (200, 404), f"{path}: {answer.status}"
    return time.perf_counter() - began


def _until_all(link: HTTPConnection) -> None:
    """Wait until the page has heard its tables."""
    give_up, length = time.monotonic() + 30, -1
    while time.monotonic() < give_up:
        link.request("GET", "/")
        if (found := len(link.getresponse().read())) == length:
            return
        length = found
        time.sleep(1)
