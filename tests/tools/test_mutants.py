"""A mutation is found by its names after its file has moved, and refused where two places have them."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from tests.tools.mutants.pick import candidates
from tests.tools.mutants.places import Mutation, NotFound, edited, mutated, text_of
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
