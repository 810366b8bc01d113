"""Every way a connection to the broker fails, as `shoe check` meets it: what it says of the broker and of strangers."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.mqtt.errors import SEEN, BrokerErrors
from firmware_bridge.mqtt.settings import BrokerSettings
from firmware_bridge.topics.texts import text
from firmware_bridge.topics.texts.refusals import english
from tests.cli.check import checked
from tests.cli.check.checked import Checked
from tests.kit import broker as real
from tests.kit import certificates, command
from tests.kit.broker import Broker, free_port
from tests.kit.peer import ACCEPTED_5, ACCEPTED_311, Peer
from tests.mqtt import table_link as tables

broker, brokers, tls, table = real.broker, real.brokers, certificates.tls, tables.table  # fixtures
shoe, check = command.shoe, checked.check  # fixtures

pytestmark = pytest.mark.filterwarnings("ignore:Exception ignored in.*ssl:pytest.PytestUnraisableExceptionWarning")


class Place(NamedTuple):
    """What a scene is made of."""

    brokers: Callable[..., Broker]
    tls: Path
    path: Path
    ends: ExitStack

    def peer(self, answers: dict[int, bytes], **how: Any) -> int:
        """The port of a peer."""
        return self.ends.enter_context(Peer(answers, **how)).port

    def listener(self) -> socket.socket:
        """A port on which nothing is ever accepted."""
        return self.ends.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))

    def file(self, name: str, text: str) -> str:
        """The name of a file, made with this text, for its owner only."""
        (self.path / name).write_text(text)
        (self.path / name).chmod(0o600)
        return str(self.path / name)


@contextmanager
def server(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that calls `serve` with each connection, then hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            while True:
                try:
                    sock, _ = listening.accept()
                except OSError:
                    return
                with sock, suppress(OSError):
                    serve(sock)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def unanswered(place: Place) -> dict[str, Any]:
    """A port whose queue of connections is full: the kernel drops what else comes."""
    listening = place.listener()
    for _ in range(3):
        sock = place.ends.enter_context(socket.socket())
        sock.setblocking(False)
        sock.connect_ex(listening.getsockname())
    return {"port": listening.getsockname()[1]}


def hangs_up_after_tls(place: Place) -> dict[str, Any]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place.tls / "broker.pem", place.tls / "broker.key")

    def serve(sock: socket.socket) -> None:
        with context.wrap_socket(sock, server_side=True) as encrypted:
            encrypted.recv(100)

    return {"port": place.ends.enter_context(server(serve)), "ca": f"{place.tls}/ca.pem"}


def alerts(place: Place) -> dict[str, Any]:
    """A server without a TLS version in common."""

    def serve(sock: socket.socket) -> None:
        sock.recv(2000)
        sock.sendall(bytes.fromhex("15030300020246"))

    return {"port": place.ends.enter_context(server(serve)), "ca": f"{place.tls}/ca.pem"}


def login(place: Place, password: str = "wrong") -> dict[str, Any]:
    port = place.brokers(users={"T07": "right"}).port
    return {"port": port, "username": "T07", "password_file": place.file("password", password)}


def ca(place: Place, name: str = "ca.pem") -> dict[str, Any]:
    return {"ca": f"{place.tls}/{name}"}


def client_certificate(place: Place, **mine: str) -> dict[str, Any]:
    port = place.brokers(tls=place.tls, options="require_certificate true").port
    return {"port": port, **ca(place), **mine}


HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + b" " * 200
BANNED = bytes.fromhex("2003008a00")
MAY_NOT_READ = bytes.fromhex("900400010087")
MAY_READ = bytes.fromhex("900400010001")
NO_RETAIN = bytes.fromhex("2005 00 00 02 2500")

SCENES: dict[str, Callable[[Place], dict[str, Any]]] = {
    "unknown_host": lambda place: {"host": "broker.invalid"},
    "refused": lambda place: {"port": free_port()},
    "timeout": unanswered,
    "no_way": lambda place: {"host": "255.255.255.255"},
    "file": lambda place: {"port": place.brokers(tls=place.tls).port, **ca(place, "missing.pem")},
    "not_pem": lambda place: {"port": place.brokers(tls=place.tls).port, "ca": place.file("ca.pem", "no certificate")},
    "no_tls": lambda place: {"port": place.brokers().port, **ca(place)},
    "tls_silence": lambda place: {"port": place.listener().getsockname()[1], **ca(place)},
    "not_trusted": lambda place: {"port": place.brokers(tls=place.tls).port, **ca(place, "other.pem")},
    "expired": lambda place: {"port": place.brokers(tls=place.tls / "expired").port, **ca(place)},
    "other_name": lambda place: {"port": place.brokers(tls=place.tls).port, "host": "localhost", **ca(place)},
    "wants_certificate": client_certificate,
    "certificate_refused": lambda place: client_certificate(
        place, cert=f"{place.tls}/other.pem", key=f"{place.tls}/other.key"
    ),
    "tls": alerts,
    "login": login,
    "login_marks": lambda place: login(place, "\ufeffright"),
    "turned_away": lambda place: {"port": place.peer({5: BANNED})},
    "silence": lambda place: {"port": place.peer({5: b"", 4: b""})},
    "wants_tls": lambda place: {"port": place.brokers(tls=place.tls).port},
    "hung_up": lambda place: {"port": place.peer({})},
    "hung_up_tls": hangs_up_after_tls,
    "no_mqtt": lambda place: {"port": place.peer({5: HTTP, 4: HTTP})},
    "not_taken": lambda place: {"port": place.brokers(acl="topic write shoe/T08/#").port},
    "not_given": lambda place: {"port": place.peer({5: ACCEPTED_5 + MAY_NOT_READ})},
    "announced": lambda place: {"port": place.peer({5: NO_RETAIN})},
    "no_echo": lambda place: {"port": place.peer({4: ACCEPTED_311})},
}
"""Row -> the section [mqtt] by which `shoe check` meets it."""

UNANSWERED = ("timeout", "tls_silence", "silence")
"""Rows at which nothing is answered, which is waited for."""

PROVEN = ("login", "login_marks", "wants_certificate", "certificate_refused", "not_taken")
"""Rows at which the broker refuses a client without login and certificate, or its messages, too."""

ENDED = bytes.fromhex("e0018b")
TAKEN_OVER = bytes.fromhex("e0028e00")
LATER: dict[str, tuple[bytes, bool]] = {
    "shared_name": (ACCEPTED_5 + TAKEN_OVER, True),
    "fell_silent": (ACCEPTED_5, True),
    "ended": (ACCEPTED_5 + ENDED, True),
    "broke": (ACCEPTED_5, False),
    "broke_often": (ACCEPTED_5 + MAY_READ, False),
    "broke_at_topic": (ACCEPTED_5, False),
}
"""Row that only a connection meets that has worked -> what the broker sends, and whether it then stays."""


ELSEWHERE = ("broke_at_message", "no_puback", "no_suback", "too_large")
"""Rows of a link that publishes for longer: tests/mqtt/test_stated.py."""


@pytest.fixture
def place(brokers: Callable[..., Broker], tls: Path, tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as ends:
        yield Place(brokers, tls, tmp_path, ends)


def start_of(row: str) -> str:
    """The words of a row that do not depend on the broker."""
    return max(text("en", f"failure.{row}").partition(": ")[0].replace("}", "{").split("{")[0::2], key=len)


def test_every_row_is_met() -> None:
    assert {*SCENES, *LATER, *ELSEWHERE, "no_connection"} == {*SEEN}


@pytest.mark.parametrize("row", SCENES)
def test_what_is_said_of_the_broker_and_of_strangers(
    check: Checked, place: Place, mocker: MockerFixture, row: str
) -> None:
    if row in UNANSWERED:
        mocker.patch("firmware_bridge.mqtt.connection.CONNECT_S", 0.5)
    found = check(mqtt=SCENES[row](place))
    said = found["broker"][-1]
    assert (said["level"], start_of(row) in said["text"]) == ("FAIL", True), said
    assert said["remedy"]
    (stranger,) = found["stranger"]
    assert (stranger["level"] == "OK") == (row in PROVEN), stranger
    if stranger["level"] == "WARN":
        said_so = ("not tried", "can give this table's orders", "does not say whether")
        assert any(words in stranger["text"] for words in said_so), stranger


@pytest.mark.parametrize("row", LATER)
def test_what_is_said_of_a_connection_that_worked(table: Any, mocker: MockerFixture, row: str) -> None:
    mocker.patch("firmware_bridge.mqtt.backoff.SOON_S", 600.0)
    answer, stays = LATER[row]
    with Peer({5: answer}, stays=stays) as peer:
        bridge = table(peer.port, keepalive_s=3)
        bridge.until(lambda: row in bridge.failures)
        first = bridge.failures.index(row)
        assert start_of(row) in bridge.downs[first]
        assert bridge.failures[:first] == ["broke", "broke"] * row.startswith("broke_")


def test_another_error_of_connecting_is_shown_as_it_is() -> None:
    errors = BrokerErrors(BrokerSettings(client_id="T07"))
    failure = errors.unreachable(ValueError("odd"))
    assert (failure.code, "(odd)" in english(failure)) == ("no_connection", True)
