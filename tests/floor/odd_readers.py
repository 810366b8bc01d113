"""What each reader of tables' messages makes of an odd one: only here it is known how a reader is asked.

All of them raise what the reader raises.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from firmware_bridge.cli.retire import is_online
from firmware_bridge.client.batches import Batches
from firmware_bridge.client.broker import Address, Session
from firmware_bridge.client.messages import Stream
from firmware_bridge.client.orders import Sender
from firmware_bridge.client.payload import MessageError, event_message, round_message, state
from firmware_bridge.daemon.table.uplink import DuplicateTableId
from firmware_bridge.demo.backend import Backend
from firmware_bridge.facts import wire_states
from firmware_bridge.facts.book.measures import Health
from firmware_bridge.facts.orders import Answer
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.page.backfill import RoundBackfill
from firmware_bridge.floor.page.guest.fold import Guests
from firmware_bridge.floor.page.state import Floor
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming
from tests.floor.odd import Odd, answer_of, states
from tests.floor.tables import NOW, rfc3339

IN_MEMORY: Final = Path("/dev/shm")

# ---------------------------------------------------------------- readers of states


def page(odd: Odd) -> str:
    """`shown`: it takes the place of the one before. `unread`: that one stays, and the table says so."""
    floor = Floor("shoe")
    for each in odd.before:
        floor.handle(each.topic, each.body, False, NOW)
    seen = floor.tables["T07"]
    before = seen.messages[odd.topic]
    floor.handle(odd.delivery.topic, odd.body, False, NOW)
    if odd.topic not in seen.messages:
        return "gone"
    if odd.topic in seen.unreadable:
        return "unread"
    return "kept" if seen.messages[odd.topic] is before else "shown"


def metrics(odd: Odd) -> str:
    """`shown`: it takes the place of the one before. `unread`: that one stays, and it is counted."""
    tables = Tables("shoe", lambda: 0.0, lambda: NOW / 1000)
    name = {"alarm": "alarms", "table": "laid"}.get(odd.topic, odd.topic)
    tables.handle([each for each in odd.before if not each.topic.endswith(("lamps", "roads"))])
    assert not tables.unread
    ((_, table),) = tables
    before = getattr(table, name)
    tables.handle([odd.delivery])
    if getattr(table, name) is None:
        return "gone"
    if tables.unread:
        return "unread"
    return "kept" if getattr(table, name) is before else "shown"


def guest(odd: Odd) -> str:
    """`shown`: it takes the place of the one before. `kept`: that one stays, whether this one can be read or not."""
    guests = Guests("shoe")
    for each in odd.before:
        guests.handle(each.topic, each.body)
    before = getattr(guests.tables["T07"], odd.topic)
    assert before
    guests.handle(odd.delivery.topic, odd.body)
    after = getattr(guests.tables["T07"], odd.topic)
    return "gone" if after is None else "kept" if after is before else "shown"


def client(odd: Odd) -> str:
    """`state` of the client, for backends of their own."""
    bodies: dict[str, Any] = {
        "status": wire_states.Status,
        "health": Health,
        "table": wire_states.Table,
        "lamps": wire_states.Lamps,
        "alarm": wire_states.Alarms,
        "roads": Board,
    }
    try:
        state(odd.body, bodies[odd.topic])
    except MessageError:
        return "refused"
    return "read"


def intake(odd: Odd) -> str:
    """`noted`: the reader of a floor asks for other entries than it would without it."""

    def asks(said: Sequence[bytes]) -> set[tuple[Any, ...]]:
        made = Batches("ledger", 1.0)
        made.events = True
        for each in said:
            made.status("T07", each, 0.0)
        found = [due.order for now in (1.0, 2.1) for due in made.due_orders(now)]
        return {(each.journal, each.start, each.to) for each in found}

    before = [each.body for each in odd.before if each.topic.endswith(odd.topic)]
    return "noted" if asks([*before, odd.body]) != asks(before) else "ignored"


def ingest(odd: Odd) -> str:
    """`noted`: it asks for other entries than it would without it."""

    def asks(said: Sequence[Delivery]) -> set[tuple[Any, ...]]:
        source, now = Said(), [0.0]
        with empty_store() as store:
            made = Ingest(store, source, clock=lambda: now[0])
            made.save(said)
            for now[0] in (
                10.0,
                20.0,
                40.0,
                80.0,
                160.0,
            ):  # first all since the last message, then what that did not bring
                made.ask()
        orders = [json.loads(body) for topic, body in source.published if topic.endswith("/command")]
        return {tuple(each.get(key) for key in ("journal", "from", "to", "since")) for each in orders}

    before = [each for each in odd.before if each.topic.endswith(odd.topic)]
    return "noted" if asks([*before, odd.delivery]) != asks(before) else "ignored"


@contextmanager
def empty_store() -> Iterator[SqliteStore]:
    """A store with nothing in it, in memory where the machine has a folder for that."""
    with (
        TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder,
        closing(SqliteStore(Path(folder) / "floor.db")) as store,
    ):
        yield store


class Said:
    """A source that brings nothing and remembers what it is given."""

    fault = ""

    def __init__(self) -> None:
        self.published: list[tuple[str, bytes]] = []

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        return []

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None: ...

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.published.append((topic, payload))

    def drop(self) -> None: ...

    def close(self) -> None: ...


def daemon(odd: Odd) -> str:
    """Of its own `status`: `ours`, of `another` shoe that is online as this table, or neither."""
    duplicates = DuplicateTableId("T07", "5c1e")
    if duplicates.is_ours(odd.body, 1):
        return "ours"
    return "another" if duplicates.warning else "ignored"


def demo(odd: Odd) -> str:
    """`shown`: the demo's backend has it as it is. `fails`: the demo ends."""

    async def take() -> str:
        failed: list[Exception] = []
        loop = asyncio.get_running_loop()
        backend = Backend(
            BrokerSettings(client_id="backend"), "shoe/T07", lambda *_: None, failed.append, loop, ["roads"]
        )
        for each in odd.before:
            backend.handle(Incoming(each.topic, each.body, retained=True))
        before = backend.states[odd.topic]
        backend.handle(Incoming(odd.delivery.topic, odd.body, retained=False))
        return "fails" if failed else "kept" if backend.states[odd.topic] is before else "shown"

    return asyncio.run(take())


def retire(odd: Odd) -> str:
    """Whether `shoe retire` takes the table for one that is there."""
    return "online" if is_online(odd.body) else "offline"


def past(odd: Odd) -> str:
    """Whether the page asks the store for rounds of a table that says this first."""
    made = RoundBackfill("shoe", Asked(None, 1.0))  # type: ignore[arg-type]  # no store is opened
    made.note([odd.delivery])
    return "ignored" if made._due.empty() else "asked"


STATES: Final[dict[str, Callable[[Odd], str]]] = {
    "page": page,
    "metrics": metrics,
    "guest": guest,
    "client": client,
    "intake": intake,
    "ingest": ingest,
    "daemon": daemon,
    "demo": demo,
    "retire": retire,
    "past": past,
}

# ---------------------------------------------------------------- readers of streams


def page_of_rounds(odd: Odd) -> str:
    """`shown`, `kept` as it was, or `unread`: its table says so."""
    floor = Floor("shoe")
    for each in odd.before:
        floor.handle(each.topic, each.body, False, NOW)
    seen = floor.tables["T07"]
    before = dict(seen.rounds)
    floor.handle(odd.delivery.topic, odd.body, False, NOW)
    return "unread" if seen.unreadable else "kept" if seen.rounds == before else "shown"


def metrics_of_rounds(odd: Odd) -> str:
    """`counted`, `kept` as it was, or `unread`, which is counted too."""
    tables = Tables("shoe")
    began = states()["status"] | {"at": rfc3339(NOW - 3_600_000)}
    tables.handle([Delivery("shoe/T07/status", json.dumps(began).encode()), *odd.before])
    ((_, table),) = tables
    before = table.rounds.copy()
    tables.handle([odd.delivery])
    return "unread" if tables.unread else "kept" if table.rounds == before else "counted"


def guest_of_rounds(odd: Odd) -> str:
    """`shown`, or `kept` as it was."""
    guests = Guests("shoe")
    status = json.dumps(states()["status"]).encode()
    for each in (Delivery("shoe/T07/status", status), *odd.before):
        guests.handle(each.topic, each.body)
    before = guests.tables["T07"].rounds
    assert len(before) == len(odd.before)
    guests.handle(odd.delivery.topic, odd.body)
    return "kept" if guests.tables["T07"].rounds == before else "shown"


def client_of_streams(odd: Odd) -> str:
    """`round_message` and `event_message` of the client."""
    try:
        (round_message if odd.topic == "round" else event_message)(odd.body)
    except MessageError:
        return "refused"
    return "read"


def intake_of_streams(odd: Odd) -> str:
    """What a batch of a floor has for it: its kind of item, or nothing, for a `repeat`."""
    topic: Stream = "round" if odd.topic == "round" else "event"
    made = Batches("ledger", 1.0)
    made.events = True
    for each in odd.before:
        made.handle("T07", topic, each.body, None, 0.0)
    while batch := made.batch(0.0, 500, together=False):
        made.stored(batch)
    made.handle("T07", topic, odd.body, None, 0.0)
    items = [type(item).__name__.lower() for each in made.batch(0.0, 500, together=False).values() for item in each]
    return items[0] if items else "repeat"


def ingest_of_streams(odd: Odd) -> str:
    """What the store has of it: the message, a repeat, a conflict, or bytes in quarantine."""
    with empty_store() as store:
        made = Ingest(store, Said())
        made.save(odd.before)
        fresh, repeats, conflicts = made.save([odd.delivery])
        is_quarantined = store.count("quarantine")
    return "quarantine" if is_quarantined else "kept" if fresh else "conflict" if conflicts else "repeat" * repeats


STREAMS: Final[dict[str, Callable[[Odd], str]]] = {
    "page": page_of_rounds,
    "metrics": metrics_of_rounds,
    "guest": guest_of_rounds,
    "client": client_of_streams,
    "intake": intake_of_streams,
    "ingest": ingest_of_streams,
}

# ---------------------------------------------------------------- readers of answers


class Unconnected(Session):
    """A session that never reads."""

    def read(self, topics: dict[str, int | None]) -> None: ...


def intake_of_answers(words: str) -> str:
    """`taken`: the order is refused. `ignored`: it waits for its answer."""
    made = Batches("ledger", 1.0)
    made.events = True
    made.status("T07", json.dumps(states()["status"]).encode(), 0.0)
    given = [due for now in (1.0, 2.1) for due in made.due_orders(now)]
    made.answer(answer_of(given[-1].id, words))
    return "taken" if made.batch(2.1, 500, together=False) else "ignored"


def orders_of_answers(words: str) -> str:
    """Of a backend's own orders: `taken` or `ignored`."""
    found: list[Answer] = []
    session = Unconnected(Address("ledger"), lambda: None)
    id = Sender(session, "shoe").begin(found.append)
    session.answered("shoe/T07/reply", answer_of(id, words))
    return "taken" if found else "ignored"


def ingest_of_answers(words: str) -> str:
    """`taken`: the order that it was is not given again."""
    source, now = Said(), [0.0]
    with empty_store() as store:
        made = Ingest(store, source, clock=lambda: now[0])
        made.save([Delivery("shoe/T07/status", json.dumps(states()["status"]).encode())])
        for now[0] in (0.0, 10.0):
            made.ask()
        (id,) = [order["id"] for order in map(_order, source.published) if "since" in order]
        made.save([Delivery("shoe/T07/reply", answer_of(id, words, ok=True))])
        for now[0] in (1_000.0, 2_000.0):
            made.ask()
    again = [order for order in map(_order, source.published) if "since" in order]
    return "ignored" if len(again) > 1 else "taken"


def _order(said: tuple[str, bytes]) -> dict[str, Any]:
    order: dict[str, Any] = json.loads(said[1])
    return order


ANSWERS: Final[dict[str, Callable[[str], str]]] = {
    "intake": intake_of_answers,
    "orders": orders_of_answers,
    "ingest": ingest_of_answers,
}
