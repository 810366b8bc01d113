"""What people who are signed in may do at a table, as parts of its page."""

from typing import Final

from starlette.routing import Route

from firmware_bridge.floor.page.document import section
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.hand import Hand
from firmware_bridge.floor.page.markup import Html
from firmware_bridge.floor.page.order_forms import OrderForms
from firmware_bridge.floor.page.orders import PageOrders
from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.page.sessions import Visitor
from firmware_bridge.topics.texts import Language, text

TITLES: Final = {"hand": "hand.title", "orders": "order.title"}
"""Parts of a table's page -> the text that is their heading."""


MOST_DRAWN: Final = 500
"""Most drawn parts that are kept, so that an event in pieces draws them once."""


class Acts:
    """The parts for a visitor, and all routes of their forms. orders: None without a key; is_on: people sign in."""

    def __init__(self, feed: Feed, people: People, orders: PageOrders | None, is_on: bool) -> None:
        self._feed = feed
        self._drawn: dict[tuple[str, Language, Visitor], tuple[int, dict[str, Html]]] = {}
        self._is_on = is_on
        self._hand = Hand(feed, people)
        self._forms = OrderForms(feed, orders, people) if orders else None
        self.routes: list[Route] = [*self._hand.routes, *(self._forms.routes if self._forms else ())] if is_on else []

    def wall_parts(self, visitor: Visitor, lang: Language) -> dict[str, str]:
        """Return the live part of the wall that is of this visitor: what waits for a second person."""
        return {"waits": self._forms.waiting(visitor, lang)} if self._forms else {}

    def parts(self, name: str, visitor: Visitor, lang: Language) -> dict[str, Html]:
        """Return the live parts of a table's page that are of this visitor; empty for an unknown table."""
        if name not in self._feed.floor.tables or not self._is_on:
            return {}
        known = self._drawn.get((name, lang, visitor))
        if known is None or known[0] != self._feed.version:
            if len(self._drawn) >= MOST_DRAWN:
                self._drawn.clear()
            known = self._drawn[name, lang, visitor] = (self._feed.version, self._draw(name, visitor, lang))
        return known[1]

    def _draw(self, name: str, visitor: Visitor, lang: Language) -> dict[str, Html]:
        """Return the parts: who goes, then orders where the page gives any."""
        parts = {"hand": self._hand.part(name, visitor, lang)}
        if self._forms:
            parts["orders"] = self._forms.part(name, visitor, lang)
        return parts

    def sections(self, name: str, visitor: Visitor, lang: Language) -> Html:
        """Return the same parts with their headings."""
        parts = self.parts(name, visitor, lang).items()
        return Html("").join(section(id, text(lang, TITLES[id]), part) for id, part in parts)
