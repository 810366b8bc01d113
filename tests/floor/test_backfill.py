"""A back-fill from a journal with damage in it: what can be read is kept, and the rest is named."""

from pathlib import Path

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.journal.line import without_sealed
from firmware_bridge.journal.messages import messages
from tests.floor.journals import kept, made
from tests.kit.journal_record import Record


@pytest.mark.parametrize("damaged", [{3}, {1}, {2, 3, 6}, {7}])
@pytest.mark.parametrize("exported", [True, False])
def test_a_damaged_line_costs_no_other(
    damaged: set[int], exported: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "journal").mkdir()
    record = Record(tmp_path / "journal").begin().deal("9s Td Ts Tc 2s 3h")
    lines = [line for line in record.lines if line.public.journal == record.shoe.journal]
    record.close()
    assert len(lines) == 7
    written = [without_sealed(line) if exported else line.data for line in lines]
    text = [line.replace(b'"at":"20', b'"at":"21', 1) if n in damaged else line for n, line in enumerate(written, 1)]
    path = tmp_path / "T07.export"
    path.write_bytes(b"".join(text))
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path / "floor.db"}"\n')
    assert main(["--config", str(tmp_path / "floor.toml"), "backfill", str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.err.count("skipped: ") == len(damaged)
    assert f"line {min(damaged)}: the checksum is wrong" in printed.err
    left = [each for n, line in enumerate(lines, 1) if n not in damaged for each in messages(line)]
    assert f"{path}: {len(left)} new" in printed.out
    store = SqliteStore(tmp_path / "floor.db")
    assert kept(store) == made(left)
    store.close()


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letter").write_text("Dear Sir or Madam,\n" * 100)
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path / "floor.db"}"\n')
    assert main(["--config", str(tmp_path / "floor.toml"), "backfill", str(tmp_path / "letter")]) == 1
    assert "letter, line 1: not a whole line" in capsys.readouterr().err
