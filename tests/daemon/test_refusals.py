"""A broker that refuses: nothing is lost, nothing counts that nobody has, and a technician is told what to do."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.config.load import broker_settings
from firmware_bridge.journal.messages import messages
from firmware_bridge.topics.texts.refusals import failure
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.peer import Peer

brokers = real.brokers  # fixture

ALL_BUT = """
user table
topic deny shoe/T07/{}
topic readwrite shoe/T07/#
user backend
topic readwrite #
"""

Make = Callable[..., BridgeTable]


@pytest.fixture
def make(tmp_path: Path, mocker: MockerFixture) -> Iterator[Make]:
    """Start a table as the user `table` of a broker, over this protocol."""
    made: list[BridgeTable] = []
    (tmp_path / "password").write_text("t\n")
    mocker.patch("firmware_bridge.daemon.delivery.outbox.WAIT_S", 1.0)
    mocker.patch("firmware_bridge.daemon.table.broker_outage.LOST_AFTER_S", 0.5)

    def start(broker: Broker | Peer, protocol: int) -> BridgeTable:
        mocker.patch(
            "firmware_bridge.daemon.bridge.broker_settings",
            lambda config: replace(broker_settings(config), protocol=protocol),
        )
        login = {"username": "table", "password_file": str(tmp_path / "password")}
        made.append(BridgeTable(tmp_path, broker.port, mqtt={"port": broker.port, **login}))
        return made[-1].start()

    yield start
    for each in made:
        each.close()


def alarm(table: BridgeTable) -> str:
    """What the alarm of the broker says, nothing while there is none."""
    irregular = table.bridge.table.shoe.device.irregular
    return next((failure("en", each.values["why"]) for each in irregular if each.id == "broker_lost"), "")


STREAMS = ("event", "round")


def journaled(table: BridgeTable) -> list[list[bytes]]:
    """Every message there is of each stream, in order."""
    every = [each for line in table.lines() for each in messages(line)]
    return [[each.payload for each in every if each.topic == name] for name in STREAMS]


def arrived(backend: Backend) -> list[list[bytes]]:
    """The last copy of each message that arrived, of each stream, in order.

    A broker may take one that follows one that it refused: then both are sent again.
    """
    came = [(each.topic.rsplit("/")[-1], each.raw) for each in reversed(backend.received)]
    return [list(dict.fromkeys(raw for topic, raw in came if topic == name))[::-1] for name in STREAMS]


def is_counted(table: BridgeTable, event: str) -> bool:
    """Whether the entry of an event counts as sent."""
    acked = table.bridge.uplink.outbox.acked
    entry = next(
        line.entry for line in table.lines() if any(type(each).__name__ == event for each in line.entry.events)
    )
    return acked is not None and acked >= (entry.journal, entry.seq)


@pytest.mark.parametrize("protocol", [4, 5])
@pytest.mark.parametrize("topic", ["round", "event", "status"])
def test_an_acl_that_forbids_one_topic_is_reported_and_costs_nothing(
    brokers: Any, make: Make, tmp_path: Path, topic: str, protocol: int
) -> None:
    broker = brokers(users={"table": "t", "backend": "b"}, acl=ALL_BUT.format(topic))
    with Backend(broker.port, username="backend", password="b") as backend:
        table = make(broker, protocol)
        table.deal("9s Td Ts Tc 2s 3s")
        said = table.until(lambda: f"shoe/T07/{topic}" in (now := alarm(table)) and now)
        assert "'table'" in said
        assert "in the broker's ACL" in said
        assert not is_counted(table, "RoundClosed")
        (tmp_path / "broker0" / "acl").write_text(ALL_BUT.format("nothing"))
        broker.reload()
        table.until(lambda: arrived(backend) == journaled(table))
        table.until(lambda: not alarm(table))
        table.until(lambda: not table.bridge.uplink.outbox.waiting)


@pytest.mark.parametrize("protocol", [4, 5])
def test_a_broker_that_forbids_nothing_is_no_alarm(
    brokers: Any, make: Make, protocol: int, mocker: MockerFixture
) -> None:
    broker = brokers(users={"table": "t", "backend": "b"}, acl=ALL_BUT.format("nothing"))
    with Backend(broker.port, username="backend", password="b") as backend:
        mocker.patch("firmware_bridge.daemon.delivery.outbox.WAIT_S", 60.0)
        table = make(broker, protocol)
        table.deal("9s Td Ts Tc 2s 3s")
        table.until(lambda: arrived(backend) == journaled(table))
        table.until(lambda: not table.bridge.uplink.outbox.waiting)  # while an echo is missing, they wait
        assert (alarm(table), table.bridge.uplink.link.number) == ("", 1)
        status = backend.on("status")[-1]
        assert (status["link"], status["clock"]) == (1, "unknown")


@pytest.mark.parametrize(
    ("protocol", "code", "words"),
    [
        (5, 0x88, "overloaded or just starting"),
        (5, 0x87, "refuses user 'table'"),
        (5, 0x85, "correct [mqtt] client_id"),
        (4, 3, "overloaded or just starting"),
        (4, 5, "refuses user 'table'"),
        (4, 2, "correct [mqtt] client_id"),
    ],
)
def test_what_was_played_while_the_broker_refused_us_arrives_when_it_lets_us_in(
    brokers: Any, make: Make, protocol: int, code: int, words: str
) -> None:
    broker = brokers(users={"table": "t", "backend": "b"}, acl=ALL_BUT.format("nothing"))
    answer = bytes([0x20, 3, 0, code, 0]) if protocol == 5 else bytes([0x20, 2, 0, code])
    with (
        Peer({protocol: answer, 9 - protocol: b""}, stays=False) as refusing,
        Backend(broker.port, username="backend", password="b") as backend,
    ):
        table = make(refusing, protocol)
        table.deal("9s Td Ts Tc")
        table.until(lambda: words in alarm(table))
        assert table.bridge.uplink.outbox.acked is None
        link = table.bridge.uplink.link
        link._settings = replace(link._settings, port=broker.port)
        table.until(lambda: arrived(backend) == journaled(table))
        table.until(lambda: not alarm(table))
