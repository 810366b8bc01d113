"""What holds for the roads of any shoe, against the rules stated again without the program's short cuts."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.games.baccarat.roads import (
    Bead,
    Column,
    Roads,
    RoadSettings,
    append,
    board,
    good_roads,
    roads_of,
)
from firmware_bridge.games.baccarat.roads.board import ask

SETTINGS = [
    RoadSettings(leading_ties=ties, row1_limit=limit)
    for ties in ("first-bead", "own-column")
    for limit in ("stay", "descend")
]
STREAKS = st.lists(st.tuples(st.sampled_from("BPT"), st.integers(1, 9)), max_size=24)
OUTCOMES = st.one_of(st.text("BPT", max_size=90), STREAKS.map(lambda runs: "".join(s * n for s, n in runs)))


def drawn(outcomes: str, settings: RoadSettings) -> Roads:
    return roads_of(map(Bead, outcomes), settings)  # type: ignore[arg-type]


def picture_by_the_book(runs: list[int], descend: bool) -> list[tuple[int, int]]:
    """roads.md section 3, bead by bead with the whole grid at hand."""
    taken: set[tuple[int, int]] = set()
    cells, start = [], 0
    for length in runs:
        start += 1
        while (start, 1) in taken:
            start += 1
        column, row, turned = start, 1, False
        for bead in range(length):
            if bead:
                can_fall = row < 6 and (column, row + 1) not in taken
                if can_fall and (not turned or (descend and row == 1)):
                    row, turned = row + 1, False
                else:
                    column, turned = column + 1, True
            assert (column, row) not in taken
            taken.add((column, row))
            cells.append((column, row))
    return cells


def signs_by_the_book(lengths: list[int], back: int) -> str:
    """roads.md section 4."""
    signs = ""
    for x in range(back + 1, len(lengths) + 1):
        for y in range(1, lengths[x - 1] + 1):
            if (x, y) == (back + 1, 1):
                continue
            if y == 1:
                signs += "R" if lengths[x - 2] == lengths[x - 2 - back] else "B"
            else:
                signs += "B" if y == lengths[x - 1 - back] + 1 else "R"
    return signs


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: f"{each.leading_ties}-{each.row1_limit}")
@given(outcomes=OUTCOMES)
def test_pictures_and_marks_by_the_book(settings: RoadSettings, outcomes: str) -> None:
    roads, descend = drawn(outcomes, settings), settings.row1_limit == "descend"
    lengths = [len(list(run)) for _, run in groupby(outcomes.replace("T", ""))]
    if outcomes.startswith("T") and settings.leading_ties == "own-column":
        lengths.insert(0, 1)
    assert [cell[:2] for cell in roads.big.cells] == picture_by_the_book(lengths, descend)
    for back, road in enumerate(roads.derived, 1):
        assert road.signs == signs_by_the_book(lengths, back)
        runs = [len(list(run)) for _, run in groupby(road.signs)]
        assert [cell[:2] for cell in road.picture.cells] == picture_by_the_book(runs, descend)


@given(OUTCOMES)
def test_ask_marks_of_the_two_sides_are_opposite(outcomes: str) -> None:
    answers = ask(drawn(outcomes, SETTINGS[0]))
    opposite = {"R": "B", "B": "R", None: None}
    assert answers["player"].signs == tuple(opposite[sign] for sign in answers["banker"].signs)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: f"{each.leading_ties}-{each.row1_limit}")
@given(outcomes=OUTCOMES)
def test_the_ask_road_comes_true(settings: RoadSettings, outcomes: str) -> None:
    roads = drawn(outcomes, settings)
    for side, answer in ask(roads).items():
        then = drawn(outcomes, settings)
        append(then, Bead("B" if side == "banker" else "P"))
        assert then.big.cells[-1][:2] == answer.big
        for old, new, sign, cell in zip(roads.derived, then.derived, answer.signs, answer.cells, strict=True):
            added = [(*cell, sign)] if sign and cell else []
            assert new.picture.cells == old.picture.cells + added
            assert new.signs == old.signs + (sign or "")


@given(OUTCOMES, st.sampled_from("BPT"))
def test_roads_only_grow(outcomes: str, letter: str) -> None:
    before = board(drawn(outcomes, SETTINGS[0]))
    after = board(drawn(outcomes + letter, SETTINGS[0]))
    assert after.bead[:-1] == before.bead
    assert [cell[:3] for cell in after.big_grid][: len(before.big_grid)] == [cell[:3] for cell in before.big_grid]
    for name in ("big_eye_grid", "small_grid", "cockroach_grid"):
        old, new = getattr(before, name), getattr(after, name)
        assert new[: len(old)] == old
        assert len(new) - len(old) <= 1


@given(OUTCOMES)
def test_ties_change_no_derived_road_and_no_good_road(outcomes: str) -> None:
    with_ties, without = (drawn(each, SETTINGS[0]) for each in (outcomes, outcomes.replace("T", "")))
    assert with_ties.derived == without.derived
    assert with_ties.big == without.big
    assert board(with_ties).good_roads == board(without).good_roads


ANY = (1, 999)
STARTS = {
    "long_banker": [("B", 4, 999)],
    "long_player": [("P", 4, 999)],
    "pairs": [("BP", 2, 999)] * 2,
    "single_jump": [("BP", 1, 1)] * 4,
    "hall_rooms_banker": [("B", 1, 1), ("P", 2, 2)] * 2,
    "hall_rooms_player": [("P", 1, 1), ("B", 2, 2)] * 2,
    "stick_banker": [("B", 4, 999), ("P", *ANY), ("B", 2, 2), ("P", *ANY)],
    "stick_player": [("P", 2, 2), ("B", *ANY), ("P", 4, 999), ("B", 2, 2)],
    "alt_stick_banker": [("B", 1, 1), ("P", *ANY), ("B", 2, 999), ("P", *ANY)] * 2,
    "alt_stick_player": [("P", 1, 1), ("B", *ANY), ("P", 2, 999), ("B", *ANY)] * 2,
}
for name in ("alt_stick_banker", "alt_stick_player"):
    STARTS[name] = STARTS[name][:-1]  # it ends with the second column of two or more

BREAKS = {
    "long_banker": [[("P", *ANY)]],
    "long_player": [[("B", *ANY)]],
    "pairs": [[("BP", 1, 1), ("BP", *ANY)]],
    "single_jump": [[("BP", 2, 999)]],
    "hall_rooms_banker": [[("B", 2, 999)], [("P", 3, 999)], [("P", 1, 1), ("B", *ANY)]],
    "hall_rooms_player": [[("P", 2, 999)], [("B", 3, 999)], [("B", 1, 1), ("P", *ANY)]],
    "stick_banker": [[("B", 1, 1), ("P", *ANY)]],
    "stick_player": [[("P", 1, 1), ("B", *ANY)]],
    "alt_stick_banker": [
        [("B", 2, 999), ("P", *ANY), ("B", 2, 999)],
        [("B", 1, 1), ("P", *ANY), ("B", 1, 1), ("P", *ANY)],
    ],
    "alt_stick_player": [
        [("P", 2, 999), ("B", *ANY), ("P", 2, 999)],
        [("P", 1, 1), ("B", *ANY), ("P", 1, 1), ("B", *ANY)],
    ],
}


def ends_with(columns: list[Column], window: list[tuple[str, int, int]]) -> bool:
    last = columns[-len(window) :]
    return len(last) == len(window) and all(
        column.side in sides and least <= len(column.ties) <= most
        for column, (sides, least, most) in zip(last, window, strict=True)
    )


FAVOURED = st.lists(st.sampled_from(["B", "PP", "BB", "P", "BPP", "PBB"]), max_size=30).map("".join)


@given(st.one_of(st.text("BP", max_size=60), FAVOURED))
def test_good_roads_start_hold_and_break(outcomes: str) -> None:
    """Judged one round after the other, as roads.md section 6 tells it."""
    shown: set[str] = set()
    for count in range(1, len(outcomes) + 1):
        columns = list(drawn(outcomes[:count], SETTINGS[0]).big_road.columns)
        broken = {name for name in shown if any(ends_with(columns, window) for window in BREAKS[name])}
        shown = (shown - broken) | {name for name, window in STARTS.items() if ends_with(columns, window)}
        assert set(good_roads(columns)) == shown
