"""Draws a guest screen as HTML: a view in a language, and the document around it."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from firmware_bridge.floor.page.document import RELEASE
from firmware_bridge.floor.page.guest.board import board
from firmware_bridge.floor.page.guest.house import PLAIN, House
from firmware_bridge.floor.page.guest.roads import counts, roads
from firmware_bridge.floor.page.guest.view import Limit, View
from firmware_bridge.floor.page.markup import Html, rendered
from firmware_bridge.floor.page.newest import newest
from firmware_bridge.floor.page.seal import code
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.drawn.shapes import wide
from firmware_bridge.games.guest import Hand, Result, seat
from firmware_bridge.topics.texts import Language, text

WIDTHS: Final = (1.6, 2.7, 3.6, 4.5, 5.2, 6.3, 8.3)
"""Steps of the width of the words below hands, in sizes of their letters; a class of screen.css for each."""

SIGN: Final = 1.3
"""Width of the sign before how a hand ended, and of the gap behind it."""

DENSE: Final = 4
"""From so many hands of a seat on, a sign alone says how each ended, and suits stand beside ranks."""


class Look(NamedTuple):
    """The look of all screens of a house. first_seat: the side of seat 1 as guests look at the table."""

    house: House = PLAIN
    first_seat: Literal["left", "right"] = "left"


PLAIN_LOOK: Final = Look()


@newest
def screen(name: str, shown: View, lang: Language, look: Look = PLAIN_LOOK) -> Html:
    """Return the screen of the table `name`."""
    texts, placed = _Texts(lang), board(shown)
    hands = [each for place in placed.places for each in place.hands]
    drawn = rendered(
        "guest_screen.html",
        name=name,
        shown=shown,
        state=_state(shown),
        lang=lang,
        look=look,
        texts=texts,
        board=placed,
        is_dense=placed.hands >= DENSE,
        is_bare=not any(each.points or each.kind or each.outcome for each in hands),
        kinds=_step(_wide(word) for each in hands for word in (each.points, *texts.kind(each).split())),
        words=_step(_wide(word) + SIGN * (not by_kind) for each in hands for word, by_kind in [texts.ended(each)]),
        note=code(shown.note, texts("note")) if shown.note else None,
        roads=roads(name, shown.roads, lang, look.house.colours) if shown.roads else (),
        counts=counts(shown.roads) if shown.roads else (),
        before=[words for each in shown.results if (words := texts.outcome(each))],
    )
    return Html(drawn)


def document(name: str, shown: View, lang: Language, look: Look = PLAIN_LOOK) -> str:
    """Return the page of a screen; its script updates it, and shows "please wait" without a stream."""
    values = {"name": name, "lang": lang, "texts": _Texts(lang), "release": RELEASE, "look": look}
    return rendered("guest.html", screen=screen(name, shown, lang, look), **values)


def _state(shown: View) -> str:
    """Return the id of the words on top."""
    if shown.is_shut:
        return "shut"
    return "wait" if shown.waits else "between" if shown.round is None else shown.bets


def _wide(word: str) -> float:
    return wide(word, 1, bold=True)


def _step(widths: Iterable[float]) -> int:
    """Return the number (from 0) of the step that all these widths have room in."""
    widest = max(widths, default=0)
    return next((number for number, each in enumerate(WIDTHS) if widest <= each), len(WIDTHS) - 1)


class _Texts:
    """The texts of one language."""

    def __init__(self, lang: Language) -> None:
        self._lang = lang

    def __call__(self, id: str, **values: str | int) -> str:
        """Return a text of the guests' screens."""
        return text(self._lang, f"guest.{id}", **values)

    def game(self, name: str) -> str:
        """Return the name of a game."""
        return text(self._lang, f"game.{name}")

    def hand_name(self, name: str) -> str:
        """Return the name of a hand or seat."""
        if name in ("player", "banker"):
            return self(name)
        number, hand = seat(name) or (0, 0)
        if not number:
            return self("dealer")
        return self("hand", seat=number, number=hand) if hand > 1 else self("seat", number=number)

    def number(self, game: str, shoe: int, round: int) -> str:
        """Return what guests call a round by: its number, or that of its pack where each round has its own."""
        if game in GAMES and GAMES[game].play.one_round_packs:
            return self("pack", shoe=shoe)
        return self("round", round=round)

    def outcome(self, result: Result) -> str:
        """Return the outcome of a round, in words."""
        if not result.outcome:
            return ""
        return self(result.outcome, number=(seat(result.seat) or (0, 0))[0]) if result.seat else self(result.outcome)

    def kind(self, hand: Hand) -> str:
        """Return the kind of a hand that has no points."""
        return self(hand.kind) if hand.kind and not hand.points else ""

    def ended(self, hand: Hand) -> tuple[str, bool]:
        """Return how a hand ended, and whether its kind says so: bust."""
        by_kind = bool(hand.kind and hand.points)
        id = hand.kind if by_kind else hand.outcome
        return self(id) if id else "", by_kind

    def span(self, limit: Limit) -> str:
        """Return a limit: from and to, or at most."""
        if limit.low and limit.high:
            return f"{limit.low} – {limit.high}"
        is_most = limit.name not in ("ante", "base", "top")
        return self("most", most=limit.high) if is_most and limit.high else limit.high or limit.low
