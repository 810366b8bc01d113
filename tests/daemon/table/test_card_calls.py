"""A card costs no more Python calls than the committed figures say, with a bound of 5 %."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from firmware_bridge.daemon.table import table
from firmware_bridge.shoe import Shoe, decide
from tests.daemon.table.card_calls import FIGURES, PYTHON, TABLES, WRITE, calls, differences, python_calls

COMMITTED = json.loads(FIGURES.read_text())
SOME = range(1, 9)


@pytest.mark.parametrize("name", TABLES)
def test_a_card_costs_no_more_calls_than_before(name: str) -> None:
    if PYTHON not in COMMITTED:
        pytest.skip(f"no figures for Python {PYTHON}; on a tree as committed, run: {WRITE}")
    assert differences(calls(name), COMMITTED[PYTHON][name]) == []


def test_each_python_has_figures_of_each_table() -> None:
    assert {"3.11", "3.13"} <= COMMITTED.keys()
    assert all(tables.keys() == TABLES.keys() for tables in COMMITTED.values())


def test_the_figures_are_the_same_in_every_run() -> None:
    assert calls("baccarat", SOME) == calls("baccarat", SOME)


def test_one_more_call_in_a_decision_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    before = calls("baccarat", SOME)

    def decides_through_another(shoe: Shoe, fact: Any) -> Any:
        return decide(shoe, fact)

    monkeypatch.setattr(table, "decide", decides_through_another)
    assert calls("baccarat", SOME) == {name: calls + name.startswith("handle") for name, calls in before.items()}


def test_calls_of_python_functions_are_counted_and_those_of_c_are_not() -> None:
    def numbers() -> Iterator[int]:
        yield 1
        yield 2

    def work() -> int:
        return sum(numbers()) + len(str(1)) + abs(-1)

    # work, and each time that numbers goes on
    assert python_calls(work) == (4, 5)
    assert python_calls(lambda: python_calls) == (1, python_calls)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (100.0, []),
        (104.9, []),
        (95.1, []),
        (105.1, ["handle, plain: 105.1 calls, 100.0 before: find what is called more, or say why"]),
        (94.9, ["handle, plain: 94.9 calls, 100.0 before: cheaper; renew the figures"]),
    ],
)
def test_what_is_beyond_the_bound_is_said(found: float, says: list[str]) -> None:
    assert differences({"handle, plain": found}, {"handle, plain": 100.0}) == [f"{each}: {WRITE}" for each in says]
