"""Draws the dealer's screen of a table as HTML, and the document around it."""

import logging
from collections.abc import Callable
from functools import lru_cache

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.markup import rendered
from firmware_bridge.topics.texts import LANGUAGES, Language
from firmware_bridge.topics.texts.dealer import Known, Screen, screen
from firmware_bridge.topics.texts.done import Done

log = logging.getLogger(__name__)


def of_table(feed: Feed, name: str, lang: Language, draw: Callable[[Screen, Language], str]) -> str:
    """Return a drawn screen; after an error that of a lost table, which sends the dealer to the lamps.

    In English where the language has some texts alone: it is for guests.
    """
    lang = lang if lang in LANGUAGES else "en"
    try:
        return draw(screen(_known(feed, name), lang), lang)
    except Exception:  # a message of one table must not leave an old instruction on its screen
        if feed.is_first(name, "dealer"):
            log.exception("table %s: its dealer's screen cannot be drawn", escaped(name))
        return draw(screen(Known(name, None, None, None, None, Done(), lost=True), lang), lang)


@lru_cache(64)
def drawn(shown: Screen, lang: Language) -> str:
    """Return the screen of a table, without the document around it."""
    return rendered("dealer_screen.html", shown=shown, lang=lang)


def document(shown: Screen, lang: Language) -> str:
    """Return the page of a screen; its script updates it, and says so when the connection is lost."""
    return rendered("dealer.html", shown=shown, lang=lang)


def _known(feed: Feed, name: str) -> Known:
    seen, trouble = feed.floor.tables.get(name), feed.troubles.get(name)
    done = feed.done.tables.get(name, Done())
    if seen is None:
        return Known(name, None, None, None, None, done, lost=bool(feed.fault))
    lost = bool(feed.fault) or trouble is None or bool(trouble.silent) or "table" in seen.unreadable
    return Known(name, seen.shoe, seen.table, seen.lamps, seen.alarms, done, lost)
