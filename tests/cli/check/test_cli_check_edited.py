"""`shoe check` beside a daemon that has not read what was changed in its config: never OK for what it did not try."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.check.broker import CREDENTIALS
from firmware_bridge.cli.check.broker import broker as checked
from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.load import load
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker, free_port
from tests.kit.daemon_table import DaemonTable

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures

RESTART = "restart it between two shoes: sudo systemctl restart firmware-bridge"


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port, mqtt={"username": "t07", "password_file": str(secret(tmp_path))})
    table.start()
    table.until(lambda: "connected to" in table.log)
    yield table
    table.close()


def secret(folder: Path) -> Path:
    path = folder / "password"
    path.write_text("first\n")
    path.chmod(0o600)
    os.utime(path, (time.time() - 60,) * 2)
    return path


def found(table: DaemonTable, shoe: command.Run) -> dict[str, list[dict[str, str]]]:
    report = json.loads(shoe("check", "--json", "--config", table.config_path).out)
    names = {each["name"] for each in report["checks"]}
    return {name: [each for each in report["checks"] if each["name"] == name] for name in names}


def levels(table: DaemonTable, shoe: command.Run, name: str) -> list[tuple[str, str]]:
    return [(each["level"], each["text"]) for each in found(table, shoe)[name]]


def edit(table: DaemonTable, **sections: dict[str, Any]) -> None:
    mqtt = {"username": "t07", "password_file": str(table.folder / "password")} | sections.pop("mqtt", {})
    table.configure(mqtt=mqtt, **sections)


def test_a_daemon_that_has_read_all_of_it_is_believed(table: DaemonTable, shoe: command.Run) -> None:
    checks = found(table, shoe)
    assert [each["level"] for name in ("daemon", "broker", "reader") for each in checks[name]] == ["OK"] * 3
    assert "the daemon is connected" in checks["broker"][0]["text"]


def test_another_broker_in_the_file_is_tried(table: DaemonTable, shoe: command.Run) -> None:
    edit(table, mqtt={"port": free_port()})
    checks = found(table, shoe)
    (daemon,), (broken,) = checks["daemon"], checks["broker"]
    assert (daemon["level"], daemon["text"]) == ("WARN", "it has not read what was changed in [mqtt]")
    assert daemon["remedy"] == RESTART
    assert broken["level"] == "FAIL"


def test_a_setting_that_works_is_no_ok_until_it_is_read(table: DaemonTable, shoe: command.Run) -> None:
    edit(table, mqtt={"live_odds": True})
    ((level, text),) = levels(table, shoe, "broker")
    assert level == "WARN"
    assert "accepts this shoe" in text
    assert text.endswith("the daemon has not read these settings yet")


def test_a_corrected_password_is_tried(table: DaemonTable, shoe: command.Run) -> None:
    (table.folder / "password").write_text("second\n")
    ((level, text),) = levels(table, shoe, "broker")
    assert (level, "has not read these settings" in text) == ("WARN", True)


def test_another_port_of_the_reader_is_tried(table: DaemonTable, shoe: command.Run) -> None:
    edit(table, reader={"port": str(table.folder / "nothing-there")})
    assert levels(table, shoe, "reader")[0][0] == "FAIL"


def test_other_settings_of_a_reader_in_use_are_not_tried(table: DaemonTable, shoe: command.Run) -> None:
    edit(table, reader={"hold": 0.7})
    assert levels(table, shoe, "reader") == [("WARN", "not tried: the daemon has not read this [reader] yet")]


def test_a_keypad_that_the_daemon_does_not_know_is_not_tried(table: DaemonTable, shoe: command.Run) -> None:
    path = table.config_path
    path.write_text(path.read_text() + f'\n[[keypad]]\nport = "{table.folder / "pad"}"\ndealer = true\n')
    assert levels(table, shoe, "keypads") == [("WARN", "not tried: the daemon has not read this [keypad] yet")]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_credential_of_a_stopped_unit_is_taken_from_its_source(
    tmp_path: Path, broker: Broker, is_there: bool
) -> None:
    table = DaemonTable(tmp_path, broker.port, mqtt={"username": "t07", "password_file": f"{CREDENTIALS}mqtt-password"})
    source = tmp_path / "etc/credstore/firmware-bridge.mqtt-password"
    if is_there:
        source.parent.mkdir(parents=True)
        source.write_text("first\n")
        source.chmod(0o600)
    found = checked(Machine(load(table.config_path), None, root=tmp_path))
    (finding,) = [each for each in found if each.name == "broker"]
    table.close()
    if is_there:
        assert (finding.level, "accepts this shoe" in finding.text) == ("OK", True)
    else:
        assert finding.text == f"{CREDENTIALS}mqtt-password comes from {source}, which is missing"
        assert finding.level == "FAIL"
        assert "sudo install -m 0600" in finding.remedy
