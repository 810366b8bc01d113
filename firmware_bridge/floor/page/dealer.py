"""Draws the dealer's screen of a table as HTML, and the document around it."""

import logging
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.topics.texts import Language, text
from firmware_bridge.topics.texts.dealer import Known, Screen, screen
from firmware_bridge.topics.texts.done import Done

log = logging.getLogger(__name__)

SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RED: Final = ("h", "d")


def of_table(feed: Feed, name: str, lang: Language, draw: Callable[[Screen, Language], str]) -> str:
    """A drawn screen; after an error that of a lost table, which sends the dealer to the lamps."""
    try:
        return draw(screen(_known(feed, name), lang), lang)
    except Exception:  # a message of one table must not leave an old instruction on its screen
        if feed.is_first(name, "dealer"):
            log.exception("table %s: its dealer's screen cannot be drawn", escaped(name))
        return draw(screen(Known(name, None, None, None, None, Done(), lost=True), lang), lang)


@lru_cache(64)
def drawn(shown: Screen, lang: Language) -> str:
    """The screen of a table, without the document around it."""
    made: str = _templates().get_template("dealer_screen.html").render(shown=shown, lang=lang)
    return made


def document(shown: Screen, lang: Language) -> str:
    """The page of a screen; its script updates it, and says so when the connection is lost."""
    made: str = _templates().get_template("dealer.html").render(shown=shown, lang=lang)
    return made


def face(card: str) -> tuple[str, str]:
    """A card as shown, and its class."""
    rank, suit = card[:-1].replace("T", "10"), card[-1:]
    if suit in SUITS:
        return f"{rank}{SUITS[suit]}", "red" if suit in RED else ""
    return ("▭", "tile") if rank == "w" else (f"{rank}●", "tile")


def whole(words: str) -> str:
    """Words in which no line breaks before a number, `Seat 2`, or begins with a dot."""
    return _KEPT.sub("\u00a0", words)


_KEPT: Final = re.compile(r" (?=[\d·])")


@lru_cache(1)
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("firmware_bridge.floor.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {"text": text, "face": face}
    made.filters["whole"] = whole
    return made


def _known(feed: Feed, name: str) -> Known:
    seen, trouble = feed.floor.tables.get(name), feed.troubles.get(name)
    done = feed.done.tables.get(name, Done())
    if seen is None:
        return Known(name, None, None, None, None, done, lost=bool(feed.fault))
    lost = bool(feed.fault) or trouble is None or bool(trouble.silent) or "table" in seen.unreadable
    return Known(name, seen.shoe, seen.table, seen.lamps, seen.alarms, done, lost)
