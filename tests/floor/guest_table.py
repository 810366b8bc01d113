"""A table at which a deal script was played, as guests see it."""

from __future__ import annotations

import json
from typing import Any

from firmware_bridge.floor.page.guest.fold import NOTHING, Kept, fold
from firmware_bridge.floor.page.guest.view import View, view
from tests.floor.guest_stage import LIMITS, Said, Stage, Watched

HEAD = {"v": 1, "table": "T07", "shoe": 3, "journal": "3-5ad1", "boot": "5c1e"}


def at(n: int) -> str:
    return f"2026-11-20T21:33:{n:02}.000Z"


def table(stage: Stage, text: str = "", **house: Any) -> Watched:
    """A table of baccarat at which a deal script was played; a stage has what it published."""
    made = Watched(stage, **{"burn": "none", "limits": LIMITS} | house)
    stage.status(made.shoe, "online", began=True)
    made.play(text)
    return made


def seen(text: str, cards: Any = "closed", **house: Any) -> View:
    """What guests see after a deal script."""
    stage = Stage()
    table(stage, text, **house)
    return view(kept(stage.said), cards)


def kept(said: list[Said]) -> Kept:
    result = NOTHING
    for each in said:
        result = fold(result, each.topic, each.payload)
    return result


def status(state: str = "online", *, n: int = 1, **more: Any) -> bytes:
    body = {"as_of": n, "at": at(n), "state": state, "mode": "FULL", "link": 1}
    return json.dumps(HEAD | body | more).encode()
