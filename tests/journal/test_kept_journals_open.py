"""Kept journals of both formats: a table goes on with its own, in the format of the file, and in the next one."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table.broker_outage import BrokerOutage
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.cards import cards
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import (
    BEFORE,
    FORMAT,
    Line,
    format_of,
)
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.resend import lines_of, ranges
from tests.journal.test_kept_journals import TABLES, device, formats, verified, warnings_of
from tests.kit import kept_formats as kept
from tests.kit.command import Run, shoe  # noqa: F401  # fixture
from tests.kit.delivered_record import NoLamps


class GoingOn:
    """A table of this version on a journal of the one before, until `close`. sent: payloads of its messages."""

    def __init__(self, folder: Path) -> None:
        self.loop, self.sent = asyncio.new_event_loop(), list[dict[str, Any]]()
        self.journal, lamps = Journal(folder).open(None), NoLamps()
        self.journal.tree.signers = (device(folder.name),)
        self.table = Table(
            self.journal, folder.name, lamps, lambda _: None, self._publishing, lambda: None, self.loop, False
        )
        self.table.start(self.table.shoe.device.next_house)

    def order(self, order: orders.Order) -> None:
        self.table.handle(replace(inputs.Ordered(at=0, order=order, by="ANNA", nonce=nonce()), **now()))

    def trouble(self) -> None:
        """Alarms with phrases, a refused key, a refused order, and one that cannot be carried out."""
        flood, gone = phrase("too_many_reports", most=10, seconds=10), phrase("port_gone", port="/dev/x", error="EIO")
        self.table.handle(inputs.ReaderFaulted(**now(), code=flood.code, values=flood.values))
        self.table.handle(inputs.DeviceLost(**now(), device="reader", code=gone.code, values=gone.values))
        self.table.handle(replace(inputs.CardRead(at=0, card=cards("2c")[0], nonce=nonce(), gap=True), **now()))
        self.table.handle(inputs.Pressed(**now(), key="reveal", nonce=nonce()))
        self.order(orders.Correct(99, ("2c",), "no such round"))
        self.order(orders.malformed("void", "field_unknown", name="wy", todo=phrase("did_you_mean", word="why")))

    def close(self) -> None:
        self.table.close()
        self.journal.close()
        self.loop.close()

    def _publishing(self, line: Line) -> Callable[[], None]:
        return lambda: self.sent.extend(json.loads(each.payload) for each in messages(line))


def new_lines(path: Path, before: dict[Path, bytes]) -> list[bytes]:
    data = path.read_bytes()
    assert data.startswith(before[path].rstrip(b"\n "))
    return [each.rstrip(b" ") for each in data[len(before[path]) :].splitlines() if each.strip()]


@pytest.mark.parametrize("table", TABLES)
def test_inside_an_open_file_all_is_as_the_version_before_reads_it(tmp_path: Path, shoe: Run, table: str) -> None:  # noqa: F811
    folder = kept.journals(tmp_path)[TABLES.index(table)]
    before = {path: path.read_bytes() for path in journal_files(folder)}
    there = GoingOn(folder)
    there.trouble()
    there.close()
    assert journal_files(folder) == list(before)
    lines = new_lines(list(before)[-1], before)
    assert len(lines) >= 5
    assert [fault for each in lines for fault in kept.unread_before(each)] == []
    assert {format_of(each) for each in lines} == {BEFORE}
    assert {each["v"] for each in there.sent} == {1}
    kinds = {each["event"]["type"] for each in there.sent if "event" in each}
    assert kinds >= {"BridgeStarted", "Irregular", "KeyRefused", "CommandAnswered"}
    ran = shoe("journal", "verify", "--replay", "--jobs", "1", "--dir", folder)
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
    old = sum(len([each for each in data.splitlines() if each.strip()]) for data in before.values())
    assert warnings_of(folder, since=old) == []
    again = GoingOn(folder)  # it folds to what it was
    assert (
        again.table.shoe.device.irregular[: len(there.table.shoe.device.irregular)] == there.table.shoe.device.irregular
    )
    again.close()


@pytest.mark.parametrize("number", [3, 4])
def test_an_outage_is_on_record_once_for_one_reason(tmp_path: Path, number: int) -> None:
    """However often the broker takes the connection and ends it again, and over a restart."""
    folder, why = kept.journals(tmp_path, number)[1], phrase("refused", at="broker:1883")
    for entries in (1, 0):
        there = GoingOn(folder)
        begun, ups = there.table.shoe.seq, [False]
        outage = BrokerOutage(there.table, lambda ups=ups: ups[-1], lambda: False, there.loop)  # type: ignore[misc]
        for each in (why, phrase("refused", at="broker:1883")):
            outage.warn(each)
            there.loop.run_until_complete(asyncio.sleep(0))
        for _ in range(4):
            ups.append(True)
            outage.up()
            ups.append(False)
            outage.down(why)
            there.loop.run_until_complete(asyncio.sleep(0))
        assert there.table.shoe.seq - begun == entries
        outage.down(phrase("timeout", at="broker:1883"))
        there.loop.run_until_complete(asyncio.sleep(0))
        assert there.table.shoe.seq - begun == entries + 2
        outage.warn(why)
        there.loop.run_until_complete(asyncio.sleep(0))
        outage.close()
        there.close()


@pytest.mark.parametrize("number", [3, 4])
def test_a_round_is_void_without_a_word(tmp_path: Path, number: int) -> None:
    there = GoingOn(kept.journals(tmp_path, number)[1])
    there.table.handle(replace(inputs.CardRead(at=0, card=cards("2c")[0], nonce=nonce()), **now()))
    there.order(orders.Void(""))
    [void] = [each for each in there.sent if each.get("status") == "voided"]
    assert void["why"] == ([""] if number == BEFORE else [])
    there.close()


def test_the_verifier_of_before_takes_a_shoe_that_goes_on_and_refuses_the_next_file(tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    folder = kept.journals(tmp_path / "before")[1]
    before, vkey, old = journal_files(folder), device("T01").key.vkey, kept.verifier_before(tmp_path)
    open_shoe = kept.journals(tmp_path / "open")[1]
    there = GoingOn(open_shoe)
    there.trouble()
    there.close()
    code, said = verified(tmp_path, journal_files(open_shoe), shoe, vkey, old)
    assert (code, "T01: verified up to entry" in said) == (7, True), said
    there = GoingOn(folder)
    there.order(orders.CloseShoe("worn"))
    code, said = verified(tmp_path, before, shoe, vkey, old)
    assert (code, "all verified" in said) == (0, True), said
    there.order(orders.OpenShoe())
    there.close()
    code, said = verified(tmp_path, journal_files(folder), shoe, vkey, old)
    assert (code, "line 1: line format b'4' is not b'3'" in said) == (1, True), said


@pytest.mark.parametrize("table", TABLES)
def test_a_table_goes_on_in_its_file_of_the_present_format(tmp_path: Path, shoe: Run, table: str) -> None:  # noqa: F811
    folder = kept.journals(tmp_path, FORMAT)[TABLES.index(table)]
    before = {path: path.read_bytes() for path in journal_files(folder)}
    there = GoingOn(folder)
    there.trouble()
    there.close()
    assert journal_files(folder) == list(before)
    assert len(new_lines(list(before)[-1], before)) >= 4
    assert formats(list(before)[-1]) == {FORMAT}
    assert {each["v"] for each in there.sent} == {2}
    ran = shoe("journal", "verify", "--replay", "--jobs", "1", "--dir", folder)
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
    again = GoingOn(folder)  # it folds to what it was
    kept_on = there.table.shoe.device.irregular
    assert again.table.shoe.device.irregular[: len(kept_on)] == kept_on
    again.close()


def test_the_next_file_is_of_the_present_format(tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    folder = kept.journals(tmp_path / "before")[1]
    before = {path: path.read_bytes() for path in journal_files(folder)}
    newest = journal_files(folder)[-1]
    there = GoingOn(folder)
    there.order(orders.CloseShoe("worn"))
    sent = len(there.sent)
    there.order(orders.OpenShoe())
    there.trouble()
    there.close()
    assert ({each["v"] for each in there.sent[:sent]}, {each["v"] for each in there.sent[sent:]}) == ({1}, {2})
    assert all(path.read_bytes() == data for path, data in before.items() if path != newest)
    [later] = set(journal_files(folder)) - set(before)
    assert (formats(newest), formats(later)) == ({BEFORE}, {FORMAT})
    ran = shoe("journal", "verify", "--jobs", "1", "--dir", folder)
    assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
    code, said = verified(tmp_path, journal_files(folder), shoe, device("T01").key.vkey)
    assert code == 7, said  # a table in play, over files of both
    ran = shoe("journal", "list", "--dir", folder)
    assert (ran.code, len(ran.out.splitlines()) >= len(before) + 1) == (0, True), ran.out
    parts = ranges(folder, orders.Resend(since="2020-01-01T00:00:00Z"), "T01")
    again = {line.public.v for part in parts for line in lines_of(folder, part, lambda _: None)}
    assert again == {1, 2}


def test_a_file_whose_format_changes_is_not_verified(tmp_path: Path, mocker: MockerFixture, shoe: Run) -> None:  # noqa: F811
    """Also where the table signed it: what a shoe says has one form from its first entry to its last."""
    folder = kept.journals(tmp_path)[1]
    [*_, newest] = journal_files(folder)
    lines = len([each for each in newest.read_bytes().splitlines() if each.strip()])
    mocker.patch.object(Journal, "format_for", return_value=FORMAT)
    there = GoingOn(folder)
    there.trouble()
    there.close()
    assert formats(newest) == {BEFORE, FORMAT}
    ran = shoe("journal", "verify", "--jobs", "1", "--dir", folder)
    assert (ran.code, f"{newest.name}, line {lines + 1}: its format is not that of" in ran.out) == (1, True), ran.out


STEPS: Final = ("pwrite", "fdatasync", "rename", "fsync")
"""What a table does to the disk at a change of files."""


def killed_at(folder: Path, step: int) -> bool:
    """Begin the next file in a process that is killed before its `step`-th write; return whether it came that far."""
    if (child := os.fork()) == 0:
        left = count(step, -1)

        def before(real: Callable[..., Any]) -> Callable[..., Any]:
            def then(*words: Any) -> Any:
                if next(left) == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*words)

            return then

        try:
            there = GoingOn(folder)
            there.order(orders.CloseShoe("worn"))
            for name in STEPS:
                vars(os)[name] = before(getattr(os, name))
            there.order(orders.OpenShoe())
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_killed_at_the_change_of_files_it_goes_on_in_the_one_or_the_other(tmp_path: Path, shoe: Run) -> None:  # noqa: F811
    [source, *_] = kept.journals(tmp_path / "before")[1:2]
    found = []
    for step in count():
        folder = tmp_path / str(step) / source.name
        shutil.copytree(source, folder)
        was_killed = killed_at(folder, step)
        there = GoingOn(folder)
        there.trouble()
        there.close()
        assert all(len(formats(path)) == 1 for path in journal_files(folder))
        found.append(formats(journal_files(folder)[-1]))
        ran = shoe("journal", "verify", "--jobs", "1", "--dir", folder)
        assert (ran.code, "FAIL" in ran.out) == (0, False), ran.out
        if not was_killed:
            break
    assert (found[0], found[-1], len(found) > 3) == ({BEFORE}, {FORMAT}, True)
    assert found == sorted(found, key=max)  # type: ignore[arg-type]  # each has a format
