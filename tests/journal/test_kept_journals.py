"""Journals of the version before: this one reads and verifies them, and a table goes on with its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs, orders
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import FORMAT, format_of
from firmware_bridge.record import verify
from firmware_bridge.record.signer import Signer, signer
from tests.kit import kept_formats as kept
from tests.kit.command import Run, shoe  # noqa: F401  # fixture
from tests.kit.delivered_record import NoLamps

TABLES: Final = [f"T{number:02}" for number in range(5)]
"""One of each game."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {each.name: each for each in kept.journals(tmp_path_factory.mktemp("journals"))}


@pytest.mark.parametrize("table", TABLES)
def test_it_is_verified_and_judged_again(tables: dict[str, Path], table: str, shoe: Run, mocker: MockerFixture) -> None:  # noqa: F811
    mocker.patch("firmware_bridge.journal.audit.__version__", "the next one")
    ran = shoe("journal", "verify", "--replay", "--jobs", "1", "--dir", tables[table])
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out


@pytest.mark.parametrize("table", TABLES)
def test_it_gives_its_messages_again(tables: dict[str, Path], table: str, shoe: Run) -> None:  # noqa: F811
    paths = journal_files(tables[table])[1:]
    sent = [each for path in paths for each in shoe("replay", path).json]
    rounds = [each["payload"] for each in sent if each["topic"] == "round"]
    assert {(each["table"], each["v"]) for each in rounds} == {(table, 1)}
    assert len({(each["shoe"], each["round"]) for each in rounds}) >= 4
    published = [each["payload"] for each in sent if each["topic"] in ("event", "round")]
    assert [each["event"]["answer"]["error"] for each in published if "void by" in str(each.get("event"))]


def verified(folder: Path, files: list[Path], shoe: Run, vkey: str) -> tuple[int, str]:  # noqa: F811
    exports = []
    for number, path in enumerate(files):
        exports.append(folder / f"{number}.export")
        assert shoe("journal", "export", path, "-o", exports[-1]).code == 0
    (folder / "keys.txt").write_text(f"log {vkey}\nquorum none\n")
    command = [sys.executable, "-I", "-S", str(verify.__file__), "--policy", str(folder / "keys.txt"), "--no-witness"]
    done = subprocess.run([*command, *map(str, exports)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def device(table: str) -> Signer:
    return signer(f"shoe.invalid/{table}/b007", bytes(range(32)))


def test_the_auditor_verifies_it(tables: dict[str, Path], tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    code, said = verified(tmp_path, journal_files(tables["T01"]), shoe, device("T01").key.vkey)
    assert code == 7, said  # a table in play
    whole = journal_files(tables["T01"])[:-1]
    code, said = verified(tmp_path, whole, shoe, device("T01").key.vkey)
    assert (code, "all verified" in said) == (0, True), said


def test_a_table_goes_on_in_its_file_and_begins_the_next_in_the_present_format(
    tmp_path: Path,
    shoe: Run,  # noqa: F811
) -> None:
    table, folder = "T01", kept.journals(tmp_path / "before")[1]
    before = {path: path.read_bytes() for path in journal_files(folder)}
    newest = journal_files(folder)[-1]
    journal, loop = Journal(folder).open(None), asyncio.new_event_loop()
    journal.tree.signers = (device(table),)
    there = Table(journal, table, NoLamps(), lambda _: None, lambda _: lambda: None, lambda: None, loop)
    assert there.shoe.status == "open"
    there.start(there.shoe.device.next_house)
    for order in (orders.CloseShoe("worn"), orders.OpenShoe()):
        there.handle(replace(inputs.Ordered(at=0, order=order, by="ANNA", nonce=nonce()), **now()))
    there.close()
    journal.close()
    loop.close()
    assert newest.read_bytes().startswith(before[newest].rstrip(b"\n "))
    assert all(path.read_bytes() == data for path, data in before.items() if path != newest)
    [later] = set(journal_files(folder)) - set(before)
    assert format_of(later.read_bytes()) == FORMAT
    assert {format_of(line) for line in newest.read_bytes().splitlines() if line} == {3}
    ran = shoe("journal", "verify", "--jobs", "1", "--dir", folder)
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
