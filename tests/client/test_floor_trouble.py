"""A floor that cannot read its broker says why, in its log and by `trouble`, once for each reason."""

from __future__ import annotations

import socket
import ssl

import pytest

from firmware_bridge.client.failures import sentence
from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.mqtt.errors import BrokerErrors
from firmware_bridge.mqtt.settings import BrokerSettings
from tests.client.reading import subscribed
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import until

brokers, broker = real.brokers, real.broker  # fixtures


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]


def test_no_broker_is_logged_once_and_so_is_that_it_is_there(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "firmware_bridge.client")
    with PlainFloor("ledger", port=broker.port) as floor:
        broker.kill()
        floor.rounds()
        nobody = f"nothing listens at 127.0.0.1:{broker.port}: start the broker or correct `host` and `port`"
        until(lambda: floor.trouble == nobody)
        tries = floor._reading.session._link
        until(lambda: tries is not None and tries.number > 2)  # it tried again
        assert warned(caplog) == [nobody]
        broker.start()
        until(lambda: not floor.trouble)
        subscribed(broker, "ledger")
    assert f"connected to 127.0.0.1:{broker.port} as ledger, session new" in caplog.text


def test_a_namesake_is_named_once(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    with PlainFloor("ledger", port=broker.port) as one, PlainFloor("ledger", port=broker.port) as other:
        one.rounds()
        other.rounds()
        until(lambda: "another client uses the client id ledger" in one.trouble)
        until(lambda: "another client uses the client id ledger" in other.trouble)
        until(lambda: sum("another client uses" in each.getMessage() for each in caplog.records) == 2)
        count = len(caplog.records)
        subscribed(broker, "ledger", broker.log.count("Sending SUBACK to ledger") + 3)  # they go on
        assert len(caplog.records) == count
        assert sum("another client uses the client id" in each for each in warned(caplog)) == 2


def test_a_port_that_hangs_up_is_named(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with PlainFloor("ledger", port=port) as floor:
            floor.rounds()
            server.accept()[0].close()
            until(lambda: "closes the connection without an answer" in floor.trouble)


@pytest.mark.parametrize(
    ("error", "start"),
    [
        (socket.gaierror(-2, "Name or service not known"), "the broker's host is unknown (broker.house:1883)"),
        (TimeoutError(), "broker.house:1883 does not answer"),
        (ssl.SSLCertVerificationError(1, "no"), "the certificate of broker.house:1883 is not trusted"),
        (ssl.SSLError(1, "wrong version number"), "TLS with broker.house:1883 failed"),
        (OSError(113, "No route to host"), "cannot reach broker.house:1883 (No route to host)"),
        (ValueError("odd"), "cannot connect to broker.house:1883 (odd)"),
    ],
)
def test_what_no_connection_comes_of_says_what_to_do(error: Exception, start: str) -> None:
    errors = BrokerErrors(BrokerSettings(client_id="ledger", host="broker.house"))
    assert sentence(errors.unreachable(error)).startswith(start)
