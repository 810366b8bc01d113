"""Builds HTML from parts: tags, cards, times, numbers, sentences, lists of names and values. Plain text is escaped."""

from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from typing import Final

from firmware_bridge.topics.texts import Language, known, text

VOID: Final = ("meta", "link", "br", "hr", "input")
SIGNS: Final = {"blocked": "■", "alarm": "▲", "silent": "◌", "no_shoe": "○", "playing": "●"}
SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RED: Final = ("h", "d")
RANKS: Final = {"T": "10"}

DOT: Final = "\u00a0· "
"""Between parts of a line; a line that wraps does not begin with it."""


class Html(str):
    """Text that is HTML already; made only here and from drawn roads."""

    __slots__ = ()


Part = Html | str | int | None
"""Content of an element: plain text is escaped, None is left out."""


def tag(name: str, /, *parts: Part, **attributes: str | int | bool | None) -> Html:
    """An element. An attribute None or False is left out; `_` in its name becomes `-`, and at the end is removed."""
    listed = "".join(
        _attribute(key, value) for key, value in attributes.items() if value is not None and value is not False
    )
    return Html(f"<{name}{listed}>" if name in VOID else f"<{name}{listed}>{joined(*parts)}</{name}>")


def joined(*parts: Part) -> Html:
    """The parts, joined."""
    return Html("".join(part if isinstance(part, Html) else escape(str(part)) for part in parts if part is not None))


def card(lang: Language, face: str | None) -> Html:
    """A card with its name for screen readers; None for one that is face down or not shown."""
    if face is None:
        return tag("span", tag("span", text(lang, "page.face_down"), class_="hidden"), class_="card back")
    rank, suit = face[:-1], face[-1]
    if suit not in SUITS:
        shown, name = _tile(lang, rank, suit)
        return _card(shown, name, "card tile-face" if rank == "w" else "card")
    rank = RANKS.get(rank, rank)
    name = text(lang, "card.named", rank=rank, suit=text(lang, f"card.{suit}"))
    return _card(f"{rank}{SUITS[suit]}", name, "card red" if suit in RED else "card")


def cards(lang: Language, faces: Iterable[str | None]) -> Html:
    """Cards side by side."""
    return tag("span", *[part for face in faces for part in (card(lang, face), " ")], class_="cards")


def age(at: int) -> Html:
    """The age of a time (ms since 1970); the browser keeps counting."""
    return tag("time", _utc(at), datetime=_iso(at), data_age=at)


def moment(at: int) -> Html:
    """A time (ms since 1970); the browser shows it in its own format."""
    return tag("time", _utc(at), datetime=_iso(at), data_at=at)


def number(value: float | None, unit: str = "", digits: int = 0) -> Part:
    """A number; the browser shows it in its own format. unit: of Intl.NumberFormat, `percent` for a share."""
    if value is None:
        return None
    shown = f"{value * (100 if unit == 'percent' else 1):.{digits}f}{'%' if unit == 'percent' else ''}"
    return tag("data", shown, value=f"{value:.6g}", data_unit=unit or None, data_digits=digits or None)


def pairs(*named: tuple[str, Part]) -> Html:
    """A list of names and values; a value of None is left out."""
    rows = [tag("div", tag("dt", name), tag("dd", value)) for name, value in named if value is not None]
    return tag("dl", *rows)


def filled(sentence: str, **parts: Part) -> Html:
    """A sentence with HTML elements in place of its `{name}` fields."""
    pieces: list[Part] = []
    for piece in sentence.split("{"):
        name, closed, rest = piece.partition("}")
        pieces += [parts[name], rest] if closed else [piece]
    return joined(*pieces)


def hidden(words: str) -> Html:
    """Words for screen readers alone."""
    return tag("span", words, class_="hidden")


def badge(lang: Language, word: str) -> Html:
    """What a table needs, as a word with its own sign, readable without colour."""
    sign = tag("span", SIGNS[word], aria_hidden="true")
    return tag("strong", sign, " ", text(lang, f"trouble.{word}"), class_=f"badge is-{word}")


def foreign(words: str, lang: Language) -> Html:
    """English text of the shoe, marked as English on other pages."""
    return joined(words) if lang == "en" else tag("span", words, lang="en")


def severity(lang: Language, id: str) -> str:
    """The severity of an alarm in words."""
    return known(lang, f"severity.{id}") or id


def _attribute(key: str, value: str | int | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


def _card(shown: str, name: str, class_: str) -> Html:
    seen = tag("span", shown, aria_hidden="true")
    return tag("span", seen, tag("span", name, class_="hidden"), class_=class_)


def _tile(lang: Language, rank: str, suit: str) -> tuple[str, str]:
    """A tile as shown, and its name; an unknown face as it came."""
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
