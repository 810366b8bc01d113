"""The book of notes: each note in the source has the values of its row, and each row its English."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import firmware_bridge
from firmware_bridge.facts.book.notes import HELD, HELD_BEFORE, NOTES, NOTES_BEFORE

SHOE = Path(firmware_bridge.__file__).parent / "shoe"


def calls() -> Iterator[tuple[str, set[str] | None]]:
    """Code of each note in the source, and the names of its values; None where they are not written there."""
    for path in sorted(SHOE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "Noted":
                given = {each.arg: each.value for each in node.keywords}
                match given["code"], given.get("values"):
                    case ast.Constant(value=str(code)), None:
                        yield code, set()
                    case ast.Constant(value=str(code)), ast.Dict(keys=keys):
                        yield code, {str(getattr(key, "value", "")) for key in keys}
                    case ast.Constant(value=str(code)), _:
                        yield code, None


def test_each_note_has_the_values_of_its_row() -> None:
    found = list(calls())
    assert {code for code, _ in found} | {"test_cards", "test_cards_lent"} == set(NOTES)
    assert [(code, names) for code, names in found if names not in (None, set(NOTES[code]))] == []


def test_each_row_has_its_english_with_its_values() -> None:
    assert {
        code: {name for _, name, _, _ in Formatter().parse(english) if name} for code, english in NOTES_BEFORE.items()
    } == {code: set(row) for code, row in NOTES.items()}


def test_each_reason_to_hold_a_card_has_its_english_where_that_is_no_code() -> None:
    assert set(HELD_BEFORE) == set(HELD) - {"blocked"}
