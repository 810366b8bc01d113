"""Keeps the latest message of each retained topic of each table, for page and metrics."""

import logging
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from firmware_bridge.client.payload import MessageError, verify_table
from firmware_bridge.facts.book.measures import Health
from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire import StateHead
from firmware_bridge.facts.wire_states import Status

log = logging.getLogger(__name__)

Read = Callable[[bytes], tuple[StateHead, Any]]
"""Decodes head and body of a message of a topic. Raises MessageError."""


class LatestMessage(NamedTuple):
    """The latest message of a topic. at: when it was sent, in ms of the reader's clock."""

    head: StateHead
    body: Any
    at: int


B = TypeVar("B")


class Body(Generic[B]):
    """An attribute of `Latest`: the latest body of a topic; None until it came."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __get__(self, latest: "Latest", owner: object) -> B | None:
        return latest.messages[self._topic].body if self._topic in latest.messages else None


class Latest:
    """The latest message of one table for each topic in `reads`."""

    reads: ClassVar[Mapping[str, Read]]
    status, health = Body[Status]("status"), Body[Health]("health")

    def __init__(self, name: str, since: int) -> None:
        """since: when its first message came, in ms."""
        self.name, self.since = name, since
        self.messages: dict[str, LatestMessage] = {}

    @property
    def health_at(self) -> int | None:
        """When the latest `health` was sent, in ms."""
        return self.messages["health"].at if "health" in self.messages else None

    def update(self, topic: str, payload: bytes, retained: bool, now: int, wall: int) -> bool:
        """Update the state by a message; return whether it changed. Raises MessageError.

        now, wall: the time by the reader's clock, and in ms since 1970. A retained message is as old as the table's
        clock says, but not newer than now and not older than the message before it. If it comes again after a
        reconnect, its age stays.
        """
        head, body = self.reads[topic](payload)
        verify_table(self.name, head.table)
        before = self.messages.get(topic)
        if topic == "status" and before is not None and _is_of_an_older_link(before, head, body):
            return False
        at, sent_at = now, milliseconds(head.at)
        if retained and sent_at is not None:
            if before is not None and (before.head, before.body) == (head, body):
                return False
            at = now - max(0, wall - sent_at)
            at = min(now, max(at, before.at)) if before else at
        self.messages[topic] = LatestMessage(head, body, at)
        return True


Table = TypeVar("Table", bound=Latest)


class Tables(Generic[Table]):
    """All tables below a root that sent a message, by name.

    topics: those that are read. most: most tables, so that a client with invented names cannot fill the memory.
    ignored: messages of more tables.
    """

    def __init__(self, root: str, topics: tuple[str, ...], most: int, new: Callable[[str, int], Table]) -> None:
        self.tables: dict[str, Table] = {}
        self.ignored = 0
        self._most, self._new = most, new
        self._topic = re.compile(rf"{re.escape(root)}/([^/]+)/({'|'.join(topics)})")

    def __len__(self) -> int:
        return len(self.tables)

    def update(self, topic: str, payload: bytes, retained: bool, now: int, wall: int) -> Table | None:
        """Update a table by a message (`Latest.update`), and return it if it changed; an empty one clears the topic.

        Messages of tables beyond `most` are ignored. Raises MessageError.
        """
        name, topic = self.named(topic)
        table = self.tables.get(name)
        if not payload:
            return self._emptied(table, topic) if table else None
        if table is None and len(self.tables) >= self._most:
            self._ignore(name)
            return None
        table = table or self._new(name, now)
        if not table.update(topic, payload, retained, now, wall):
            return None
        self.tables[name] = table
        return table

    def named(self, topic: str) -> tuple[str, str]:
        """Return table and topic in a topic of the broker. Raises MessageError."""
        match = self._topic.fullmatch(topic)
        if match is None:
            raise MessageError("not a topic of a table", "")
        return match[1], match[2]

    def _emptied(self, table: Table, topic: str) -> Table | None:
        """Clear a topic: `shoe retire` removes a table topic by topic, and without any message it is gone."""
        had_message = table.messages.pop(topic, None) is not None
        if not table.messages:
            del self.tables[table.name]
        return table if had_message or not table.messages else None

    def _ignore(self, name: str) -> None:
        if not self.ignored:
            log.error(
                "more than %d tables: %s and later ones are ignored; allow only real tables in the"
                " broker's ACL, remove other names with shoe retire, and restart",
                self._most,
                escaped(name),
            )
        self.ignored += 1


def _is_of_an_older_link(before: LatestMessage, head: StateHead, status: Status) -> bool:
    """Return whether a status is the `lost` of an older connection. Tables without `link` do not number them."""
    if status.state != "lost" or before.body.state == "lost":
        return False
    if before.head.boot != head.boot:
        return True
    links: tuple[int | None, int | None] = status.link, before.body.link
    return None not in links and status.link < before.body.link


def milliseconds(at: str) -> int | None:
    """Return an RFC 3339 time in ms since 1970; None for any other text."""
    try:
        return round(datetime.fromisoformat(at).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
