"""Two shoes of one name: each says so, and they do not throw each other out for ever."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.topics.texts.refusals import failure
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import Patience

broker, brokers, backend, shoe = real.broker, real.brokers, listening.backend, command.shoe  # fixtures

# Asks for MQTT 3.1.1 first.
OLD_MQTT = """
import sys
from msgspec.structs import replace
from firmware_bridge.daemon import bridge
from firmware_bridge.cli import main

settings = bridge.broker_settings
bridge.broker_settings = lambda config: replace(settings(config), protocol=4)
sys.exit(main(sys.argv[1:]))
"""
CODE = {5: DaemonTable.code, 4: ("-c", OLD_MQTT)}

Make = Callable[..., DaemonTable]


@pytest.fixture
def make(tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[Make]:
    """Start the shoe `name` with this client id, over this protocol."""
    made: list[DaemonTable] = []

    def start(name: str, client_id: str, protocol: int = 5) -> DaemonTable:
        (tmp_path / name).mkdir()
        made.append(DaemonTable(tmp_path / name, broker.port, mqtt={"port": broker.port, "client_id": client_id}))
        made[-1].code = CODE[protocol]
        return made[-1].start()

    yield start
    for each in made:
        each.close()


def until(table: DaemonTable, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Ask for the status until it is as it should be."""
    patience = Patience()
    while not condition(status := table.ask(do="status")):
        assert not patience.is_over, table.story()
        table.pause(0.05)
    return status


def alarms(status: dict[str, Any]) -> list[str]:
    return [failure("en", each["values"]["why"]) for each in status["alarm"]["open"] if each["id"] == "broker_lost"]


def checked(table: DaemonTable, shoe: command.Run) -> tuple[str, str, str]:
    """Level, text and remedy of what `shoe check` says of the broker."""
    checks = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    (found,) = [each for each in checks if each["name"] == "broker"]
    return found["level"], found["text"], found["remedy"]


@pytest.mark.parametrize("protocol", [5, 4])
def test_two_clients_of_one_name_say_so_and_wait_longer_and_longer(
    make: Make, backend: Backend, shoe: command.Run, protocol: int
) -> None:
    tables = [make(name, "shoe-T00", protocol) for name in ("one", "other")]
    for table in tables:
        until(table, lambda status: any("the client id shoe-T00: is a second" in each for each in alarms(status)))
        status = table.ask(do="status")
        guess = "(perhaps another client uses the client id shoe-T00: is a second shoe switched on with this table id?)"
        shared = failure("en", status["broker"]["shared"])
        assert shared.endswith(guess)  # this mosquitto states nothing, by MQTT 5 either
        level, text, remedy = checked(table, shoe)
        assert (level, text.endswith("ends each connection and states no reason")) == ("FAIL", True)
        assert remedy.endswith(guess)
        assert "perhaps another client uses the client id shoe-T00" in " ".join(
            shoe("status", "--config", table.config_path).out.split()
        )
    before = [each["link"] for each in backend.on("status")]
    tables[0].pause(8.0)
    assert len([each["link"] for each in backend.on("status")]) - len(before) < 30
    for table, cards in zip(tables, ("9s Td Ts Tc", "2s 3h 4d 5c 6s"), strict=True):
        table.deal(cards)
    tables[1].stop()
    backend.meanwhile = lambda: tables[0].pause(0.005)
    backend.wait_until(
        lambda: {each["journal"] for each in backend.on("round")} >= {tables[0].lines()[-1].public.journal}
    )


def test_another_shoe_of_the_same_table_is_reported_though_its_client_has_another_name(
    make: Make, shoe: command.Run
) -> None:
    one = make("one", "shoe-T07-a")
    until(one, lambda status: status["broker"]["up"])
    other = make("other", "shoe-T07-b")
    for table in (one, other):
        until(table, lambda status: any("another shoe reports as table T07" in each for each in alarms(status)))
        assert checked(table, shoe)[:2] == ("FAIL", "another shoe reports as table T07")
    other.stop()
    until(one, lambda status: not alarms(status) and status["broker"]["shared"] is None)
    assert checked(one, shoe)[0] == "OK"
