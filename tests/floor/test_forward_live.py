"""From tables to a receiver of webhooks, through a real broker and a real ingest, while each of them is killed."""

from __future__ import annotations

import json
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from firmware_bridge.client.testing import FakeTable, Fault, fake_table
from tests.floor.every_forward import process
from tests.floor.ingesting import Ingest
from tests.floor.webhooks import KEY_TEXT, Receiver, receiving
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import until

pytestmark = pytest.mark.story

brokers, broker = real.brokers, real.broker  # fixtures

FAULTS: dict[int, Fault] = {1: "gap", 2: "correct", 3: "repeat", 4: "reorder", 5: "void", 6: "restart"}


def test_each_round_of_each_table_reaches_the_receiver_whoever_is_killed(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(KEY_TEXT)
    ingest = Ingest(tmp_path, broker.port)
    with ExitStack() as stack:
        receiver = stack.enter_context(receiving(Receiver()))
        config = tmp_path / "floor.toml"
        config.write_text(
            f'{config.read_text()}[[forward]]\nname = "cms"\nurl = "http://127.0.0.1:{receiver.port}/"\n'
            f'key_file = "{tmp_path}/key"\nbatch = 2\n'
        )
        stack.callback(ingest.end)
        tables = [stack.enter_context(fake_table(name, port=broker.port)) for name in ("T01", "T02", "T03")]
        for _ in range(3):
            ingest.start()
            with process(config) as forward:
                came = len(receiver.events)
                for table in tables:
                    table.play(6, FAULTS)
                    table.new_shoe()
                receiver.acts = ["die", "take", 503]
                until(lambda: len(receiver.events) > came)  # noqa: B023  # bound now
                ingest.end(signal.SIGKILL)
                forward.kill()
        ingest.start()
        with process(config):
            until(lambda: all(received(receiver, table) == table.rounds for table in tables))
    for table in tables:
        ids = {each["id"] for each in receiver.events if each["partitionkey"] == table.table}
        assert len(ids) == len(table.rounds)


def received(receiver: Receiver, table: FakeTable) -> list[bytes]:
    """The messages of a table that the receiver got, each once, in the order of play."""
    found = {each["id"]: each["data"] for each in receiver.events if each["partitionkey"] == table.table}
    made = {name(raw): raw for raw in table.rounds}
    return [raw for id, raw in made.items() if found.get(id) == json.loads(raw)]


def name(raw: bytes) -> str:
    """The id of a message's event."""
    each = json.loads(raw)
    return f"round/{each['journal']}/{each['seq']}/{each['n']}"
