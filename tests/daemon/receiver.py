"""A receiver with a store: it commits what it hears into SQLite, then says `stored`. Run as a process, to be killed."""

import json
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from tests.kit.patience import HANG_S

PREFIX = "shoe/T07"
BATCH_S = 0.1
TABLE = "create table if not exists message (topic, journal, seq, n, of, raw, primary key (topic, journal, seq, n))"


def opened(path: Path) -> sqlite3.Connection:
    """The store in a file."""
    store = sqlite3.connect(path, timeout=HANG_S)
    store.execute("pragma journal_mode = wal")
    store.execute("pragma synchronous = full")
    store.execute(TABLE)
    return store


def number(journal: str) -> int:
    """What journals are ordered by."""
    return int(journal.split("-")[0])


class Receiver:
    """Commits in batches, and says of each journal in a batch how far it has every message."""

    def __init__(self, port: int, path: Path) -> None:
        self._store = opened(path)
        self._waiting: list[tuple[Any, ...]] = []
        self._client = Client(
            CallbackAPIVersion.VERSION2, "store", protocol=MQTTProtocolVersion.MQTTv5, manual_ack=True
        )
        self._mids: list[tuple[int, int]] = []
        self._client.on_message = self._heard
        self._client.on_connect = lambda client, *_: client.subscribe(
            [(f"{PREFIX}/{topic}", SubscribeOptions(qos=1)) for topic in ("event", "round")]
        )
        self._client.reconnect_delay_set(1, 1)
        kept = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho types it not
        kept.SessionExpiryInterval = 3600
        while True:
            try:
                self._client.connect("127.0.0.1", port, clean_start=False, properties=kept)
                break
            except OSError:
                time.sleep(0.2)

    def run(self) -> None:
        """Hear and commit for ever."""
        since = time.monotonic()
        while True:
            if self._client.loop(0.05):
                try:
                    self._client.reconnect()
                except OSError:
                    time.sleep(0.2)
            passed = time.monotonic() - since
            if self._waiting and passed > BATCH_S:
                self._commit()
                since = time.monotonic()

    def _heard(self, client: Client, _: object, message: MQTTMessage) -> None:
        fields = json.loads(message.payload)
        topic = message.topic.rsplit("/", 1)[-1]
        self._waiting.append(
            (topic, fields["journal"], fields["seq"], fields["n"], fields["of"], bytes(message.payload))
        )
        self._mids.append((message.mid, message.qos))

    def _commit(self) -> None:
        with self._store:
            self._store.executemany("insert or ignore into message values (?, ?, ?, ?, ?, ?)", self._waiting)
        journals = sorted({row[1] for row in self._waiting}, key=number)
        self._waiting.clear()
        for mid, qos in self._mids:
            self._client.ack(mid, qos)
        self._mids.clear()
        for journal in journals:
            if seq := self._how_far(journal):
                stored = {"journal": journal, "seq": seq, "by": "floor"}
                self._client.publish(f"{PREFIX}/stored", json.dumps(stored), 1)

    def _how_far(self, journal: str) -> int:
        """The last entry before the first hole in a journal: every event is there, and the round of each round's."""
        query = """select seq, of, sum(topic = 'event'),
                   sum(topic = 'event' and cast(raw as text) like '%"type":"Round%'),
                   sum(topic = 'round') from message where journal = ? group by seq order by seq"""
        whole = 0
        for seq, of, events, ends, rounds in self._store.execute(query, (journal,)):
            if seq != whole + 1 or events < of or rounds < ends:
                break
            whole = seq
        return whole


if __name__ == "__main__":
    Receiver(int(sys.argv[1]), Path(sys.argv[2])).run()
