"""Every public line of the games dealt here, played through the real shoe: each step and each result."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.demo.round_player import answer
from firmware_bridge.games import GAMES
from tests.kit.rows import each_row

VECTORS = Path(__file__).parents[1] / "vectors" / "games"


ANSWERED = ("id", "steps", "result", "winner", "outcome", "against")

LINES = [
    pytest.param(path.stem.partition("-")[0], line, id=json.loads(line)["id"])
    for path in sorted(VECTORS.glob("*.jsonl"))
    if path.stem.partition("-")[0] in GAMES
    for line in path.read_text().splitlines()
]


def as_numbers(item: Any) -> Any:
    """The same with each text that is a decimal as a number: "10.0" is "10"."""
    if isinstance(item, dict):
        return {name: as_numbers(value) for name, value in item.items()}
    if isinstance(item, list):
        return [as_numbers(each) for each in item]
    try:
        return Decimal(item) if isinstance(item, str) else item
    except InvalidOperation:
        return item


def ten(name: str) -> str:
    """The ten lines that a line belongs to, by its name."""
    return f"{name[:-1]}*"


@each_row(("game", "line"), LINES, by=ten)
def test_public_line(game: str, line: str) -> None:
    case, answered = json.loads(line), answer(game, line)
    wanted = {name: case[name] for name in ANSWERED if name in case}
    for n, (ours, theirs) in enumerate(zip(answered.get("steps", []), wanted.get("steps", []), strict=True)):
        assert as_numbers(ours) == as_numbers(theirs), f"step {n}, after {[None, *case['moves']][n]}"
    assert as_numbers(answered) == as_numbers(wanted)
