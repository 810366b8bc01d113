"""The latest message of each retained topic of each table: the fold that page and metrics are made of."""

import logging
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from firmware_bridge.client.payload import MessageError, verify_table
from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire import StateHead
from firmware_bridge.facts.wire_states import Health, Status

log = logging.getLogger(__name__)

Read = Callable[[bytes], tuple[StateHead, Any]]
"""Head and body of a message of a topic. Raises MessageError."""


class LatestMessage(NamedTuple):
    """The latest of a topic. at: when it was said, in ms, by the clock of the reader."""

    head: StateHead
    body: Any
    at: int


class Latest:
    """What one table said last of each topic that is in `reads`."""

    reads: ClassVar[Mapping[str, Read]]

    def __init__(self, name: str, since: int) -> None:
        """since: when its first message came, in ms."""
        self.name, self.since = name, since
        self.messages: dict[str, LatestMessage] = {}

    @property
    def status(self) -> Status | None:
        """Whether its bridge is there."""
        return self.body("status")  # type: ignore[no-any-return]

    @property
    def health(self) -> Health | None:
        """How reader, disk and machine are."""
        return self.body("health")  # type: ignore[no-any-return]

    @property
    def health_at(self) -> int | None:
        """When its health was said, in ms."""
        return self.messages["health"].at if "health" in self.messages else None

    def body(self, topic: str) -> Any:
        """The latest of a topic; None until it came."""
        return self.messages[topic].body if topic in self.messages else None

    def update(self, topic: str, payload: bytes, retained: bool, now: int, wall: int) -> bool:
        """Take a message; whether something changed. Raises MessageError.

        now, wall: by the clock of the reader, and in ms since 1970. Of a message that the broker had kept, the table's
        own clock says how old it is: it is from no later time than now, and no older than the one before it. When it
        comes once more, after a new connection, it is as old as it was.
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
    """All tables below a root that said anything, by name.

    topics: those that are read. most: tables that are followed: who may publish anything must not fill the memory.
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
        """Take a message (`Latest.take`); the table that it changed. An empty one empties a topic. Raises MessageError.

        Of a table that is not followed nothing is kept.
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
        """The table and the topic that a topic of the broker names. Raises MessageError."""
        match = self._topic.fullmatch(topic)
        if match is None:
            raise MessageError("not a topic of a table", "")
        return match[1], match[2]

    def _emptied(self, table: Table, topic: str) -> Table | None:
        """A table is taken off the broker topic by topic (`shoe retire`); without any state it is no more."""
        had_message = table.messages.pop(topic, None) is not None
        if not table.messages:
            del self.tables[table.name]
        return table if had_message or not table.messages else None

    def _ignore(self, name: str) -> None:
        if not self.ignored:
            log.error(
                "more than %d tables: what %s and later ones say is left out; let the broker's acl allow"
                " only tables, take names that are none off with shoe retire, and restart",
                self._most,
                escaped(name),
            )
        self.ignored += 1


def _is_of_an_older_link(before: LatestMessage, head: StateHead, status: Status) -> bool:
    """Whether a broker says `lost` of a connection that another one followed. A table may not number them."""
    if status.state != "lost" or before.body.state == "lost":
        return False
    if before.head.boot != head.boot:
        return True
    links: tuple[int | None, int | None] = status.link, before.body.link
    return None not in links and status.link < before.body.link


def milliseconds(at: str) -> int | None:
    """A time of RFC 3339 in ms since 1970; None where it is none."""
    try:
        return round(datetime.fromisoformat(at).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
