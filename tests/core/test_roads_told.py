"""The board as JSON that grows with its roads: the bytes of the board made anew, after every round."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.games.baccarat.roads import Bead, RoadSettings, append, board, roads_of
from firmware_bridge.games.baccarat.roads_topic import Told
from firmware_bridge.topics.state import OwnTopics, snapshots
from tests.core.table import Table

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
    told = Told(roads_of((), settings))
    for n, bead in enumerate(beads):
        append(told.roads, bead)
        if is_shown >> n & 1:  # rounds may come many at once, after a correction
            assert bytes(told.json()) == msgspec.json.encode(board(told.roads))
    assert bytes(told.json()) == msgspec.json.encode(board(told.roads))


def test_roads_are_made_again_only_when_a_round_ended() -> None:
    table, made, own = Table(burn="none"), list[Any](), OwnTopics()
    for step in ("shoe", *f"{NATURAL * 5} 2s 2d 3h Ac 8s 7c".split()):
        now = snapshots(table.play(step).shoe, own=own)["roads"]
        if not made or now is not made[-1]:
            made.append(now)
    assert len(made) == 1 + len(table.rounds)
