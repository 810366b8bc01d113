"""The board as JSON that grows with its roads: the bytes of the board made anew, after every round."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.games.baccarat.roads import Bead, RoadSettings, append, board, roads_of
from firmware_bridge.games.baccarat.roads_topic import BoardJson, bead_of
from firmware_bridge.shoe.state import PastRound, Shoe
from firmware_bridge.topics.state import OwnTopics, snapshots
from tests.kit.table import Table

SETTINGS = [
    RoadSettings(leading_ties=ties, row1_limit=limit)
    for ties in ("first-bead", "own-column")
    for limit in ("stay", "descend")
]
BEADS = st.lists(st.builds(Bead, st.sampled_from("BPT"), st.booleans(), st.booleans(), st.booleans()), max_size=90)
NATURAL = "9s Kd Th Kc "


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: f"{each.leading_ties}-{each.row1_limit}")
@given(beads=BEADS, is_shown=st.integers(0, 2**90 - 1))
def test_the_bytes_are_those_of_the_board_made_anew(settings: RoadSettings, beads: list[Bead], is_shown: int) -> None:
    board_json = BoardJson(roads_of((), settings))
    for n, bead in enumerate(beads, 1):
        append(board_json.roads, bead)
        if is_shown >> n & 1:  # rounds may come many at once, after a correction
            assert bytes(board_json.json()) == drawn(beads[:n], settings)
    assert bytes(board_json.json()) == drawn(beads, settings)


def drawn(beads: list[Bead], settings: RoadSettings) -> bytes:
    """The board of roads that nothing else was made of before."""
    return msgspec.json.encode(board(roads_of(beads, settings)))


def shoe_of(settings: RoadSettings) -> Shoe:
    """A new shoe that has these roads."""
    table = Table(burn="none", leading_ties=settings.leading_ties, row1_limit=settings.row1_limit)
    return table.play("shoe").shoe


SHOES = [shoe_of(settings) for settings in SETTINGS]
PAST = Table(burn="none").play(f"shoe {NATURAL} 2s 6d 4h Ac 2s 2d 3h Ac 8s 2s 6d !void misdeal").shoe.rounds
"""A round of each outcome, one with a pair and one by a natural, and a voided one."""

STEPS = st.tuples(
    st.sampled_from(("round", "round", "round", "correction", "shoe")),
    st.sampled_from(PAST),
    st.integers(0, 90),
    st.booleans(),
)


@given(st.lists(STEPS, max_size=90))
def test_a_running_table_shows_the_roads_of_all_its_rounds(steps: list[tuple[str, PastRound, int, bool]]) -> None:
    """Grown from the rounds that were shown before, also where one of them is corrected or another shoe opened."""
    own, shoe, settings = OwnTopics(), SHOES[0], SETTINGS[0]
    for what, past, number, is_shown in steps:
        rounds, at = shoe.rounds, number % (len(shoe.rounds) or 1)
        if what == "shoe":
            shoe, settings = SHOES[number % 4], SETTINGS[number % 4]
        else:
            rounds = (*rounds, past) if what == "round" else (*rounds[:at], past, *rounds[at + 1 :])
            shoe = msgspec.structs.replace(shoe, rounds=rounds)
        if is_shown:
            beads = [bead_of(each.outcome, each.own) for each in shoe.rounds if each.outcome]
            assert bytes(own.of(shoe)["roads"]) == drawn(beads, settings)


def test_roads_are_made_again_only_when_a_round_ended() -> None:
    table, made, own = Table(burn="none"), list[Any](), OwnTopics()
    for step in ("shoe", *f"{NATURAL * 5} 2s 2d 3h Ac 8s 7c".split()):
        now = snapshots(table.play(step).shoe, own=own)["roads"]
        if not made or now is not made[-1]:
            made.append(now)
    assert len(made) == 1 + len(table.rounds)
