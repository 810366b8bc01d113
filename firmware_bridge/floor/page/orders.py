"""Gives the orders of people who are signed in to tables, signed with the page's key."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from time import time
from typing import Final, NamedTuple

from firmware_bridge.client.broker import asked
from firmware_bridge.client.orders import NoAnswer, Sender
from firmware_bridge.client.signing import Signing, signing
from firmware_bridge.facts.orders import Answer, Order, tag_of
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import secret
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.form import Tokens
from firmware_bridge.floor.page.sessions import Visitor
from firmware_bridge.floor.page_config import PageSection

log = logging.getLogger(__name__)

KEY_NAME: Final = "page"
"""The name of the page's key in the tables' `[[orders]]`."""

ANSWER_S: Final = 10.0
"""Seconds before an order without an answer is given up."""

FORM_S: Final = 3600.0
"""Seconds from when a form is drawn until it is too old to be sent."""

MOST: Final = 10_000
"""Most orders that are remembered, so that a form that is sent twice is one order; beyond, none is taken."""


class Outdated(Exception):
    """A form that gives no order: of another session, too old, or sent before with other fields."""


class TooMany(Exception):
    """More orders within an hour than the page remembers."""


class _Given(NamedTuple):
    """An order that was given. answer: None where none came in time."""

    table: str
    order: Order
    answer: asyncio.Task[Answer | None]


class FeedChannel:
    """A `Channel` that uses the feed's connection to the broker, which reads its topics already."""

    def __init__(self, feed: Feed) -> None:
        self.answered: Callable[[str, bytes], None] = lambda topic, payload: None
        self.seen: Callable[[str, bytes], None] | None = None
        self._feed = feed
        feed.heard = self._heard

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""
        return not self._feed.fault

    def read(self, topics: dict[str, int | None]) -> None:
        """Do nothing: the feed reads them."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message."""
        self._feed.publish(topic, payload)

    def _heard(self, topic: str, payload: bytes) -> None:
        if topic.endswith("/reply"):
            self.answered(topic, payload)
        elif topic.endswith("/table") and self.seen:
            self.seen(topic, payload)


class PageOrders:
    """Gives orders, each once. clock: seconds since 1970."""

    def __init__(
        self, feed: Feed, root: str, by: Signing, answer_s: float = ANSWER_S, clock: Callable[[], float] = time
    ) -> None:
        self._feed, self._answer_s, self._clock = feed, answer_s, clock
        self._sender = Sender(FeedChannel(feed), root, by)
        self._tokens = Tokens()
        self._given: dict[str, _Given] = {}

    def form(self, visitor: Visitor) -> dict[str, str]:
        """The id of a new form's order, and what binds it to the session of its visitor."""
        id = f"page-{int(self._clock()):x}-{secrets.token_hex(8)}"
        return {"id": id, "token": self._tokens.of(visitor, id)}

    async def give(self, visitor: Visitor, table: str, order: Order, form: dict[str, str]) -> Answer | None:
        """The table's answer to the order of a form, None without one in time. The same form again: the same answer.

        Raises Outdated, TooMany.
        """
        id = form.get("id", "")
        if not self._tokens.is_of(visitor, id, form.get("token", "")):
            raise Outdated
        if self._clock() - int(id.split("-")[1], 16) > FORM_S:
            raise Outdated
        given = self._given.get(id)
        if given is None:
            self._forget()
            task = asyncio.create_task(self._answer(visitor, table, order, id))
            given = self._given[id] = _Given(table, order, task)
        elif (given.table, given.order) != (table, order):
            raise Outdated
        answer = await asyncio.shield(given.answer)
        if answer is None and self._given.get(id) is given:
            del self._given[id]  # the next try has the same id, and the table takes it once
        return answer

    async def _answer(self, visitor: Visitor, table: str, order: Order, id: str) -> Answer | None:
        what = f"{escaped(visitor.name)} gave {tag_of(order)} to table {escaped(table)} ({id})"
        try:
            answer = await asked(self._sender, table, order, self._answer_s, visitor.name, id)
        except NoAnswer:
            log.warning("%s: no answer within %g s", what, self._answer_s)
            return None
        log.info("%s: %s", what, "taken" if answer.ok else f"refused: {escaped(answer.error or '')}")
        return answer

    def _forget(self) -> None:
        """Forget orders of forms that are too old to be sent again. Raises TooMany."""
        if len(self._given) >= MOST:
            oldest = int(self._clock() - FORM_S)
            self._given = {id: each for id, each in self._given.items() if int(id.split("-")[1], 16) >= oldest}
            if len(self._given) >= MOST:
                raise TooMany


def page_orders(page: PageSection, feed: Feed, root: str) -> PageOrders | None:
    """The orders of the page, None without a key. Raises ConfigError."""
    if page.order_key_file is None:
        return None
    return PageOrders(feed, root, signing(KEY_NAME, secret(page.order_key_file), lambda: time() * 1000))
