"""Journals of an older format are moved aside with their cursor, whenever the power goes."""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from zlib import crc32

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.config.calibration import FILE
from firmware_bridge.daemon.table.opening import _opened
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor, CursorFile, read_cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.older import set_aside
from tests.disk_and_broker.record import Record

LINE = b'1\t00000000\t%b\t{"v":1}\t{"input":{"type":"TimePassed","at":0}}\n' % (b"0" * 64)
NAMES = ["00000000-aa.journal", "00000001-bb.journal", "00000002-cc.journal"]


class PowerCut(Exception):
    """Nothing more is done."""


def files(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The directory of a table that played two shoes with older software; the last file was torn at once."""
    for name in NAMES:
        (tmp_path / name).write_bytes(LINE * 3 if name != NAMES[-1] else LINE[:20])
    cursor = CursorFile(tmp_path / "cursor")
    cursor.store(Cursor("1-bb", 3))
    cursor.close()
    (tmp_path / FILE).write_text("# kept")
    return tmp_path


def is_aside(folder: Path, before: dict[str, bytes]) -> bool:
    moved = {f"v1/{name}" for name in (*NAMES, "cursor")}
    now = files(folder)
    return all(now.get(name) == before[name.removeprefix("v1/")] for name in moved) and FILE in now


def test_they_are_moved_with_their_cursor_and_a_new_record_begins(
    older: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = files(older)
    journal = Journal(older)
    opened = _opened(journal)
    assert (opened.cursor.value, opened.place, journal.shoe.journal) == (None, None, "")
    assert is_aside(older, before)
    assert journal.older == older / "v1"
    assert "a new record begins" in caplog.text
    assert "up to entry 3 of 1-bb" in caplog.text
    assert ((older / "v1").stat().st_mode & 0o777, journal_files(older)) == (0o700, [])
    opened.cursor.close()
    journal.close()
    record = Record(older, read_cursor(older / "cursor")).begin().deal("9sTdTsTc")
    assert [path.name[:9] for path in record.close()] == ["00000000-", "00000001-"]
    assert not set_aside(older), "what is of this format stays"
    assert is_aside(older, before)


def cut_at(step: int, mocker: MockerFixture) -> Iterator[None]:
    """The power goes at the step-th change of the directories."""
    steps = count(1)

    def counted(real: object) -> object:
        def call(*arguments: object, **more: object) -> object:
            if next(steps) == step:
                raise PowerCut
            return real(*arguments, **more)  # type: ignore[operator]

        return call

    for name in ("mkdir", "rename"):
        mocker.patch.object(Path, name, counted(getattr(Path, name)))
    mocker.patch("os.fsync", counted(os.fsync))
    yield
    mocker.stopall()


@pytest.mark.parametrize("step", range(1, 11))
def test_a_power_cut_in_the_middle_is_made_good_by_the_next_start(
    older: Path, mocker: MockerFixture, step: int
) -> None:
    before, cut = files(older), cut_at(step, mocker)
    next(cut)
    with suppress(PowerCut):
        set_aside(older)
    next(cut, None)
    assert set(files(older).values()) == set(before.values())
    journal = Journal(older)
    opened = _opened(journal)
    opened.cursor.close()
    journal.close()
    assert is_aside(older, before)
    assert opened.cursor.value is None


def test_a_second_move_keeps_what_the_first_one_moved(older: Path) -> None:
    set_aside(older)
    first = files(older / "v1")
    (older / "00000007-dd.journal").write_bytes(LINE)
    (older / "cursor").write_bytes(b"another")
    set_aside(older)
    now = files(older / "v1")
    assert now.items() >= first.items()
    assert now["cursor.2"] == b"another"
    assert now["00000007-dd.journal"] == LINE


def test_journals_of_a_newer_format_refuse(tmp_path: Path) -> None:
    path = Record(tmp_path).begin().deal("9s").close()[-1]
    *_, chain, shown, hidden = path.read_bytes().splitlines()[0].rstrip(b" ").split(b"\t")
    body = b"\t".join((chain, shown, hidden))
    path.write_bytes(b"3\t%08x\t%b\n" % (crc32(b"3" + body), body))
    with pytest.raises(JournalError, match="line format b'3' is not b'2'; read it with the software that wrote it"):
        Journal(tmp_path).open(None)
    assert path.exists()
