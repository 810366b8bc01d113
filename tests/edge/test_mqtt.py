import asyncio
import gc
import json
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from pytest_mock import MockerFixture

from firmware_bridge.broker import unreachable
from firmware_bridge.mqtt import BrokerSettings, Incoming, Link, Message, NotConnected
from tests import broker as real
from tests.backend import Backend
from tests.broker import Broker, free_port
from tests.edge.peer import ACCEPTED_5, ACCEPTED_311, Peer

broker, brokers = real.broker, real.brokers  # fixtures

EVENT, STATUS, COMMAND = "shoe/T07/event", "shoe/T07/status", "shoe/T07/command"
LOST = Message(STATUS, b'{"status":"lost"}', retain=True)
STOPPED = Message(STATUS, b'{"status":"stopped"}', retain=True)


class Table:
    """A link with its loop, and everything it told."""

    def __init__(self, port: int, **settings: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.ups = 0
        self.downs: list[str] = []
        self.delivered: list[int] = []
        self.commands: list[Incoming] = []
        self.link = Link(
            BrokerSettings(client_id="bridge", port=port, **settings),
            LOST,
            [COMMAND],
            self.rise,
            self.downs.append,
            self.delivered.append,
            self.obey,
            self.loop,
        )

    def rise(self) -> None:
        self.ups += 1

    def obey(self, incoming: Incoming) -> None:
        self.commands.append(incoming)
        if incoming.payload == b'"fall"':
            raise ZeroDivisionError

    def start(self) -> "Table":
        self.link.start()
        return self

    def until(self, condition: Callable[[], object], limit: float = 30.0) -> None:
        async def wait() -> None:
            give_up = time.monotonic() + limit
            while not condition():
                assert time.monotonic() < give_up, (self.downs, self.ups, self.delivered, self.commands)
                await asyncio.sleep(0.005)

        self.loop.run_until_complete(wait())

    def up(self, times: int = 1) -> "Table":
        self.until(lambda: self.link.up and self.ups >= times)
        return self

    def down(self) -> str:
        self.until(lambda: self.downs)
        return self.downs[-1]

    def send(self, *numbers: int) -> list[int]:
        return [self.link.publish(EVENT, json.dumps({"seq": number}).encode()) for number in numbers]

    def close(self, farewell: Message | None = None) -> None:
        self.loop.run_until_complete(self.link.close(farewell))


@pytest.fixture
def table() -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def make(port: int, **settings: Any) -> Table:
        made.append(Table(port, **settings))
        return made[-1].start()

    yield make
    for each in made:
        each.close()
        each.loop.close()


def seqs(backend: Backend) -> list[int]:
    return [payload["seq"] for payload in backend.on("event")]


def test_what_is_published_arrives_in_order_and_is_acknowledged(broker: Broker, table: Any) -> None:
    with Backend(broker.port) as backend:
        bridge = table(broker.port).up()
        mids = bridge.send(*range(40))
        bridge.until(lambda: bridge.delivered == mids)
        backend.wait_until(lambda: seqs(backend) == list(range(40)))
    assert bridge.link.protocol == 5


def test_qos_0_is_sent_but_is_no_delivery(broker: Broker, table: Any) -> None:
    with Backend(broker.port) as backend:
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
    with Backend(broker.port) as backend:
        bridge.up(2)
        mids = bridge.send(4)
        bridge.until(lambda: bridge.delivered == mids)
        backend.wait_until(lambda: seqs(backend) == [4])
    assert not bridge.downs[1:] or "start the broker" in bridge.downs[1]


def test_a_connection_that_breaks_while_publishing_is_told(broker: Broker, table: Any) -> None:
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
    assert "fallen silent" in bridge.down()
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
    script = (
        f"from tests.edge.test_mqtt import *; Table({broker.port}).start().up(); print(flush=True); input()"
    )
    with Backend(broker.port) as backend:
        bridge = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, env={"PYTHONPATH": "."}
        )
        with bridge:
            assert bridge.stdout is not None
            bridge.stdout.readline()
            bridge.send_signal(signal.SIGKILL)
        backend.wait_for(lambda message: message.payload == {"status": "lost"})


def test_a_farewell_replaces_the_will(broker: Broker, table: Any) -> None:
    with Backend(broker.port) as backend:
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


@pytest.mark.parametrize("password", [b"wrong", None])
def test_a_wrong_password_is_told_to_the_technician(brokers: Any, table: Any, password: bytes | None) -> None:
    port = brokers(users={"T07": "right"}).port
    bridge = table(port, username="T07", password=password)
    assert "password_file" in bridge.down()
    bridge.close()
    table(port, username="T07", password=b"right").up()


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param({5: bytes.fromhex("20020001"), 4: ACCEPTED_311}, id="refuses as 3.1.1 does"),
        pytest.param({5: bytes.fromhex("2003008400"), 4: ACCEPTED_311}, id="refuses as 5 does"),
        pytest.param({4: ACCEPTED_311}, id="hangs up"),
    ],
)
def test_a_broker_without_mqtt_5_gets_3_1_1(answers: dict[int, bytes], table: Any) -> None:
    with Peer(answers) as peer:
        bridge = table(peer.port).up()
        mids = bridge.send(1, 2)
        bridge.until(lambda: bridge.delivered == mids)
        assert (bridge.link.protocol, peer.levels, bridge.downs) == (4, [5, 4], [])


def test_a_peer_that_hangs_up_on_everything_is_told_and_asked_for_both_versions(table: Any) -> None:
    with Peer({}) as peer:
        bridge = table(peer.port)
        assert "hangs up" in bridge.down()
        bridge.until(lambda: peer.levels[:4] == [5, 4, 5, 4])


def test_a_mute_peer_is_given_up(table: Any, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.connection.CONNECT_S", 0.2)
    with Peer({5: b""}) as peer:
        assert "does not answer" in table(peer.port).down()


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


def test_a_refused_subscription_is_logged(table: Any, caplog: pytest.LogCaptureFixture) -> None:
    not_authorised = bytes.fromhex("900400010087")
    with Peer({5: ACCEPTED_5 + not_authorised}) as peer:
        bridge = table(peer.port).up()
        bridge.until(lambda: f"does not let us read {COMMAND}" in caplog.text)
        assert bridge.link.up


def test_a_command_comes_with_its_response_topic_and_is_answered(broker: Broker, table: Any) -> None:
    with Backend(broker.port) as backend:
        bridge = table(broker.port).up()
        reply = "shoe/T07/reply/floor"
        backend.publish(COMMAND, {"id": "1"}, response_topic=reply, correlation=b"\x00\xff")
        bridge.until(lambda: bridge.commands)
        assert bridge.commands == [Incoming(COMMAND, b'{"id": "1"}', False, reply, b"\x00\xff")]
        bridge.link.publish(reply, b'{"ok":true}', response=bridge.commands[0])
        answer = backend.wait_for(lambda message: message.topic == reply)
        assert (answer.payload, answer.correlation) == ({"ok": True}, b"\x00\xff")


def test_a_retained_command_is_marked_old_or_live(broker: Broker, table: Any) -> None:
    with Backend(broker.port) as backend:
        backend.publish(COMMAND, {"id": "old"}, retain=True)
        bridge = table(broker.port).up()
        bridge.until(lambda: bridge.commands)
        backend.publish(COMMAND, {"id": "live"}, retain=True)
        bridge.until(lambda: len(bridge.commands) == 2)
    assert [command.retained for command in bridge.commands] == [True, True]


def test_an_exception_in_a_callback_costs_only_the_connection(broker: Broker, table: Any) -> None:
    with Backend(broker.port) as backend:
        bridge = table(broker.port).up()
        backend.publish(COMMAND, "fall")  # type: ignore[arg-type]
        assert "ZeroDivisionError" in bridge.down()
        bridge.up(2)
        mids = bridge.send(1)
        bridge.until(lambda: bridge.delivered == mids)


def test_two_bridges_with_one_client_id_are_told(table: Any) -> None:
    session_taken_over = bytes.fromhex("e0028e00")
    with Peer({5: ACCEPTED_5 + session_taken_over}) as peer:
        assert "client_id" in table(peer.port).down()


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def clients() -> int:
    return sum(isinstance(each, Client) for each in gc.get_objects())


def test_fifty_reconnects_leak_no_file_and_no_client(table: Any, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.backoff.QUICK_S", 0.0)
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


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a CA, a broker's and a bridge's certificate, and a CA that signed neither."""
    folder = tmp_path_factory.mktemp("tls")
    for name, more in {
        "ca": "",
        "other": "",
        "broker": "-CA ca.pem -CAkey ca.key -addext subjectAltName=IP:127.0.0.1",
        "bridge": "-CA ca.pem -CAkey ca.key",
    }.items():
        new = f"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN={name} -keyout {name}.key -out {name}.pem"
        subprocess.run([*new.split(), *more.split()], cwd=folder, check=True, capture_output=True)
    return folder


def test_tls_with_a_client_certificate(brokers: Any, table: Any, tls: Path) -> None:
    broker = brokers(tls=tls, options="require_certificate true")
    mine = {"cert": f"{tls}/bridge.pem", "key": f"{tls}/bridge.key"}
    bridge = table(broker.port, ca=f"{tls}/ca.pem", **mine).up()
    mids = [bridge.link.publish(EVENT, b"x" * 50_000) for _ in range(20)]
    bridge.until(lambda: bridge.delivered == mids)


@pytest.mark.filterwarnings("ignore:Exception ignored in.*ssl:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("ca", "cert", "text"),
    [("other", "bridge", "is not trusted"), ("ca", None, "cert"), ("missing", None, "cannot read")],
)
def test_a_tls_mistake_is_told(
    brokers: Any, table: Any, tls: Path, ca: str, cert: str | None, text: str
) -> None:
    broker = brokers(tls=tls, options="require_certificate true")
    mine = {"cert": f"{tls}/{cert}.pem", "key": f"{tls}/{cert}.key"} if cert else {}
    assert text in table(broker.port, ca=f"{tls}/{ca}.pem", **mine).down()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (socket.gaierror(-2, "Name or service not known"), "host 'mq' is not known"),
        (ConnectionRefusedError(111, "Connection refused"), "start the broker"),
        (TimeoutError("timed out"), "network cable"),
        (OSError(113, "No route to host"), "No route to host"),
        (ssl.SSLError(1, "wrong version number"), "speaks TLS"),
        (FileNotFoundError(2, "No such file or directory", "/etc/ca.pem"), "cannot read /etc/ca.pem"),
        (ValueError("Invalid port number."), "section [mqtt]"),
    ],
)
def test_every_failure_tells_a_technician_what_to_do(error: Exception, text: str) -> None:
    assert text in unreachable(error, BrokerSettings(client_id="T07", host="mq"))


def test_no_password_is_ever_shown() -> None:
    assert "secret" not in repr(BrokerSettings(client_id="T07", username="T07", password=b"secret"))
