from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.facts.book.refusals import phrase
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker, free_port
from tests.kit.daemon_table import BridgeTable, DaemonTable
from tests.kit.swallowing import swallowing

brokers, backend = real.brokers, listening.backend  # fixtures

# Judges one card with an error, and cannot even put that on record.
CRASHING = """
import sys
import firmware_bridge.daemon.table.look_ahead as ahead
import firmware_bridge.daemon.table.table as daemon
from firmware_bridge.cli import main
from firmware_bridge.facts.inputs import CardRead

decide, fault = daemon.decide, daemon.fault

def crash(shoe, told, *error):
    if isinstance(told, CardRead) and told.card.value == "Qh":
        raise ValueError
    return (fault if error else decide)(shoe, told, *error)

daemon.decide = ahead.decide = daemon.fault = crash
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def broker(brokers: Any) -> Broker:
    kept: Broker = brokers(persistence=True)
    return kept


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Callable[..., BridgeTable]]:
    made: list[BridgeTable] = []

    def make(port: int, **sections: Any) -> BridgeTable:
        made.append(BridgeTable(tmp_path, port, **sections))
        return made[-1].start()

    yield make
    for each in made:
        each.close()


def events(table: BridgeTable, *names: str) -> list[str]:
    """What became true, in words: types of events, and ids of irregularities."""
    every = [event for line in table.lines() if line.entry for event in line.entry.events]
    words = [getattr(event, "id", "") or type(event).__name__ for event in every]
    return [word for word in words if word in names]


def cards(table: BridgeTable) -> list[str]:
    every = [event for line in table.lines() if line.entry for event in line.entry.events]
    return [event.card.value for event in every if type(event).__name__ == "CardDealt" and event.card]


def arrived(backend: Backend) -> list[str]:
    first = {(each["journal"], each["seq"], each["n"]): each["event"] for each in backend.on("event")}
    return [event["card"] for event in first.values() if event["type"] == "CardDealt"]


def open_now(table: BridgeTable) -> list[str]:
    return [each.id for each in table.bridge.table.shoe.device.irregular]


def lit(table: BridgeTable) -> Any:
    return table.bridge.control.status()["lamps"]["lit"]


ROUND = ["9s", "Td", "Ts", "Tc"]


@pytest.mark.parametrize("how", ["stopped", "frozen"])
def test_play_goes_on_while_the_broker_is_away(bridge: Any, broker: Broker, backend: Backend, how: str) -> None:
    table = bridge(broker.port)
    table.deal("9s Td")
    table.until(lambda: len(arrived(backend)) == 2)
    broker.stop() if how == "stopped" else broker.pause()
    table.deal("Ts Tc 2s 3s 4s 5s 6s")
    assert lit(table)
    broker.start() if how == "stopped" else broker.resume()
    table.until(lambda: len(arrived(backend)) == 9)
    assert arrived(backend) == [*ROUND, "2s", "3s", "4s", "5s", "6s"]


@pytest.mark.parametrize("how", ["stopped", "frozen"])
def test_it_ends_cleanly_while_the_broker_is_away(tmp_path: Path, broker: Broker, backend: Backend, how: str) -> None:
    table = DaemonTable(tmp_path, broker.port).start()
    table.deal("9s Td")
    table.until(lambda: len(arrived(backend)) == 2)
    broker.stop() if how == "stopped" else broker.pause()
    table.deal("Ts Tc 2s")
    assert table.stop() == 0
    broker.start() if how == "stopped" else broker.resume()
    table.start()
    table.until(lambda: len(arrived(backend)) == 5)
    assert arrived(backend) == [*ROUND, "2s"]
    table.close()


def test_a_long_outage_is_reported_and_over_by_itself(bridge: Any, tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.daemon.table.broker_outage.LOST_AFTER_S", 0.1)
    broker = Broker(tmp_path)
    table = bridge(broker.port)
    table.until(lambda: open_now(table) == ["broker_lost"])
    table.deal("9s")
    assert (table.bridge.control.status()["mode"], lit(table)["B1"]) == ("NO_BROKER", "steady")
    broker.start()
    table.until(lambda: not open_now(table))
    broker.stop()


def test_a_short_outage_is_no_irregularity(bridge: Any, broker: Broker, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.daemon.table.broker_outage.LOST_AFTER_S", 3.0)
    table = bridge(broker.port)
    uplink = table.bridge.uplink
    table.until(lambda: uplink.link.up and not uplink.outbox.waiting)
    uplink.link._lose(phrase("not_connected"))
    table.until(lambda: uplink.link.up)
    table.until(lambda: uplink.outage._losing is None)
    assert events(table, "broker_lost") == []


def test_a_broker_that_refuses_messages_gets_them_when_it_takes_them(
    bridge: Any, brokers: Any, tmp_path: Path, mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.daemon.table.broker_outage.LOST_AFTER_S", 3.0)
    rules = "user table\ntopic write shoe/T07/{}\ntopic read shoe/T07/command\nuser backend\ntopic read #"
    broker = brokers(users={"table": "t", "backend": "b"}, acl=rules.format("status"))
    (tmp_path / "password").write_text("t\n")
    mqtt = {"username": "table", "password_file": str(tmp_path / "password"), "port": broker.port}
    with Backend(broker.port, username="backend", password="b") as backend:
        table = bridge(broker.port, mqtt=mqtt)
        table.deal("9s Td")
        table.until(lambda: getattr(table.bridge.uplink.outage.why, "code", "") == "not_taken")
        assert table.bridge.uplink.outbox.acked is None
        table.until(lambda: open_now(table) == ["broker_lost"])
        (tmp_path / "broker0" / "acl").write_text(rules.format("#") + "\n")
        broker.reload()
        table.until(lambda: arrived(backend) == ["9s", "Td"])
        table.until(lambda: not open_now(table))
        assert events(table, "broker_lost") == ["broker_lost"] * 2


def test_a_reader_that_was_unplugged_goes_on_by_itself(bridge: Any) -> None:
    table = bridge(free_port())
    table.deal("9s Td")
    table.pty.unplug()
    table.until(lambda: "reader_lost" in open_now(table))
    assert lit(table) == {"fault": "blocked"}
    for code in (0, 1, 2):
        table.board.pull(code)
    table.pty.replug()
    table.until(lambda: not table.board.waiting)
    assert (cards(table), open_now(table)) == (["9s", "Td", "As", "2s", "3s"], [])
    assert events(table, "reader_gap", "CardHeld") == []


def test_a_reader_that_falls_silent_is_lost_until_it_speaks(bridge: Any, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.daemon.devices.reader.SILENT_AFTER_S", 1.5)
    table = bridge(free_port())
    table.deal("9s")
    table.pty.up.stalled = True
    table.until(lambda: open_now(table) == ["reader_lost"])
    table.pty.up.stalled = False
    table.until(lambda: open_now(table) == [])


def test_a_board_that_was_reset_inside_the_shoe_waits_for_the_dealer(bridge: Any) -> None:
    table = bridge(free_port())
    table.deal("9s Td")
    table.board.reset()
    table.until(lambda: open_now(table) == ["reader_gap"])
    assert lit(table) == {"fault": "confirm"}
    table.deal("Ts Tc")
    assert (cards(table), events(table, "CardHeld")) == (["9s", "Td"], ["CardHeld"] * 2)
    assert table.bridge.order_service.give({"do": "next"}, ("next",), "dealer").ok
    assert (cards(table), open_now(table)) == (ROUND, [])
    assert events(table, "RoundClosed") == ["RoundClosed"]


def test_an_error_of_our_own_blocks_and_keeps_the_card(bridge: Any, mocker: MockerFixture) -> None:
    table = bridge(free_port())
    table.deal("9s Td")
    broken = [
        mocker.patch(f"firmware_bridge.daemon.table.{name}.decide", side_effect=ZeroDivisionError)
        for name in ("table", "look_ahead")
    ]
    table.bridge.table._ahead.stop()  # what was judged ahead was judged without the error
    table.pull("Ts")
    table.until(lambda: not table.board.waiting)
    for each in broken:
        mocker.stop(each)
    assert (open_now(table), lit(table)) == (["internal_error"], {"fault": "blocked"})
    table.deal("Tc")
    assert cards(table) == ["9s", "Td"]
    order = {"do": "resolve", "irregularity": "internal_error", "choice": "continue"}
    assert table.bridge.order_service.give(order, ("resolve",), "floor").ok
    assert (cards(table), open_now(table)) == (ROUND, [])


def test_three_crashes_on_one_card_and_the_shoe_only_observes(tmp_path: Path, broker: Broker) -> None:
    table = DaemonTable(tmp_path, broker.port)
    table.code = ("-c", CRASHING)
    table.start().deal("9s Td")
    table.pull("Qh")
    for _ in range(3):
        assert table.fallen() == 1
        table.start()
    table.until(lambda: not table.board.waiting)
    status = table.ask(do="status")
    assert status["mode"] == "OBSERVE"
    assert "again and again" in table.log
    table.deal("2s")
    last = table.lines()[-1].entry
    assert last
    assert [type(event).__name__ for event in last.events] == ["CardSetAside"]
    table.close()


def test_a_second_daemon_leaves_the_first_alone(tmp_path: Path, broker: Broker) -> None:
    first = DaemonTable(tmp_path, broker.port).start()
    first.deal("9s")
    process = first.process
    assert first.start().fallen() == 1
    assert "another daemon uses" in first.log
    first.process = process
    first.deal("Td")
    assert first.ask(do="status")["table"]["due"] == "P2"
    first.close()


def test_a_removed_tail_is_reported_at_the_start(tmp_path: Path, broker: Broker, backend: Backend) -> None:
    table = DaemonTable(tmp_path, broker.port).start()
    table.deal("9s Td")
    table.until(lambda: len(arrived(backend)) == 2)
    assert table.stop() == 0
    newest = sorted(table.journal_dir.glob("*.journal"))[-1]
    newest.write_bytes(b"".join(newest.read_bytes().splitlines(keepends=True)[:-1]))
    assert table.start().fallen() == 78
    assert f"shoe: {newest.name} ends after line 1, but the broker received line 2; lines were removed" in table.log
    table.close()


def test_a_broker_that_loses_acknowledgements_and_goes_on_has_each_round_once_all_the_same(
    bridge: Callable[..., BridgeTable], broker: Broker, backend: Backend, mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.UNANSWERED_S", 0.1)
    with swallowing(broker.port) as proxy:
        table = bridge(proxy.port)
        table.deal("9d 4s Ts 4h")
        backend.wait_until(lambda: len(backend.on("round")) == 1)
        proxy.swallows = True
        table.deal("9c 4c Tc 4d")
        table.until(lambda: proxy.lost)
        proxy.swallows = False  # on the same connection
        table.deal("9h 4s Th 4s")
        table.until(lambda: not table.bridge.uplink.outbox.waiting)
        backend.wait_until(lambda: {each["round"] for each in backend.on("round")} == {1, 2, 3})
