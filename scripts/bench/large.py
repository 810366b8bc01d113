"""What a store of millions of rounds has beside its facts, for facts.py: whole shoes, tables at a broker, a page."""

import json
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from statistics import median

from ingest import BATCH, Silent, shoes
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_bridge.floor.config import StoreSection
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.message import rfc3339
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from tests.floor.tables import alive, baccarat, latest, renamed, sent_by
from tests.floor_whole.pages import Page
from tests.kit.broker import Broker

PAGES = ("/", "/table/T007", "/api/tables", "/api/tables/T007", "/api/tables/T007/rounds?limit=100")
"""What is asked of the page: the wall, a table, and the addresses for programs."""

TIMES = 15
"""Requests of each page: the figure is their median."""

REPLAYED = "1970-01-01T00:00:00.000Z"
"""The time in all messages of a replay."""


def whole_shoes(rounds: int, tables: int, newest: date) -> Iterator[Delivery]:
    """Every message of shuffled shoes, a shoe of each table a day up to the newest; the tables are W001 and so on."""
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


def fill_whole(store: Store, rounds: int, tables: int, newest: date) -> None:
    """Put whole shoes into a store, through the ingest."""
    ingest, made, began, count = Ingest(store, Silent()), whole_shoes(rounds, tables, newest), time.perf_counter(), 0
    while some := list(islice(made, BATCH)):
        ingest.save(some)
        count += len(some)
    print(f"  {count:,} messages of whole shoes, {count / (time.perf_counter() - began):,.0f} a second", flush=True)


def at_a_broker(broker: Broker, tables: int) -> None:
    """Publish what these tables retain, as a floor that deals."""
    client = Client(CallbackAPIVersion.VERSION2, "bench")
    client.connect(broker.host, broker.port)
    client.loop_start()
    now, said = int(time.time() * 1000), sent_by(baccarat(30))
    for number in range(1, tables + 1):
        name = f"T{number:03}"
        for each in (*latest(renamed(name, said, now)), *alive(name, now)):
            client.publish(each.topic, each.payload, 1, retain=True).wait_for_publish(60)
    client.disconnect()
    client.loop_stop()


def paged(broker: Broker, stores: Sequence[StoreSection], folder: Path) -> dict[str, list[tuple[float, float]]]:
    """Address -> seconds of the first request and the median of the next, for a page of each store, asked in turn."""
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
