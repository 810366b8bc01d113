"""The toy game with everything real but the cards: its line in GAMES is all that the bridge is told of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.client import Rounds
from firmware_bridge.journal.files import journal_files
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.process import ran

broker, brokers = real.broker, real.brokers  # fixtures

SHOE = ("-m", "tests.war")
ROOT = Path(__file__).resolve().parents[2]
LAMPS = {"S1": 5, "S2": 6, "S3": 13, "D": 19, "ready": 20, "fault": 17}
COMMANDS = ["open_shoe", "bets_closed", "mark", "next"]


@pytest.fixture
def backend(broker: Broker) -> Iterator[Backend]:
    with Backend(broker.port) as backend:
        yield backend


@pytest.fixture
def table(tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[DaemonTable]:
    """A table of war whose backend closes the bets and gives the marks."""
    game = {"game": "war", "betting": "required", "new_shoe": "auto", "burn": "none"}
    table = DaemonTable(
        tmp_path, broker.port, table=game, lamps=LAMPS, mqtt={"port": broker.port, "commands": COMMANDS}
    )
    table.code, table.execute = SHOE, True  # what is forked knows the games of this product
    backend.meanwhile = lambda: table.pause(0.005)
    yield table.start()
    table.close()


@pytest.fixture
def order(backend: Backend) -> Callable[..., dict[str, Any]]:
    """Gives an order over MQTT; its answer."""
    count = 0

    def give(do: str, **fields: Any) -> dict[str, Any]:
        nonlocal count
        count += 1
        if do == "mark":
            now = backend.on("table")[-1]
            fields = {"round": now["round"], "turn": now["turn"]} | fields
        backend.publish("shoe/T07/command", {"id": f"w{count}", "do": do} | fields)
        wanted = f"w{count}"
        answer = backend.wait_for(lambda each: each.topic.endswith("/reply") and each.payload["id"] == wanted).payload
        backend.wait_until(lambda: not answer["ok"] or backend.on("table")[-1]["as_of"] >= answer["as_of"])
        return answer

    return give


def shoe(*words: object) -> subprocess.CompletedProcess[str]:
    return ran(*SHOE, *words, execute=True, cwd=ROOT)


def lit(backend: Backend) -> dict[str, str]:
    return dict(backend.on("lamps")[-1]["lit"])


def play(table: DaemonTable, backend: Backend, order: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """A round with its marks, and a kill while one of them is due; the message it ends with."""
    table.deal("2c")  # opens the shoe, and is held until bets are closed and the lot is told
    backend.wait_until(lambda: backend.on("table") and backend.on("table")[-1]["phase"] == "betting")
    closed = order("bets_closed", bets={"1": "10", "3": "12.5"})
    assert closed["ok"], closed
    backend.wait_until(lambda: "lot" in " ".join(backend.on("lamps")[-1]["why"]))
    assert order("mark", word="stand", seat=1)["error"] == "not_allowed"
    assert order("mark", word="lot", value="3")["ok"]
    table.deal("5s Kh")
    backend.wait_until(lambda: lit(backend).get("S3") == "confirm")
    killed = backend.on("status")[-1]["boot"]
    table.kill()
    table.start()
    backend.wait_until(
        lambda: backend.on("status")[-1]["boot"] != killed and backend.on("status")[-1]["state"] == "online"
    )
    backend.wait_until(lambda: lit(backend).get("S3") == "confirm")
    assert order("mark", word="raise", seat=3, value="5")["ok"]
    assert order("mark", word="stand", seat=1)["ok"]
    backend.wait_until(lambda: backend.on("round"))
    return dict(backend.on("round")[-1])


def test_a_round_of_a_game_the_bridge_has_never_heard_of(
    table: DaemonTable, backend: Backend, order: Callable[..., dict[str, Any]]
) -> None:
    closed = play(table, backend, order)
    assert (closed["game"], closed["outcome"], closed["began"]) == ("war", "dealer", "3")
    assert {bet: Decimal(net) for bet, net in closed["bets"].items()} == {"S1": Decimal(-10), "S3": Decimal("-17.5")}
    assert closed["hands"]["D"] == {"cards": ["Kh"], "points": "K"}
    backend.wait_until(lambda: backend.on("tally") and backend.on("tally")[-1]["rounds"] == {"dealer": 1})
    sealed = [each for each in backend.on("event") if each["event"].get("slot") == "D"]
    assert "card" not in sealed[0]["event"]
    assert sealed[0]["event"]["commit"]
    did = [
        words for each in backend.on("event") if each["event"]["type"] == "Happened" for words in each["event"]["did"]
    ]
    assert ["start", "S3"] in did
    assert did.count(["stake", "S3", "5"]) == 1


def test_its_journal_verifies_replays_and_is_decided_again_to_the_same_events(
    table: DaemonTable, backend: Backend, order: Callable[..., dict[str, Any]]
) -> None:
    play(table, backend, order)
    assert table.stop() == 0
    verified = shoe("journal", "verify", "--replay", "--config", table.config_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    (journal,) = journal_files(table.journal_dir)[-1:]
    replayed = [json.loads(line) for line in shoe("replay", journal).stdout.splitlines()]
    rounds = [each["payload"] for each in replayed if each["topic"] == "round"]
    assert rounds == [each for each in backend.on("round") if each["journal"] == rounds[0]["journal"]]


def test_a_deal_script_of_it(tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[table]\nid = "W"\ngame = "war"\nbetting = "required"\nburn = "none"\n[game]\nseats = 2\n')
    script = tmp_path / "war.deal"
    script.write_text("bets=1:10,2:20 lot=2 Ks 2s 9h 2:stand 1:raise=5\n")
    replayed = [json.loads(line) for line in shoe("replay", script, "--config", config).stdout.splitlines()]
    (closed,) = [each["payload"] for each in replayed if each["topic"] == "round"]
    assert (closed["outcome"], closed["bets"]) == ("seats", {"S2": "20", "S1": "-15"})


def test_the_client_takes_its_rounds(
    table: DaemonTable, backend: Backend, order: Callable[..., dict[str, Any]]
) -> None:
    play(table, backend, order)
    rounds = Rounds()
    taken = [rounds.take(each.raw) for each in backend.received if each.topic.endswith("/round")]
    assert [each.round for each in taken if each] == [1]
