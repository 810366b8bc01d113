"""The ten good roads: shapes of the big road's last columns."""

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple, get_args

from firmware_bridge.games.baccarat.roads.columns import Column

LONG: Final = 4
"""Beads from which on a column counts as long [001]; longer ones are all the same to a good road."""


GoodId = Literal[
    "long_banker",
    "long_player",
    "pairs",
    "single_jump",
    "hall_rooms_banker",
    "hall_rooms_player",
    "stick_banker",
    "stick_player",
    "alt_stick_banker",
    "alt_stick_player",
]
ALL_GOOD: Final[tuple[GoodId, ...]] = get_args(GoodId)


class GoodRoad(NamedTuple):
    """A good road: its names, and the shape of the columns while it is on, read back from the newest.

    A column is written as its side and its length, 4 standing for 4 or more: "B4P2B1" is a banker's streak after two
    of the player's. A shape is: what the open column may still become, what may follow any number of times,
    and the start that the seed gives.
    """

    zh_hant: str
    zh_hans: str
    en: str
    shape: str


GOOD_ROADS: Final[dict[GoodId, GoodRoad]] = {
    "long_banker": GoodRoad("長莊", "长庄", "Long banker", "B4"),
    "long_player": GoodRoad("長閒", "长闲", "Long player", "P4"),
    "pairs": GoodRoad("拍拍黐", "拍拍黐", "Pairs", "(.1)?(.[2-4]){2}"),
    "single_jump": GoodRoad("大路單跳", "大路单跳", "Single jump", "(.1){4}"),
    "hall_rooms_banker": GoodRoad("一廳兩房(莊)", "一厅两房(庄)", "One hall, two rooms (B)", "(B1|P1B1)?(P2B1){2}"),
    "hall_rooms_player": GoodRoad("一廳兩房(閒)", "一厅两房(闲)", "One hall, two rooms (P)", "(P1|B1P1)?(B2P1){2}"),
    "stick_banker": GoodRoad("逢莊黐", "逢庄黐", "Banker sticks", "(B.)?(P.B[2-4])*P.B2P.B4"),
    "stick_player": GoodRoad("逢閒黐", "逢闲黐", "Player sticks", "(P.)?(B.P[2-4])*B[2-4]P4B.P2"),
    "alt_stick_banker": GoodRoad(
        "隔黐莊", "隔黐庄", "Banker sticks by turns", "((B1)?P.(B1P.)?)?B[2-4]P.B1P.B[2-4]P.B1"
    ),
    "alt_stick_player": GoodRoad(
        "隔黐閒", "隔黐闲", "Player sticks by turns", "((P1)?B.(P1B.)?)?P[2-4]B.P1B.P[2-4]B.P1"
    ),
}
"""In the order of casino boards; what begins, holds and breaks each: docs/roads.md."""

_MATCH: Final = {name: re.compile(road.shape).match for name, road in GOOD_ROADS.items()}


def good_roads(columns: Sequence[Column], shown: Collection[GoodId] = ALL_GOOD) -> tuple[GoodId, ...]:
    """Return the ids that are on now, in the order of the table; ties play no part."""
    return matching(written(columns), shown)


def matching(text: str, shown: Collection[GoodId] = ALL_GOOD) -> tuple[GoodId, ...]:
    """Return the ids that are on where the columns are those of `text`."""
    return tuple([name for name, match in _MATCH.items() if match(text) and name in shown])


def written(columns: Sequence[Column]) -> str:
    """Return the columns as a shape has them, read back from the newest."""
    return "".join([_written(side, len(ties)) for side, ties in reversed(columns) if side != "T"])


@cache
def _written(side: str, length: int) -> str:
    return f"{side}{min(length, LONG)}"
