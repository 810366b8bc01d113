"""docs/mqtt.md: its programs run, its messages and orders are real."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import ORDERS, tag_of
from firmware_bridge.facts.wire_states import Table
from firmware_bridge.journal.messages import messages
from tests.docs.pages import DOCS, block
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.process import python

PAGE = DOCS / "mqtt.md"

brokers = real.brokers


def test_the_twenty_lines_receive_rounds_also_after_the_broker_forgot_them(
    brokers: Callable[..., Broker], tmp_path: Path
) -> None:
    broker = brokers()
    program = block(PAGE, "python", "loop_forever").replace("1883", str(broker.port))
    assert len(program.splitlines()) <= 28
    heard = tmp_path / "heard"
    table = BridgeTable(tmp_path, broker.port)
    with heard.open("w") as out:
        backend = python("-u", "-c", program, stdout=out, stderr=out)
    try:
        table.start()
        rounds = (("9sTdTsTc", "1 1 player natural 9 0"), ("2s9h3dKd", "1 2 banker 5 natural 9"))
        for life, (cards, text) in enumerate(rounds, 1):
            table.until(lambda life=life: broker.log.count("Sending SUBACK to backend") == life)  # type: ignore[misc]  # bound now
            table.deal(cards)
            table.until(lambda text=text: text in heard.read_text())  # type: ignore[misc]  # bound now
            broker.stop()
            broker.start()
    finally:
        backend.kill()
        backend.wait()
        table.close()


def test_the_twenty_lines_say_about_which_alarm_a_round_was_voided(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Replay(House(), "T07", pytest.fail).play(parse("9d 4s ??\n!resolve unreadable void"))
    (sent,) = [each for line in lines for each in messages(line) if each.topic == "round"]
    assert json.loads(sent.payload)["why"] == []
    names: dict[str, Any] = {}
    exec(block(PAGE, "python", "loop_forever").partition("\nclient = ")[0], names)
    names["on_message"](None, None, SimpleNamespace(topic="shoe/T07/round", payload=sent.payload))
    assert "'unreadable'" in capsys.readouterr().out


def test_the_payloads_are_those_of_replay() -> None:
    shown = [json.loads(text) for text in re.split(r"\n(?=\{\"v\")", block(PAGE, "json", '"voided"').strip())]
    lines = Replay(House(), "T07", pytest.fail).play(parse("9d 4s Kh 8c 2c !void misdeal"))
    sent = [json.loads(each.payload) for line in lines for each in messages(line) if each.topic == "round"]
    assert len(shown) == len(sent) == 2
    shortened = {"journal", "at", "boot", "head", "bets"}
    assert [each.pop("prev") for each in sent] == [None, {name: sent[0][name] for name in ("journal", "seq")}]
    assert [each.pop("prev") for each in shown] == [None, {name: shown[0][name] for name in ("journal", "seq")}]
    for example, real_one in zip(shown, sent, strict=True):
        assert {name: value for name, value in example.items() if name not in shortened} == {
            name: value for name, value in real_one.items() if name not in shortened
        }
    assert shown[0]["bets"].items() - {"..": 0}.items() >= {("player", 1), ("banker", -1), ("tie", -1)}


def test_the_program_of_the_client_runs_on_what_a_table_sends() -> None:
    lines = Replay(House(), "T07", pytest.fail).play(parse("9d 4s Kh 8c 2c"))
    sent = {each.topic: each.payload for line in lines for each in messages(line)}
    names = {"round_payload": sent["round"], "event_payload": sent["event"]}
    exec(block(PAGE, "python", "verifier.take"), names)
    assert names["message"]
    assert names["paid"]
    assert names["orders"] == []


def test_every_order_is_there() -> None:
    orders = PAGE.read_text("utf-8").split("## Orders")[1].split("`[mqtt] commands`")[0]
    assert set(map(tag_of, ORDERS)) <= set(re.findall(r"`(\w+)`", orders))


def test_the_fields_of_the_table_are_its_own() -> None:
    rows = PAGE.read_text("utf-8").split("## What lies on the table")[1].split("\n## ")[0].splitlines()
    named = {name for row in rows if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert {"peeked", "beside", "collected", "pays", "expected"} <= named
    assert named <= set(Table.__struct_encode_fields__)
