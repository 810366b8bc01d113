"""docs/irregularities.md has the policies as the shoe has them, and each code of a failure with its place."""

import re
from typing import get_args

from firmware_bridge.facts.book.alarms import BRIDGE, DISK, SHOE
from firmware_bridge.facts.book.failures import ROWS
from firmware_bridge.facts.book.refusals import Kind
from firmware_bridge.facts.house import Row
from firmware_bridge.shoe.policy import KEEP_ORDER, POLICIES
from firmware_bridge.topics.texts.alarms import todo
from scripts.tools.documents.irregularities import BROKER_IN, DISK_IN, PART_IN, READER_IN
from scripts.tools.messages.page import KINDS
from tests.docs.pages import DOCS


def test_irregularities_are_explained_as_the_policies_have_them() -> None:
    text = (DOCS / "irregularities.md").read_text("utf-8")
    parts = re.split(r"^## `([\w-]+)`$", text, flags=re.M)[1:]
    documented = {name: part.partition("\n## ")[0] for name, part in zip(parts[::2], parts[1::2], strict=True)}
    assert list(documented) == list(POLICIES)
    for name, policy in POLICIES.items():
        rows = {key: row for key, row in policy.items() if name == "keep-order" or row != KEEP_ORDER[key]}
        rows_of_it = [explained(name, key, row) for key, row in rows.items()]
        assert re.findall(r"^\| .*\|$", documented[name], re.M)[1:] == rows_of_it


def explained(policy: str, name: str, row: Row) -> str:
    """The line of an irregularity in the docs."""
    blocked = ("yes" if row.blocks else "no") + (", confirm" if row.confirm else "")
    choices = ", ".join(f"`{choice}`" for choice in row.choices) or "-"
    return f"| `{name}` | {todo('en', name, policy)} | {blocked} | {choices} |"


def test_each_code_of_a_failure_has_its_row() -> None:
    text = (DOCS / "irregularities.md").read_text("utf-8")
    chapter = text.partition("\n## Codes of failures\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)`", chapter, re.M) == [*ROWS]


OF_NO_ALARM = {"`shared`", "`disk` (alarm `journal_unread`)", "refusal `lease_disk_out` `todo`"}
KINDS_OF_FAILURES = ("failure", "failures")
IN_ENGLISH = {("journal_damaged", "why"), ("journal_damaged", "hint")}


def test_a_failure_is_in_a_value_of_an_alarm_and_each_such_value_is_named() -> None:
    books = [(id, row.values) for book in (SHOE, BRIDGE, DISK) for id, row in book.items()]
    places = {part for book in (BROKER_IN, DISK_IN, READER_IN) for place in book.values() for part in place.split("; ")}
    named = {alarm for place in places - OF_NO_ALARM for alarm in values_in(place)}
    assert named | IN_ENGLISH == {
        (id, name) for id, row in books for name in row if row[name] in ("failure", "failures")
    }


def test_a_value_of_a_failure_is_in_failures_that_have_it() -> None:
    for failure, field in {each for place in PART_IN.values() for each in values_in(place)}:
        assert ROWS[failure][field] in KINDS_OF_FAILURES


def values_in(place: str) -> list[tuple[str, str]]:
    """The alarms, or failures, of a place, each with the value that all of them have there."""
    *those, field = re.findall(r"`(\w+)`", place)
    return [(each, field) for each in those]


def test_each_kind_of_a_value_is_explained() -> None:
    text = (DOCS / "irregularities.md").read_text("utf-8")
    about = text.partition("\n## What an alarm says\n")[2].partition("\n| ")[0]
    assert {*re.findall(r"\*\*(\w+)\*\*", KINDS)} | {*re.findall(r"`(slot|given)`", about)} == {*get_args(Kind)}
