"""What the tables of a floor have said: a pure fold of their messages, the latest of each topic."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct

from firmware_bridge.client.payload import MessageError, look_whose, state
from firmware_bridge.facts.wire import StateHead
from firmware_bridge.facts.wire_states import Alarms, Health, Lamps, Status, Table
from firmware_bridge.floor.page.over import RoundOver, over, read
from firmware_bridge.games.baccarat.roads import Board

TOPICS: Final = ("status", "table", "lamps", "alarm", "health", "roads", "round")
"""The topics that the page reads; of all others it asks for nothing."""

KEPT: Final = 200
"""Rounds of a table that are kept: what an hour of a quick table has, and what its page shows."""

HOUR_MS: Final = 3_600_000

MOST: Final = 10_000
"""Tables that are followed: whoever may publish anything must not fill the memory."""

AHEAD_MS: Final = 5_000
"""What a message's way may take: a table's clock that differs by no more is as good as ours."""

Body = TypeVar("Body", bound=Struct)


class Said(NamedTuple):
    """The latest of a topic. at: when it was said, in ms since 1970 by our clock."""

    head: StateHead
    body: Any
    at: int


@dataclass(slots=True)
class Seen:
    """What one table has said; a topic is None until it came.

    version: goes up with each message that changed something. since: when the first message came, in ms since 1970.
    rounds: by shoe and round, the oldest first. ahead: the table's clock against ours, in ms. unreadable: why the
    latest message of a topic could not be read.
    """

    name: str
    since: int
    version: int = 0
    said: dict[str, Said] = field(default_factory=dict)
    rounds: dict[tuple[str, int, int], RoundOver] = field(default_factory=dict)
    ahead: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> Status | None:
        """Whether its bridge is there."""
        return self._body("status", Status)

    @property
    def table(self) -> Table | None:
        """What lies on it."""
        return self._body("table", Table)

    @property
    def lamps(self) -> Lamps | None:
        """Which lamps are lit, and why."""
        return self._body("lamps", Lamps)

    @property
    def alarms(self) -> Alarms | None:
        """The irregularities that are open."""
        return self._body("alarm", Alarms)

    @property
    def health(self) -> Health | None:
        """How reader, disk and machine are."""
        return self._body("health", Health)

    @property
    def roads(self) -> Board | None:
        """The roads of its shoe, of baccarat alone, while that is what is dealt."""
        board = self._body("roads", Board)
        return board if self.table and self.table.game == "baccarat" else None

    @property
    def health_at(self) -> int | None:
        """When its health was last told, in ms since 1970."""
        return self.said["health"].at if "health" in self.said else None

    @property
    def shoe(self) -> int | None:
        """The number of its shoe."""
        return self.said["table"].head.shoe if "table" in self.said else None

    def last_rounds(self, count: int) -> list[RoundOver]:
        """The newest rounds, the newest first."""
        return list(self.rounds.values())[: -count - 1 : -1]

    def per_hour(self, now: int) -> int | None:
        """Rounds of the last hour; of a shorter time as many as an hour would have, None where that is too short."""
        now = max([now + self.ahead, *[each.at for each in self.last_rounds(1)]])
        ended = [each.at for each in self.rounds.values() if each.status != "voided" and now - each.at <= HOUR_MS]
        if len(ended) < MEASURED or now == ended[0]:
            return None
        return round((len(ended) - 1) * HOUR_MS / (now - ended[0]))

    def _body(self, topic: str, body: type[Body]) -> Body | None:
        return said.body if (said := self.said.get(topic)) is not None else None


MEASURED: Final = 4
"""The fewest rounds whose pace is told."""

_READ: Final[dict[str, Callable[[bytes], tuple[StateHead, Any]]]] = {
    "status": lambda body: state(body, Status),
    "table": lambda body: state(body, Table),
    "lamps": lambda body: state(body, Lamps),
    "alarm": lambda body: state(body, Alarms),
    "health": lambda body: state(body, Health),
    "roads": lambda body: state(body, Board),
}


class Floor:
    """All tables that said anything below a root, by name; `changed` are those that said something new."""

    def __init__(self, root: str) -> None:
        self.tables: dict[str, Seen] = {}
        self.changed: set[str] = set()
        self._topic = re.compile(rf"{re.escape(root)}/([^/]+)/({'|'.join(TOPICS)})")

    def take(self, topic: str, payload: bytes, retained: bool, now: int) -> str | None:
        """Take a message that came at `now` (ms since 1970); the name of the table that it changed."""
        match = self._topic.fullmatch(topic)
        if match is None:
            return None
        name, topic = match.groups()
        if not payload:
            return self._retire(name, topic)
        if name not in self.tables and len(self.tables) >= MOST:
            return None
        seen = self.tables.get(name) or Seen(name, now)
        try:
            changed = _round(seen, payload) if topic == "round" else _state(seen, topic, payload, retained, now)
            seen.unreadable.pop(topic, None)
        except MessageError as error:
            changed = seen.unreadable.get(topic) != error.what
            seen.unreadable[topic] = error.what
        if not changed:
            return None
        self.tables[name] = seen
        self.changed.add(name)
        seen.version += 1
        return name

    def recall(self, topic: str, payload: bytes) -> str | None:
        """Take a round that is stored; the name of its table where that is known. What cannot be read is left out."""
        match = self._topic.fullmatch(topic)
        seen = self.tables.get(match[1]) if match else None
        if seen is None:
            return None
        with suppress(MessageError):
            if _round(seen, payload):
                seen.version += 1
                self.changed.add(seen.name)
        return seen.name

    def _retire(self, name: str, topic: str) -> str | None:
        """Take an emptied topic; a table without any state is no more (`shoe retire`)."""
        seen = self.tables.get(name)
        if seen is None or seen.said.pop(topic, None) is None:
            return None
        seen.version += 1
        self.changed.add(name)
        if not seen.said:
            del self.tables[name]
        return name


def _state(seen: Seen, topic: str, payload: bytes, retained: bool, now: int) -> bool:
    head, body = _READ[topic](payload)
    look_whose(seen.name, head.table)
    if topic == "status" and _is_of_an_older_link(seen.said.get(topic), head, body):
        return False
    told = milliseconds(head.at)
    if topic == "health" and not retained and told is not None and abs(told - now - seen.ahead) > AHEAD_MS:
        seen.ahead = told - now
    seen.said[topic] = Said(head, body, min(told, now) if retained and told is not None else now)
    return True


def _is_of_an_older_link(before: Said | None, head: StateHead, status: Status) -> bool:
    """Whether a broker says `lost` of a connection that was followed by another one."""
    if before is None or status.state != "lost" or before.body.state == "lost":
        return False
    return before.head.boot != head.boot or bool(status.link < before.body.link)


def _round(seen: Seen, payload: bytes) -> bool:
    told, own = read(payload)
    look_whose(seen.name, told.table)
    key = (told.journal, told.shoe, told.round)
    known = seen.rounds.get(key)
    if known and (known.revision, known.seq) >= (told.revision, told.seq):
        return False
    at = known.at if known else milliseconds(told.at) or 0
    is_late = known is None and any(at < each.at for each in list(seen.rounds.values())[-1:])
    seen.rounds[key] = over(told, own, at)
    if is_late:
        seen.rounds = dict(sorted(seen.rounds.items(), key=lambda item: item[1].at))
    while len(seen.rounds) > KEPT:
        del seen.rounds[next(iter(seen.rounds))]
    return True


def milliseconds(at: str) -> int | None:
    """A time of RFC 3339 in ms since 1970; None where it is none."""
    try:
        return round(datetime.fromisoformat(at).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
