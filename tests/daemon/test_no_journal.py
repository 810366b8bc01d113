"""A journal that cannot be used: the fault lamp and every topic say so, and play goes on once it can be."""

import json
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.journal.files import journal_files
from firmware_bridge.topics.texts.refusals import failure
from tests.daemon.disks import Ext4
from tests.daemon.manager import Manager
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patient_products import own

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures
shoe = command.shoe  # a fixture

STOPPED = {"fault": "blocked"}


@pytest.fixture
def table(tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Iterator[DaemonTable]:
    """A table whose control socket lies where the journal does not, as under systemd."""
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    table = DaemonTable(tmp_path, broker.port, pins={"factory": "mock"}, lamps={"fault": 25, "P1": 5})
    yield table
    table.close()


def last(backend: Backend, topic: str) -> dict[str, Any]:
    return backend.on(topic)[-1] if backend.on(topic) else {}


def state_and_mode(backend: Backend) -> tuple[str | None, str | None]:
    """State and mode of a status that has come."""
    return last(backend, "status").get("state"), last(backend, "status").get("mode")


def alarms(backend: Backend) -> list[str]:
    return [each["id"] for each in last(backend, "alarm").get("open", [])]


def dealt(backend: Backend) -> list[str]:
    first = {(each["journal"], each["seq"], each["n"]): each["event"] for each in backend.on("event")}
    return [event["card"] for event in first.values() if event["type"] == "CardDealt"]


def asked(path: Path, **fields: Any) -> dict[str, Any]:
    """The answer to a request at a control socket."""
    with socket.socket(socket.AF_UNIX) as control, socket_address(path) as address:
        control.connect(address)
        control.sendall(json.dumps(fields).encode() + b"\n")
        with control.makefile("rb") as lines:
            return json.loads(lines.readline())


def shown_to_technician(shoe: command.Run, table: DaemonTable) -> dict[str, Any]:
    """What a technician sees: the status, its first line, and what `shoe check` says of daemon and journal."""
    status = shoe("status", "--json", "--config", table.config_path).json[0]
    checks = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    shown = shoe("status", "--config", table.config_path).out
    return {"status": status, "shown": shown, **{each["name"]: each for each in checks}}


def a_folder_named(name: str) -> tuple[str, Callable[[Path], None], Callable[[Path], None]]:
    return "Is a directory", lambda at: (at / name).mkdir(parents=True), lambda at: (at / name).rmdir()


OBSTACLES: dict[str, tuple[str, Callable[[Path], None], Callable[[Path], None]]] = {
    "its parent is a file": ("Not a directory", lambda at: at.parent.touch(), lambda at: at.parent.unlink()),
    "it is a file": ("File exists", Path.touch, Path.unlink),
    **{f"{name} is a directory": a_folder_named(name) for name in ("cursor", "spare", "lock")},
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_a_directory_that_cannot_be_used_is_shown_until_it_can(
    table: DaemonTable, backend: Backend, shoe: command.Run, tmp_path: Path, obstacle: str
) -> None:
    why, put, remove = OBSTACLES[obstacle]
    directory = tmp_path / "disk"
    if "parent" in obstacle:
        directory = directory / "journal"
    put(directory)
    table.configure(journal={"dir": str(directory)}, lamps={"fault": 25, "P1": 5})
    table.start().pull("9s Td")
    table.until(lambda: alarms(backend) == ["disk_error"])
    what = f"the journal's directory {directory} cannot be used ({why})"
    remedy = "correct [journal] dir, or let the daemon's user write there"
    if "directory" in obstacle:
        remedy = f"a folder lies where the daemon keeps a file: move {directory / obstacle.split()[0]} away"
    alarm = last(backend, "alarm")["open"][0]
    assert {name: failure("en", value) for name, value in alarm["values"].items()} == {"why": what, "hint": remedy}
    assert alarm["blocks"]
    assert (last(backend, "lamps")["lit"], last(backend, "lamps")["why"]) == (STOPPED, ["disk_error"])
    table.until(lambda: backend.on("status"))
    status = last(backend, "status")
    assert (status["state"], status["mode"], status["journal"]) == ("online", "NO_JOURNAL", "")
    assert {topic for topic in ("table", "event", "round") if backend.on(topic)} == set()
    seen = shown_to_technician(shoe, table)
    assert (seen["status"]["mode"], seen["status"]["lamps"]["lit"]) == ("NO_JOURNAL", STOPPED)
    assert seen["shown"].startswith(f"STOPPED: {what}\n")
    assert remedy in seen["shown"]
    assert (seen["daemon"]["level"], seen["daemon"]["remedy"]) == ("FAIL", remedy)
    assert table.board.waiting == 2
    refused = shoe("do", "open-shoe", "--by", "anna", "--config", table.config_path)
    assert (refused.code, what in refused.err) == (1, True)

    remove(directory)
    table.until(lambda: not table.board.waiting)
    table.until(lambda: dealt(backend) == ["9s", "Td"] and not alarms(backend))
    table.until(lambda: last(backend, "status")["mode"] == "FULL")
    types = [each["event"]["type"] for each in backend.on("event")]
    assert types[:5] == ["Commissioned", "BridgeStarted", "RecordBegun", "Irregular", "IrregularityClosed"]
    assert table.stop() == 0
    assert table.log.count(what) == 1


def test_a_damaged_journal_is_shown_with_its_remedy_and_then_the_process_ends(
    table: DaemonTable, backend: Backend, shoe: command.Run
) -> None:
    table.start().deal("9s Td Ts")
    assert table.stop() == 0
    newest = journal_files(table.journal_dir)[-1]
    damaged = bytearray(newest.read_bytes())
    damaged[200] ^= 1
    newest.write_bytes(damaged)
    table.start().pull("4s")
    table.until(lambda: alarms(backend) == ["journal_damaged"])
    alarm = last(backend, "alarm")["open"][0]
    assert alarm["values"]["why"] == f"{newest.name}, line 1: the checksum is wrong"
    assert f"sudo mv {table.journal_dir}" in alarm["values"]["hint"]
    assert last(backend, "lamps")["lit"] == STOPPED
    table.until(lambda: state_and_mode(backend) == ("online", "NO_JOURNAL"))
    seen = shown_to_technician(shoe, table)
    assert seen["shown"].startswith(f"STOPPED: {alarm['values']['why']}\n")
    assert (seen["daemon"]["level"], seen["daemon"]["remedy"]) == ("FAIL", alarm["values"]["hint"])
    assert seen["journal"]["level"] == "FAIL"
    assert table.fallen() == 78
    assert (alarms(backend), table.board.waiting) == (["journal_damaged"], 1)
    table.until(lambda: last(backend, "status")["state"] == "lost")
    assert last(backend, "status")["mode"] == "NO_JOURNAL"
    assert newest.read_bytes() == damaged


def test_a_technician_who_stops_it_does_not_wait(table: DaemonTable, backend: Backend) -> None:
    table.journal_dir.touch()
    table.start()
    table.until(lambda: alarms(backend))
    assert table.stop() == 0
    backend.wait_until(lambda: last(backend, "status")["state"] == "stopped")


# The disk answers when `flag` is gone.
SLOW = """
import sys, time
from pathlib import Path
from firmware_bridge.cli import main
from firmware_bridge.daemon.table import opening

flag, opened = Path(sys.argv[1]), opening._opened

def slow(journal, table):
    while flag.exists():
        time.sleep(0.01)
    return opened(journal, table)

opening._opened = slow
sys.exit(main(sys.argv[2:]))
"""


def test_a_disk_that_does_not_answer_is_shown_until_it_does(
    table: DaemonTable, backend: Backend, shoe: command.Run, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    table.code = ("-c", SLOW, str(flag))
    table.start(**own("opening")).pull("9s")
    table.until(lambda: alarms(backend) == ["journal_unread"])
    assert last(backend, "alarm")["open"][0]["values"] == {}
    assert shoe("status", "--config", table.config_path).out.startswith("STOPPED: the journal is still being read\n")
    assert asked(tmp_path / "run" / "control.sock", do="next", by="ANNA")["code"] == "not_yet"
    flag.unlink()
    table.until(lambda: dealt(backend) == ["9s"] and not alarms(backend))
    assert "disk_error" not in str([line.public for line in table.lines()]), "no disk has failed"
    flag.touch()
    assert table.stop() == 0
    table.start(**own("opening"))
    table.until(lambda: last(backend, "status").get("mode") == "NO_JOURNAL")
    assert table.stop() == 0, "a disk that hangs keeps nobody from stopping the daemon"


def test_a_second_daemon_is_refused_before_it_takes_anything(table: DaemonTable, backend: Backend) -> None:
    table.start().deal("9s")
    first, table.process = table.process, None
    try:
        assert table.start().fallen() == 1
        assert table.log.splitlines()[-1].startswith(f"shoe: another daemon uses {table.journal_dir}; stop it first")
    finally:
        table.process = first
    table.deal("Td")
    assert {each["state"] for each in backend.on("status")} == {"online"}
    assert len({each["boot"] for each in backend.on("status")}) == 1


def reported_since(backend: Backend, known: int) -> bool:
    """Whether a daemon has said since that it cannot use its journal."""
    return any((each["state"], each["mode"]) == ("online", "NO_JOURNAL") for each in backend.on("status")[known:])


@pytest.fixture
def ext4(tmp_path: Path) -> Iterator[Ext4]:
    """A real ext4 disk where the journal is kept."""
    disk = Ext4(tmp_path / "disk.img", tmp_path / "journal")
    yield disk
    disk.close()


@pytest.mark.story
def test_a_card_that_goes_read_only_is_shown_in_play_and_at_every_start(
    ext4: Ext4, table: DaemonTable, backend: Backend, shoe: command.Run
) -> None:
    table.start().deal("9s Td")
    table.until(lambda: dealt(backend) == ["9s", "Td"])
    ext4.fail()
    table.pull("Ts")
    table.until(lambda: "disk_error" in alarms(backend) and last(backend, "lamps")["lit"] == STOPPED)
    table.kill()
    for _ in range(2):
        known = len(backend.on("status"))
        table.start()
        table.until(partial(reported_since, backend, known))
        assert alarms(backend) == ["disk_error"]
        assert last(backend, "lamps")["lit"] == STOPPED
        assert "Read-only file system" in str(last(backend, "alarm")["open"][0]["values"]["why"])
        assert "Read-only file system" in shown_to_technician(shoe, table)["disk"]["text"]
        table.stop()
    table.start()
    table.until(lambda: last(backend, "status")["state"] == "online")
    ext4.repair()
    table.until(lambda: not table.board.waiting)
    table.until(lambda: dealt(backend) == ["9s", "Td", "Ts"] and not alarms(backend))
    assert "Traceback" not in table.log


def test_systemd_sees_a_daemon_that_waits_for_its_disk(table: DaemonTable, tmp_path: Path) -> None:
    table.journal_dir.touch()
    with Manager(str(tmp_path / "notify")) as manager:
        table.start(NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="300000")
        table.until(lambda: manager.hears("READY=1") and manager.received.count("WATCHDOG=1") >= 3)
        assert any(each.startswith("STATUS=table T07: the journal's directory") for each in manager.received)
        table.journal_dir.unlink()
        table.until(lambda: manager.hears("STATUS=table T07"))
