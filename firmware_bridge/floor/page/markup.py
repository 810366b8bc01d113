"""HTML of values: cards, ages, times, numbers, sentences. Each is a macro of templates/markup.html."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from markupsafe import Markup, escape

from firmware_bridge.floor.look import templates
from firmware_bridge.topics.texts import Language, alarms, known, names, text

SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RED: Final = ("h", "d")
RANKS: Final = {"T": "10"}

DOT: Final = "\u00a0· "
"""Between parts of a line; a line that wraps does not begin with it."""

LOGO, COLOURS = "/screen/-/logo", "/screen/-/colours.css"
"""Addresses of what a house gives its guests' screens; no secret of a table is as short."""

Html = Markup
"""Text that is HTML already; made only by templates and from drawn pictures."""

Part = Html | str | int | None
"""Content of an element: plain text is escaped, None is left out."""


@cache
def macro(file: str, name: str) -> Callable[..., Html]:
    """Return a macro of a template."""
    made: Callable[..., Html] = getattr(_environment().get_template(file).module, name)
    return made


def rendered(file: str, **values: object) -> str:
    """Return a whole template."""
    made: str = _environment().get_template(file).render(**values)
    return made


def pieces(file: str, **values: object) -> Iterable[str]:
    """Return a whole template, in pieces as they are drawn."""
    made: Iterable[str] = _environment().get_template(file).generate(**values)
    return made


def card(lang: Language, face: str | None) -> Html:
    """Return a card with its name for screen readers; None for one that is face down or not shown."""
    if face is None:
        return _macro("card_down")(lang)
    rank, suit = face[:-1], face[-1]
    if suit not in SUITS:
        return _macro("card_up")(*_tile(lang, rank, suit), "tile-face" if rank == "w" else "")
    rank = RANKS.get(rank, rank)
    name = text(lang, "card.named", rank=rank, suit=text(lang, f"card.{suit}"))
    return _macro("card_up")(f"{rank}{SUITS[suit]}", name, "red" if suit in RED else "")


def age(at: int) -> Html:
    """Return the age of a time (ms since 1970); the browser keeps counting."""
    return _macro("time")(_utc(at), _iso(at), "age", at)


def moment(at: int) -> Html:
    """Return a time (ms since 1970); the browser shows it in its own format."""
    return _macro("time")(_utc(at), _iso(at), "at", at)


def number(value: float | None, unit: str = "", digits: int = 0) -> Part:
    """Return a number; the browser shows it in its own format. unit: of Intl.NumberFormat, `percent` for a share."""
    if value is None:
        return None
    shown = f"{value * (100 if unit == 'percent' else 1):.{digits}f}{'%' if unit == 'percent' else ''}"
    return _macro("number")(shown, f"{value:.6g}", unit, digits)


def change(share: float) -> Html:
    """Return a change, as a share with its sign."""
    return _macro("number")(f"{share:+.1%}", f"{share:.6g}", "change", 0)


def filled(sentence: str, **parts: Part) -> Html:
    """Return a sentence with HTML elements in place of its `{name}` fields."""
    return Html(escape(sentence)).format(**{name: "" if part is None else part for name, part in parts.items()})


def severity(lang: Language, id: str) -> str:
    """Return the severity of an alarm in words."""
    return known(lang, f"severity.{id}") or id


def face(card: str) -> tuple[str, str]:
    """Return a card as screens of dealers show it, and its class."""
    rank, suit = card[:-1].replace("T", "10"), card[-1:]
    if suit in SUITS:
        return f"{rank}{SUITS[suit]}", "red" if suit in RED else ""
    return ("▭", "tile") if rank == "w" else (f"{rank}●", "tile")


def whole(words: str) -> str:
    """Return words in which no line breaks before a number, `Seat 2`, or begins with a dot."""
    return _KEPT.sub("\u00a0", words)


_KEPT: Final = re.compile(r" (?=[\d·])")


def _macro(name: str) -> Callable[..., Html]:
    return macro("markup.html", name)


@cache
def _environment() -> Any:
    made = templates("page")
    made.globals |= {
        "text": text,
        "known": known,
        "names": names,
        "alarm_words": alarms,
        "card": card,
        "face": face,
        "age": age,
        "moment": moment,
        "number": number,
        "severity": severity,
        "DOT": DOT,
        "LOGO": LOGO,
        "COLOURS": COLOURS,
        "SUITS": SUITS,
        "RED": RED,
    }
    made.filters["whole"] = whole
    return made


def _tile(lang: Language, rank: str, suit: str) -> tuple[str, str]:
    """Return a tile as shown, and its name; an unknown face as it came."""
    if suit != "p":
        return rank + suit, rank + suit
    name = text(lang, "card.w") if rank == "w" else text(lang, "card.p", rank=rank)
    return ("▭" if rank == "w" else f"{rank}●"), name


def _iso(at: int) -> str:
    return _time(at).isoformat(timespec="seconds").replace("+00:00", "Z")


def _utc(at: int) -> str:
    return f"{_time(at):%H:%M:%S} UTC"


def _time(at: int) -> datetime:
    try:
        return datetime.fromtimestamp(at / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
