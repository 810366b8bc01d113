"""The roads, case by case and against the agreed vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.games.baccarat.roads import Bead, RoadSettings, append, board, roads_of
from tests.kit.rows import each_row

VECTORS = Path(__file__).parents[2] / "vectors"
DEFAULTS = RoadSettings()
OWN_COLUMN = RoadSettings(leading_ties="own-column")
DESCEND = RoadSettings(row1_limit="descend")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]


def board_json(outcomes: str, banker: str = "", player: str = "", settings: RoadSettings = DEFAULTS) -> dict[str, Any]:
    """The board as JSON; pairs as 0/1 strings."""
    pairs = [[each == "1" for each in given.ljust(len(outcomes), "0")] for given in (banker, player)]
    rounds = [Bead(*bead) for bead in zip(outcomes, *pairs, strict=True)]
    return json.loads(msgspec.json.encode(board(roads_of(rounds, settings))))


@each_row("row", lines("roads.jsonl"), ids=lambda row: f"{row['id']}-{row['kind']}")
def test_every_field_of_the_vectors(row: dict[str, Any]) -> None:
    got = board_json(row["outcomes"], row["banker_pair"], row["player_pair"])
    fields = row.keys() - {"id", "kind", "banker_pair", "player_pair"}
    assert {name: got[name] for name in fields} == {name: row[name] for name in fields}


@pytest.mark.parametrize("row", lines("good_roads_timeline.jsonl"), ids=lambda row: row["id"])
def test_good_roads_and_ask_after_every_round(row: dict[str, Any]) -> None:
    roads, seen = roads_of(()), []
    for letter in row["outcomes"]:
        append(roads, Bead(letter))
        now = json.loads(msgspec.json.encode(board(roads)))
        seen.append([now["good_roads"], now["ask"]["banker"], now["ask"]["player"]])
    assert seen == [list(each) for each in zip(row["good_roads"], row["ask_banker"], row["ask_player"], strict=True)]


BY_HAND = {"PBPPPBPPBB": ["B", "R", "R"], "PBBPPB": ["R", "R", "B"], "BBPPBP": ["R", "B", "B"]}


@pytest.mark.parametrize("outcomes", BY_HAND)
def test_ask_road_by_hand(outcomes: str) -> None:
    assert board_json(outcomes)["ask"]["banker"] == BY_HAND[outcomes]


def test_ask_marks_show_one_by_one_as_columns_begin() -> None:
    shown = [[sign is not None for sign in board_json("BPBP"[:count])["ask"]["player"]] for count in range(5)]
    assert shown == [[False] * 3, [False] * 3, [True, False, False], [True, True, False], [True] * 3]


def test_ask_cells_are_where_the_next_beads_lie() -> None:
    cells = board_json("BBBBBBBP")["ask_cells"]
    assert cells["banker"] == {"big": [3, 1], "big_eye": [1, 1], "small": None, "cockroach": None}
    assert cells["player"]["big"] == [2, 2]
    assert board_json("")["ask_cells"]["banker"] == {"big": [1, 1], "big_eye": None, "small": None, "cockroach": None}


def big(outcomes: str, settings: RoadSettings = DEFAULTS) -> list[list[int]]:
    return [cell[:2] for cell in board_json(outcomes, settings=settings)["big_grid"]]


def test_a_streak_turns_right_at_the_bottom() -> None:
    assert big("B" * 8)[-3:] == [[1, 6], [2, 6], [3, 6]]


def test_a_run_turns_once_and_stays_on_its_row() -> None:
    """The second streak is blocked in row 6, turns in row 5, and does not go down behind the first one's tail."""
    assert big("B" * 8 + "P" * 9)[8:] == [[2, 1], [2, 2], [2, 3], [2, 4], [2, 5], [3, 5], [4, 5], [5, 5], [6, 5]]


def test_a_run_starts_beside_the_start_of_the_last_one_not_behind_its_tail() -> None:
    assert big("B" * 9 + "P")[-1] == [2, 1]


STAIRS = "".join(side * length for side, length in zip("BPBPBP", (7, 6, 5, 4, 3, 2), strict=True))
"""The shortest way to a run that cannot leave row 1: the sixth."""

LIMITS = {
    "stay": [[6, 1], [7, 1], [8, 1], [9, 1], [10, 1]],
    "descend": [[6, 1], [7, 1], [7, 2], [7, 3], [7, 4]],
}


@pytest.mark.parametrize("limit", LIMITS)
def test_at_the_limit_of_row_1(limit: str) -> None:
    settings = RoadSettings(row1_limit=limit)  # type: ignore[arg-type]
    assert big(STAIRS + "PPP", settings)[-5:] == LIMITS[limit]


def test_a_run_starts_right_of_a_taken_row_1() -> None:
    assert big(STAIRS + "PB")[-2:] == [[8, 1], [9, 1]]
    assert big(STAIRS + "PPPB", DESCEND)[-1] == [8, 1]


def test_leading_ties_wait_for_the_first_bead() -> None:
    assert board_json("TT")["held_ties"] == 2
    assert board_json("TT")["big_grid"] == []
    assert board_json("TTBT")["big_grid"] == [[1, 1, "red", 3, 1]]


def test_leading_ties_in_a_column_of_their_own() -> None:
    now = board_json("TTBP", settings=OWN_COLUMN)
    assert now["big_logical"] == [["T", 1, [1]], ["B", 1, [0]], ["P", 1, [0]]]
    assert now["big_grid"][0] == [1, 1, "green", 1, 1]
    assert (now["big_eye"], board_json("TTBP")["big_eye"]) == ("R", "")


def test_pairs_show_on_green_beads_too() -> None:
    assert board_json("TB", "10", "11")["bead"] == [[1, 1, "green", True, True], [1, 2, "red", False, True]]


def test_only_the_houses_good_roads_are_shown() -> None:
    both = "BBBBPPPP"
    assert board_json(both)["good_roads"] == ["long_player", "pairs"]
    assert board_json(both, settings=RoadSettings(good=("pairs",)))["good_roads"] == ["pairs"]


def test_a_new_shoe_has_no_roads() -> None:
    empty = board_json("")
    assert [name for name in empty if empty[name]] == ["ask", "ask_cells"]
