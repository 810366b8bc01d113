"""What a broker states is what is reported, until it states another reason; a guess is said as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.mqtt.link import LONGEST_REASON
from firmware_bridge.mqtt.settings import LARGEST_MESSAGE, NotConnected
from tests.docs.pages import DOCS
from tests.kit import broker as real
from tests.kit import broker_reasons as reasons
from tests.kit.peer import ACCEPTED_5, ACCEPTED_311, SUBSCRIBE, Peer
from tests.mqtt import table_link as tables
from tests.mqtt.table_link import COMMAND, EVENT, Table

brokers, table = real.brokers, tables.table  # fixtures

PAGE = DOCS / "broker.md"


def test_what_is_stated_is_what_is_reported() -> None:
    every = {pair: reasons.reported(*pair) for pair in reasons.PAIRS}
    for (code, moment), (text, is_fault) in every.items():
        name, _ = reasons.CODES[code]
        assert f"({name})" in text or (code, "another client uses" in text) == (0x8E, True), (code, moment, text)
        assert "perhaps" not in text
        assert is_fault == (moment == reasons.SUBACK), (code, moment)
    page = PAGE.read_text("utf-8")
    assert reasons.placed(page, reasons.table(every)) == page, "run python -m tests.kit.broker_reasons"


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def at_subscribe(code: int) -> tuple[int, bytes]:
    """A DISCONNECT with this reason behind SUBSCRIBE."""
    return SUBSCRIBE, bytes([0xE0, 1, code])


def test_a_reason_stays_through_ends_without_one_until_it_becomes_another(
    table: Any, ends: ExitStack, mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.mqtt.backoff.QUICK_S", 0.05)
    peer = ends.enter_context(Peer({5: ACCEPTED_5}, goodbye=at_subscribe(0x87), pongs=True))
    bridge = table(peer.port)
    bridge.until(lambda: bridge.ups > 1)
    peer.goodbye = SUBSCRIBE, b""  # a reset that swallowed the reason, say
    bridge.until(lambda: bridge.ups > 6)
    assert {each.partition("(")[2][:14] for each in bridge.downs} == {"Not authorized"}
    assert bridge.link.is_doubtful
    assert bridge.link.shared_name is None
    peer.goodbye = at_subscribe(0x98)
    bridge.until(lambda: "(Administrative action): its administrator ended it" in bridge.downs[-1])
    mocker.patch("firmware_bridge.mqtt.backoff.FORGOTTEN_S", 0.0)
    peer.goodbye = SUBSCRIBE, b""
    bridge.until(lambda: bridge.failures[-1] == "broke_at_topic")


def test_what_a_broker_says_beside_a_reason_is_logged_once_in_one_line_and_cut(
    table: Any, ends: ExitStack, mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    mocker.patch("firmware_bridge.mqtt.backoff.QUICK_S", 0.05)
    said = "the licence\nends " + 300 * "x"
    string = b"\x1f" + len(said).to_bytes(2, "big") + said.encode()
    body = bytes([0x97, len(string) & 0x7F | 0x80, len(string) >> 7]) + string
    end = bytes([0xE0, len(body) & 0x7F | 0x80, len(body) >> 7]) + body
    peer = ends.enter_context(Peer({5: ACCEPTED_5}, goodbye=(SUBSCRIBE, end), pongs=True))
    bridge = table(peer.port)
    bridge.until(lambda: bridge.ups > 2)
    lines = [each.message for each in caplog.records if "the broker says" in each.message]
    assert lines == [f"the broker says: the licence\\nends {(LONGEST_REASON - 17) * 'x'}"]


def test_a_reason_is_over_when_a_connection_lasts(table: Any, ends: ExitStack, mocker: MockerFixture) -> None:
    peer = ends.enter_context(Peer({5: ACCEPTED_5}, goodbye=at_subscribe(0x97), pongs=True))
    bridge = table(peer.port)
    bridge.down()
    peer.goodbye = None
    bridge.up(times=2)
    assert bridge.link.is_doubtful
    mocker.patch("firmware_bridge.mqtt.link.STEADY_S", 0.0)
    assert not bridge.link.is_doubtful
    peer.hang_up()
    bridge.until(lambda: bridge.failures[-1] == "broke")


def test_a_reason_is_read_though_a_message_could_not_be_written(table: Any, ends: ExitStack) -> None:
    peer = ends.enter_context(Peer({5: ACCEPTED_5 + reasons.MAY_READ}, pongs=True))
    bridge = table(peer.port).up()
    peer.say(bytes([0x40, 2, 0, 99, 0xE0, 2, 0x97, 0]))
    bridge.link._connection._client.socket().shutdown(1)  # as if the broker had reset it
    with pytest.raises(NotConnected):
        bridge.send(1)
    assert "(Quota exceeded)" in bridge.down()


@pytest.mark.parametrize("level", [4, 5])
@pytest.mark.parametrize(
    ("kind", "row", "words"),
    [
        (SUBSCRIBE, "broke_at_topic", f"at the subscription to {COMMAND} and states no reason"),
        (reasons.PUBLISH, "broke_at_message", f"at a message of 10 bytes to {EVENT} and states no reason"),
    ],
)
def test_a_broker_without_reasons_shows_them_by_their_moment(
    table: Any, ends: ExitStack, mocker: MockerFixture, level: int, kind: int, row: str, words: str
) -> None:
    mocker.patch("firmware_bridge.mqtt.backoff.SOON_S", 600.0)
    granted = reasons.MAY_READ if level == 5 else bytes.fromhex("9005 0001 010000")
    answer = (ACCEPTED_5 if level == 5 else ACCEPTED_311) + (granted if kind != SUBSCRIBE else b"")
    peer = ends.enter_context(Peer({level: answer}, goodbye=(kind, b""), pongs=True))
    bridge: Table = table(peer.port, protocol=level)
    if kind != SUBSCRIBE:
        mocker.patch.object(bridge.link, "_on_up", partial(bridge.send, 1))
    bridge.until(lambda: row in bridge.failures)
    assert bridge.failures[:3] == ["broke", "broke", row]
    assert words in bridge.downs[2]
    assert "(perhaps " in bridge.downs[2]
    assert all("perhaps" not in each for each in bridge.downs[:2])
    assert bridge.link.shared_name is None


def test_a_broker_that_states_no_version_and_hangs_up_on_the_other(table: Any, ends: ExitStack) -> None:
    peer = ends.enter_context(Peer({5: bytes([0x20, 3, 0, 0x84, 0])}, pongs=True))
    assert "(Unsupported protocol version)" in table(peer.port).down()


def test_another_refusal_of_a_subscription_is_another_fault(table: Any, ends: ExitStack, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.AGAIN_S", 0.05)
    peer = ends.enter_context(Peer({5: ACCEPTED_5 + bytes.fromhex("900400010087")}, pongs=True))
    bridge = table(peer.port).up()
    for mid, (code, words) in enumerate([(0x87, "in the broker's ACL"), (0x97, "raise it"), (0x80, "ACL")], 1):
        bridge.until(lambda: len(peer.asked) >= mid)  # noqa: B023  # called here
        if mid > 1:
            peer.say(bytes([0x90, 4, 0, mid, 0, code]))
        bridge.until(lambda: words in bridge.fault)  # noqa: B023  # called here
    bridge.until(lambda: len(peer.asked) >= 4)
    peer.say(bytes.fromhex("900400040001"))
    bridge.until(lambda: bridge.link.fault is None)
    assert (bridge.link.up, bridge.downs) == (True, [])


@pytest.mark.parametrize(("acks", "granted"), [(False, reasons.MAY_READ), (True, b"")])
def test_what_is_not_acknowledged_for_a_minute_is_a_fault(
    table: Any, ends: ExitStack, mocker: MockerFixture, acks: bool, granted: bytes
) -> None:
    peer = ends.enter_context(Peer({5: ACCEPTED_5 + granted}, acks=acks, pongs=True))
    bridge = table(peer.port).up()
    (mid,) = bridge.send(1)
    bridge.until(lambda: peer.mids)
    connection = bridge.link._connection
    connection._tick()
    assert bridge.link.fault is None
    mocker.patch("firmware_bridge.mqtt.connection.UNANSWERED_S", 0.0)
    connection._tick()
    what = f"does not answer the subscription to {COMMAND}" if acks else f"does not acknowledge a message to {EVENT}"
    assert what in bridge.fault
    peer.say(reasons.MAY_READ) if acks else peer.ack(mid)
    bridge.until(lambda: connection.moment is None)
    connection._tick()
    assert (bridge.link.fault, bridge.link.up) == (None, True)


PACKET, RETAIN, QOS, KEEPALIVE = "27 00000064", "25 00", "24 00", "13 0000"


def announcing(*properties: str) -> bytes:
    """A CONNACK with these properties."""
    given = bytes.fromhex("".join(properties))
    return bytes([0x20, 3 + len(given), 0, 0, len(given)]) + given


@pytest.mark.parametrize(
    ("announced", "words"), [(RETAIN, "Retain not supported"), (QOS, "QoS not supported"), (QOS + RETAIN, "Retain")]
)
def test_a_broker_that_announces_too_little_is_refused_by_name(
    table: Any, ends: ExitStack, announced: str, words: str
) -> None:
    peer = ends.enter_context(Peer({5: announcing(announced)}, pongs=True))
    bridge = table(peer.port, largest=LARGEST_MESSAGE)
    assert words in bridge.down()
    assert (bridge.failures[0], bridge.link.up, bridge.ups) == ("announced", False, 0)
    assert peer.asked == []


def test_a_packet_size_that_is_announced_is_a_fault_and_obeyed(table: Any, ends: ExitStack) -> None:
    peer = ends.enter_context(Peer({5: announcing(PACKET) + reasons.MAY_READ}, pongs=True))
    bridge = table(peer.port, largest=LARGEST_MESSAGE).up()
    assert "announces a limit (packets of 100 bytes)" in bridge.fault
    sent = bridge.send(1)
    bridge.until(lambda: bridge.delivered == sent)
    with pytest.raises(NotConnected):
        bridge.link.publish(EVENT, b"x" * 100)
    assert f"a message to {EVENT} has 100 bytes" in bridge.down()
    assert len(peer.mids) == 1


def test_a_keep_alive_of_none_or_longer_leaves_a_silent_broker_noticed(table: Any, ends: ExitStack) -> None:
    for announced, expected in ((KEEPALIVE, 8), ("13 ffff", 8), ("13 0005", 5), ("", 8)):
        peer = ends.enter_context(Peer({5: announcing(announced)}, pongs=True))
        assert table(peer.port).up().link._connection._client.keepalive == expected


def test_mosquitto_states_a_message_that_is_too_large(brokers: Any, table: Any) -> None:
    bridge = table(brokers(options="message_size_limit 3000").port).up()
    bridge.link.publish(EVENT, b"x" * 4_000)
    assert f"refuses a message to {EVENT} (Packet too large): its packet limit is too small" in bridge.down()


def test_mosquitto_announces_its_packet_size(brokers: Any, table: Any) -> None:
    bridge = table(brokers(options="max_packet_size 3000").port, largest=LARGEST_MESSAGE).up()
    assert "announces a limit (packets of 3000 bytes)" in bridge.fault
    with pytest.raises(NotConnected):
        bridge.link.publish(EVENT, b"x" * 4_000)
    assert "has 4000 bytes" in bridge.down()
