"""`shoe journal verify`: a whole record is proved, and every change is found in its line."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.journal.files import journal_id
from tests.cli.journal import kept_files
from tests.cli.journal.kept_files import count, edit, forged, rechained
from tests.kit import command
from tests.kit.delivered_record import delivered

shoe, files, journal = command.shoe, kept_files.files, kept_files.journal  # fixtures


def test_verify_proves_a_whole_record_while_the_daemon_holds_its_lock(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    with (files[0].parent / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = journal("verify", "--replay")
    assert ran.code == 0, ran.out
    assert re.fullmatch(r"(OK .* chain, commitments, judged again\n){3}head \d+:[0-9a-f]{64}\n", ran.out)


@pytest.mark.parametrize("number", [1, 2, 3, -1], ids=["first", "second", "third", "last"])
def test_one_flipped_bit_is_found_in_its_line(
    files: list[Path], journal: Callable[..., command.Ran], number: int
) -> None:
    number = number % (count(files[1]) + 1)
    edit(files[1], number, lambda line: line[:90] + bytes([line[90] ^ 1]) + line[91:])
    ran = journal("verify")
    assert ran.code == 1
    assert ran.out.splitlines()[-1].startswith(f"FAIL  {files[1].name}, line {number}: the checksum is wrong")


def test_programs_get_a_verdict_per_journal(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    verdicts = journal("verify", "--json").json
    assert [verdict["file"] for verdict in verdicts] == [path.name for path in files]
    assert verdicts[-1]["head"] == journal("list", "--json").json[-1]["head"]
    edit(files[1], 2, lambda line: b"x" + line)
    ran = journal("verify", "--json")
    assert ran.code == 1
    assert [verdict["fault"] is None for verdict in ran.json] == [True, False]
    edit(files[1], 1, lambda line: b"x" + line)
    assert "line format" in journal("list").out


def test_the_name_of_a_file_moves_no_cursor(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    ran = journal("verify", files[0].rename(files[0].with_name("copy\x1b[2J")))
    assert r"copy\x1b[2J: " in ran.out
    assert "\x1b" not in ran.out


def test_a_forged_line_breaks_the_chain(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    edit(files[1], 2, lambda line: forged(line, b'"9s"', b'"8s"'))
    assert f"FAIL  {files[1].name}, line 2: it does not follow the line before it" in journal("verify").out


def test_a_removed_line_breaks_the_numbers(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    edit(files[1], 3, lambda line: b"")
    assert f"FAIL  {files[1].name}, line 3: it says it is entry 4" in journal("verify").out


def test_a_tail_removed_from_an_older_journal_breaks_the_chain_of_the_next(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    edit(files[1], count(files[1]), lambda line: b"")
    assert f"FAIL  {files[2].name}, line 1: it does not follow the journal before it" in journal("verify").out


def test_a_removed_journal_is_missed(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    files[1].unlink()
    assert f"FAIL  {files[2].name}, line 1: journal 2 does not follow 0-" in journal("verify").out
    assert journal("verify", "2").code == 0


def test_the_newest_journal_removed_is_missed_by_the_cursor(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    delivered(files[0].parent, journal_id(files[2]), 4)
    files[2].unlink()
    ran = journal("verify")
    assert ran.code == 1
    assert f"journal {journal_id(files[2])} is missing" in ran.out


def test_a_torn_tail_is_distinguished_from_a_removed_one_by_the_cursor(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    last = count(files[2])
    delivered(files[0].parent, journal_id(files[2]), last - 1)
    edit(files[2], last, lambda line: line[:40])
    ran = journal("verify")
    assert ran.code == 0
    assert f"WARN  {files[2].name}, line {last}: unfinished (40 bytes): the power failed" in ran.out
    delivered(files[0].parent, journal_id(files[2]), last)
    ran = journal("verify")
    assert ran.code == 1
    assert f"FAIL  {files[2].name}, line {last}: missing, but the broker received line {last}" in ran.out


def test_a_cut_export_is_no_torn_tail(files: list[Path], journal: Callable[..., command.Ran], tmp_path: Path) -> None:
    journal("export", "2", "-o", tmp_path / "outside")
    (tmp_path / "outside").write_bytes((tmp_path / "outside").read_bytes()[:-3])
    assert f"FAIL  outside, line {count(files[2])}: unfinished" in journal("verify", tmp_path / "outside").out


def test_a_head_written_down_finds_a_record_cut_short(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    head = journal("list", "--json").json[-1]["head"]
    seq, chain = head.split(":")
    assert journal("verify", "--head", head).code == 0
    assert journal("verify", "--head", f"{seq}:{chain[::-1]}").code == 1
    edit(files[2], count(files[2]), lambda line: b"")
    ran = journal("verify", "--head", head)
    assert ran.code == 1
    assert f"FAIL  head {head} is in none of these journals, the last one has no such entry" in ran.out


def test_a_sealed_card_changed_later_is_not_the_one_committed_to(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    number = next(n for n, line in enumerate(files[2].read_bytes().splitlines(), 1) if b'"secrets"' in line)
    edit(files[2], number, lambda line: forged(line, b'{"card":"2d"', b'{"card":"3d"'))
    assert f"FAIL  {files[2].name}, line {number}: it does not follow the line before it" in journal("verify").out
    edit(files[2], number, lambda line: forged(line, b'{"card":"3d"', b'{"card":"2d"'))
    rechained(files[2:], number, b'{"card":"2d"', b'{"card":"3d"')
    ran = journal("verify")
    assert ran.code == 1
    assert f"FAIL  {files[2].name}, line {number}: a card is not the one that line {number} committed to" in ran.out


def test_an_input_changed_later_is_judged_differently(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    number = next(n for n, line in enumerate(files[1].read_bytes().splitlines(), 1) if b'"CardRead"' in line)
    rechained(files[1:], number, b'{"type":"CardRead"', b'{"type":"CardUnread","reason":"x"')
    assert journal("verify").code == 0
    ran = journal("verify", "--replay")
    assert ran.code == 1
    assert f"FAIL  {files[1].name}, line {number}: judged again, CardUnread has another result" in ran.out


def test_another_software_version_is_a_warning(
    files: list[Path], journal: Callable[..., command.Ran], mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.journal.rejudge.__version__", "99.0")
    number = next(n for n, line in enumerate(files[1].read_bytes().splitlines(), 1) if b'"CardRead"' in line)
    rechained(files[1:], number, b'{"type":"CardRead"', b'{"type":"CardUnread","reason":"x"')
    ran = journal("verify", "--replay")
    assert ran.code == 0
    assert f"WARN  {files[1].name}, line {number}: version 99.0 judges it differently" in ran.out
