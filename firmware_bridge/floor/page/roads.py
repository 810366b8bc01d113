"""Roads of baccarat for the page: the daemon's own pictures, in colours that follow the browser's light or dark."""

from __future__ import annotations

from typing import Final, get_args

from firmware_bridge.floor.page.markup import Html, tag
from firmware_bridge.floor.page.texts import Language, text
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.grid import BESIDE, Grid, road
from firmware_bridge.games.baccarat.drawn.shapes import Ink, Label, Sheet
from firmware_bridge.games.baccarat.drawn.sheet import Heading, Look, sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS
from firmware_bridge.games.baccarat.roads import ALL_GOOD, Board

INKS: Final[dict[Ink, str]] = {ink: f"var(--{ink.replace('_', '-')})" for ink in get_args(Ink)}
"""The colours are named here, and given in page.css."""

TILE: Final = Grid(BESIDE, 1, 22, 21)
"""The grid of a tile's big road."""

SIZE: Final = (1600, 900)
"""Width and height of a board, in units of its picture."""


def big_road(board: Board, lang: Language, table: str) -> Html:
    """The newest columns of the big road, without a title."""
    shapes = [each for each in road(board, "big", TILE, WORDS[lang]) if not isinstance(each, Label) or each.y > 0]
    width, height = int(2 * BESIDE + TILE.width), int(TILE.height + 2)
    return _html(Sheet(width, height, 1, tuple(shapes), INKS, lang, text(lang, "page.road", table=table)))


def board(told: Board, lang: Language, heading: Heading) -> Html:
    """The whole board; it scrolls in its place where it has too little room."""
    drawn = sheet(told, Look(language=lang, good=ALL_GOOD, size=SIZE), heading)._replace(inks=INKS)
    name = text(lang, "page.roads")
    return tag("div", _html(drawn), id="board", class_="scroll", tabindex="0", role="group", aria_label=name)


def _html(drawn: Sheet) -> Html:
    return Html(svg(drawn).replace("\n", ""))
