"""What an ingest does with every store, whatever its engine: the tests of each bring the fixture `store`."""

import random

import pytest

from firmware_bridge.client.asking import EVER
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.ledger import Ledger
from firmware_bridge.floor.record.message import Key
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from tests.floor.every_store import KEY
from tests.floor.journals import event
from tests.floor.tables import alive
from tests.floor.test_ingest import Said


def test_a_backfill_answers_nothing_that_a_table_was_asked_for(store: Store) -> None:
    ingest = Ingest(store, Said())
    ingest.save([Delivery("shoe/T07/event", event(1).body)])
    assert store.load(KEY).progress.since == EVER
    filled, rows = Ledger(store.load, asks=False), [event(1), event(2), event(1, journal="4-6b", shoe=4)]
    for each in rows:
        filled.add(each)
    store.save(rows, [], list(filled.changes()))
    assert store.load(KEY).progress == Progress(KEY, 3, 2, 2, EVER)
    assert store.load(Key("T07", "4-6b")).progress.since == ""
    assert store.lacking() == [KEY]


@pytest.mark.parametrize("topic", ["status", "health"])
@pytest.mark.parametrize(
    ("named", "other"),
    [
        (b'"1-ab12"', b'"1-ab\\u0000"'),
        (b'"1-ab12"', b'"1-ab\\ud800"'),
        (b'"1-ab12"', b'"%s"' % (b"j" * 101)),
        (b'"shoe":1', b'"shoe":%d' % 2**70),
        (b"T66", random.Random(1).randbytes(3_000).hex().encode()),
    ],
)
def test_a_state_that_no_store_can_keep_stops_nobody(store: Store, topic: str, named: bytes, other: bytes) -> None:
    message = next(each for each in alive("T66") if each.topic.endswith(topic))
    assert named in message.payload
    body, name = message.payload.replace(named, other), message.topic.encode().replace(named, other).decode()
    source = Said()
    batch = [Delivery("shoe/T07/event", event(1).body), Delivery(name, body)]
    Ingest(store, source).save(batch)
    assert source.acknowledged == batch
    assert [each["journal"] for _, each in source.published] == [KEY.journal]
    assert store.lacking() == [KEY]
