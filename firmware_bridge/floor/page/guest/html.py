"""Draws a guest screen as HTML: a view in a language, and the document around it."""

from functools import lru_cache
from typing import Final

from firmware_bridge.floor.page.guest.read import Roads
from firmware_bridge.floor.page.guest.view import Limit, View
from firmware_bridge.floor.page.markup import DOT, Html, rendered
from firmware_bridge.floor.page.seal import code
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.grid import BESIDE, TITLE, Grid, road
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS as OF_ROADS
from firmware_bridge.games.baccarat.drawn.words import Kind
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.games.guest import Result, seat
from firmware_bridge.topics.texts import Language, text

COLUMNS: Final = 18
CELL: Final = 44.0
SHOWN: Final[tuple[Kind, ...]] = ("bead", "big")

FEW, SOME = 4, 8
"""Most hands to draw large, and less large."""


@lru_cache(64)
def screen(name: str, shown: View, lang: Language) -> Html:
    """The screen of the table `name`."""
    texts = _Texts(lang)
    drawn = rendered(
        "guest_screen.html",
        name=name,
        shown=shown,
        lang=lang,
        texts=texts,
        note=code(shown.note, texts("note")) if shown.note else None,
        roads=roads(shown.roads, lang) if shown.roads else (),
        before=[words for each in shown.results if (words := texts.outcome(each))],
        FEW=FEW,
        SOME=SOME,
    )
    return Html(drawn)


def document(name: str, shown: View, lang: Language) -> str:
    """The page of a screen; its script updates it, and shows "please wait" without a stream."""
    return rendered("guest.html", name=name, lang=lang, texts=_Texts(lang), screen=screen(name, shown, lang))


@lru_cache(64)
def roads(message: Roads, lang: Language) -> tuple[Html, ...]:
    """A picture of each road in `SHOWN`."""
    board = _board(message)
    words = OF_ROADS[lang]
    grid = Grid(BESIDE, TITLE, CELL, COLUMNS)
    width, height = grid.width + 2 * BESIDE, TITLE + grid.height + 2
    made = []
    for kind in SHOWN:
        shapes = tuple(road(board, kind, grid, words))
        made.append(Html(svg(Sheet(int(width), int(height), 1.0, shapes, THEMES["dark"], lang, words.roads[kind]))))
    return tuple(made)


def _board(message: Roads) -> Board:
    """A board with these two roads alone."""
    nothing = {"big_eye": "", "small": "", "cockroach": "", "outcomes": ""}
    return Board(
        naturals=message.naturals,
        bead=message.bead,
        big_logical=(),
        held_ties=0,
        big_grid=message.big_grid,
        big_eye_grid=(),
        small_grid=(),
        cockroach_grid=(),
        ask={},
        ask_cells={},
        good_roads=(),
        **nothing,
    )


class _Texts:
    """The texts of one language."""

    def __init__(self, lang: Language) -> None:
        self._lang = lang

    def __call__(self, id: str, **values: str | int) -> str:
        """A text of the guests' screens."""
        return text(self._lang, f"guest.{id}", **values)

    def game(self, name: str) -> str:
        """The name of a game."""
        return text(self._lang, f"game.{name}")

    def hand_name(self, name: str) -> str:
        """The name of a hand or seat."""
        if name in ("player", "banker"):
            return self(name)
        number, hand = seat(name) or (0, 0)
        if not number:
            return self("dealer")
        return self("hand", seat=number, number=hand) if hand > 1 else self("seat", number=number)

    def outcome(self, result: Result) -> str:
        """The outcome of a round, in words."""
        if not result.outcome:
            return ""
        return self(result.outcome, number=(seat(result.seat) or (0, 0))[0]) if result.seat else self(result.outcome)

    def result(self, result: Result) -> str:
        """The outcome of a round, and whether it was a natural."""
        return DOT.join(filter(None, [self.outcome(result), self("natural") if result.natural else ""]))

    def span(self, limit: Limit) -> str:
        """A limit: from and to, or at most."""
        if limit.low and limit.high:
            return f"{limit.low} – {limit.high}"
        is_most = limit.name not in ("ante", "base", "top")
        return self("most", most=limit.high) if is_most and limit.high else limit.high or limit.low
