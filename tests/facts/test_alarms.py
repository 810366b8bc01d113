"""The book of alarms: its rows are what the policies were, each has its texts, and each alarm the values of its row."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import pytest

import firmware_bridge
from firmware_bridge.facts.book.alarms import BRIDGE, DISK, POLICIES, SHOE, VARIANTS, values_of
from firmware_bridge.facts.book.refusals import Kind, phrase
from firmware_bridge.facts.house import Row
from firmware_bridge.facts.wire_states import Alarm, Alarms
from firmware_bridge.topics.texts import LANGUAGES, Language, alarms, ids, known
from tests.kit.alarms import unfit
from tests.kit.rows import each_row

ROOT: Final = Path(firmware_bridge.__file__).parent

BEFORE: Final = Path(__file__).with_name("policies_before.txt")
"""The rows of the policies as they stood in the source before the book."""

OF_BRIDGE: Final = {
    **dict.fromkeys(("journal_damaged", "journal_missing", "cursor_error", "store_silent", "broker_fault"), "warning"),
    **dict.fromkeys(("disk_low", "clock_jump", "certificate_ends", "second_login_due"), "warning"),
    **dict.fromkeys(("keypad_lost", "keypad_not_understood", "record_other_pi"), "warning"),
    **dict.fromkeys(("reader_not_understood", "reader_unanswered"), "critical, blocks"),
    **dict.fromkeys(("record_rolled_back", "record_differs", "record_foreign"), "critical"),
    "record_unsigned": "note",
}
"""Alarm of the bridge -> how bad it was, in the calls before the book."""

RAISES: Final = ("open_irregularity", "note", "warn")
"""What an alarm is raised with."""

EACH: Final = sorted({*SHOE, *BRIDGE, *DISK})


def row_of(policy: str, id: str, row: Row) -> str:
    choices = ",".join(row.choices) or "-"
    return f"{policy} {id} {row.severity} {row.blocks} {row.confirm} {row.action} {choices}"


def test_the_policies_are_what_they_were() -> None:
    rows = [row_of(policy, id, row) for policy, alarms in POLICIES.items() for id, row in alarms.items()]
    assert rows == BEFORE.read_text().splitlines()


def test_the_alarms_of_the_bridge_are_what_they_were() -> None:
    def bad(row: Row) -> str:
        assert (row.confirm, row.choices) == (False, ())
        return f"{row.severity}{', blocks' * row.blocks}"

    assert {id: bad(row.house) for id, row in BRIDGE.items()} == OF_BRIDGE
    assert {bad(row.house) for row in DISK.values()} == {"critical, blocks"}


@each_row("id", [*EACH, *VARIANTS.values()])
def test_each_alarm_has_its_texts_in_each_language(id: str) -> None:
    for lang in LANGUAGES:
        assert known(lang, f"alarm.{id}"), (lang, id)
        assert known(lang, f"todo.{id}"), (lang, id)


def test_each_value_that_is_named_has_a_name() -> None:
    named = {name for id in EACH for name, kind in values_of(id).items() if kind not in alarms.BY_ITSELF}
    assert [(lang, name) for lang in LANGUAGES for name in named if not known(lang, f"value.{name}")] == []
    assert {f"value.{name}" for name in named} == {each for each in ids() if each.startswith("value.")}


def test_each_kind_is_one_of_the_books() -> None:
    assert {kind for id in EACH for kind in values_of(id).values()} <= set(get_args(Kind))


def test_no_text_is_left_over() -> None:
    named = [*EACH, *VARIANTS.values()]
    meant = {f"alarm.{id}" for id in named} | {f"todo.{id}" for id in named}
    meant |= {f"todo.{id}_{policy}" for policy, rows in POLICIES.items() for id in rows}
    assert {each for each in ids() if each.startswith(("alarm.", "todo."))} <= meant


@each_row("policy", list(POLICIES))
def test_a_text_of_a_policy_is_of_an_alarm_that_it_has_otherwise(policy: str) -> None:
    own = {each.removeprefix("todo.").removesuffix(f"_{policy}") for each in ids() if each.endswith(f"_{policy}")}
    assert {id for id in own if POLICIES[policy][id] == SHOE[id].house} == set()


def calls() -> Iterator[tuple[str, str, set[str]]]:
    """Each call in the source that raises an alarm by its name: where, which, and the names of its values."""
    for room in ("shoe", "daemon"):
        for path in sorted((ROOT / room).rglob("*.py")):
            tree = ast.parse(path.read_text())
            named = {
                node.target.id: node.value.value
                for node in ast.walk(tree)
                if isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and isinstance(node.value, ast.Constant)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in RAISES:
                    match node.args[:1]:
                        case [ast.Constant(value=str(id))]:
                            yield f"{path.name}:{node.lineno}", id, _names(node)
                        case [ast.Name(id=constant)] if constant in named:
                            yield f"{path.name}:{node.lineno}", str(named[constant]), _names(node)


def _names(node: ast.Call) -> set[str]:
    return {each.arg for each in node.keywords if each.arg}


def test_each_alarm_is_raised_with_values_of_its_row() -> None:
    found = list(calls())
    assert {id for _, id, _ in found} >= {"wrong_slot", *BRIDGE} - {"journal_damaged", "journal_missing"}
    assert [each for each in found if each[2] - set(values_of(each[1]))] == []


@pytest.mark.parametrize(
    ("id", "values", "wrong"),
    [
        ("wrong_slot", {"slot": "P1", "due": "B1"}, []),
        ("wrong_slot", {"slot": 1, "other": "B1"}, ["slot", "other"]),
        ("foreign", {"why": phrase("not_in_book")}, []),
        ("foreign", {"why": phrase("not_in_book", more="x")}, ["why"]),
        ("sensor_stuck", {"sensors": ("next", "lid")}, []),
        ("sensor_stuck", {"sensors": "next"}, ["sensors"]),
        ("restarted_mid_round", {"round": 3, "now": (phrase("cards_to_open"),)}, []),
        ("of_a_later_version", {"x": "y"}, ["x"]),
    ],
)
def test_values_of_another_kind_are_found(id: str, values: dict[str, object], wrong: list[str]) -> None:
    assert unfit(id, values) == wrong


@pytest.mark.parametrize(
    ("lang", "id", "values", "said"),
    [
        ("en", "jam", {"round": 3}, "Card stuck (round: 3)"),
        ("en", "missing_third", {"slot": "P3"}, "Another card is needed (slot: player card 3)"),
        ("en", "foreign", {"why": {"code": "not_in_book"}}, "Card not from this shoe (its code is in no code book)"),
        ("zh-Hant", "foreign", {"why": phrase("not_of_game")}, "別副的牌 (此遊戲沒有這張牌)"),
        ("en", "reader_lost", {"to": "Ann"}, "Reader in calibration (lent to: Ann)"),
        ("en", "result_mismatch", {"said": "forced"}, "Result differs from the cards (reported: ended by its button)"),
        ("en", "cursor_error", {"why": "No space left"}, "Send position not saved (why: No space left)"),
        ("en", "overdrawn", {}, "One card too many"),
        ("en", "of_a_later_version", {"level": 3}, "of_a_later_version (level: 3)"),
    ],
)
def test_an_alarm_is_said_by_its_values(lang: Language, id: str, values: dict[str, object], said: str) -> None:
    assert alarms.what(lang, id, values) == said


def test_phrases_in_phrases_without_end_are_left_out() -> None:
    nested: dict[str, object] = {"code": "no_such_seat"}
    for _ in range(2_000):
        nested = {"code": "takes_no_part", "values": {"seat": "S1", "why": nested}}
    assert alarms.what("en", "foreign", {"why": nested}) == "Card not from this shoe"


@pytest.mark.parametrize(
    ("policy", "todo"),
    [
        ("keep-order", "Leave the card face down for the next round."),
        ("us-burn", "Burn the card."),
        ("of-a-later-version", "Leave the card face down for the next round."),
    ],
)
def test_what_to_do_is_of_the_policy(policy: str, todo: str) -> None:
    assert alarms.todo("en", "overdrawn", policy) == todo


def test_the_text_for_people_says_both() -> None:
    opened = Alarms((Alarm("jam", 0, "warning", True, (), values={"round": 3}),))
    [said] = alarms.worded(opened, "macau").open
    assert said.text == "Card stuck (round: 3): Free the card, then call the pit."
