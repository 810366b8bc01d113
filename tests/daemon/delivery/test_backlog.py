"""Journals that are damaged, unreadable or missing before they were sent: each is reported, all else is sent."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.daemon.delivery.backlog import DAMAGED, MISSING, Backlog
from firmware_bridge.daemon.delivery.outbox import READ_AHEAD
from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.recovery import Salvage
from tests.daemon.delivery import wires
from tests.daemon.delivery.wires import SHOE, Wire

wire = wires.wire  # fixture

SHOES = 6
ROUNDS = "9s Td Ts Tc " * 4


@pytest.fixture
def away(wire: Wire) -> Wire:
    """The broker was away for six shoes: all their journals are on disk, none is sent."""
    for _ in range(SHOES):
        wire.deal(ROUNDS).record.open_shoe()
        wire.tell(wire.record.lines[-2:])
    return wire.deal("9s Td")


def reported(wire: Wire) -> list[tuple[str, Phrase | str]]:
    """The reports, as they come."""
    reports: list[tuple[str, Phrase | str]] = []
    wire.outbox._backlog._left_out = lambda alarm, what: reports.append((alarm, what))
    return reports


def file(wire: Wire, number: int) -> Path:
    return journal_files(wire.record.journal.directory)[number]


def all_but(wire: Wire, left_out: Callable[[Line], bool]) -> list[bytes]:
    return [each.payload for line in wire.record.lines if not left_out(line) for each in messages(line)]


def is_of(path: Path) -> Callable[[Line], bool]:
    return lambda line: line.public.journal == journal_id(path)


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def all_taken(wire: Wire, expected: list[bytes]) -> None:
    wire.outbox.up()
    wire.ack()
    assert wire.taken == expected
    assert not wire.outbox.waiting
    before = len(wire.taken)
    wire.deal("Ts").ack()
    assert len(wire.taken) == before + 1
    assert wire.outbox.acked == Cursor(wire.record.shoe.journal, wire.record.shoe.seq)


@pytest.mark.parametrize("entry", [1, 2, 9, 99])
@pytest.mark.parametrize("number", [0, 1, 3, SHOES])
def test_one_flipped_bit_leaves_out_one_entry(away: Wire, number: int, entry: int) -> None:
    path, reports = file(away, number), reported(away)
    lines = [line for line in away.record.lines if is_of(path)(line)]
    bad = lines[min(entry, len(lines)) - 1]
    flip(path, sum(len(line.data) for line in lines[: lines.index(bad)]) + 200)
    all_taken(away, all_but(away, lambda line: line is bad))
    assert reports == [(DAMAGED, f"{path.name}, line {bad.public.seq}: the checksum is wrong")]


def test_a_file_cut_off_in_the_middle_is_sent_up_to_there(away: Wire) -> None:
    path, reports = file(away, 2), reported(away)
    lines = [line for line in away.record.lines if is_of(path)(line)]
    keep = sum(len(line.data) for line in lines[:5])
    path.write_bytes(path.read_bytes()[: keep + 300])
    all_taken(away, all_but(away, lambda line: line in lines[5:]))
    assert [alarm for alarm, _ in reports] == [DAMAGED]
    assert path.name in str(reports[0][1])


@pytest.mark.parametrize("behind", [0, 7])
def test_a_file_that_cannot_be_read_leaves_out_its_rest(away: Wire, mocker: MockerFixture, behind: int) -> None:
    path, reports, real = file(away, 3), reported(away), Salvage.lines

    def lines(self: Salvage, source: Any) -> Iterator[Line]:
        for n, line in enumerate(real(self, source)):
            if self.name == path.name and n == behind:
                raise OSError(errno.EIO, "Input/output error")
            yield line

    mocker.patch.object(Salvage, "lines", lines)
    unread = [line for line in away.record.lines if is_of(path)(line)][behind:]
    all_taken(away, all_but(away, lambda line: line in unread))
    assert reports == [(DAMAGED, phrase("journal_unreadable", journal=path.name, error="Input/output error"))]


def test_a_machine_without_descriptors_leaves_out_nothing(away: Wire, mocker: MockerFixture) -> None:
    reports = reported(away)
    full = mocker.patch.object(Path, "open", side_effect=OSError(errno.EMFILE, "Too many open files"))
    away.outbox.up()
    assert (away.sent, reports) == ([], [])
    mocker.stop(full)
    away.deal("Ts").ack()
    assert away.taken == away.all
    assert reports == []


@pytest.mark.parametrize("gone", [(3,), (2, 4), (2, 3), (1, 2, 3, 4)])
def test_a_journal_that_was_removed_is_reported_by_its_name(away: Wire, gone: tuple[int, ...], tmp_path: Path) -> None:
    paths, reports = [file(away, number) for number in gone], reported(away)
    for path in paths:
        path.rename(tmp_path / path.name)
    all_taken(away, all_but(away, lambda line: any(is_of(path)(line) for path in paths)))
    assert reports == [(MISSING, phrase("journal_missing", journal=path.name)) for path in paths]


def test_the_file_that_is_being_sent_is_removed(away: Wire) -> None:
    reports = reported(away)
    away.outbox.up()
    away.ack(3)
    away.down()
    path = file(away, 0)
    assert away.outbox._acked_to
    now = away.outbox._acked_to.path
    path.unlink()
    assert now == path
    away.taken.clear()
    all_taken(away, all_but(away, is_of(path)))
    assert reports == [(MISSING, phrase("journal_missing", journal=path.name))]


def test_the_newest_file_is_removed(away: Wire) -> None:
    """What comes later is sent; the next shoe begins a file again."""
    path, reports = file(away, -1), reported(away)
    path.unlink()
    away.outbox.up()
    away.ack()
    assert away.taken == all_but(away, is_of(path))
    away.deal("Ts Tc").record.open_shoe()
    away.tell(away.record.lines[-2:])
    away.deal("Td").ack()
    assert away.taken[-1] == messages(away.record.lines[-1])[-1].payload
    assert not away.outbox.waiting
    assert (MISSING, phrase("journal_missing", journal=path.name)) in reports


def test_a_start_reports_what_is_missing_before_the_cursor(away: Wire) -> None:
    away.outbox.up()
    away.ack()
    path = file(away, 2)
    path.unlink()
    reports: list[tuple[str, Phrase | str]] = []
    Backlog(path.parent, lambda alarm, what: reports.append((alarm, what))).look()
    assert reports == [(MISSING, phrase("journal_missing", journal=f"journal {int(path.name[:8])}"))]


def test_many_missing_journals_are_reported_in_one_line(tmp_path: Path) -> None:
    reports: list[tuple[str, Phrase | str]] = []
    for number in (1, 99_999_999):
        (tmp_path / f"{number:08d}-ab.journal").touch()
    backlog = Backlog(tmp_path, lambda alarm, what: reports.append((alarm, what)))
    backlog.look()
    backlog.look()
    assert reports == [(MISSING, phrase("journals_missing", first=2, last=99999998))]


def test_old_journals_that_expired_are_not_missing(away: Wire) -> None:
    reports = reported(away)
    away.outbox.up()
    away.ack()
    for path in journal_files(away.record.journal.directory)[:3]:
        path.unlink()
    away.outbox._backlog.look()
    assert reports == []


def test_damage_is_read_past_in_small_parts(wire: Wire) -> None:
    """More lines than are read at a time lie before and behind it."""
    for _ in range(12):
        wire.deal(SHOE)
    assert len(wire.record.lines) > 2 * READ_AHEAD
    path, reports = file(wire, -1), reported(wire)
    lines = [line for line in wire.record.lines if is_of(path)(line)]
    bad = lines[READ_AHEAD]
    flip(path, sum(len(line.data) for line in lines[:READ_AHEAD]) + 100)
    wire.outbox.up()
    wire.ack()
    assert wire.taken == all_but(wire, lambda line: line is bad)
    assert len(reports) == 1
