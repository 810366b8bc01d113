"""Guest screens in any order of delivery: repeats, delays and gaps show nothing earlier, and all ends the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware_bridge.floor.page.guest.fold import NOTHING, Kept, fold
from firmware_bridge.floor.page.guest.read import TOPICS
from firmware_bridge.floor.page.guest.view import view
from tests.floor.guest_stage import Said
from tests.floor.guests import STAGES

PART: Final = 120
"""Messages of which the order is changed."""

FIRST: Final = 8
"""Messages with which every part begins: the states of a table that was just switched on."""


def heard(name: str) -> list[Said]:
    """What a screen hears of a table."""
    return [each for each in STAGES[name]().said if each.topic in TOPICS]


def showable(kept: Kept) -> set[Any]:
    """All that a screen could show of cards, results, roads and pots, if nothing stopped the table."""
    status = replace(kept.status, state="online", mode="FULL") if kept.status else None
    alarm = replace(kept.alarm, open=()) if kept.alarm else None
    shown = view(replace(kept, status=status, alarm=alarm), "live")
    results = {("result", each) for each in (shown.result, *shown.results) if each}
    cards = {("card", shown.round, hand.name, n, face) for hand in shown.cards for n, face in enumerate(hand.cards)}
    more: set[Any] = {("pot", shown.round, shown.pot, shown.stake, shown.seats)} if shown.pot else set()
    return results | {each for each in cards if each[-1]} | more | ({shown.roads} if shown.roads else set())


@cache
def in_order(name: str, start: int) -> tuple[tuple[Said, ...], tuple[frozenset[Any], ...], Kept]:
    """A part of what a table said; what a screen has shown up to each message; and what is kept at the end."""
    said = heard(name)
    part = (*said[:FIRST], *said[FIRST + start : FIRST + start + PART])
    kept, shown, until = NOTHING, set[Any](), []
    for each in part:
        kept = fold(kept, each.topic, each.payload)
        shown |= showable(kept)
        until.append(frozenset(shown))
    return part, tuple(until), kept


def delivered(count: int, rng: Random, late: int, repeats: float, gaps: float) -> list[int]:
    """The numbers of messages as they come: up to so many places late, some again, some not at all."""
    comes = [(n + rng.randrange(late + 1), rng.random(), n) for n in range(count) if rng.random() >= gaps]
    comes += [(n + rng.randrange(3 * late + 1), rng.random(), n) for n in range(count) if rng.random() < repeats]
    return [n for *_, n in sorted(comes)]


def played(part: Sequence[Said], until: Sequence[frozenset[Any]], order: Sequence[int]) -> Kept:
    """What is kept at the end; at no step anything is shown that the ordered run had not shown by then."""
    kept, newest = NOTHING, 0
    for n in order:
        kept, newest = fold(kept, part[n].topic, part[n].payload), max(newest, n)
        assert showable(kept) <= until[newest]
    return kept


@pytest.mark.parametrize("name", STAGES)
@given(seed=st.integers(0, 10**9), late=st.integers(0, 60), repeats=st.floats(0, 0.5), start=st.integers(0, 6))
@settings(max_examples=5, deadline=None)
def test_late_and_repeated_messages_show_nothing_early_and_all_ends_the_same(
    name: str, seed: int, late: int, repeats: float, start: int
) -> None:
    part, until, end = in_order(name, start * 40)
    order = delivered(len(part), Random(seed), late, repeats, 0)
    assert played(part, until, order) == end


@pytest.mark.parametrize("name", STAGES)
@given(seed=st.integers(0, 10**9), late=st.integers(0, 20), gaps=st.floats(0, 0.6))
@settings(max_examples=4, deadline=None)
def test_lost_messages_show_nothing_early(name: str, seed: int, late: int, gaps: float) -> None:
    part, until, _ = in_order(name, 0)
    played(part, until, delivered(len(part), Random(seed), late, 0.2, gaps))


@pytest.mark.parametrize("name", STAGES)
def test_an_old_part_that_is_sent_again_changes_nothing(name: str) -> None:
    part, _, end = in_order(name, 0)
    for each in part:
        assert fold(end, each.topic, each.payload) == end
