import gc
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from pytest_mock import MockerFixture

from firmware_bridge.mqtt.settings import Incoming, NotConnected
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker, free_port
from tests.kit.peer import ACCEPTED_5, ACCEPTED_311, Peer
from tests.kit.process import python
from tests.mqtt import table_link as tables
from tests.mqtt.table_link import COMMAND, EVENT, STATUS, STOPPED

broker, brokers, table = real.broker, real.brokers, tables.table  # fixtures


def seqs(backend: Backend) -> list[int]:
    return [payload["seq"] for payload in backend.on("event")]


def test_what_is_published_arrives_in_order_and_is_acknowledged(broker: Broker, table: Any) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        bridge = table(broker.port).up()
        mids = bridge.send(*range(40))
        bridge.until(lambda: bridge.delivered == mids)
        backend.wait_until(lambda: seqs(backend) == list(range(40)))
    assert bridge.link.protocol == 5


def test_qos_0_is_sent_but_is_no_delivery(broker: Broker, table: Any) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        bridge = table(broker.port).up()
        bridge.link.publish("shoe/T07/health", b"{}", qos=0)
        mids = bridge.send(1)
        bridge.until(lambda: bridge.delivered == mids)
        backend.wait_for(lambda message: message.topic.endswith("health"))


def test_publishing_while_down_is_refused_and_not_queued(table: Any) -> None:
    bridge = table(free_port())
    assert "start the broker" in bridge.down()
    with pytest.raises(NotConnected):
        bridge.send(1)


def test_a_restarted_broker_is_found_again_and_paho_repeats_nothing(broker: Broker, table: Any) -> None:
    bridge = table(broker.port).up()
    broker.pause()
    bridge.send(1, 2, 3)
    broker.kill()
    assert "check that the broker runs" in bridge.down()
    broker.start()
    with Backend(broker.port, of_shoes=False) as backend:
        bridge.up(2)
        mids = bridge.send(4)
        bridge.until(lambda: bridge.delivered == mids)
        backend.wait_until(lambda: seqs(backend) == [4])


def test_a_connection_that_breaks_while_publishing_is_reported(broker: Broker, table: Any) -> None:
    bridge = table(broker.port).up()
    broker.kill()
    with pytest.raises(NotConnected):
        bridge.send(*range(1000))
    assert not bridge.link.up
    assert not bridge.downs, "the caller is not interrupted"
    assert "broke" in bridge.down()
    broker.start()
    bridge.up(2)


def test_a_frozen_broker_is_noticed_within_the_keep_alive_and_found_again(broker: Broker, table: Any) -> None:
    bridge = table(broker.port, keepalive_s=5).up()
    broker.pause()
    bridge.send(1)
    assert "stopped answering" in bridge.down()
    broker.resume()
    bridge.up(2)


def test_a_short_freeze_costs_nothing(broker: Broker, table: Any) -> None:
    bridge = table(broker.port).up()
    broker.pause()
    mids = [*bridge.send(*range(5)), bridge.link.publish(EVENT, b"x" * 8_000_000)]
    broker.resume()
    bridge.until(lambda: bridge.delivered == mids)
    assert bridge.ups == 1


def test_the_will_is_published_when_the_bridge_is_killed(broker: Broker) -> None:
    script = f"from tests.mqtt.table_link import *; Table({broker.port}).start().up(); print(flush=True); input()"
    with Backend(broker.port, of_shoes=False) as backend:
        root = Path(__file__).parents[2]
        with python("-c", script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as bridge:
            assert bridge.stdout is not None
            bridge.stdout.readline()
            bridge.send_signal(signal.SIGKILL)
        backend.wait_for(lambda message: message.payload == {"status": "lost"})


def test_a_farewell_replaces_the_will(broker: Broker, table: Any) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        bridge = table(broker.port).up()
        mids = bridge.send(1)
        bridge.close(STOPPED)
        assert bridge.delivered[:1] == mids
        backend.publish("shoe/T07/end", {})
        backend.wait_for(lambda message: message.topic.endswith("end"))
        assert backend.on("status") == [{"status": "stopped"}]


def test_closing_does_not_hang_on_a_frozen_broker(broker: Broker, table: Any) -> None:
    bridge = table(broker.port).up()
    broker.pause()
    bridge.send(1)
    bridge.close(STOPPED)
    assert not bridge.link.up
    assert not bridge.delivered


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param({5: bytes.fromhex("20020001"), 4: ACCEPTED_311}, id="refuses as 3.1.1 does"),
        pytest.param({5: bytes.fromhex("2003008400"), 4: ACCEPTED_311}, id="refuses as 5 does"),
        pytest.param({4: ACCEPTED_311}, id="hangs up"),
        pytest.param({5: b"", 4: ACCEPTED_311}, id="says nothing"),
    ],
)
def test_a_broker_without_mqtt_5_gets_3_1_1(answers: dict[int, bytes], table: Any, mocker: MockerFixture) -> None:
    if answers.get(5) == b"":
        mocker.patch("firmware_bridge.mqtt.connection.CONNECT_S", 2.0)
    with Peer(answers) as peer:
        bridge = table(peer.port).up()
        mids = bridge.send(1, 2)
        bridge.until(lambda: bridge.delivered == mids)
        assert (bridge.link.protocol, peer.levels, bridge.downs) == (4, [5, 4], [])


def test_a_broker_known_to_be_old_is_not_asked_for_mqtt_5(table: Any) -> None:
    with Peer({5: ACCEPTED_5, 4: ACCEPTED_311}) as peer:
        assert table(peer.port, protocol=4).up().link.protocol == 4
        assert peer.levels == [4]


def test_no_more_is_in_flight_than_the_broker_allows(table: Any) -> None:
    with Peer({5: bytes.fromhex("200600000321") + b"\x00\x02"}, acks=False) as peer:
        bridge = table(peer.port).up()
        mids = bridge.send(*range(5))
        bridge.until(lambda: peer.mids == mids[:2])
        peer.ack(mids[0])
        bridge.until(lambda: peer.mids == mids[:3])
        assert bridge.delivered == mids[:1]


def test_a_refused_message_is_not_delivered(brokers: Any, table: Any) -> None:
    acl = f"topic read #\ntopic write {STATUS}\ntopic write shoe/T07/allowed"
    bridge = table(brokers(acl=acl).port).up()
    mid = bridge.link.publish("shoe/T07/allowed", b"{}")
    bridge.until(lambda: bridge.delivered == [mid])
    bridge.send(1)
    assert "ACL" in bridge.down()
    bridge.up(2)
    assert bridge.delivered == [mid]


def test_a_command_comes_with_its_response_topic_and_is_answered(broker: Broker, table: Any) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        bridge = table(broker.port).up()
        reply = "shoe/T07/reply/floor"
        backend.publish(COMMAND, {"id": "1"}, response_topic=reply, correlation=b"\x00\xff")
        bridge.until(lambda: bridge.commands)
        assert bridge.commands == [Incoming(COMMAND, b'{"id": "1"}', False, reply, b"\x00\xff")]
        bridge.link.publish(reply, b'{"ok":true}', response=bridge.commands[0])
        answer = backend.wait_for(lambda message: message.topic == reply)
        assert (answer.payload, answer.correlation) == ({"ok": True}, b"\x00\xff")


def test_a_retained_command_is_marked_old_or_live(broker: Broker, table: Any) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        backend.publish(COMMAND, {"id": "old"}, retain=True)
        bridge = table(broker.port).up()
        bridge.until(lambda: bridge.commands)
        backend.publish(COMMAND, {"id": "live"}, retain=True)
        bridge.until(lambda: len(bridge.commands) == 2)
    assert [command.retained for command in bridge.commands] == [True, True]


def test_an_exception_in_a_callback_costs_only_the_connection(broker: Broker, table: Any) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        bridge = table(broker.port).up()
        backend.publish(COMMAND, '"fall"')
        assert "ZeroDivisionError" in bridge.down()
        bridge.up(2)
        mids = bridge.send(1)
        bridge.until(lambda: bridge.delivered == mids)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def clients() -> int:
    return sum(isinstance(each, Client) for each in gc.get_objects())


def test_fifty_reconnects_leak_no_file_and_no_client(table: Any, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.backoff.QUICK_S", 0.0)
    mocker.patch("firmware_bridge.mqtt.backoff.BREAKS", 1_000)
    with Peer({5: ACCEPTED_5}, stays=False) as peer:
        bridge = table(peer.port)
        bridge.until(lambda: bridge.ups >= 5)
        gc.collect()
        before = open_files(), clients()
        gc.disable()
        bridge.until(lambda: bridge.ups >= 55)
        after = open_files(), clients()
        gc.enable()
    assert after[0] <= before[0] + 3
    assert after[1] <= before[1] + 1
