"""Messages of simulated tables of all games, as an ingest gets them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

from firmware_bridge.floor.record.message import Row, now, row
from scripts.tools.messages.played import TABLE, played
from scripts.tools.messages.scenes import GAMES

NAMES = [each.game for each in GAMES]


@cache
def rows(game: str, table: str = TABLE) -> tuple[Row, ...]:
    """The messages of the scene of a game."""

    def sent() -> Iterator[Row]:
        for scene in GAMES:
            for moment in played(scene) if scene.game == game else ():
                for each in moment.sent:
                    if each.topic in ("event", "round"):
                        body = json.dumps(each.payload | {"table": table}).encode()
                        yield row(each.topic, table, body, now())

    return tuple(sent())
