"""Certificates of a daemon at a real broker: renewed while cards come, expired, revoked, of another time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.mqtt.settings import tls_context
from firmware_bridge.topics.texts.alarms import what
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.certificates import Authority
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.patient_products import own

brokers = real.brokers  # fixtures

# A daemon that looks at its certificates ten times a second.
OFTEN = """
import sys
from firmware_bridge.cli import main
from firmware_bridge.daemon.delivery import certificates

certificates.LOOK_S = 0.1
sys.exit(main(sys.argv[1:]))
"""


ROUNDS = "9h Jd Kh Qc 9c Js Kd Qh"
"""Two naturals."""


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    made = Authority(tmp_path / "authority")
    made.issue("broker", "IP:127.0.0.1")
    return made


@pytest.fixture
def broker(brokers: Callable[..., Broker], authority: Authority) -> Broker:
    options = f"require_certificate true\nuse_identity_as_username true\ncrlfile {authority.folder}/crl.pem"
    return brokers(tls=authority.folder, options=options)


@pytest.fixture
def table(tmp_path: Path, broker: Broker, authority: Authority) -> Iterator[DaemonTable]:
    names = {"ca": "ca.pem", "cert": "T07.pem", "key": "T07.key"}
    made = DaemonTable(tmp_path, broker.port, mqtt={name: f"{authority.folder}/{file}" for name, file in names.items()})
    made.code = ("-c", OFTEN)
    yield made
    made.close()


def dealt(backend: Backend) -> list[str]:
    """The cards, as they came, each entry once."""
    first = {(each["journal"], each["seq"], each["n"]): each["event"] for each in backend.on("event")}
    return [event["card"] for event in first.values() if event["type"] == "CardDealt"]


def alarms(table: DaemonTable) -> dict[str, str]:
    open_now: list[dict[str, Any]] = status(table)["alarm"]["open"]
    return {each["id"]: what("en", each["id"], each["values"]) for each in open_now}


def alarm(table: DaemonTable, name: str) -> str:
    """What an alarm says, once it is open."""
    table.control().close()
    return str(table.until(lambda: alarms(table).get(name)))


def test_a_certificate_that_is_renewed_while_cards_come_costs_no_card(
    table: DaemonTable, broker: Broker, authority: Authority
) -> None:
    authority.issue("backend")
    authority.issue("T07", ends=3.0)
    mine = (f"{authority.folder}/{file}" for file in ("ca.pem", "backend.pem", "backend.key"))
    with Backend(broker.port, tls=tls_context(*mine)) as backend:
        table.start().deal("9s Td")
        assert "ends: 20" in alarm(table, "certificate_ends")
        authority.issue("fresh")
        before = len(table.lines())
        for name in ("T07.key", "T07.pem"):
            (authority.folder / name.replace("T07", "fresh")).replace(authority.folder / name)
        table.pause(0.5)
        assert broker.log.count(" as shoe-T07-") == 1  # a round is open
        for card in f"Ts Tc {ROUNDS}".split():
            table.deal(card)
            table.pause(0.1)
        table.until(lambda: broker.log.count(" as shoe-T07-") == 2)
        table.until(lambda: dealt(backend) == f"9s Td Ts Tc {ROUNDS}".split())
        assert list(dict.fromkeys(each["round"] for each in backend.on("round"))) == [1, 2, 3]
        table.until(lambda: "certificate_ends" not in [each["id"] for each in backend.on("alarm")[-1]["open"]])
    types = [type(event).__name__ for line in table.lines()[before:] if line.entry for event in line.entry.events]
    assert "Irregular" not in types


def test_the_client_id_has_a_part_that_nobody_can_guess_and_stays(
    table: DaemonTable, broker: Broker, authority: Authority
) -> None:
    authority.issue("T07")
    table.journal_dir.mkdir()
    for count in (1, 2, 3):
        table.start()
        table.until(lambda count=count: broker.log.count(" as shoe-T07-") >= count)  # type: ignore[misc]  # bound now
        table.stop()
    drawn = (table.journal_dir / "client-name").read_text()
    ids = set(re.findall(r" as (shoe-T07-\S+)", broker.log))
    assert [each.rpartition("-")[2] for each in ids] == [drawn]
    assert re.fullmatch("[0-9a-f]{8}", drawn)


@pytest.mark.parametrize(
    ("days", "text"),
    [((-30.0, -1.0), "ended: 20"), ((2.0, 30.0), "valid from: 20")],
    ids=["expired", "not yet valid"],
)
def test_a_certificate_of_another_time_is_named(
    table: DaemonTable, authority: Authority, days: tuple[float, float], text: str
) -> None:
    authority.issue("T07", begins=days[0], ends=days[1])
    table.start(**own("broker_outage"))
    assert text in alarm(table, "certificate_ends")
    assert "[mqtt] cert and key" in alarm(table, "broker_lost")


def test_a_revoked_certificate_is_reported_and_another_one_is_used(
    table: DaemonTable, broker: Broker, authority: Authority
) -> None:
    authority.issue("T07")
    authority.revoke("T07")
    broker.kill()
    broker.start()  # a list of revoked certificates is read at the start
    table.start(**own("broker_outage"))
    assert "[mqtt] cert and key" in alarm(table, "broker_lost")
    authority.issue("T07")
    table.until(lambda: " as shoe-T07-" in broker.log)
