"""The 28 messages that a foreign client may send, and what becomes of each, beside a table that plays and compaction.

Nothing that a table sent may be lost, no message may stop the ingest, and each goes where `poison` says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_bridge.floor.config import load
from firmware_bridge.floor.record.quota import excerpt
from firmware_bridge.floor.source import LARGEST
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.floor.store.open import open_store
from tests.floor.facts.compared import HOURS
from tests.floor.ingesting import Ingest
from tests.floor.journals import Kept, made, published
from tests.floor.test_kills import play
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import HANG_S

MEMORY: Final = 200 * 1024
"""KiB that the ingest may have had at most: a message of 9 MB is held several times as it is read and stored."""

HEAD: Final[dict[str, Any]] = {
    "v": 1,
    "table": "X1",
    "shoe": 1,
    "journal": "1-aaaa",
    "seq": 1,
    "at": "2026-11-20T21:33:05.123Z",
    "boot": "5c1e",
    "n": 1,
    "of": 1,
}
EVENT: Final = HEAD | {"event": {"type": "Confirmed"}}
ROUND: Final = HEAD | {"game": "baccarat", "round": 1, "status": "closed", "revision": 0, "prev": None}


class Poison(NamedTuple):
    """A message. becomes: `quarantine`, cut where it is very long; `kept`; `no message`: the broker keeps it back.

    The broker sends no ingest a message above what its connection takes (1 MiB), nor one of another topic.
    """

    name: str
    becomes: str
    payload: bytes
    topic: str = "shoe/X1/event"


def event(**more: object) -> bytes:
    """A sound event of table X1, but for what is changed."""
    return json.dumps(EVENT | more).encode()


def raw(name: str, text: str) -> bytes:
    """A sound event of table X1 with another text as the value of a key."""
    return event(**{name: "<>"}).replace(b'"<>"', text.encode())


@cache
def poison() -> tuple[Poison, ...]:
    """The messages, some of them of 9 MB."""
    return (
        Poison("no JSON", "quarantine", b"hello"),
        Poison("half an object", "quarantine", b'{"v":1'),
        Poison("bytes of zero", "quarantine", bytes(100)),
        Poison("no UTF-8", "quarantine", event().replace(b"5c1e", b"\xff\xfe")),
        Poison("UTF-16", "quarantine", event().decode().encode("utf-16")),
        Poison("a byte order mark", "quarantine", b"\xef\xbb\xbf" + event()),
        Poison("200,000 deep", "quarantine", raw("event", "[" * 200_000 + "]" * 200_000)),
        Poison("a lone surrogate", "quarantine", raw("journal", r'"1-\ud800"')),
        Poison("a zero in a name", "quarantine", event(journal="1-aa\0aa")),
        Poison("no number", "quarantine", raw("seq", "NaN")),
        Poison("endless", "quarantine", raw("seq", "1e400")),
        Poison("half an entry", "quarantine", event(seq=1.5)),
        Poison("2^63", "quarantine", event(seq=2**63)),
        Poison("400 digits", "quarantine", raw("shoe", "9" * 400)),
        Poison("before the first", "quarantine", event(seq=-1)),
        Poison("no time", "quarantine", event(at="9999-99-99T99:99:99.999Z")),
        Poison("another table", "quarantine", event(table="T07")),
        Poison("9 MB of a name", "no message", event(journal="1-" + "a" * 9_000_000)),
        Poison("SQL as a name", "quarantine", event(journal="1'; drop table message; --")),
        Poison("no round", "quarantine", json.dumps(ROUND | {"game": ""}).encode(), "shoe/X1/round"),
        Poison("an event of 9 MB", "no message", event(seq=2, event={"type": "Confirmed", "more": "x" * 9_000_000})),
        Poison("an event of 900 kB", "quarantine", event(seq=4, event={"type": "Confirmed", "more": "x" * 900_000})),
        Poison("2^31 of an entry", "kept", event(seq=12, of=2**31)),
        Poison("an unknown event", "kept", event(journal="2-bbbb", event={"type": "Unheard", "of": [1, 2]})),
        Poison("a round without a result", "kept", json.dumps(ROUND | {"seq": 3}).encode(), "shoe/X1/round"),
        Poison("nothing", "quarantine", b""),
        Poison("another topic", "no message", event(), "shoe/X1/events"),
        Poison("a deeper topic", "no message", event(), "shoe/X1/event/more"),
    )


def survive(folder: Path, broker: Broker, store: str = "") -> Iterator[str]:
    """Send all of them thrice while a table plays shoes and what is over is compacted; yields what is not as it should.

    store: the lines of `[store]`, a file of SQLite unless told.
    """
    daemon, ingest = DaemonTable(folder, broker.port), Ingest(folder, broker.port, store=store)
    client = Client(CallbackAPIVersion.VERSION2, "foreign")
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    try:
        ingest.execute = True  # its memory is measured
        ingest.start()
        daemon.start()
        daemon.until(lambda: "connected to" in ingest.log)
        with closing(open_store(load(ingest.config), make=True)) as opened:
            blocks = 0
            for _ in range(3):
                play(daemon, 3)
                assert daemon.ask(do="close_shoe", by="anna")["ok"]
                for each in poison():
                    client.publish(each.topic, each.payload, 1).wait_for_publish(HANG_S)
                play(daemon, 1)
                blocks += int(compact(opened, -HOURS, rest=False).split()[0])
            daemon.until(lambda: opened.count("quarantine") >= len(wanted("quarantine")))
            whole(daemon, ingest)
            blocks += int(compact(opened, -HOURS, rest=False).split()[0])
            yield from wrong(opened, blocks)
        whole(daemon, ingest)
        yield from () if memory(ingest) < MEMORY else (f"the ingest had {memory(ingest)} KiB",)
    finally:
        client.disconnect()
        client.loop_stop()
        client._reset_sockets()  # which a collector may find before their client
        ingest.end()
        daemon.close()


def wanted(becomes: str) -> set[tuple[str, bytes]]:
    """Topic and payload of what becomes so."""
    return {(each.topic, each.payload) for each in poison() if each.becomes == becomes}


def wrong(store: Store, blocks: int) -> Iterator[str]:
    """What a store has of foreign messages that it should not have, or has not."""
    found: set[Any] = {(row[0], row[3]) for row in store.rows("quarantine", None, None)}
    bad = {(topic, payload if len(payload) <= LARGEST else excerpt(payload)) for topic, payload in wanted("quarantine")}
    for topic, payload in found ^ bad:
        yield f"in quarantine, or not: {topic} {payload[:200]!r}"
    foreign = {(f"shoe/X1/{row[0]}", str(row[-1]).encode()) for row in store.rows("messages", "X1", None)}
    for topic, payload in foreign ^ wanted("kept"):
        yield f"kept, or not: {topic} {payload[:200]!r}"
    if not blocks:
        yield "nothing was compacted"
    if store.count("conflicts"):
        yield "there are conflicts"


def whole(daemon: DaemonTable, ingest: Ingest) -> None:
    """Wait until the store has what the journals of the table make, and nothing else of it."""
    daemon.until(lambda: sent(ingest) == made(published(daemon.journal_dir)))


def sent(ingest: Ingest) -> Kept:
    """What the store has of the table that plays."""
    return {key: body for key, body in ingest.kept().items() if key[1] == "T07"}


def memory(ingest: Ingest) -> int:
    """The most memory that the ingest ever had, in KiB; it runs."""
    assert ingest.process
    lines = Path(f"/proc/{ingest.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
