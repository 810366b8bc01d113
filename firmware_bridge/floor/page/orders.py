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
from firmware_bridge.floor.page.offers import KEY_NAME
from firmware_bridge.floor.page_config import PageSection
from firmware_bridge.topics.texts.refusals import worded

log = logging.getLogger(__name__)

ID: Final = "page-"
"""How the ids of its orders begin."""

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
        self._given: dict[str, _Given] = {}

    def new_id(self) -> str:
        """Return the id of a new form's order."""
        return f"{ID}{int(self._clock()):x}-{secrets.token_hex(8)}"

    def is_too_old(self, id: str) -> bool:
        """Return whether a form was drawn too long ago. id: one of `new_id`."""
        return self._clock() - _drawn_at(id) > FORM_S

    async def give(self, table: str, order: Order, id: str, person: str) -> Answer | None:
        """Give a form's order; return the table's answer, None without one in time. The same form: the same answer.

        Raises Outdated, TooMany.
        """
        given = self._given.get(id)
        if given is None:
            self._forget()
            task = asyncio.create_task(self._answer(table, order, id, person))
            given = self._given[id] = _Given(table, order, task)
        elif (given.table, given.order) != (table, order):
            raise Outdated
        answer = await asyncio.shield(given.answer)
        if answer is None and self._given.get(id) is given:
            del self._given[id]  # the next try has the same id, and the table takes it once
        return answer

    async def _answer(self, table: str, order: Order, id: str, person: str) -> Answer | None:
        second = escaped(getattr(order, "second", ""))
        who = f"{escaped(person)}{f' and {second}' if second else ''}"
        what = f"{who} gave {tag_of(order)} to table {escaped(table)} ({id})"
        try:
            answer = await asked(self._sender, table, order, self._answer_s, person, id)
        except NoAnswer:
            log.warning("%s: no answer within %g s", what, self._answer_s)
            self._feed.orders.unknown(table, order, person, id, self._feed.clock())
            self._feed.wake()
            return None
        self._feed.orders.answered(table, id)
        self._feed.wake()
        log.info("%s: %s", what, "taken" if answer.ok else f"refused: {escaped(worded(answer).error or '')}")
        return answer

    def _forget(self) -> None:
        """Forget orders of forms that are too old to be sent again. Raises TooMany."""
        if len(self._given) >= MOST:
            oldest = int(self._clock() - FORM_S)
            self._given = {id: each for id, each in self._given.items() if _drawn_at(id) >= oldest}
            if len(self._given) >= MOST:
                raise TooMany


def _drawn_at(id: str) -> int:
    return int(id.removeprefix(ID).partition("-")[0], 16)


def page_orders(page: PageSection, feed: Feed, root: str) -> PageOrders | None:
    """Return the orders of the page, None without a key. Raises ConfigError."""
    if page.order_key_file is None:
        return None
    return PageOrders(feed, root, signing(KEY_NAME, secret(page.order_key_file), lambda: time() * 1000))
