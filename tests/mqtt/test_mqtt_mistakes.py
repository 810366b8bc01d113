import socket
import ssl
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.mqtt.errors import BrokerErrors
from firmware_bridge.mqtt.settings import BrokerSettings
from firmware_bridge.topics.texts.refusals import english
from tests.kit import broker as real
from tests.kit import certificates
from tests.kit.peer import ACCEPTED_5, ACCEPTED_311, Peer
from tests.mqtt import table_link as tables
from tests.mqtt.table_link import COMMAND, EVENT

brokers, table, tls = real.brokers, tables.table, certificates.tls  # fixtures


@pytest.mark.parametrize("password", [b"wrong", None])
def test_a_wrong_password_is_reported_to_the_technician(brokers: Any, table: Any, password: bytes | None) -> None:
    port = brokers(users={"T07": "right"}).port
    bridge = table(port, username="T07", password=password)
    assert "password_file" in bridge.down()
    bridge.close()
    table(port, username="T07", password=b"right").up()


def test_a_peer_that_hangs_up_on_everything_is_reported_and_asked_for_both_versions(table: Any) -> None:
    with Peer({}) as peer:
        bridge = table(peer.port)
        assert "closes the connection" in bridge.down()
        bridge.until(lambda: peer.levels[:4] == [5, 4, 5, 4])


def test_a_mute_peer_is_given_up(table: Any, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.CONNECT_S", 0.2)
    with Peer({5: b"", 4: b""}) as peer:
        assert "does not answer" in table(peer.port).down()


def test_a_refused_subscription_is_logged(table: Any, caplog: pytest.LogCaptureFixture) -> None:
    not_authorised = bytes.fromhex("900400010087")
    with Peer({5: ACCEPTED_5 + not_authorised}) as peer:
        bridge = table(peer.port).up()
        bridge.until(lambda: f"refuses the subscription to {COMMAND}" in caplog.text)
        assert bridge.link.up


def test_a_refused_subscription_is_asked_for_again(
    table: Any, mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.AGAIN_S", 0.05)
    not_authorised = bytes.fromhex("900400010087")
    with Peer({5: ACCEPTED_5 + not_authorised}) as peer:
        bridge = table(peer.port).up()
        bridge.until(lambda: len(peer.asked) == 2)
        first, second = peer.asked
        assert COMMAND.encode() in first
        assert second[2:] == first[2:]
        assert caplog.text.count("refuses the subscription to") == 1


def test_a_subscription_that_is_refused_twice_is_asked_for_again_once(table: Any, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.AGAIN_S", 0.05)
    refused_twice = bytes.fromhex("900400010087 900400020087")
    with Peer({5: ACCEPTED_5 * 2 + refused_twice}) as peer:
        bridge = table(peer.port).up(times=2)
        bridge.until(lambda: len(peer.asked) == 3)
        later = bridge.loop.time() + 0.2
        bridge.until(lambda: bridge.loop.time() > later)
        assert len(peer.asked) == 3


def test_a_subscription_is_asked_for_until_it_is_granted(table: Any, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.AGAIN_S", 0.05)
    with Peer({4: ACCEPTED_311 + bytes.fromhex("9005 0001 800001")}) as peer:
        bridge = table(peer.port, protocol=4).up()
        bridge.until(lambda: len(peer.asked) == 2)
        assert [COMMAND.encode() in each for each in peer.asked] == [True, True]
        assert [EVENT.encode() in each for each in peer.asked] == [True, False]
        peer.say(bytes.fromhex("9003 0002 01"))
        later = bridge.loop.time() + 0.2
        bridge.until(lambda: bridge.loop.time() > later)
        assert len(peer.asked) == 2


def test_a_connection_that_was_closed_does_nothing_more(table: Any) -> None:
    with Peer({5: ACCEPTED_5}) as peer:
        bridge = table(peer.port).up()
        connection = bridge.link._connection
        bridge.close()
        connection._serve(pytest.fail)
        connection._read()
        assert bridge.downs == []


def test_a_broker_that_states_another_client_of_this_id(table: Any) -> None:
    session_taken_over = bytes.fromhex("e0028e00")
    with Peer({5: ACCEPTED_5 + session_taken_over}, stays=False) as peer:
        bridge = table(peer.port)
        bridge.until(lambda: bridge.downs)
        assert bridge.downs[0].startswith("another client uses the client id bridge")
        assert bridge.shared_name == bridge.downs[0]
        assert bridge.link._next.when() - bridge.loop.time() > 0.4


@pytest.mark.parametrize(("level", "granted"), [(5, "90 04 0001 00 01"), (4, "90 05 0001 010000")])
def test_another_client_of_this_id_is_guessed_after_three_ends_without_a_reason(
    table: Any, mocker: MockerFixture, level: int, granted: str
) -> None:
    mocker.patch("firmware_bridge.mqtt.backoff.SOON_S", 600.0)
    accepted = ACCEPTED_5 if level == 5 else ACCEPTED_311
    with Peer({level: accepted + bytes.fromhex(granted)}, stays=False) as peer:
        bridge = table(peer.port, protocol=level)
        bridge.until(lambda: "(perhaps another client uses the client id bridge: " in str(bridge.downs[-1:]))
        assert bridge.failures == ["broke", "broke", "broke_often"]
        assert "client id" not in bridge.downs[0]
        assert bridge.shared_name == bridge.downs[-1]
        assert bridge.link._next.when() - bridge.loop.time() > 0.4


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
def test_a_tls_mistake_is_reported(brokers: Any, table: Any, tls: Path, ca: str, cert: str | None, text: str) -> None:
    broker = brokers(tls=tls, options="require_certificate true")
    mine = {"cert": f"{tls}/{cert}.pem", "key": f"{tls}/{cert}.key"} if cert else {}
    assert text in table(broker.port, ca=f"{tls}/{ca}.pem", **mine).down()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (socket.gaierror(-2, "Name or service not known"), "host 'mq' is unknown"),
        (ConnectionRefusedError(111, "Connection refused"), "start the broker"),
        (TimeoutError("timed out"), "network cable"),
        (OSError(113, "No route to host"), "No route to host"),
        (ssl.SSLError(1, "wrong version number"), "uses TLS"),
        (FileNotFoundError(2, "No such file or directory", "/etc/ca.pem"), "cannot read /etc/ca.pem"),
        (ValueError("Invalid port number."), "section [mqtt]"),
    ],
)
def test_every_failure_tells_a_technician_what_to_do(error: Exception, text: str) -> None:
    assert text in english(BrokerErrors(BrokerSettings(client_id="T07", host="mq")).unreachable(error))


@pytest.mark.parametrize("tls", [{"ca": "ca.pem"}, {"cert": "t07.pem"}, {"tls": ssl.create_default_context()}, {}])
def test_what_switches_tls_on(tls: dict[str, Any]) -> None:
    assert BrokerSettings(client_id="T07", **tls).encrypted == bool(tls)


def test_no_password_is_ever_shown() -> None:
    assert "secret" not in repr(BrokerSettings(client_id="T07", username="T07", password=b"secret"))
