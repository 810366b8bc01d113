"""`shoe journal verify` on several processes: the same words, whatever is wrong with which file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.journal.files import journal_files, journal_id
from tests.kit import command
from tests.kit.delivered_record import delivered, record

shoe = command.shoe  # fixture

SHOES = 9
JOBS = 3


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The files of a table that was commissioned and then had nine shoes, each with a card that was burned sealed."""
    (tmp_path / "j").mkdir()
    for _ in range(SHOES):
        record(tmp_path / "j", "shoe 5c 2d2d2d2d2d 9sTdTsTc 3s4h5d !void misread")
    return list(journal_files(tmp_path / "j"))


def damaged(files: list[Path]) -> None:
    data = bytearray(files[6].read_bytes())
    data[len(data) // 3] ^= 1
    files[6].write_bytes(data)
    files[8].write_bytes(b"rubbish\n")


def cut(files: list[Path]) -> None:
    files[3].write_bytes(files[3].read_bytes()[:-9])


def judged_otherwise(files: list[Path]) -> None:
    for path in (files[4], files[7]):
        path.write_bytes(path.read_bytes().replace(b'"input":{"type":"CardRead"', b'"input":{"type":"CardSeen"'))


def gone(files: list[Path]) -> None:
    files[5].unlink()


def newest_gone(files: list[Path]) -> None:
    delivered(files[0].parent, journal_id(files[-1]), 3)
    files[-1].unlink()


def not_there(files: list[Path]) -> None:
    files[2].unlink()
    files[2].symlink_to("nowhere")


CASES: dict[str, Callable[[list[Path]], None]] = {
    "nothing": lambda files: None,
    "a file is damaged, another one too": damaged,
    "a file that is not the last is cut": cut,
    "a file is gone": gone,
    "the newest is gone": newest_gone,
    "a file cannot be read": not_there,
    "inputs were changed": judged_otherwise,
}


@pytest.mark.parametrize("how", [[], ["--replay"], ["--replay", "--json"], ["--head", f"3:{'0' * 64}"]], ids=" ".join)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_verdicts_are_those_of_one_process(
    shoe: command.Run, files: list[Path], case: Callable[[list[Path]], None], how: list[str]
) -> None:
    case(files)
    words = ("journal", "verify", "--dir", files[0].parent, *how)
    alone = shoe(*words, "--jobs", 1)
    assert len(alone.out.splitlines()) > 2
    assert shoe(*words, "--jobs", JOBS) == alone


def test_a_head_is_found_by_whichever_process_meets_it(shoe: command.Run, files: list[Path]) -> None:
    words = ("journal", "verify", "--dir", files[0].parent, "--jobs", JOBS)
    for line in shoe("journal", "list", "--dir", files[0].parent, "--json").json:
        assert shoe(*words, "--head", line["head"]).code == 0


def test_files_may_be_named_in_any_order(shoe: command.Run, files: list[Path]) -> None:
    for names in (["3", "4", "5", "1", "2", "9", "8"], ["2", "2", "3"], ["7"]):
        words = ("journal", "verify", "--dir", files[0].parent, "--replay", *names)
        assert shoe(*words, "--jobs", JOBS) == shoe(*words, "--jobs", 1)
