"""A floor with a key signs its orders to a real table, and asks once more where it was behind."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.signing import signing
from firmware_bridge.facts.orders import Answer
from tests.daemon import listened
from tests.daemon.listened import status_is
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend

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
            ahead = sign.last
            while floor._sender._seen["T07"].round != 1:
                time.sleep(0.02)
            answers.append(floor.table("T07").void("misdeal"))
            sign._now_ms = lambda: 1  # the clock was ahead, and is right now
            sign.last = ahead - 1_000
            answers.append(floor.table("T07").void("misdeal"))

    giving = threading.Thread(target=give)
    giving.start()
    made.until(lambda: not giving.is_alive())
    assert [each.error for each in answers] == [None, "no round is open", "no round is open"]
    refused = [each["code"] for each in backend.on("reply") if "code" in each]
    assert refused == ["old_count"]
    on_record = [each["event"] for each in backend.on("event") if each["event"]["type"] == "CommandAnswered"]
    assert (on_record[0]["by"], on_record[0]["on_behalf_of"]) == ("key/cage", "ANNA")
