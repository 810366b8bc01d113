"""The README is checked where it can be: its programs run, its names exist, its tables agree."""

import json
import re
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from firmware_bridge.cli import COMMANDS
from firmware_bridge.config.load import load
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.house import House, Row
from firmware_bridge.facts.orders import ORDERS, tag_of
from firmware_bridge.shoe.policy import KEEP_ORDER, POLICIES
from firmware_bridge.topics.event_and_round import messages
from tests import broker as real
from tests.broker import Broker
from tests.system.table import BridgeTable

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLE = tomllib.loads((ROOT / "systemd/bridge.toml").read_text("utf-8"))

brokers = real.brokers


def block(language: str, holding: str) -> str:
    """The code block of a language that holds a text."""
    return next(code for code in re.findall(rf"```{language}\n(.*?)```", README, re.S) if holding in code)


def test_the_twenty_lines_receive_rounds_also_after_the_broker_forgot_them(
    brokers: Callable[..., Broker], tmp_path: Path
) -> None:
    broker = brokers()
    program = block("python", "loop_forever").replace("1883", str(broker.port))
    assert len(program.splitlines()) <= 28
    heard = tmp_path / "heard"
    table = BridgeTable(tmp_path, broker.port)
    with heard.open("w") as out:
        backend = subprocess.Popen([sys.executable, "-u", "-c", program], stdout=out, stderr=subprocess.STDOUT)
    try:
        table.start()
        rounds = (("9sTdTsTc", "1 1 player natural 9 0"), ("2s9h3dKd", "1 2 banker 5 natural 9"))
        for life, (cards, told) in enumerate(rounds, 1):
            table.until(lambda life=life: broker.log.count("as backend") == life)  # type: ignore[misc]  # bound now
            table.pause(0.5)  # until it has subscribed
            table.deal(cards)
            table.until(lambda told=told: told in heard.read_text())  # type: ignore[misc]  # bound now
            broker.stop()
            broker.start()
    finally:
        backend.kill()
        backend.wait()
        table.close()


def test_the_twenty_lines_hear_the_demo(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    program = block("python", "loop_forever").replace("1883", port).replace("T07", "DEMO")
    heard = tmp_path / "heard"
    words = ["demo", "--port", port, "--rounds", "100000", "--speed", "50", "--plain"]
    with heard.open("w") as out:
        going = [
            subprocess.Popen([sys.executable, *code], stdout=into, stderr=subprocess.STDOUT)
            for code, into in ((["-m", "firmware_bridge", *words], subprocess.DEVNULL), (["-u", "-c", program], out))
        ]
    try:
        give_up = time.monotonic() + 60
        while heard.read_text().count("\n") < 4:  # that it is connected, and three rounds
            assert time.monotonic() < give_up, heard.read_text()
            time.sleep(0.1)
        assert heard.read_text().startswith("connected: Success\n1 ")
    finally:
        for each in reversed(going):
            each.terminate()
            each.wait()


def test_the_payloads_are_those_of_replay() -> None:
    shown = [json.loads(text) for text in re.split(r"\n(?=\{\"v\")", block("json", '"voided"').strip())]
    lines = Replay(House(), "T07", pytest.fail).play(parse("9d 4s Kh 8c 2c !void misdeal"))
    sent = [json.loads(each.payload) for line in lines for each in messages(line) if each.topic == "round"]
    assert len(shown) == len(sent) == 2
    shortened = {"journal", "at", "boot", "head", "bets"}
    assert [each.pop("prev") for each in sent] == [None, {name: sent[0][name] for name in ("journal", "seq")}]
    assert [each.pop("prev") for each in shown] == [None, {name: shown[0][name] for name in ("journal", "seq")}]
    for told, real_one in zip(shown, sent, strict=True):
        assert {name: value for name, value in told.items() if name not in shortened} == {
            name: value for name, value in real_one.items() if name not in shortened
        }
    assert shown[0]["bets"].items() - {"..": 0}.items() >= {("player", 1), ("banker", -1), ("tie", -1)}


def test_the_program_of_the_client_runs_on_what_a_table_sends() -> None:
    lines = Replay(House(), "T07", pytest.fail).play(parse("9d 4s Kh 8c 2c"))
    sent = {each.topic: each.payload for line in lines for each in messages(line)}
    names = {"round_payload": sent["round"], "event_payload": sent["event"]}
    exec(block("python", "verifier.take"), names)
    assert names["told"]
    assert names["paid"]
    assert names["orders"] == []


def test_every_name_of_one_card_exists() -> None:
    steps = re.findall(r"^\d+\. `([\w/]+)\.py` `([\w.]+)`", README, re.M)
    assert len(steps) == 10
    for path, name in steps:
        found: object = import_module(path.replace("/", "."))
        for part in name.split("."):
            found = getattr(found, part)


def test_every_command_is_there() -> None:
    told = set(re.findall(r"`shoe (\w+)", README))
    assert told <= set(COMMANDS)
    assert set(COMMANDS) - told <= {"run", "demo"}


def test_every_order_is_there() -> None:
    orders = README.split("Orders: ")[1].split("Give each an")[0]
    assert set(map(tag_of, ORDERS)) <= set(re.findall(r"`(\w+)`", orders))


def test_the_wiring_table_is_the_example_config() -> None:
    rows = {
        name.strip().lower(): [int(n) for n in numbers.split(",")]
        for name, numbers in re.findall(r"^\| ([^|]+) \| ([\d, ]+) \| [\d, ]+ \|", README, re.M)
    }
    pins, lamps = EXAMPLE["pins"], EXAMPLE["lamps"]
    assert rows["cut-card sensor"] + rows["next key"] + rows["reveal key"] == [
        pins["cut_card"],
        pins["next"],
        pins["reveal"],
    ]
    told = {
        lamp.strip(): number
        for name, numbers in rows.items()
        if name.startswith("lamp ")
        for lamp, number in zip(name[5:].split(","), numbers, strict=True)
    }
    assert told == {name.lower(): number for name, number in lamps.items()}


def test_the_example_config_loads() -> None:
    assert load(ROOT / "systemd/bridge.toml").table.id == "T07"


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / link).exists(), link


def test_irregularities_are_explained_as_the_policies_have_them() -> None:
    text = (ROOT / "docs/irregularities.md").read_text("utf-8")
    parts = re.split(r"^## `([\w-]+)`$", text, flags=re.M)[1:]
    told = dict(zip(parts[::2], parts[1::2], strict=True))
    assert list(told) == list(POLICIES)
    for name, policy in POLICIES.items():
        rows = {key: row for key, row in policy.items() if name == "keep-order" or row != KEEP_ORDER[key]}
        assert re.findall(r"^\| .*\|$", told[name], re.M)[1:] == [explained(key, row) for key, row in rows.items()]


def explained(name: str, row: Row) -> str:
    """The line of an irregularity in the docs."""
    blocked = ("yes" if row.blocks else "no") + (", confirm" if row.confirm else "")
    choices = ", ".join(f"`{choice}`" for choice in row.choices) or "-"
    return f"| `{name}` | {row.todo} | {blocked} | {choices} |"
