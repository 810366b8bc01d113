"""What is known of each table now, by what it said."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from time import monotonic, time
from typing import Final

from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.printable import escaped, fault
from firmware_bridge.floor.metrics.heard import Alarms, Health, Laid, Round, RoundStatus, Status, read
from firmware_bridge.floor.source import Delivery

log = logging.getLogger(__name__)

TOPICS: Final = ("status", "health", "alarm", "table", "round")

MOST_TABLES: Final = 5_000
"""Tables that are kept in mind: whoever invents names at the broker does not fill the memory."""

MOST_ALARMS: Final = 50
"""Kinds of open alarms of one table."""

LONGEST: Final = 100
"""Characters of a table's name."""


class Table:
    """What a table said last of each topic, and how many rounds it said since it was first heard.

    health_since: when `health` was said, by our monotonic clock.
    """

    def __init__(self) -> None:
        self.status: Status | None = None
        self.health: Health | None = None
        self.health_since = 0.0
        self.alarms: Counter[tuple[str, str]] | None = None
        self.laid: Laid | None = None
        self.rounds: Counter[RoundStatus] = Counter()
        self._last_round = ("", 0, 0)

    @property
    def is_heard(self) -> bool:
        """Whether the broker keeps anything of it."""
        return bool(self.status or self.health or self.laid) or self.alarms is not None

    def say(self, status: Status) -> None:
        """Note a `status`, but no late `lost`: a broker says it of a connection that another one followed.

        Rounds from before the first one, and what is sent again of them, are not counted.
        """
        before = self.status
        if before is not None and _is_of_an_older_link(before, status):
            return
        if before is None or before.boot != status.boot:
            told = (status.at, 0, 0)
            self._last_round = min(self._last_round, told) if self._last_round[0] else told
        self.status = status

    def feel(self, health: Health, retained: bool, now: float, wall: float) -> None:
        """Note a `health`. Of one that the broker had kept, the table's own clock says how old it is.

        It is no older than the one before it, and from no later time than now.
        """
        before = self.health
        if retained and before and (before.at, before.boot) == (health.at, health.boot):
            return
        age = max(0.0, wall - health.when) if retained else 0.0
        since = now - age
        self.health_since = max(since, self.health_since) if before else since
        self.health = health

    def warn(self, alarms: Alarms) -> None:
        """Note which alarms are open. Raises MessageError where there are too many kinds of them."""
        kinds = Counter((each.id, each.severity) for each in alarms.open)
        if len(kinds) > MOST_ALARMS:
            raise MessageError(f"{len(kinds)} kinds of alarms", "")
        self.alarms = kinds

    def play(self, told: Round) -> None:
        """Count a round; one that is not after the last one is a repeat, or was sent again."""
        mark = (told.at, told.seq, told.n)
        if mark > self._last_round:
            self._last_round = mark
            self.rounds[told.status] += 1

    def forget(self, topic: str) -> None:
        """The broker keeps nothing on this topic any more."""
        match topic:
            case "status":
                self.status = None
            case "health":
                self.health = None
            case "alarm":
                self.alarms = None
            case "table":
                self.laid = None


class Tables:
    """All tables that were heard: `take` what the broker brings.

    messages, unread, ignored: what came; of it, what makes no sense; and what came of more than MOST_TABLES tables.
    """

    def __init__(
        self, root: str = "shoe", clock: Callable[[], float] = monotonic, wall: Callable[[], float] = time
    ) -> None:
        self._root, self._clock, self._wall = root, clock, wall
        self._tables: dict[str, Table] = {}
        self.messages = self.unread = self.ignored = 0

    def __len__(self) -> int:
        return len(self._tables)

    def __iter__(self) -> Iterator[tuple[str, Table]]:
        """Each table that was heard, by its name."""
        return iter(sorted(self._tables.items()))

    @property
    def now(self) -> float:
        """The clock that `health_since` goes by."""
        return self._clock()

    def take(self, deliveries: Iterable[Delivery]) -> None:
        """Note what was said. What makes no sense is counted, and changes nothing."""
        for each in deliveries:
            self.messages += 1
            try:
                self._take(each)
            except MessageError as error:
                self.unread += 1
                log.info("%s: %s", escaped(each.topic[:200]), escaped(error.what[:200]))

    def _take(self, delivery: Delivery) -> None:
        *_, name, topic = ("", "", *delivery.topic.removeprefix(self._root).split("/"))
        if fault(name, LONGEST) or topic not in TOPICS:
            raise MessageError("not a topic of a table", "")
        if not delivery.body:
            self._emptied(name, topic)
        elif table := self._table(name):
            self._hear(table, name, topic, delivery)
            self._tables.setdefault(name, table)

    def _table(self, name: str) -> Table | None:
        """The table of a name, a new one where it is unknown; None where there are too many."""
        if known := self._tables.get(name):
            return known
        if len(self._tables) < MOST_TABLES:
            return Table()
        if not self.ignored:
            log.error(
                "more than %d tables: what %s and later ones say is left out; let the broker's acl allow"
                " only tables, take names that are none off with shoe retire, and restart",
                MOST_TABLES,
                escaped(name),
            )
        self.ignored += 1
        return None

    def _hear(self, table: Table, name: str, topic: str, delivery: Delivery) -> None:
        body = delivery.body
        match topic:
            case "status":
                table.say(read(body, Status, name))
            case "health":
                table.feel(read(body, Health, name), delivery.retained, self._clock(), self._wall())
            case "alarm":
                table.warn(read(body, Alarms, name))
            case "table":
                table.laid = read(body, Laid, name)
            case "round":
                table.play(read(body, Round, name))

    def _emptied(self, name: str, topic: str) -> None:
        """A table is taken off the broker topic by topic (`shoe retire`)."""
        if table := self._tables.get(name):
            table.forget(topic)
            if not table.is_heard:
                del self._tables[name]


def _is_of_an_older_link(before: Status, status: Status) -> bool:
    """Whether a `lost` is of a connection that was followed by another one. A table may not number them."""
    if status.state != "lost" or before.state == "lost":
        return False
    if before.boot != status.boot:
        return True
    return status.link is not None and before.link is not None and status.link < before.link
