"""Old journals go one by one, never before it is on disk that they were sent, and never for a wrong clock."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import journal_files, journal_id
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable, clock_ahead
from tests.kit.delivered_record import delivered, numbers, record_half_days

pytestmark = pytest.mark.story

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures

SHOES = 6

# Dies in the middle of an expiry: `before` or `after` the file is deleted.
DYING = """
import os, signal, sys
from firmware_bridge.cli import main

when, unlink = sys.argv[1], os.unlink

def dying(path, *more, **others):
    if not str(path).endswith(".journal"):
        return unlink(path, *more, **others)
    if when == "after":
        unlink(path)
    os.kill(os.getpid(), signal.SIGKILL)

os.unlink = dying
sys.exit(main(sys.argv[2:]))
"""

# While `flag` exists, the sector of the cursor is bad: it fails in `write` or in `sync`.
BAD_SECTOR = """
import os, sys
from pathlib import Path
from firmware_bridge.cli import main

flag, where = Path(sys.argv[1]), sys.argv[2]
write, sync = os.pwrite, os.fdatasync

def is_bad(fd, call):
    return flag.exists() and call == where and os.readlink(f"/proc/self/fd/{fd}").endswith("/cursor")

def pwrite(fd, data, at):
    if is_bad(fd, "write"):
        raise OSError(5, "Input/output error")
    return write(fd, data, at)

def fdatasync(fd):
    if is_bad(fd, "sync"):
        raise OSError(5, "Input/output error")
    sync(fd)

os.pwrite, os.fdatasync = pwrite, fdatasync
sys.exit(main(sys.argv[3:]))
"""


@pytest.fixture
def table(tmp_path: Path, broker: Broker, mocker: MockerFixture) -> Iterator[DaemonTable]:
    """A table with a shoe each half day so far, whose journals are kept for a day."""
    table = DaemonTable(tmp_path, broker.port, journal={"dir": str(tmp_path / "journal"), "keep_days": 1})
    record_half_days(table.journal_dir, SHOES, mocker)
    yield table
    table.close()


def alarms(backend: Backend) -> list[str]:
    return [each["id"] for each in backend.on("alarm")[-1]["open"]] if backend.on("alarm") else []


def is_sent(table: DaemonTable) -> bool:
    """Whether the newest line was acknowledged and is in the cursor."""
    last = table.lines()[-1].public
    return read_cursor(table.journal_dir / "cursor") == (last.journal, last.seq)


def identities(backend: Backend) -> list[tuple[str, int, int]]:
    return [(each["journal"], each["seq"], each["n"]) for each in backend.on("event")]


def whole(table: DaemonTable) -> set[tuple[str, int]]:
    return {(line.public.journal, line.public.seq) for line in table.lines()}


def another_shoe(table: DaemonTable) -> None:
    """The one before is closed: a card opens it, and with it a new journal."""
    table.deal("9s Td Ts Tc")


def test_one_journal_goes_with_each_shoe(table: DaemonTable, backend: Backend) -> None:
    assert numbers(table.journal_dir) == [0, 1, 2, 3, 4, 5, 6]
    table.start()
    table.until(lambda: is_sent(table))
    another_shoe(table)
    table.until(lambda: numbers(table.journal_dir) == [1, 2, 3, 4, 5, 6, 7])
    table.ask(do="close_shoe", by="anna")
    another_shoe(table)
    table.until(lambda: numbers(table.journal_dir) == [2, 3, 4, 5, 6, 7, 8])
    assert read_cursor(table.journal_dir / "cursor")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_daemon_killed_while_it_deletes_starts_and_sends_everything(
    table: DaemonTable, backend: Backend, when: str
) -> None:
    table.code = ("-c", DYING, when)
    table.start()
    table.until(lambda: len(set(identities(backend))) > 20)
    every = whole(table)
    another_shoe(table)
    assert table.fallen() == -9
    assert numbers(table.journal_dir) == list(range(0 if when == "before" else 1, 8))
    table.code = DaemonTable.code
    table.start().deal("4s")
    table.until(lambda: is_sent(table))
    wanted = every | whole(table)
    backend.wait_until(lambda: {(journal, seq) for journal, seq, _ in identities(backend)} >= wanted)
    assert "missing" not in table.log


@pytest.mark.parametrize("where", ["write", "sync"])
def test_nothing_is_deleted_while_it_cannot_be_stored_what_was_sent(
    table: DaemonTable, backend: Backend, tmp_path: Path, where: str
) -> None:
    flag = tmp_path / "bad"
    flag.touch()
    table.code = ("-c", BAD_SECTOR, str(flag), where)
    table.start()
    another_shoe(table)
    table.until(lambda: alarms(backend) == ["cursor_error"])
    alarm = backend.on("alarm")[-1]["open"][0]
    assert (alarm["blocks"], "Input/output error" in alarm["values"]["why"]) == (False, True)
    table.until(lambda: backend.on("lamps")[-1]["lit"].get("fault") == "steady")
    status = table.ask(do="status")
    assert [each["id"] for each in status["alarm"]["open"]] == ["cursor_error"]
    assert numbers(table.journal_dir) == [0, 1, 2, 3, 4, 5, 6, 7]
    table.kill()
    known = len(backend.on("alarm"))
    table.start()
    table.ask(do="close_shoe", by="anna")
    another_shoe(table)
    table.until(lambda: len(backend.on("alarm")) > known and alarms(backend) == ["cursor_error"])
    assert numbers(table.journal_dir) == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    flag.unlink()
    table.until(lambda: not alarms(backend))
    table.until(lambda: is_sent(table))


def test_a_clock_91_days_ahead_is_reported_and_deletes_nothing(table: DaemonTable, backend: Backend) -> None:
    table.configure(journal={"dir": str(table.journal_dir), "keep_days": 90})
    table.code = clock_ahead(days=91)
    table.start()
    for _ in range(2):
        another_shoe(table)
        table.until(lambda: alarms(backend) == ["clock_jump"])
        table.ask(do="close_shoe", by="anna")
    alarm = backend.on("alarm")[-1]["open"][0]
    assert alarm["values"]["days"] in (91, 92)
    table.until(lambda: backend.on("lamps")[-1]["lit"].get("fault") == "steady")
    table.until(lambda: is_sent(table))
    table.pause(1.5)  # a journal would go a second after its shoe
    assert numbers(table.journal_dir) == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    table.stop()
    table.code = DaemonTable.code
    table.start().deal("9s")
    table.until(lambda: not alarms(backend))
    table.pause(1.5)
    assert numbers(table.journal_dir)[0] == 0


def test_a_cursor_from_before_the_first_journal_starts_and_repeats(table: DaemonTable, backend: Backend) -> None:
    oldest, *_ = journal_files(table.journal_dir)
    table.start()
    table.until(lambda: is_sent(table))
    table.kill()
    (table.journal_dir / "cursor").unlink()
    delivered(table.journal_dir, journal_id(oldest), 1)
    oldest.unlink()
    table.start().deal("9s")
    table.until(lambda: is_sent(table))
    assert "the cursor is older than" in table.log
