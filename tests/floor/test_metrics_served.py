"""The exporter as Prometheus meets it: real sockets, a real broker, a real daemon; its unit and its page of docs."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion
from pytest_mock import MockerFixture

from firmware_bridge.cli import main as shoe
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.floor.metrics import server as serving
from firmware_bridge.floor.metrics.exporter import OF_THE_EXPORTER, OF_THE_STORE
from firmware_bridge.floor.metrics.families import OF_A_TABLE
from firmware_bridge.floor.metrics.server import PortTaken, Server, answer
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests import broker as real
from tests.broker import Broker, free_port
from tests.floor.exported import Exported
from tests.floor.metered import HEALTH
from tests.system.table import DaemonTable

broker, brokers = real.broker, real.brokers  # fixtures
ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/metrics.md").read_text("utf-8")
ASK = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


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
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


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


def test_a_table_from_before_the_exporter_is_there_and_a_broker_that_goes_is_told(
    daemon: DaemonTable, exported: Exported, broker: Broker
) -> None:
    daemon.start()
    daemon.until(lambda: "T07/health" in broker.log)
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
        each.wait_for_publish(60)
    client.disconnect()
    client.loop_stop()
    exported.start()
    exported.until(lambda: len(exported.values("shoe_health_age_seconds")) == 2_000)
    exported.until(lambda: exported.values("shoe_exporter_messages_total") == {"": 4_000})


def test_only_metrics_are_there(port: int) -> None:
    whole = asked(port, ASK)
    head, _, body = whole.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Length: %d" % len(body) in head
    assert body == b"text/plain; version=0.0.4; charset=utf-8\n"
    assert asked(port, ASK.replace(b"GET", b"HEAD")) == head + b"\r\n\r\n"
    assert b"openmetrics" in asked(port, ASK.replace(b"Host: x", b"accept: application/openmetrics-text"))
    assert asked(port, ASK.replace(b"/metrics", b"/")).startswith(b"HTTP/1.1 404 ")
    assert asked(port, ASK.replace(b"GET", b"POST")).startswith(b"HTTP/1.1 405 ")
    assert asked(port, b"\x16\x03\x01\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_slow_and_endless_requests_hold_up_nobody(port: int, mocker: MockerFixture) -> None:
    mocker.patch.object(serving, "REQUEST_S", 0.2)
    slow = [socket.create_connection(("127.0.0.1", port), 30) for _ in range(serving.AT_ONCE * 2)]
    assert [each.recv(1) for each in slow] == [b""] * len(slow)
    assert asked(port, ASK).startswith(b"HTTP/1.1 200 ")
    with socket.create_connection(("127.0.0.1", port), 30) as endless, pytest.raises(OSError):  # noqa: PT012
        while True:
            endless.sendall(b"x" * 65536)
    assert asked(port, ASK).startswith(b"HTTP/1.1 200 ")
    for each in slow:
        each.close()


def test_a_page_that_fails_is_no_answer_and_the_next_one_is(mocker: MockerFixture) -> None:
    server = Server("127.0.0.1", 0, mocker.Mock(side_effect=[ValueError("no"), "page"]))
    server.start()
    assert asked(server.port, ASK) == b""
    assert asked(server.port, ASK).endswith(b"page")
    server.close()


def test_a_port_that_is_taken_is_told(port: int) -> None:
    with pytest.raises(PortTaken, match=f"127.0.0.1:{port} cannot be listened at"):
        Server("127.0.0.1", port, str)
    with pytest.raises(PortTaken):
        Server("nowhere.invalid", free_port(), str)


def test_the_page_of_docs_names_every_metric_with_its_kind_unit_and_meaning() -> None:
    told = {
        name: tuple(rest) for name, *rest in re.findall(r"^\| `(shoe_\w+)` \| (.*?) \| (.*?) \| (.*) \|$", DOC, re.M)
    }
    own = [(name, kind, unit, text) for name, kind, unit, text in (*OF_THE_EXPORTER, *OF_THE_STORE)]
    of_a_table = [(each.name, each.kind, each.unit, each.help) for each in OF_A_TABLE]
    assert told == {name: tuple(rest) for name, *rest in (*of_a_table, *own)}


def test_the_unit_is_as_hardened_as_the_ingests() -> None:
    hardening = ("Protect", "Private", "Restrict", "Lock", "Memory", "System", "No", "Capability", "KeyringMode")
    ingest, own = ((ROOT / f"systemd/shoe-floor-{name}.service").read_text() for name in ("ingest", "metrics"))
    wanted = [line for line in ingest.splitlines() if line.startswith(hardening) and "=" in line]
    assert len(wanted) > 20
    assert [line for line in wanted if line not in own.splitlines() and not line.startswith("MemoryMax")] == []
    assert "SocketBindAllow=tcp:9108" in own.splitlines()


def test_every_command_that_the_page_and_the_runbooks_name_is_one() -> None:
    told = DOC + (ROOT / "docs/prometheus/shoe.rules.yml").read_text("utf-8")
    named = set(re.findall(r"\b(shoe(?:-floor)?) ([a-z]+)", "\n".join(re.findall(r"`[^`\n]+`", told))))
    assert len(named) > 8
    for program, command in sorted(named):
        with pytest.raises(SystemExit) as ended:
            (shoe if program == "shoe" else shoe_floor)([command, "--help"])
        assert ended.value.code == 0, f"{program} {command}"


def test_an_answer_needs_only_a_head() -> None:
    answers: Any = [answer(each, str) for each in (b"", b"GET /metrics\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n")]
    assert [each.split(b"\r\n")[0].split()[1] for each in answers] == [b"400", b"400", b"404"]
