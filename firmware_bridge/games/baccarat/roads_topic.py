"""The retained topic `roads`: a board of all roads of a shoe as JSON, grown round by round."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw

from firmware_bridge.facts.decoding import own_json
from firmware_bridge.games.baccarat.roads import Bead, Board, RoadSettings, append, roads_of
from firmware_bridge.games.baccarat.roads.board import big_grid, logical, naturals, outcomes, with_ends
from firmware_bridge.games.baccarat.roads.columns import LETTERS, bead_cells
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD, GoodId, matching, written
from firmware_bridge.games.baccarat.roads.picture import Picture
from firmware_bridge.games.baccarat.roads.roads import Roads
from firmware_bridge.games.baccarat.script import Baccarat, Own
from firmware_bridge.games.game import Ended, Topic

_encode: Final = msgspec.json.Encoder().encode


class BoardJson:
    """The JSON of the board of `roads` after each round; a part that later rounds cannot change is encoded once."""

    def __init__(self, roads: Roads) -> None:
        self.roads = roads
        self._outcomes = self._naturals = self._shape = ""
        self._columns = 0
        self._lists = {name: _List(items) for name, items in _items(roads).items()}

    def json(self) -> Raw:
        """Return the JSON in the same bytes as that of a board made from all rounds."""
        new = self.roads.beads[len(self._outcomes) :]
        self._outcomes += outcomes(new)
        self._naturals += naturals(new)
        lists = {name: each.json() for name, each in self._lists.items()}
        of_beads = {"outcomes": self._outcomes, "naturals": self._naturals, "good_roads": self._good_roads(), **lists}
        return Raw(_encode(with_ends(self.roads, **of_beads)))

    def _good_roads(self) -> tuple[GoodId, ...]:
        *settled, last = self.roads.big_road.columns[self._columns :] or (None,)
        if last is None:
            return ()
        self._shape = written(settled) + self._shape
        self._columns += len(settled)
        return matching(written((last,)) + self._shape, self.roads.settings.good)


class _List:
    """The JSON of a list that may still change its last item. items: those from a number (from 0) on."""

    def __init__(self, items: Callable[[int], Sequence[Any]]) -> None:
        self._items = items
        self._text, self._settled = b"[", 0

    def json(self) -> Raw:
        """Return the JSON of the whole list."""
        *settled, last = self._items(self._settled) or (None,)
        if last is None:
            return Raw(b"[]")
        for item in settled:
            self._text += _encode(item) + b","
        self._settled += len(settled)
        return Raw(self._text + _encode(last) + b"]")


def _items(roads: Roads) -> dict[str, Callable[[int], Sequence[Any]]]:
    """Return each field of a board -> its list."""
    eye, small, cockroach = roads.derived
    return {
        "bead": lambda first: bead_cells(roads.beads, first),
        "big_logical": lambda first: logical(roads.big_road.columns[first:]),
        "big_grid": lambda first: big_grid(roads, first),
        "big_eye_grid": _cells(eye.picture),
        "small_grid": _cells(small.picture),
        "cockroach_grid": _cells(cockroach.picture),
    }


def _cells(picture: Picture) -> Callable[[int], Sequence[Any]]:
    return lambda first: picture.cells[first:]


_decode = own_json(Own)


def _empty(terms: Baccarat) -> BoardJson:
    shown = ALL_GOOD if terms.good_roads is None else tuple(each for each in ALL_GOOD if each in terms.good_roads)
    return BoardJson(roads_of((), RoadSettings(terms.leading_ties, terms.row1_limit, shown)))


def bead_of(outcome: str, own: Raw) -> Bead:
    """Return the bead of a round that counts."""
    decoded = _decode(own)
    return Bead(LETTERS[outcome], decoded.pairs["banker"], decoded.pairs["player"], decoded.natural)


def _grow(board: BoardJson, round: Ended) -> BoardJson:
    append(board.roads, bead_of(round.outcome or "", round.own))
    return board


ROADS: Final = Topic("roads", Board, _empty, _grow, BoardJson.json)
