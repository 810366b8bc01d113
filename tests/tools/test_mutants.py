"""A mutation is found by its names after its file has moved, and refused where two places have them."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

import pytest

from tests.tools.mutants import __main__ as repeating
from tests.tools.mutants.pick import candidates
from tests.tools.mutants.places import Mutated, Mutation, NotFound, edited, mutated, text_of
from tests.tools.mutants.trial import Copy

SOURCE = '''"""A till."""

class Till:
    """Takes coins."""

    def take(self, coins: int) -> bool:
        """Take coins."""
        if coins < self.least:
            return False
        self.total += coins
        return coins < self.least or self.is_full
'''
TAKE = Mutation(
    room="firmware_bridge/till",
    file="firmware_bridge/till/till.py",
    place="Till.take",
    operator="comparison swapped",
    was="coins < self.least",
    becomes="coins <= self.least",
    occurrence=1,
    is_statement=False,
)


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / "firmware_bridge" / name.replace("__", "/")
        path = path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_place_that_stayed_is_mutated_at_its_occurrence(tmp_path: Path) -> None:
    found = mutated(tree(tmp_path, till__till=SOURCE), TAKE)
    assert found.how == "by name and file"
    expected = SOURCE.replace("return coins < self.least", "return (coins <= self.least)")
    assert edited(SOURCE.encode(), found.edit).decode() == expected


def test_a_place_that_moved_is_found_by_name(tmp_path: Path) -> None:
    found = mutated(tree(tmp_path, cash=SOURCE, till__till="", other=SOURCE.replace("Till", "Drawer")), TAKE)
    assert (found.path.name, found.how) == ("cash.py", "by name")


def test_a_place_that_was_renamed_is_found_by_its_likeness(tmp_path: Path) -> None:
    other = "def give(self, coins: int) -> bool:\n    return coins < self.least"
    root = tree(tmp_path, cash=SOURCE.replace("Till", "Drawer").replace("take", "receive"), other=other)
    assert mutated(root, TAKE, text_of(SOURCE, "Till.take")).how.startswith("Drawer.receive, alike by 0.9")
    with pytest.raises(NotFound, match="gone"):
        mutated(root, TAKE, "def pay() -> None: ...")


def test_an_occurrence_that_went_is_said(tmp_path: Path) -> None:
    text = SOURCE.replace(" < self.least or", " < self.most or")
    assert mutated(tree(tmp_path, till__till=text), TAKE).how == "by name and file, last one"


def test_two_places_are_ambiguous_and_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"ambiguous: firmware_bridge/cash\.py:Till\.take, firmware_bridge/safe\.py"):
        mutated(tree(tmp_path, cash=SOURCE, safe=SOURCE), TAKE)


def test_a_text_that_went_is_gone(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="gone"):
        mutated(tree(tmp_path, till__till=SOURCE.replace("<", ">")), TAKE)


def test_every_candidate_can_be_applied_and_changes_the_text(tmp_path: Path) -> None:
    root = tree(tmp_path, till__till=SOURCE)
    [file] = root.rglob("*.py")
    found = candidates(root, file)
    operators = {"comparison swapped", "True False", "plus minus", "returns None", "and or"}
    assert {each.operator for each in found} == operators
    for each in found:
        assert edited(SOURCE.encode(), mutated(root, each).edit) != SOURCE.encode()
    assert dataclasses.replace(TAKE, room="firmware_bridge/till") in found


def test_a_mutation_that_no_test_can_be_imported_with_is_caught(tmp_path: Path) -> None:
    """Then pytest calls a test that was named "not found", as it does where there is none."""
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    (tmp_path / "test_till.py").write_text("import nothing_of_this_name\n\ndef test_coins():\n    pass\n")
    (tmp_path / "test_other.py").write_text("def test_coins():\n    pass\n")
    copy = Copy.__new__(Copy)
    copy.root = tmp_path
    assert copy.failures(["test_till.py::test_coins"]) == ["test_till.py"]
    assert copy.failures(["test_other.py::test_coins", "test_other.py::test_notes"]) == []


def test_what_is_proved_is_kept_at_once_with_the_test_that_catches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeating, "RECORD", tmp_path / "mutants.jsonl")
    rows: list[repeating.Row] = [{"place": "Till.take", "by": "a::b"}, {"place": "Till.give", "by": "a::c"}]
    keep = repeating.keeping(rows, "0123456789ab")
    keep(rows[1], "a::d")
    assert repeating.RECORD.read_text() == (
        '{"place": "Till.take", "by": "a::b"}\n'
        '{"place": "Till.give", "by": "a::c", "since": "a::d", "proved": "0123456789ab"}\n'
    )
    keep(rows[0], "a::b")
    assert rows[0] == {"place": "Till.take", "by": "a::b", "proved": "0123456789ab"}


def test_a_run_that_was_broken_off_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = list[str]()
    args = argparse.Namespace(find=False, jobs=1, whole=False, day=False, pin=False)
    monkeypatch.setattr(repeating, "in_copies", lambda tree, rows, jobs, one: [one(True, row) for row in rows])
    monkeypatch.setattr(repeating, "mutated", lambda *_: Mutated(path=Path("till.py"), edit=(0, 0, b""), how="by name"))
    monkeypatch.setattr(repeating, "before", lambda row: "")
    monkeypatch.setattr(repeating, "caught_by_day", lambda copy, change, row, **how: (row["by"], False))
    rows = [{**dataclasses.asdict(TAKE), "by": by} for by in ("timeout", "a.py::b")]
    assert repeating.repeated(rows, {}, args, lambda row, by: kept.append(by)) == 2
    assert kept == ["a.py::b"]
    assert capsys.readouterr().out.splitlines()[-1] == "BROKEN OFF: 1, caught: 1"


def test_a_test_is_found_where_it_is_taken_from_another_file_and_where_it_has_moved() -> None:
    taken = "tests/floor/test_store.py::test_other_bytes_than_those_in_a_block_are_a_conflict_of_both"
    assert repeating.today([taken]) == [taken]
    here = "tests/tools/test_mutants.py::test_a_text_that_went_is_gone"
    assert repeating.today(["tests/core/test_moved.py::test_a_text_that_went_is_gone"]) == [here]
    assert repeating.today(["tests/core/test_moved.py::test_nothing"]) == []
