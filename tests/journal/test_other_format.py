"""Journals of another format are refused, and nothing is written beside them."""

from pathlib import Path
from zlib import crc32

import pytest

from firmware_bridge.config.calibration import FILE
from firmware_bridge.daemon.table.opening import _opened
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor, CursorFile
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.recovery import verify_newest
from tests.kit.journal_record import Record
from tests.kit.trees import tree

LINE = b'%d\t00000000\t%b\t{"v":1}\t{"input":{"type":"TimePassed","at":0}}\n'
NAMES = ["00000000-aa.journal", "00000001-bb.journal", "00000002-cc.journal"]


def line(version: int) -> bytes:
    return LINE % (version, b"0" * 64)


@pytest.fixture(params=[1, 2, 5])
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def other(tmp_path: Path, version: int) -> Path:
    """The directory of a table that played two shoes with other software; the last file was torn at once."""
    for name in NAMES:
        (tmp_path / name).write_bytes(line(version) * 3 if name != NAMES[-1] else line(version)[:20])
    cursor = CursorFile(tmp_path / "cursor")
    cursor.store(Cursor("1-bb", 3))
    cursor.close()
    (tmp_path / FILE).write_text("# kept")
    (tmp_path / "spare").write_bytes(b"\n" * 512)
    return tmp_path


@pytest.mark.parametrize("there", [NAMES, NAMES[:1], NAMES[-1:]])
def test_a_start_refuses_them_and_writes_nothing(other: Path, version: int, there: list[str]) -> None:
    for name in set(NAMES) - set(there):
        (other / name).unlink()
    before = tree(other)
    for _ in range(2):
        with pytest.raises(JournalError) as refused:
            _opened(Journal(other), "T07")
        assert tree(other) == before
    found = f"{there[0]} is a journal of format {version}, and this version reads formats 3 and 4"
    assert refused.value.what == found
    assert refused.value.hint.startswith("install the version that wrote it; if you cannot, continue with a new record")
    with pytest.raises(JournalError, match=found):
        verify_newest(other, None)
    assert tree(other) == before


@pytest.mark.parametrize("place", [0, -1])
def test_one_beside_ours_is_refused(tmp_path: Path, version: int, place: int) -> None:
    Record(tmp_path).begin().deal("9sTdTsTc").close()
    (tmp_path / ("00000000-00.journal" if place == 0 else "00000099-ff.journal")).write_bytes(line(version))
    before = tree(tmp_path)
    with pytest.raises(JournalError, match=f"a journal of format {version},"):
        _opened(Journal(tmp_path), "T07")
    assert tree(tmp_path) == before


def test_a_file_without_a_beginning_has_no_format(tmp_path: Path) -> None:
    Record(tmp_path).begin().deal("9sTdTsTc").close()
    (tmp_path / "00000099-ff.journal").write_bytes(b"\n" * 512)
    opened = _opened(Journal(tmp_path), "T07")
    opened.cursor.close()


def test_a_line_of_a_newer_format_is_read_by_nobody(tmp_path: Path) -> None:
    path = Record(tmp_path).begin().deal("9s").close()[-1]
    *_, chain, shown, hidden, proof = path.read_bytes().splitlines()[0].rstrip(b" ").split(b"\t")
    body = b"\t".join((chain, shown, hidden, proof))
    path.write_bytes(b"5\t%08x\t%b\n" % (crc32(b"5" + body), body))
    with pytest.raises(
        JournalError, match="line format b'5' is not b'3' or b'4'; read it with the software that wrote it"
    ):
        Journal(tmp_path).open(None)
    assert path.exists()
