from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.config.systemd import Systemd
from tests.daemon.manager import Manager
from tests.kit.broker import free_port
from tests.kit.daemon_table import DaemonTable

# Hangs while it judges a card, from then on until the file `go` is there.
HANGING = """
import sys, time
from pathlib import Path
import firmware_bridge.daemon.table.table as daemon
from firmware_bridge.cli import main
from firmware_bridge.facts.inputs import CardRead

decide, go = daemon.decide, Path(sys.argv[1])

def hang(shoe, fact):
    if isinstance(fact, CardRead):
        go.with_name("hangs").touch()
        while not go.exists():
            time.sleep(0.01)
    return decide(shoe, fact)

daemon.decide = hang
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, free_port())
    yield table
    table.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    with Manager(str(tmp_path / "notify")) as manager:
        yield manager


@pytest.mark.parametrize("execute", [True, False], ids=["executed", "forked"])
def test_it_starts_is_ready_and_stops(table: DaemonTable, manager: Manager, execute: bool) -> None:
    table.execute = execute
    table.start(NOTIFY_SOCKET=manager.address)
    table.until(lambda: manager.hears("READY=1"))
    assert "STATUS=table T07" in manager.received
    assert table.ask(do="status")
    assert table.stop() == 0
    assert manager.hears("STOPPING=1")
    assert "WATCHDOG=1" not in manager.received


def test_an_abstract_socket_is_reported_too(table: DaemonTable, tmp_path: Path) -> None:
    with Manager(f"@{tmp_path}/notify") as manager:
        table.start(NOTIFY_SOCKET=manager.address)
        table.until(lambda: manager.hears("READY=1"))


def test_the_watchdog_is_fed_and_not_by_a_loop_that_hangs(table: DaemonTable, manager: Manager, tmp_path: Path) -> None:
    table.code = ("-c", HANGING, str(tmp_path / "go"))
    table.start(NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="300000")
    table.until(lambda: manager.hears("WATCHDOG=1") and manager.received.count("WATCHDOG=1") >= 3)
    table.pull("9s")
    table.until((tmp_path / "hangs").exists)
    manager.hears("")
    before = manager.received.count("WATCHDOG=1")
    table.pause(0.6)
    manager.hears("")
    assert manager.received.count("WATCHDOG=1") == before
    (tmp_path / "go").touch()
    table.until(lambda: manager.hears("WATCHDOG=1") and manager.received.count("WATCHDOG=1") > before)


@pytest.mark.parametrize("environ", [{"WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "much"}])
def test_a_watchdog_for_somebody_else_is_not_fed(table: DaemonTable, manager: Manager, environ: dict[str, Any]) -> None:
    table.start(**{"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "30000"} | environ)
    table.until(lambda: manager.hears("READY=1"))
    table.deal("9s")
    assert not manager.hears("WATCHDOG=1")


def test_a_manager_that_is_gone_changes_nothing(table: DaemonTable, tmp_path: Path) -> None:
    table.start(NOTIFY_SOCKET=str(tmp_path / "nobody"), WATCHDOG_USEC="30000").deal("9s Td")
    assert table.stop() == 0


def test_a_patient_watchdog_is_fed_every_second_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    assert Systemd().beat_s == 1.0
