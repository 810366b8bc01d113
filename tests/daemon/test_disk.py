import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge.facts.cards import FACES
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.preallocate import content_size
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import ROOM, DaemonTable

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures

# From the moment `flag` exists, the disk confirms nothing more but the cursor, which is synced whenever it is due.
UNCONFIRMED = """
import os, sys
from pathlib import Path
from firmware_bridge.cli import main

flag, sync = Path(sys.argv[1]), os.fdatasync

def fdatasync(fd):
    if flag.exists() and not os.readlink(f"/proc/self/fd/{fd}").endswith("/cursor"):
        with flag.open("a") as file:
            file.write("!")
        raise OSError(5, "Input/output error")
    sync(fd)

os.fdatasync = fdatasync
sys.exit(main(sys.argv[2:]))
"""

# While `flag` exists, the disk is full.
FULL = """
import errno, os, sys
from pathlib import Path
from firmware_bridge.cli import main

flag, write = Path(sys.argv[1]), os.pwrite

def pwrite(fd, data, at):
    if flag.exists():
        raise OSError(errno.ENOSPC, "No space left on device")
    return write(fd, data, at)

os.pwrite = pwrite
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port)
    yield table
    table.close()


def newest(table: DaemonTable) -> Path:
    return journal_files(table.journal_dir)[-1]


def written(table: DaemonTable) -> bytes:
    """The records of the newest file, without what is filled ahead of them, which may come at any time."""
    return newest(table).read_bytes().rstrip(b"\n")


def fill(table: DaemonTable, room: int) -> Callable[[], None]:
    """Leave the daemon `room` bytes in its newest file, and no file of its own more; undone by the call."""
    assert table.process
    limit = content_size(newest(table)) + room
    before = resource.prlimit(table.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    return lambda: resource.prlimit(table.process.pid, resource.RLIMIT_FSIZE, before) and None


def alarms(backend: Backend) -> list[str]:
    return [each["id"] for each in backend.on("alarm")[-1]["open"]] if backend.on("alarm") else []


def dealt(backend: Backend) -> list[str]:
    first = {(each["journal"], each["seq"], each["n"]): each["event"] for each in backend.on("event")}
    return [event["card"] for event in first.values() if event["type"] == "CardDealt"]


@pytest.mark.parametrize("room", [0, 1, 40])
def test_on_a_full_disk_nothing_is_guided_or_lost(table: DaemonTable, backend: Backend, room: int) -> None:
    table.start().deal("9s Td")
    table.until(lambda: dealt(backend) == ["9s", "Td"])
    free = fill(table, room)
    before = written(table)
    table.pull("Ts Tc 2s")
    table.until(lambda: alarms(backend) == ["disk_full"])
    lamps = backend.on("lamps")[-1]
    assert (lamps["lit"], table.board.waiting) == ({"fault": "blocked"}, 3)
    assert backend.on("alarm")[-1]["open"][0]["values"]["hint"] == {"code": "free_space"}
    refused = table.ask(do="void", by="anna", why="why not")
    assert (refused["ok"], "cannot be written" in refused["error"]) == (False, True)
    assert written(table) == before
    free()
    table.until(lambda: not table.board.waiting)
    table.until(lambda: dealt(backend) == ["9s", "Td", "Ts", "Tc", "2s"])
    events = [each["event"] for each in backend.on("event") if each["event"].get("id") == "disk_full"]
    assert [(each["type"], each.get("choice")) for each in events] == [
        ("Irregular", None),
        ("IrregularityClosed", "recovered"),
    ]
    table.until(lambda: not alarms(backend))
    assert table.stop() == 0


def test_a_board_that_repeats_a_card_while_the_disk_is_full_is_no_flood(table: DaemonTable, backend: Backend) -> None:
    table.configure(reader={"most_a_second": 1})
    table.start().deal("9s Td")
    table.until(lambda: dealt(backend) == ["9s", "Td"])
    free = fill(table, 0)
    table.pull("Ts")
    table.until(lambda: alarms(backend) == ["disk_full"])
    table.pause(1.6)  # it is repeated each 100 ms; 10 reports may come within 10 s
    assert alarms(backend) == ["disk_full"]
    free()
    table.until(lambda: dealt(backend) == ["9s", "Td", "Ts"] and not alarms(backend))
    assert table.stop() == 0


def test_a_shoe_that_does_not_fit_is_opened_when_there_is_space(table: DaemonTable, backend: Backend) -> None:
    table.start()
    table.until(lambda: table.journal_dir.exists() and journal_files(table.journal_dir))
    table.until(lambda: backend.on("event"))
    free = fill(table, 0)
    table.pull("9s Td")
    table.until(lambda: alarms(backend) == ["disk_full"])
    assert len(journal_files(table.journal_dir)) == 1
    free()
    table.until(lambda: dealt(backend) == ["9s", "Td"])


def test_a_first_start_on_a_full_disk_waits_for_space(table: DaemonTable, backend: Backend, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    table.code = ("-c", FULL, str(flag))
    table.start().pull("9s Td")
    table.until(lambda: alarms(backend) == ["disk_full"])
    table.pause(1.2)  # it is tried again each second
    flag.unlink()
    table.until(lambda: dealt(backend) == ["9s", "Td"])
    types = [each["event"]["type"] for each in backend.on("event")]
    assert types[:2] == ["Commissioned", "BridgeStarted"]
    assert "Traceback" not in table.log


def test_an_outage_is_reported_once_however_often_the_disk_is_tried(
    table: DaemonTable, backend: Backend, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    table.code = ("-c", FULL.replace("if flag.exists()", 'if flag.exists() and b"CardDealt" in data'), str(flag))
    table.start().deal("9s")
    flag.touch()
    table.pull("Td Ts")
    table.until(lambda: alarms(backend) == ["disk_full"])
    lines = len(table.lines())
    table.pause(2.2)  # it is tried again each second
    assert len(table.lines()) == lines
    flag.unlink()
    table.until(lambda: dealt(backend) == ["9s", "Td", "Ts"] and not alarms(backend))
    types = [each["event"]["type"] for each in backend.on("event") if each["event"].get("id") == "disk_full"]
    assert types == ["Irregular", "IrregularityClosed"]


def test_a_full_disk_survives_a_kill(table: DaemonTable, backend: Backend) -> None:
    table.start().deal("9s Td")
    fill(table, 7)
    table.pull("Ts Tc")
    table.until(lambda: alarms(backend) == ["disk_full"])
    table.kill()
    table.start()
    table.until(lambda: dealt(backend) == ["9s", "Td", "Ts", "Tc"])


def test_a_real_disk_without_space(table: DaemonTable, backend: Backend) -> None:
    table.journal_dir.mkdir()
    disk = str(table.journal_dir)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        table.start().deal("9s Td")
        ballast = table.journal_dir / "ballast"
        with pytest.raises(OSError, match="No space left"):
            stuff(ballast)
        for face in FACES[1:] * 8:  # what is filled ahead is the journal's already
            table.pull(face.value)
            table.pause(0.02)
            if "disk_full" in alarms(backend) or table.board.waiting > ROOM - 2:
                break
        table.until(lambda: "disk_full" in alarms(backend))
        waiting = table.board.waiting
        assert waiting
        ballast.unlink()
        table.until(lambda: not table.board.waiting)
        drawn = table.board.acknowledged
        table.until(lambda: len(dealt(backend)) + held(backend) == drawn)
    finally:
        table.kill()
        subprocess.run(["umount", disk], check=True)


def stuff(path: Path) -> None:
    """Write until the disk is full. Raises OSError when it is."""
    with path.open("wb", 0) as file:
        while True:
            file.write(bytes(1024))


def held(backend: Backend) -> int:
    """Cards beyond the eight copies of a face wait for the floor."""
    first = {(each["journal"], each["seq"], each["n"]): each["event"]["type"] for each in backend.on("event")}
    return list(first.values()).count("CardHeld")


@pytest.mark.parametrize("by", ["card", "command", "control"])
def test_a_disk_that_confirms_nothing_ends_the_process_at_once(
    table: DaemonTable, backend: Backend, tmp_path: Path, by: str
) -> None:
    flag = tmp_path / "flag"
    table.code = ("-c", UNCONFIRMED, str(flag))
    table.start().deal("9s Td")
    table.until(lambda: dealt(backend) == ["9s", "Td"])
    control = table.control()
    flag.touch()
    if by == "card":
        table.pull("Ts Tc 2s")
    elif by == "command":
        backend.publish("shoe/T07/command", {"id": "v", "do": "void", "why": "test"})
    else:
        control.sendall(b'{"do":"void","by":"anna","why":"test"}\n')
    assert table.fallen() == 1
    control.close()
    assert flag.read_text() == "!", "a failed fdatasync was tried again"
    assert "SyncFailed: the disk did not confirm a write" in table.log
    backend.wait_until(lambda: [each["state"] for each in backend.on("status")][-1] == "lost")
    assert (alarms(backend), backend.on("lamps")[-1]["lit"]) == (["disk_error"], {"fault": "blocked"})
    flag.unlink()
    table.start().deal("4s 5s")
    drawn = ["Ts", "Tc", "2s", "4s", "5s"] if by == "card" else ["4s", "5s"]
    table.until(lambda: dealt(backend) == ["9s", "Td", *drawn])


def test_a_disk_that_confirms_nothing_from_the_start_is_shown_before_the_process_ends(
    table: DaemonTable, backend: Backend, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    table.code = ("-c", UNCONFIRMED, str(flag))
    assert table.start().fallen() == 1
    backend.wait_until(lambda: alarms(backend) == ["disk_error"])
    backend.wait_until(lambda: backend.on("lamps")[-1]["lit"] == {"fault": "blocked"})
