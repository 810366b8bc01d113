"""A floor with a key signs its orders to a real table, and asks once more where it was behind."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.orders import Sender
from firmware_bridge.client.signing import signing
from firmware_bridge.facts.orders import Answer, Void
from tests.daemon import listened
from tests.daemon.listened import status_is
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.patience import until

broker, brokers = real.broker, real.brokers  # fixtures
backend, table = listening.backend, listened.table  # fixtures


def test_a_floor_with_a_key_gives_orders_and_goes_on_from_the_last_count(
    table: Any, backend: Backend, tmp_path: Path, broker: Any
) -> None:
    file = tmp_path / "cage.key"
    file.write_bytes(bytes(range(32)))
    row = {"name": "cage", "key": signing("cage", file, lambda: 0).by.key.vkey, "allows": ["open_shoe", "void"]}
    made = table(orders=[row])
    status_is(backend, "online")
    answers: list[Answer] = []

    def give() -> None:
        with PlainFloor("cage", port=broker.port, key_file=file) as floor:
            answers.append(floor.table("T07", on_behalf_of="ANNA").open_shoe())
            sign = floor._sender._signing
            assert sign
            ahead = sign._last["shoe/T07/command"]
            until(lambda: floor._sender._seen["T07"].round == 1)
            answers.append(floor.table("T07").void("misdeal"))
            sign._now_ms = lambda: 1  # the clock was ahead, and is right now
            sign._last["shoe/T07/command"] = ahead - 1_000
            answers.append(floor.table("T07").void("misdeal"))

    giving = threading.Thread(target=give)
    giving.start()
    made.until(lambda: not giving.is_alive())
    assert [each.error for each in answers] == [None, "no round is open", "no round is open"]
    refused = [each["code"] for each in backend.on("reply") if "code" in each]
    assert refused == ["no_round_to_void", "old_count", "no_round_to_void"]
    on_record = [each["event"] for each in backend.on("event") if each["event"]["type"] == "CommandAnswered"]
    assert (on_record[0]["by"], on_record[0]["on_behalf_of"]) == ("key/cage", "ANNA")


class Wire:
    """A connection that keeps what is sent."""

    is_connected = True

    def __init__(self) -> None:
        self.answered: Callable[[str, bytes], None] = lambda topic, payload: None
        self.seen: Callable[[str, bytes], None] | None = None
        self.sent: list[dict[str, Any]] = []
        self.topics: list[dict[str, int | None]] = []

    def read(self, topics: dict[str, int | None]) -> None:
        self.topics.append(topics)

    def publish(self, topic: str, payload: bytes) -> None:
        self.sent.append(json.loads(json.loads(payload)["order"]))


def test_another_table_says_nothing_of_this_one(tmp_path: Path) -> None:
    """By the broker's rights T08 writes below its own name alone."""
    (tmp_path / "key").write_bytes(bytes(32))
    wire, answers = Wire(), list[Answer]()
    sender = Sender(wire, "shoe", signing("cage", tmp_path / "key", lambda: 0))
    id = sender.begin(answers.append)
    assert wire.seen

    def said(**fields: Any) -> bytes:
        return json.dumps({"journal": "1-a", "as_of": 3, "boot": "b", "table": "T07"} | fields).encode()

    wire.seen("shoe/T08/table", said(round=9, as_of=9))
    sender.send("T07", Void("x"), id)
    assert wire.sent == []
    wire.seen("shoe/T07/table", said(round=2))
    sender.send("T07", Void("x"), id, "ANNA")
    (order,) = wire.sent
    assert (order["round"], order["as_of"]["seq"], order["on_behalf_of"]) == (2, 3, "ANNA")
    wire.answered("shoe/T08/reply", said(id=id, ok=True))
    assert answers == []
    wire.answered("shoe/T07/reply", said(id=id, ok=False, code="as_of", as_of=5))
    again = wire.sent[-1]
    assert (again["id"], again["as_of"]["seq"], again["on_behalf_of"]) == (f"{id}-2", 5, "ANNA")
    wire.answered("shoe/T07/reply", said(id=f"{id}-2", ok=True, as_of=6))
    assert [each.ok for each in answers] == [True]


def test_answers_are_subscribed_to_once_however_many_orders_are_given() -> None:
    wire = Wire()
    sender = Sender(wire, "shoe")
    for _ in range(3):
        sender.begin(lambda answer: None)
    assert wire.topics == [{"shoe/+/reply": 0}]


def test_one_table_says_nothing_of_the_count_at_another_and_a_clock_that_was_ahead_may_go_back(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(bytes(32))
    clock = iter((9_000, 100, 100, 100, 100, 100))
    wire, answers = Wire(), list[Answer]()
    sender = Sender(wire, "shoe", signing("cage", tmp_path / "key", lambda: next(clock)))

    def said(table: str, id: str = "", **fields: Any) -> bytes:
        return json.dumps({"journal": "1-a", "as_of": 3, "boot": "b", "table": table, "id": id} | fields).encode()

    def given(table: str) -> str:
        assert wire.seen
        wire.seen(f"shoe/{table}/table", said(table))
        id = sender.begin(answers.append)
        sender.send(table, Void("x"), id)
        return id

    first, second = given("T07"), given("T08")
    assert [each["count"] for each in wire.sent] == [9_000, 100]
    wire.answered("shoe/T08/reply", said("T08", first, ok=False, code="old_count", count=2**53))  # not its order
    wire.answered("shoe/T07/reply", said("T07", first, ok=False, code="count_ahead", count=0))
    wire.answered("shoe/T08/reply", said("T08", second, ok=False, code="old_count", count=7_000))
    assert [each["count"] for each in wire.sent[2:]] == [100, 7_001]
    wire.answered("shoe/T08/reply", said("T08", f"{second}-2", ok=False, code="count_ahead", count=7))
    assert [each.code for each in answers] == ["count_ahead"]
    given("T07"), given("T08")
    assert [each["count"] for each in wire.sent[4:]] == [101, 100]
