"""The exporter as Prometheus meets it: real sockets, a real broker, a real daemon."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from json import dumps
from pathlib import Path

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion
from pytest_mock import MockerFixture

from firmware_bridge.config.doors import METRICS, SCRAPES
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.metered import HEALTH
from tests.floor_whole.exported import Exported
from tests.floor_whole.pages import until
from tests.kit import broker as real
from tests.kit.broker import Broker, free_port
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import HANG_S

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from firmware_bridge.floor import serving as serving_over_http
from firmware_bridge.floor.metrics.service import PortTaken, Scrape, Server

broker, brokers = real.broker, real.brokers  # fixtures
ASK = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEAD = ASK.replace(b"GET", b"HEAD")
LONG = "x" * 20_000_000
"""A page that no buffers of two sockets hold."""


@pytest.fixture
def exported(tmp_path: Path, broker: Broker) -> Iterator[Exported]:
    made = Exported(tmp_path, broker.port)
    yield made
    made.end()


@pytest.fixture
def daemon(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    made = DaemonTable(tmp_path, broker.port)
    yield made
    made.close()


@pytest.fixture
def port() -> Iterator[int]:
    server = Server("127.0.0.1", 0, lambda kind: f"{kind}\n")
    server.start()
    yield server.port
    server.close()


def asked(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), HANG_S) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def is_answered(port: int) -> bool:
    """Whether it answers; who is slow to ask, as on a busy machine, is left."""
    with suppress(OSError):
        return asked(port, ASK).startswith(b"HTTP/1.1 200 ")
    return False


def test_a_real_table_is_there_with_its_health_and_its_rounds(daemon: DaemonTable, exported: Exported) -> None:
    daemon.start()
    exported.start()
    exported.until(lambda: exported.values("shoe_health_age_seconds"))
    daemon.deal("9s Kd Th")
    daemon.deal("9s Td Ts Tc 2s")
    closed = '{table="T07",status="closed"}'
    exported.until(lambda: exported.values("shoe_rounds_total")[closed] >= 1)
    assert exported.values("shoe_state") == {'{table="T07",state="online"}': 1}
    assert exported.values("shoe_disk_free_bytes")['{table="T07"}'] > 0
    assert exported.values("shoe_exporter_connected") == {"": 1}
    assert exported.values("shoe_exporter_unread_total") == {"": 0}
    assert "shoe_floor_messages_total" not in exported.text()
    assert daemon.stop() == 0
    exported.until(lambda: exported.values("shoe_state") == {'{table="T07",state="stopped"}': 1})
    assert exported.end() == 0


def test_a_table_from_before_the_exporter_is_there_and_a_broker_that_goes_is_reported(
    daemon: DaemonTable, exported: Exported, broker: Broker
) -> None:
    daemon.start()
    daemon.until(lambda: re.search(r"Received PUBLISH from \S+ .*T07/health", broker.log))
    daemon.kill()
    SqliteStore(exported.store).close()
    exported.start()
    exported.until(lambda: exported.values("shoe_health_age_seconds").get('{table="T07"}', 0) > 0)
    assert exported.values("shoe_floor_store_readable") == {"": 1}
    broker.kill()
    exported.until(lambda: exported.values("shoe_exporter_connected") == {"": 0})
    broker.start()
    exported.until(lambda: exported.values("shoe_exporter_connected") == {"": 1})
    assert exported.values("shoe_health_age_seconds")['{table="T07"}'] > 0


def test_a_big_floor_is_whole_at_the_start(broker: Broker, exported: Exported) -> None:
    client = Client(CallbackAPIVersion.VERSION2, "tables")
    client.max_queued_messages_set(0)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    head = {"v": 1, "shoe": 1, "journal": "1-a", "as_of": 1, "at": "2026-11-20T21:33:05.123Z", "boot": "5c1e"}
    sent = [
        client.publish(f"shoe/T{n}/{topic}", dumps({"table": f"T{n}"} | head | body), 1, retain=True)
        for n in range(2_000)
        for topic, body in (("health", HEALTH), ("alarm", {"open": []}))
    ]
    for each in sent:
        each.wait_for_publish(HANG_S)
    client.disconnect()
    client.loop_stop()
    client._reset_sockets()  # which a collector may find before their client
    exported.start()
    exported.until(lambda: len(exported.values("shoe_health_age_seconds")) == 2_000)
    exported.until(lambda: exported.values("shoe_exporter_messages_total") == {"": 4_000})


def test_only_metrics_are_there(port: int) -> None:
    whole = asked(port, ASK)
    head, _, body = whole.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    fields = dict(line.lower().split(b": ") for line in head.split(b"\r\n")[1:])
    assert fields == {
        b"content-type": b"text/plain; version=0.0.4; charset=utf-8",
        b"content-length": b"%d" % len(body),
        b"connection": b"close",
        b"x-content-type-options": b"nosniff",
    }
    assert body == b"text/plain; version=0.0.4; charset=utf-8\n"
    assert asked(port, HEAD) == head + b"\r\n\r\n"
    assert b"openmetrics" in asked(
        port, ASK.replace(b"localhost\r\n", b"localhost\r\naccept: application/openmetrics-text\r\n")
    )
    assert asked(port, ASK.replace(b"/metrics", b"/")).startswith(b"HTTP/1.1 404 ")
    assert asked(port, ASK.replace(b"GET", b"POST")).startswith(b"HTTP/1.1 405 ")
    for wrong in (b"\x16\x03\x01\r\n\r\n", b"\r\n\r\nGET", b"GET /metrics\r\n\r\n", ASK.replace(b"1.1", b"3")):
        assert asked(port, wrong).startswith(b"HTTP/1.1 400 ")
    assert asked(port, ASK.replace(b"1.1", b"1.0")).endswith(body)


def test_slow_and_endless_requests_hold_up_nobody(port: int, mocker: MockerFixture) -> None:
    mocker.patch.object(Scrape, "door", METRICS._replace(first_s=0.2))
    slow = [socket.create_connection(("127.0.0.1", port), HANG_S) for _ in range(SCRAPES * 2)]
    assert [each.recv(1) for each in slow] == [b""] * len(slow)
    until(lambda: is_answered(port))
    with socket.create_connection(("127.0.0.1", port), HANG_S) as endless, pytest.raises(OSError):  # noqa: PT012
        while True:
            endless.sendall(b"x" * 65536)
    until(lambda: is_answered(port))
    for each in slow:
        each.close()


def test_those_who_do_not_read_have_their_number(mocker: MockerFixture) -> None:
    mocker.patch.object(Scrape, "most_s", HANG_S)
    mocker.patch.object(Scrape, "door", METRICS._replace(unread_s=HANG_S))
    server = Server("127.0.0.1", 0, lambda kind: LONG)
    server.start()
    with ExitStack() as readers:
        for _ in range(SCRAPES):
            readers.enter_context(socket.create_connection(("127.0.0.1", server.port), HANG_S)).sendall(ASK)
        until(lambda: asked(server.port, HEAD).startswith(b"HTTP/1.1 503 "))
    until(lambda: asked(server.port, HEAD).startswith(b"HTTP/1.1 200 "))
    server.close()


@pytest.mark.parametrize("limits", [{"most_s": 0.5}, {"door": METRICS._replace(unread_s=0.5)}], ids=["whole", "unread"])
def test_those_who_do_not_read_are_left(limits: dict[str, object], mocker: MockerFixture) -> None:
    for name, limit in limits.items():
        mocker.patch.object(Scrape, name, limit)
    page = mocker.Mock(return_value=LONG)
    server = Server("127.0.0.1", 0, page)
    server.start()
    with ExitStack() as readers:
        for _ in range(SCRAPES):
            readers.enter_context(socket.create_connection(("127.0.0.1", server.port), HANG_S)).sendall(ASK)
        until(lambda: page.call_count >= SCRAPES)
        until(lambda: asked(server.port, HEAD).startswith(b"HTTP/1.1 200 "))
    server.close()


def test_so_many_are_answered_at_once(mocker: MockerFixture) -> None:
    all_ask = threading.Barrier(SCRAPES)
    server = Server("127.0.0.1", 0, lambda kind: str(all_ask.wait(HANG_S) >= 0))
    server.start()
    with ThreadPoolExecutor(SCRAPES) as askers:
        answers = list(askers.map(lambda _: asked(server.port, ASK), range(SCRAPES)))
    assert [each.split(b"\r\n")[0] for each in answers] == [b"HTTP/1.1 200 OK"] * SCRAPES
    server.close()


def test_a_page_that_fails_is_an_error_and_the_next_one_is_there(mocker: MockerFixture) -> None:
    server = Server("127.0.0.1", 0, mocker.Mock(side_effect=[ValueError("no"), "page"]))
    server.start()
    assert asked(server.port, ASK).startswith(b"HTTP/1.1 500 ")
    assert asked(server.port, ASK).endswith(b"page")
    server.close()


def test_the_end_is_no_error_though_the_store_hangs(mocker: MockerFixture, caplog: pytest.LogCaptureFixture) -> None:
    mocker.patch.object(serving_over_http, "END_S", 0.2)
    is_asked, may_answer = threading.Event(), threading.Event()

    def page(kind: str) -> str:
        is_asked.set()
        may_answer.wait(HANG_S)
        return kind

    server = Server("127.0.0.1", 0, page)
    server.start()
    with ThreadPoolExecutor(1) as askers:
        answer = askers.submit(asked, server.port, ASK)
        assert is_asked.wait(HANG_S)
        server.close()
        assert answer.result().startswith(b"HTTP/1.1 503 ")
    may_answer.set()
    assert not [each for each in caplog.records if each.exc_info]


def test_a_port_that_is_taken_is_reported(port: int) -> None:
    with pytest.raises(PortTaken, match=f"cannot listen at 127.0.0.1:{port}"):
        Server("127.0.0.1", port, str)
    with pytest.raises(PortTaken):
        Server("nowhere.invalid", free_port(), str)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:9108", 200),
        ("[::1]:9108", 200),
        ("LOCALHOST", 200),
        ("floor.example:9108", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
    ],
)
def test_a_name_that_is_not_ours_gets_nothing(host: str, status: int) -> None:
    server = Server("127.0.0.1", 0, str, ["floor.example"])
    server.start()
    answer = asked(server.port, f"GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    server.close()
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize(
    "path", ["/metrics", "/metrics/", "/", "//metrics", "/table/T07", "/sign-in", "/static/page.css"]
)
def test_the_matrix_of_addresses_of_the_metrics(port: int, path: str) -> None:
    """There is no sign-in: what is there anybody on its network reads, and no other address gives anything."""

    def status(method: str = "GET", host: str = "localhost", more: str = "") -> int:
        request = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"
        return int(asked(port, request.encode()).split(b" ")[1])

    there = 200 if path == "/metrics" else 404
    assert status() == status("HEAD") == status(more="X-Forwarded-For: 10.0.0.9\r\n") == there
    assert status(more="Origin: https://evil.example\r\nCookie: shoe=x\r\n") == there
    assert status("POST") == status("PUT") == status("OPTIONS") == 405
    assert status(host="evil.example") == status("POST", host="evil.example") == 421


def test_sixty_connections_that_send_a_byte_a_second_stop_no_scrape(port: int) -> None:
    """As in finding S15: 5 of 8 scrapes had got no answer."""
    stop = threading.Event()

    def slow() -> None:
        while not stop.is_set():
            try:
                with socket.create_connection(("127.0.0.1", port), HANG_S) as connection:
                    for byte in ASK:
                        connection.sendall(bytes([byte]))
                        if stop.wait(1.0):
                            return
            except OSError:
                stop.wait(0.2)

    with ThreadPoolExecutor(60) as pool:
        for _ in range(60):
            pool.submit(slow)
        try:
            for _ in range(8):
                assert asked(port, ASK).startswith(b"HTTP/1.1 200 ")
        finally:
            stop.set()
