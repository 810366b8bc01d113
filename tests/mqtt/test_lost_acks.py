"""An acknowledgement that is lost: what was sent goes out on another connection, in order, and somebody is called."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.kit import broker_reasons as reasons
from tests.kit.peer import ACCEPTED_5, Peer
from tests.mqtt import table_link as tables
from tests.mqtt.table_link import EVENT, STATUS, STOPPED, Table

table = tables.table  # a fixture

DISCONNECT = 0xE0


class Losing(Peer):
    """Acknowledges what `answers_to` says of topic and number of a message. goodbyes: DISCONNECT packets."""

    def __init__(self, answers_to: Callable[[str, int], bool]) -> None:
        self.answers_to, self.goodbyes = answers_to, 0
        super().__init__({5: ACCEPTED_5 + reasons.MAY_READ}, acks=False, pongs=True)

    def _answer(self, sock: socket.socket, kind: int, body: bytes) -> bool:
        self.goodbyes += kind == DISCONNECT
        known = len(self.mids)
        goes_on = super()._answer(sock, kind, body)
        if len(self.mids) > known and self.answers_to(self.topics[-1], known):
            self.ack(self.mids[-1])
        return goes_on


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not acknowledged at the second look is an alarm."""
    monkeypatch.setattr("firmware_bridge.mqtt.connection.UNANSWERED_S", 0.0)


def looked(bridge: Table) -> None:
    """It looks twice for what is not acknowledged: the first time it sees what is the oldest."""
    bridge.until(lambda: not bridge.link._connection._asked)
    for _ in range(2):
        if bridge.link.up:
            bridge.link._connection._tick()


def test_what_a_later_acknowledgement_passed_is_sent_on_another_connection(table: Any, ends: ExitStack) -> None:
    peer = ends.enter_context(Losing(lambda topic, number: number != 0))
    bridge = table(peer.port).up()
    lost, later = bridge.send(1, 2)
    bridge.until(lambda: bridge.delivered == [later])
    looked(bridge)
    assert (bridge.link.up, peer.mids) == (False, [lost, later])
    bridge.up(2)
    assert (peer.goodbyes, len(bridge.downs)) == (1, 1)  # in order, so that no will is published
    assert f"does not acknowledge a message to {EVENT}" in bridge.fault
    sent = bridge.send(1)
    bridge.until(lambda: bridge.delivered[1:] == sent)
    assert (bridge.link.fault, bridge.link.up) == (None, True)


def test_the_alarm_stays_while_only_other_topics_are_acknowledged(table: Any, ends: ExitStack) -> None:
    peer = ends.enter_context(Losing(lambda topic, number: topic == STATUS))
    bridge = table(peer.port).up()
    faults: list[str] = []
    bridge.link._on_fault = lambda: faults.append(bridge.fault)
    for times in (1, 2, 3):
        bridge.up(times)
        bridge.link.publish(STATUS, b"{}", retain=True)  # acknowledged in order, as behind each reconnect
        bridge.send(1)
        bridge.link.publish(STATUS, b"{}", retain=True)
        bridge.until(lambda: len(bridge.delivered) == 2 * times)  # noqa: B023  # called here
        looked(bridge)
    assert len(faults) == 1


def test_a_broker_that_is_slow_is_waited_for_longer_each_time(
    table: Any, ends: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer = ends.enter_context(Losing(lambda topic, number: False))
    bridge = table(peer.port).up()
    waits = []
    for times in (1, 2, 3):
        bridge.up(times)
        bridge.send(1)
        bridge.until(lambda: len(peer.mids) == times)  # noqa: B023  # called here
        looked(bridge)
        assert bridge.link.up
        waits.append(bridge.link._connection.lost_s)
        bridge.link._connection.lost_s = 0.0
        bridge.link._connection._tick()
        assert not bridge.link.up
    bridge.up(4)
    assert [*waits, bridge.link._connection.lost_s] == [300.0, 600.0, 1_200.0, 2_400.0]
    (mid,) = bridge.send(1)
    bridge.until(lambda: len(peer.mids) == 4)
    peer.ack(mid)
    bridge.until(lambda: bridge.delivered == [mid])
    assert (bridge.link.fault, bridge.link._losses.s) == (None, 300.0)


def test_a_table_that_stops_meanwhile_takes_leave_in_order(table: Any, ends: ExitStack) -> None:
    peer = ends.enter_context(Losing(lambda topic, number: number != 0))
    bridge = table(peer.port).up()
    _, later = bridge.send(1, 2)
    bridge.until(lambda: bridge.delivered == [later])
    bridge.loop.call_later(0.05, looked_once, bridge)
    bridge.close(STOPPED)
    bridge.until(lambda: peer.goodbyes == 1)
    assert bridge.downs == []


def looked_once(bridge: Table) -> None:
    for _ in range(2):
        bridge.link._connection._tick()
