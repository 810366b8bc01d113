"""Draws a guest screen as HTML: a view in a language, and the document around it."""

from functools import lru_cache
from typing import Final

from firmware_bridge.floor.page.guest.read import Roads
from firmware_bridge.floor.page.guest.view import Limit, View
from firmware_bridge.floor.page.markup import DOT, Html, joined, tag
from firmware_bridge.floor.page.seal import code
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.grid import BESIDE, TITLE, Grid, road
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS as OF_ROADS
from firmware_bridge.games.baccarat.drawn.words import Kind
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.games.guest import Hand, Result, seat
from firmware_bridge.topics.texts import Language, text

SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RED: Final = ("h", "d")
COLUMNS: Final = 18
CELL: Final = 44.0
SHOWN: Final[tuple[Kind, ...]] = ("bead", "big")

FEW, SOME = 4, 8
"""Most hands to draw large, and less large."""


@lru_cache(64)
def screen(name: str, shown: View, lang: Language) -> Html:
    """The screen of the table `name`."""
    texts = _Texts(lang)
    return tag(
        "main",
        _head(name, shown, texts),
        tag("p", texts("wait" if shown.waits else shown.bets), class_="state"),
        _note(shown.note, texts) if shown.note else _now(shown, texts),
        _last(shown, texts) if shown.game else None,
        tag("section", *roads(shown.roads, lang), class_="roads") if shown.roads else None,
        _before(shown, texts),
        _limits(shown.limits, texts),
        class_="wait" if shown.waits else shown.bets,
        data_game=shown.game or None,
        lang=lang,
    )


def document(name: str, shown: View, lang: Language) -> str:
    """The page of a screen; its script updates it, and shows "please wait" without a stream."""
    texts = _Texts(lang)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", texts("table", name=name)),
        tag("link", rel="icon", href="/static/icon.svg"),
        tag("link", rel="stylesheet", href="/static/screen.css"),
        tag("script", src="/static/screen.js", defer=True),
    )
    body = tag(
        "body",
        tag("div", screen(name, shown, lang), id="screen"),
        tag("p", texts("wait"), id="lost", role="status", hidden=True),
    )
    return f"<!doctype html>{tag('html', head, body, lang=lang)}"


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


def _head(name: str, shown: View, texts: _Texts) -> Html:
    number = None if shown.round is None else tag("p", texts("round", round=shown.round), class_="round")
    title = texts.game(shown.game) if shown.game else texts("table", name=name)
    table = tag("p", texts("table", name=name), class_="table") if shown.game else None
    return tag("header", tag("h1", title), table, number)


def _now(shown: View, texts: _Texts) -> Html | None:
    """The present round: its cards if the house shows them, the pot, and the seats still in."""
    money = [
        tag("div", tag("dt", texts(id)), tag("dd", amount))
        for id, amount in (("pot", shown.pot), ("stake", shown.stake))
        if amount
    ]
    still = [tag("li", texts.hand_name(name)) for name in shown.seats]
    if not (money or still or shown.cards):
        return None
    return tag(
        "section",
        tag("h2", texts("now")),
        tag("dl", *money, class_="money") if money else None,
        joined(tag("h3", texts("in")), tag("ul", *still, class_="seats")) if still else None,
        _hands(shown.cards, texts),
        class_="now",
    )


def _last(shown: View, texts: _Texts) -> Html:
    result = shown.result
    if result is None:
        return tag("section", tag("h2", texts("over")), tag("p", texts("none"), class_="none"), class_="last")
    words = DOT.join(filter(None, [texts.outcome(result), texts("natural") if result.natural else ""]))
    pot = f"{texts('pot')} {result.pot}" if result.pot else None
    return tag(
        "section",
        tag("h2", texts("over"), DOT, texts("round", round=result.round)),
        tag("p", words, class_=f"outcome {result.outcome.replace('.', '-')}"),
        tag("p", pot, class_="pot") if pot else None,
        _hands(result.hands, texts),
        class_="last",
    )


def _note(note: str, texts: _Texts) -> Html:
    """The newest note of the record, for the house's camera; it stands where cards of a round do."""
    return tag("section", tag("h2", texts("note")), code(note, texts("note")), class_="now note")


def _hands(hands: tuple[Hand, ...], texts: _Texts) -> Html | None:
    if not hands:
        return None
    many = "few" if len(hands) <= FEW else "some" if len(hands) <= SOME else "many"
    return tag("ul", *[_hand(each, texts) for each in hands], class_=f"hands {many}")


def _hand(hand: Hand, texts: _Texts) -> Html:
    value = " ".join(filter(None, [hand.points, texts(hand.kind) if hand.kind else ""]))
    return tag(
        "li",
        tag("h3", texts.hand_name(hand.name)),
        tag("p", *[_card(each, texts) for each in hand.cards], class_="cards"),
        tag("p", value, class_="points") if value else None,
        tag("p", texts(hand.outcome), class_="ended") if hand.outcome else None,
        class_=f"hand {hand.outcome}".strip(),
    )


def _card(face: str | None, texts: _Texts) -> Html:
    """A card; None for one face down."""
    if face is None:
        return tag("span", class_="card down", role="img", aria_label=texts("down"))
    rank, suit = face[0], face[1]
    if suit not in SIGNS:
        inner = [texts("white")] if rank == "w" else [rank, tag("i", texts("tile"))]
        return tag("span", *inner, class_="card tile")
    return tag("span", "10" if rank == "T" else rank, tag("i", SIGNS[suit]), class_=f"card{' red' * (suit in RED)}")


def _before(shown: View, texts: _Texts) -> Html | None:
    """The results before the last one, in words; None in a game with roads."""
    outcomes = [words for each in shown.results if (words := texts.outcome(each))]
    if shown.roads is not None or not outcomes:
        return None
    return tag(
        "section", tag("h2", texts("before")), tag("ol", *[tag("li", each) for each in outcomes]), class_="before"
    )


def _limits(limits: tuple[Limit, ...], texts: _Texts) -> Html | None:
    if not limits:
        return None
    rows = [tag("div", tag("dt", texts(f"limit.{each.name}")), tag("dd", _span(each, texts))) for each in limits]
    return tag("footer", tag("h2", texts("limits")), tag("dl", *rows))


def _span(limit: Limit, texts: _Texts) -> str:
    if limit.low and limit.high:
        return f"{limit.low} – {limit.high}"
    is_most = limit.name not in ("ante", "base", "top")
    return texts("most", most=limit.high) if is_most and limit.high else limit.high or limit.low
