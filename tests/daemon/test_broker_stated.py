"""What a broker states stands in alarm, status and check until it changes, also while it lets the table in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.check.broker import held
from firmware_bridge.cli.watch.machine import faulty, machine
from firmware_bridge.mqtt.settings import BrokerSettings
from firmware_bridge.topics.texts.refusals import failure
from tests.kit import broker as real
from tests.kit.broker_reasons import MAY_READ, PUBLISH
from tests.kit.daemon_table import BridgeTable
from tests.kit.peer import ACCEPTED_5, SUBSCRIBE, Peer

brokers = real.brokers  # fixture

Start = Callable[..., BridgeTable]


@pytest.fixture
def start(tmp_path: Path, mocker: MockerFixture) -> Iterator[Start]:
    """Start a table at this broker."""
    mocker.patch("firmware_bridge.daemon.table.broker_outage.LOST_AFTER_S", 0.2)
    mocker.patch("firmware_bridge.daemon.table.broker_outage.AGAIN_S", 0.1)
    mocker.patch("firmware_bridge.mqtt.backoff.QUICK_S", 0.05)
    with ExitStack() as ends:

        def run(broker: Any) -> BridgeTable:
            made = BridgeTable(tmp_path, broker.port, mqtt={"port": broker.port})
            ends.callback(made.close)
            return made.start()

        yield run


def alarm(table: BridgeTable, name: str = "broker_lost") -> str:
    return next((failure("en", each.values["why"]) for each in table.bridge.table.alarms().open if each.id == name), "")


def shown(table: BridgeTable) -> tuple[str, bool, str, str]:
    """What `shoe status` says of the broker and whether as a fault, and level and text of `shoe check`."""
    status = table.bridge.control.status()
    found = held(status["broker"], BrokerSettings(client_id="T07", port=table.port))
    return dict(machine(status))["broker"], "broker" in faulty(status), found.level, f"{found.text}: {found.remedy}"


def says(table: BridgeTable, words: str) -> bool:
    status, is_fault, level, check = shown(table)
    return words in status and is_fault and level == "FAIL" and words in check


def suback(asked: bytes, code: int) -> bytes:
    """The answer to a SUBSCRIBE, with the same code for each of its topics."""
    count = asked.count(b"shoe/T07/")
    return bytes([0x90, 3 + count]) + asked[:2] + b"\0" + bytes([code]) * count


def disconnect(code: int) -> bytes:
    return bytes([0xE0, 1, code])


def test_a_reason_stays_until_it_becomes_another_and_a_guess_never_replaces_it(start: Start) -> None:
    with Peer({5: ACCEPTED_5}, goodbye=(SUBSCRIBE, disconnect(0x87)), pongs=True) as peer:
        table = start(peer)
        table.until(lambda: "(Not authorized)" in alarm(table))
        for code, words in ((0x95, "(Packet too large)"), (0x98, "its administrator ended it"), (0x87, "(Not auth")):
            peer.goodbye = SUBSCRIBE, disconnect(code)
            table.until(lambda: words in alarm(table))  # noqa: B023  # called here
        peer.goodbye = SUBSCRIBE, b""
        before = table.bridge.uplink.link.number
        while table.bridge.uplink.link.number < before + 5:
            table.pause(0.02)
            assert "(Not authorized)" in alarm(table)
            assert says(table, "(Not authorized)")
        peer.goodbye = None
        table.until(lambda: table.bridge.uplink.link.up)
        assert says(table, "(Not authorized)")  # it has not lasted yet


def test_a_broker_that_ends_at_every_message_keeps_its_reason_though_it_lets_the_table_in(start: Start) -> None:
    with Peer({5: ACCEPTED_5 + MAY_READ}, goodbye=(PUBLISH, disconnect(0x95)), pongs=True) as peer:
        table = start(peer)
        table.until(lambda: "(Packet too large): its packet limit is too small" in alarm(table))
        peer.goodbye = None
        table.until(lambda: not table.bridge.uplink.outbox.waiting)
        assert "(Packet too large)" in alarm(table)
        table.bridge.uplink.link._up_since -= 60.0
        table.until(lambda: not alarm(table))
        assert shown(table)[1:3] == (False, "OK")


def test_a_fault_of_a_broker_that_is_there_is_an_alarm_of_its_own(start: Start, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.AGAIN_S", 0.05)
    with Peer({5: ACCEPTED_5}, pongs=True) as peer:
        table = start(peer)
        table.until(lambda: peer.asked)
        peer.say(suback(peer.asked[0], 0x87))
        table.until(lambda: "refuses the subscription to shoe/T07/" in alarm(table, "broker_fault"))
        assert says(table, "in the broker's ACL")
        assert "shoe/T07/command" in alarm(table, "broker_fault")  # the first that a table needs
        table.until(lambda: len(peer.asked) > 1)
        peer.say(suback(peer.asked[1], 0x01))
        table.until(lambda: not alarm(table, "broker_fault"))
        assert (alarm(table), shown(table)[2]) == ("", "OK")


def test_mosquitto_with_a_small_limit_is_refused_before_the_first_round(brokers: Any, start: Start) -> None:
    table = start(brokers(options="max_packet_size 3000"))
    table.until(lambda: "announces a limit (packets of 3000 bytes)" in alarm(table, "broker_fault"))
    assert says(table, "raise it to 128 kB")
    table.deal("9s")
    table.until(lambda: "announces that it takes 3000" in alarm(table))
    assert says(table, "announces that it takes 3000")
