"""Whole shoes and single rounds worked out elsewhere: the bridge gives exactly those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.cards import cards
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.messages import messages
from tests.kit.baccarat import layout

VECTORS = Path(__file__).parent.parent / "vectors"
SHOES = [json.loads(line) for line in (VECTORS / "shoes.jsonl").read_text().splitlines()]
ROUNDS = [json.loads(line) for line in (VECTORS / "rounds.jsonl").read_text().splitlines()]


def rounds(text: str, **settings: Any) -> list[dict[str, Any]]:
    """The `round` messages of a deal script; nothing may be warned of."""
    warned: list[str] = []
    replay = Replay(house_of(**settings), "T07", warned.append)
    sent = [json.loads(m.payload) for line in replay.play(parse(text)) for m in messages(line) if m.topic == "round"]
    assert not warned
    return sent


@pytest.mark.parametrize("procedure", ["on-demand", "six-card"])
@pytest.mark.parametrize("shoe", SHOES, ids=range(len(SHOES)))
def test_whole_shoe(shoe: dict[str, Any], procedure: str) -> None:
    order, cut = shoe["order"], shoe["cut_before_index"]
    expected = shoe[procedure.replace("-", "_")]["rounds"]
    played = rounds(f"shoe {' '.join(order[:cut])} cut {' '.join(order[cut:])}", procedure=procedure)
    assert [
        "|".join(
            "".join(hand) for hand in ([c["card"] for c in r["cards"]], *(h["cards"] for h in r["hands"].values()))
        )
        for r in played
    ] == expected
    assert [r["round"] for r in played] == list(range(1, len(expected) + 1))
    assert [r["last"] for r in played] == [False] * (len(expected) - 1) + [True]
    assert {r["status"] for r in played} == {"closed"}


def test_single_rounds() -> None:
    for row in ROUNDS:
        dealt = tuple(card for text in row["cards"] for card in cards(text))
        result = layout(dealt, "on-demand").result
        assert result, row
        assert (result.totals, result.outcome, result.natural) == (row["totals"], row["outcome"], row["natural"]), row
        assert {side: [card.value for card in hand] for side, hand in result.hands.items()} == {
            "player": row["player"],
            "banker": row["banker"],
        }


@pytest.mark.parametrize(
    "script", sorted((Path(__file__).parent.parent / "shoes").glob("*.deal")), ids=lambda p: p.stem
)
def test_deal_scripts_give_what_their_first_line_says(script: Path) -> None:
    """`#= settings as JSON | round status outcome last; ..` in a script's first line."""
    settings, expected = script.read_text().splitlines()[0].removeprefix("#=").split("|")
    given = rounds(script.read_text(), **json.loads(settings))
    assert (
        "; ".join(
            " ".join([str(r["round"]), r["status"], r.get("outcome", "-"), "last" if r["last"] else "on"])
            for r in given
        )
        == expected.strip()
    )
