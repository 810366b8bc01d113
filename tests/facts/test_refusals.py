"""The book of refusals: each refusal in the source has the values of its row, and each row its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Final

import pytest

import firmware_bridge
from firmware_bridge.facts.book import alarms, endings, failures
from firmware_bridge.facts.book.refusals import PHRASES as OF_REFUSALS
from firmware_bridge.facts.book.refusals import REFUSALS
from firmware_bridge.topics.texts import LANGUAGES, Language, ids, known
from tests.kit.rows import each_row

PHRASES: Final = OF_REFUSALS | alarms.PHRASES

ROOT: Final = Path(firmware_bridge.__file__).parent

ROOMS: Final = ("shoe", "games", "journal", "daemon")

WITH_A_DICT: Final = ("Mistake", "NotAnOrder")
"""Those that get the values as a dict behind the code."""

CODE_AT: Final = {
    **dict.fromkeys(("Refused", "NotStored", "NotInJournal", "NotLeased", "refused", "phrase"), 0),
    **dict.fromkeys(("_refuse", "_fault", "_unconfirmed"), 0),
    "malformed": 1,
    **dict.fromkeys(WITH_A_DICT, 0),
}
"""What is called with a code -> the place of the code."""


class Call:
    """A refusal or a phrase in the source. names: of its values; None where they are not written there."""

    def __init__(self, path: Path, node: ast.Call, code: str, names: set[str] | None) -> None:
        self.at = f"{path.relative_to(ROOT)}:{node.lineno}"
        self.code, self.names = code, names


def codes_of(node: ast.expr) -> list[str]:
    """The codes that an expression may be."""
    match node:
        case ast.Constant(value=str(code)):
            return [code]
        case ast.IfExp(body=one, orelse=other):
            return [*codes_of(one), *codes_of(other)]
    return []


@cache
def calls() -> tuple[Call, ...]:
    return tuple(_calls())


def _calls() -> Iterator[Call]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Call):
                    continue
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                place = CODE_AT.get(name)
                if place is None or len(node.args) <= place:
                    continue
                for code in codes_of(node.args[place]):
                    yield Call(path, node, code, _names(name, node))


def _names(name: str, node: ast.Call) -> set[str] | None:
    if any(each.arg is None for each in node.keywords):
        return None
    if name not in WITH_A_DICT:
        return {str(each.arg) for each in node.keywords}
    if len(node.args) == 1:
        return set()
    given = node.args[1]
    return {str(getattr(key, "value", "")) for key in given.keys} if isinstance(given, ast.Dict) else None


def rows(code: str) -> list[set[str]]:
    """The names of values of each row with this code: a failure may be called as a refusal is."""
    return [set(book[code]) for book in (REFUSALS, PHRASES, failures.ROWS, endings.SHOES) if code in book]


def test_refusals_are_found_in_the_source() -> None:
    assert len(calls()) > 200
    assert {"card_gone", "two_people", "not_signed_message"} <= {each.code for each in calls()}


def test_each_refusal_has_the_values_of_its_row() -> None:
    wrong = [
        (each.at, each.code, each.names)
        for each in calls()
        if not rows(each.code) or (each.names is not None and each.names not in rows(each.code))
    ]
    assert wrong == []


@each_row("code", sorted(REFUSALS))
def test_each_refusal_has_its_texts_in_each_language(code: str) -> None:
    for lang in LANGUAGES:
        why, todo = known(lang, f"refusal.{code}"), known(lang, f"refusal.{code}.todo")
        assert why, (lang, code)
        assert fields(why) | fields(todo or "") == set(REFUSALS[code]) - {"policy"}, (lang, code)


@each_row("code", sorted(PHRASES))
def test_each_phrase_has_its_text_in_each_language(code: str) -> None:
    for lang in LANGUAGES:
        assert fields(known(lang, f"phrase.{code}") or "") == set(PHRASES[code]), (lang, code)


@each_row("code", sorted(endings.SHOES | endings.ALARMS))
def test_each_ending_has_its_text_in_each_language(code: str) -> None:
    for lang in LANGUAGES:
        found = known(lang, f"ending.{code}")
        assert found, (lang, code)
        assert fields(found) == set(endings.SHOES.get(code, {})), (lang, code)


def test_no_text_is_left_over() -> None:
    meant = {f"refusal.{code}{end}" for code in REFUSALS for end in ("", ".todo")} | {
        f"phrase.{code}" for code in PHRASES
    }
    assert {each for each in ids() if each.startswith(("refusal.", "phrase."))} <= meant


def test_a_value_that_names_a_person_is_never_named_like_another() -> None:
    rows = [*REFUSALS.values(), *PHRASES.values()]
    people = {"by", "login", "to"}
    assert all((kind == "person") == (name in people) for each in rows for name, kind in each.items())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_both_texts_of_a_refusal_end_without_a_stop(lang: Language) -> None:
    texts = [known(lang, f"refusal.{code}{end}") or "" for code in REFUSALS for end in ("", ".todo")]
    assert [each for each in texts if each.endswith((".", "。"))] == []


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_no_answer_refuses_without_a_code() -> None:
    for room in ("shoe", "journal", "daemon"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
                if isinstance(node, ast.Call) and name in ("Answer", "Malformed"):
                    given = {each.arg: each.value for each in node.keywords}
                    is_ok = isinstance(ok := given.get("ok"), ast.Constant) and ok.value is True
                    assert is_ok or "code" in given, f"{path}:{node.lineno}"
