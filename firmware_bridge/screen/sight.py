"""What a screen shows of a table at one moment, whoever looks: the demo's audience, or a technician at a daemon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rich.text import Text

from firmware_bridge.games.game import Game

Payload = Mapping[str, Any]
Boards = Callable[[int], Sequence[Sequence[Text]]]
"""Pictures of what only this game publishes: each in lines of at most so many columns, the most wanted first."""


class Row(NamedTuple):
    """A name and what there is to say about it, in lines.

    keeps: how many lines are left of it where room is scarce. is_news: those are its last ones. wraps: a line that
    is too long goes on below; else it ends with an ellipsis.
    """

    name: str
    text: Text
    keeps: int = 1
    is_news: bool = False
    wraps: bool = True


class Over(NamedTuple):
    """A round that is over; a voided one has no outcome. points: of each hand, in the game's words.

    cards: slot and card, None for one that nobody is shown. said: what people say of it besides.
    """

    shoe: int
    round: int
    outcome: str | None
    points: Mapping[str, str]
    cards: Sequence[tuple[str, str | None]]
    said: Sequence[str] = ()


def _none(_: int) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A table as it is seen.

    size: cards in a full shoe. states: the topics `table`, `lamps` and `alarm`. over: rounds, oldest first. points:
    area -> its points so far. has_reserves: cards may wait for the next round in slots of their own. head: how the
    table stands. first, rows: what only this onlooker knows, above and below what all know. news: what takes the room
    that is left. keys: what can be pressed. edge: the colour of the frame.
    """

    table: str
    game: Game
    shoe: int | None
    size: int
    states: Mapping[str, Payload]
    news: Row
    over: Sequence[Over] = ()
    points: Mapping[str, str] = field(default_factory=dict)
    has_reserves: bool = False
    head: Text | None = None
    first: Sequence[Row] = ()
    rows: Sequence[Row] = ()
    boards: Boards = _none
    keys: str = ""
    edge: str = "green"
