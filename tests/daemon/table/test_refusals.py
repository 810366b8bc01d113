"""Refusals of a flood are counted: a line a minute says how many, and a repeat gets the same answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from firmware_bridge.daemon.table import refusals
from firmware_bridge.daemon.table.refusals import ONE_BY_ONE, Refusals
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.orders import Answer, Malformed
from tests.kit.refusals import said

KEY = inputs.Pressed(at=0, key="next"), (e.KeyRefused(key="next", code="no_round_to_end"),)


def order(by: str, ok: bool = False, given: str | None = None, digest: str | None = None) -> inputs.Ordered:
    return inputs.Ordered(at=0, order=orders.Next(), by=by, nonce="", id=given, digest=digest)


def answered(fact: inputs.Ordered, ok: bool = False) -> tuple[e.CommandAnswered]:
    code = None if ok else "no_round_to_end"
    return (e.CommandAnswered(answer=Answer(ok, fact.id, "next", digest=fact.digest, code=code), by=fact.by),)


def played(course: Callable[[Refusals], None], seconds: float = 0.0) -> list[tuple[str, str]]:
    """The lines of counts after a course and so many seconds."""
    lines = list[tuple[str, str]]()

    def journal(line: Malformed, by: str) -> bool:
        lines.append((said(line).error, by))
        return True

    async def main() -> None:
        counted = Refusals(journal, asyncio.get_running_loop())
        course(counted)
        await asyncio.sleep(seconds)
        counted.stop()

    asyncio.run(main())
    return lines


@pytest.mark.parametrize(
    ("by", "ok", "source"),
    [
        ("keypad 2", False, "marks"),
        ("key S1.H", False, "marks"),
        ("backend", False, "orders of the backend"),
        ("dealer's keypad", False, "marks"),
        ("key next", False, "marks"),
        ("anna", False, "orders"),
        ("key tan", False, "orders"),
        ("anna", True, "orders without effect"),
    ],
)
def test_the_first_of_each_source_are_journaled_one_by_one(by: str, ok: bool, source: refusals.Source) -> None:
    def course(counted: Refusals) -> None:
        fact = order(by)
        kept = [not counted.counts(fact, answered(fact, ok)) for _ in range(1_000)]
        assert sum(kept) == ONE_BY_ONE[source]
        assert not counted.counts(*KEY)  # another source has its own

    assert played(course) == []


def test_a_line_a_minute_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "REFILL_S", 0.05)

    def course(counted: Refusals) -> None:
        fact = order("keypad 2")
        for _ in range(103):
            counted.counts(fact, answered(fact))

    ((line, by),) = played(course, 0.2)
    last = "the last one: next by keypad 2: there is no round to end"
    assert (line, by) == (f"100 more marks were answered within a minute, {last}", "marks")


def test_what_changes_something_is_always_journaled() -> None:
    def course(counted: Refusals) -> None:
        fact = order("anna")
        changes = (e.ReaderSession(session=1), *answered(fact))
        assert not any(counted.counts(fact, changes) for _ in range(1_000))
        assert not any(counted.counts(fact, (e.ReaderSession(session=1),)) for _ in range(1_000))

    played(course)


def test_an_order_that_was_only_counted_has_the_same_answer_when_it_is_repeated() -> None:
    def course(counted: Refusals) -> None:
        for number in range(20):
            fact = order("backend", given=f"id-{number}", digest="ab")
            counted.counts(fact, answered(fact))
        assert counted.answer("id-0", "ab") is None  # in the journal
        known = counted.answer("id-19", "ab")
        assert known
        assert (known.ok, said(known).error) == (False, "there is no round to end")
        assert counted.answer("id-19", "cd") is None  # another order

    played(course)
