"""A table as one case: every row is tried, and each that fails is named as its case would be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

import pytest

from tests.kit.rows import each_row


class Named:
    """Keeps the names of subtests that failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    @contextmanager
    def test(self, name: str) -> Iterator[None]:
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            yield
        self.failed.append(name)


def failed(test: Any, **fixtures: Any) -> list[str]:
    """The rows of a table that fail."""
    named = Named()
    test(subtests=named, **fixtures)
    return named.failed


def test_each_row_that_fails_is_named_and_the_others_are_tried() -> None:
    tried = []

    @each_row(("word", "number"), [("a", 1), ("b", 2), pytest.param("c", 3, id="third"), ("d", 4)])
    def table(word: str, number: int) -> None:
        tried.append(word)
        assert number in (1, 4)

    assert failed(table) == ["b-2", "third"]
    assert tried == ["a", "b", "c", "d"]


def test_a_row_that_raises_nothing_where_it_should_fails() -> None:
    @each_row("number", [0, 1])
    def table(number: int) -> None:
        with pytest.raises(ZeroDivisionError):
            _ = 1 / number

    assert failed(table) == ["1"]


def test_two_tables_are_every_pair() -> None:
    @each_row("outer", "xy")
    @each_row("inner", [1, 2])
    def table(outer: str, inner: int, *, fixture: int) -> None:
        assert (outer, inner) == ("x", fixture)

    assert failed(table, fixture=1) == ["1-y", "2-x", "2-y"]
    assert set(signature(table).parameters) == {"fixture", "subtests"}


def test_a_section_has_its_rows_alone_and_no_row_gets_lost() -> None:
    tried = []

    @each_row("number", range(10), by=lambda name: "even" if int(name) % 2 == 0 else "odd")
    def table(number: int) -> None:
        tried.append(number)

    [mark] = table.pytestmark  # type: ignore[attr-defined]  # of parametrize
    assert mark.args == ("section", {"even": None, "odd": None})
    for section in mark.args[1]:
        assert failed(table, section=section) == []
    assert sorted(tried) == list(range(10))


def test_rows_may_be_made_when_the_test_runs() -> None:
    made: list[int] = []

    def rows() -> list[int]:
        made.extend([1, 2])
        return made

    @each_row("number", rows, ids=lambda number: f"row {number}")
    def table(number: int) -> None:
        assert number == 1

    assert made == []
    assert failed(table) == ["row 2"]


def test_a_table_without_rows_is_a_mistake() -> None:
    @each_row("number", [])
    def table(number: int) -> None:
        pass

    with pytest.raises(AssertionError, match="without rows"):
        failed(table)
