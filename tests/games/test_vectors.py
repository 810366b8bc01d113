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


def as_numbers(told: Any) -> Any:
    """The same with each text that is a decimal as a number: "10.0" is "10"."""
    if isinstance(told, dict):
        return {name: as_numbers(value) for name, value in told.items()}
    if isinstance(told, list):
        return [as_numbers(each) for each in told]
    try:
        return Decimal(told) if isinstance(told, str) else told
    except InvalidOperation:
        return told


def ten(name: str) -> str:
    """The ten lines that a line belongs to, by its name."""
    return f"{name[:-1]}*"


@each_row(("game", "line"), LINES, by=ten)
def test_public_line(game: str, line: str) -> None:
    told, answered = json.loads(line), answer(game, line)
    wanted = {name: told[name] for name in ANSWERED if name in told}
    for n, (ours, theirs) in enumerate(zip(answered.get("steps", []), wanted.get("steps", []), strict=True)):
        assert as_numbers(ours) == as_numbers(theirs), f"step {n}, after {[None, *told['moves']][n]}"
    assert as_numbers(answered) == as_numbers(wanted)
