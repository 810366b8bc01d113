"""A damaged record: `shoe check` and the daemon tell it alike, and what they advise gets the table dealing again."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.config.calibration import FILE
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.recovery import refusal
from firmware_bridge.topics.texts.alarms import about
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import SHOWS_DAMAGE_BRIEFLY, DaemonTable

brokers, backend, shoe = real.brokers, listening.backend, command.shoe  # fixtures


@pytest.fixture
def broker(brokers: Any) -> Broker:
    kept: Broker = brokers(persistence=True)
    return kept


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port)
    yield table
    table.close()


def journal(shoe: command.Run, table: DaemonTable) -> tuple[str, str, str]:
    """What `shoe check` says of the journal: level, text and remedy."""
    checks = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    (found,) = [each for each in checks if each["name"] == "journal"]
    return found["level"], found["text"], found["remedy"]


def test_a_damaged_journal_is_reported_before_the_start_and_moved_aside_the_table_deals_again(
    table: DaemonTable, shoe: command.Run
) -> None:
    table.start().deal("9s Td Ts Tc 2s")
    newest = journal_files(table.journal_dir)[-1]
    assert journal(shoe, table) == ("OK", f"{newest.name} is whole", "")
    table.stop()
    damaged = bytearray(newest.read_bytes())
    damaged[200] ^= 1
    newest.write_bytes(damaged)

    level, text, remedy = journal(shoe, table)
    assert (level, text) == ("FAIL", f"{newest.name}, line 1: the checksum is wrong")
    assert newest.read_bytes() == damaged
    table.code = SHOWS_DAMAGE_BRIEFLY
    assert table.start().fallen() == 78
    table.code = DaemonTable.code
    assert table.log.splitlines()[-1] == f"shoe: {text}; {remedy}"

    aside = Path(f"{table.journal_dir}.damaged")
    assert f"sudo mv {table.journal_dir} {aside};" in remedy
    table.journal_dir.rename(aside)
    table.journal_dir.mkdir(mode=0o700)
    (aside / FILE).write_text("")
    shutil.copy(aside / FILE, table.journal_dir)
    status = table.start().ask(do="status")
    assert (status["mode"], status["table"]["phase"]) == ("FULL", "empty")
    table.deal("9s Td Ts Tc")
    assert journal(shoe, table)[0] == "OK"
    assert (aside / newest.name).read_bytes() == damaged


def test_the_remedy_has_the_steps_of_the_book(tmp_path: Path) -> None:
    book = (Path(__file__).parents[2] / "docs" / "technician.md").read_text("utf-8")
    (tmp_path / "cursor").touch()
    remedy = refusal(JournalError("damaged", "restore it"), tmp_path).hint
    steps = re.findall(r"sudo [^;(]+", remedy.replace(str(tmp_path), "/var/lib/firmware-bridge"))
    assert len(steps) == 5
    assert [step for step in steps if f"`{step.strip()}`" not in book] == []


@pytest.mark.parametrize("there", ["file", "directory", "nothing"])
def test_nobody_is_advised_to_move_what_never_was_a_journal(tmp_path: Path, there: str) -> None:
    directory = tmp_path / "etc"
    if there == "file":
        directory.touch()
    elif there == "directory":
        directory.mkdir()
        (directory / "passwd").touch()
    error = str(refusal(NotADirectoryError(20, "Not a directory"), directory))
    assert error == f"{directory}: Not a directory; use a directory of its own: [journal] dir"


def test_a_removed_journal_that_the_backend_has_is_reported(table: DaemonTable, shoe: command.Run) -> None:
    table.start().deal("9s Td Ts Tc 2s")
    table.until(lambda: (table.journal_dir / "cursor").read_bytes())
    table.stop()
    journal_files(table.journal_dir)[-1].unlink()
    level, text, _ = journal(shoe, table)
    assert (level, "are missing" in text) == ("FAIL", True)


def test_a_journal_that_cannot_be_read_is_reported(
    table: DaemonTable, shoe: command.Run, mocker: MockerFixture
) -> None:
    table.start().deal("9s Td Ts Tc 2s")
    table.stop()
    mocker.patch("firmware_bridge.journal.recovery.read_lines", side_effect=OSError(5, "Input/output error"))
    level, text, remedy = journal(shoe, table)
    assert (level, text) == ("FAIL", "the journal cannot be read ([Errno 5] Input/output error)")
    assert "if dmesg shows errors of the SD card" in remedy


def test_a_new_device_has_no_journal_to_check(table: DaemonTable, shoe: command.Run) -> None:
    checks = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    assert "journal" not in {each["name"] for each in checks}


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[1_500] ^= 1
    path.write_bytes(data)


def make_unreadable(path: Path) -> None:
    """A directory of this name cannot be read as a file, whoever asks."""
    path.unlink()
    path.symlink_to(path.parent)


SPOILED: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "a bit flipped": (flip, "journal_damaged", ": the checksum is wrong"),
    "removed": (Path.unlink, "journal_missing", " is missing"),
    "unreadable": (make_unreadable, "journal_missing", " is missing"),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_an_old_journal_that_is_spoiled_before_it_was_sent_is_named_and_all_else_is_sent(
    table: DaemonTable, broker: Broker, backend: Backend, shoe: command.Run, spoiled: str
) -> None:
    spoil, alarm, what = SPOILED[spoiled]
    table.start().deal("9s Td Ts Tc")
    broker.stop()
    for _ in range(5):
        assert shoe("do", "close-shoe", "--by", "anna", "--config", table.config_path).code == 0
        table.deal("9s Td Ts Tc")
    files = journal_files(table.journal_dir)
    path = files[3]
    spoil(path)
    broker.start()
    table.until(lambda: any(each["journal"].startswith("6-") for each in backend.on("round")))
    table.until(lambda: [each["id"] for each in backend.on("alarm")[-1]["open"]] == [alarm])
    (raised,) = backend.on("alarm")[-1]["open"]
    words = about("en", alarm, raised["values"])
    assert path.name in words
    assert what in words
    assert (raised["blocks"], raised["severity"]) == (False, "warning")
    status = table.ask(do="status")
    assert (status["mode"], status["broker"]["up"]) == ("FULL", True)
    sent = {each["journal"][:1] for each in backend.on("event")}
    assert sent >= {"4", "5", "6"} | ({"3"} if alarm == "journal_damaged" else set())
    table.deal("9s Td Ts Tc")
    table.until(lambda: any(each["journal"].startswith("6-") and each["round"] == 2 for each in backend.on("round")))
    table.stop()
    table.start()
    known = len(backend.on("alarm"))
    table.until(lambda: len(backend.on("alarm")) > known and backend.on("status")[-1]["state"] == "online")
    again = [each["id"] for each in table.ask(do="status")["alarm"]["open"]]
    assert again == ["journal_missing"] * (alarm == "journal_missing")
