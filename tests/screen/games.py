"""Moments of a round of every game, as `shoe watch` gets them from the daemon."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.shoe.round import layout, rules
from firmware_bridge.topics.state import snapshots
from tests.cli.watch.test_cli_screen import status

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def script(game: str) -> list[str]:
    """The words of a round of this game."""
    lines = (EXAMPLES / f"{game}.deal").read_text("utf-8").splitlines()
    return [word for line in lines for word in line.partition("#")[0].split()]


def drawable(game: str, *words: str, **more: Any) -> dict[str, Any]:
    """The status after these words of a deal script."""
    house = house_of(**{"game": game, **usual(game), "burn": "none"} | more)
    said = status(" ".join(words), house)
    play = Replay(house, "T07", lambda _: None, close=None)
    list(play.play(parse(" ".join(words))))
    said |= msgspec.json.decode(msgspec.json.encode(snapshots(play.shoe)))
    points = dict(rules(play.shoe).demo.points(layout(play.shoe))) if play.shoe.laid else {}
    return said | {"points": points, "seats": [f"S{seat}" for seat in play.shoe.bets]}


@cache
def moments(game: str) -> list[dict[str, Any]]:
    """Before the round, in its bets, between its cards, at its end, after it, and with two alarms open."""
    words = script(game)
    ends = sorted({0, 1, 4, len(words) // 2, len(words) - 1, len(words)})
    after = [(*words, "next"), (*words, "next", *words[:4]), (*words[:-1], "??", "lid-open")]
    return [drawable(game, *words[:end]) for end in ends] + [drawable(game, *more) for more in after]
