"""Keeps the state of all tables for the page: the latest message of each topic, and the rounds."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Final

from msgspec import Struct, structs

from firmware_bridge.client.payload import MessageError, state, verify_table
from firmware_bridge.facts.book.measures import Health
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.wire_states import Alarms, Lamps, Status, Table
from firmware_bridge.floor.latest import Body, Latest, Read, Tables, milliseconds
from firmware_bridge.floor.page.round_summary import RoundSummary, read, summarised
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.topics.texts.done import Done, followed

TOPICS: Final = ("status", "table", "lamps", "alarm", "health", "roads", "round")
"""Topics of the pit's pages; `event` is read for the dealers' screens (DoneAtTables)."""

KEPT: Final = 200
"""Most rounds of a table: an hour of a fast one."""

WHOLE: Final = 20
"""Rounds of a table that are kept with their hands, for its own page; the others are there for the pace."""

HOUR_MS: Final = 3_600_000

MOST: Final = 10_000
"""Most tables, so that a client with invented names cannot fill the memory."""

AHEAD_MS: Final = 5_000
"""Tolerated difference of a table's clock, which includes the time of a message on its way."""


class Seen(Latest):
    """The state of one table; a topic is None until it came.

    version: incremented by each change. rounds: by journal, shoe and round, the oldest first. ahead: the table's clock
    minus ours, in ms. unreadable: topic -> why its latest message could not be read.
    """

    reads: ClassVar[Mapping[str, Read]] = {
        "status": lambda payload: state(payload, Status),
        "table": lambda payload: state(payload, Table),
        "lamps": lambda payload: state(payload, Lamps),
        "alarm": lambda payload: state(payload, Alarms),
        "health": lambda payload: state(payload, Health),
        "roads": lambda payload: state(payload, Board),
    }

    table, lamps, alarms = Body[Table]("table"), Body[Lamps]("lamps"), Body[Alarms]("alarm")
    _board = Body[Board]("roads")

    def __init__(self, name: str, since: int) -> None:
        super().__init__(name, since)
        self.version = self.ahead = 0
        self.rounds: dict[tuple[str, int, int], RoundSummary] = {}
        self.unreadable: dict[str, str] = {}

    @property
    def roads(self) -> Board | None:
        """The roads of its shoe; None unless baccarat is dealt."""
        return self._board if self.table and self.table.game == "baccarat" else None

    @property
    def shoe(self) -> int | None:
        """The number of its shoe; None until `table` came."""
        return self.messages["table"].head.shoe if "table" in self.messages else None

    def last_rounds(self, count: int) -> list[RoundSummary]:
        """Return the last rounds, the newest first."""
        return list(self.rounds.values())[: -count - 1 : -1]

    def per_hour(self, now: int) -> int | None:
        """Return rounds per hour, over the last hour or less; None with fewer than `MEASURED` rounds."""
        now = max([now + self.ahead, *[each.at for each in self.last_rounds(1)]])
        ended = [each.at for each in self.rounds.values() if each.status != "voided" and now - each.at <= HOUR_MS]
        if len(ended) < MEASURED or now == ended[0]:
            return None
        return round((len(ended) - 1) * HOUR_MS / (now - ended[0]))

    def update(self, topic: str, payload: bytes, retained: bool, now: int, wall: int) -> bool:
        """Update as `Latest` does; a message that cannot be read is recorded in `unreadable`."""
        try:
            changed = (
                self.add_round(payload) if topic == "round" else super().update(topic, payload, retained, now, wall)
            )
            self.unreadable.pop(topic, None)
        except MessageError as error:
            changed = self.unreadable.get(topic) != error.what
            self.unreadable[topic] = error.what
            return changed
        if topic == "health" and changed and not retained:
            sent_at = milliseconds(self.messages[topic].head.at)
            if sent_at is not None and abs(sent_at - now - self.ahead) > AHEAD_MS:
                self.ahead = sent_at - now
        return changed

    def add_round(self, payload: bytes) -> bool:
        """Add a round; return whether it is new or a later revision. Raises MessageError."""
        message, own = read(payload)
        verify_table(self.name, message.table)
        key = (message.journal, message.shoe, message.round)
        known = self.rounds.get(key)
        if known and (known.revision, known.seq) >= (message.revision, message.seq):
            return False
        at = known.at if known else milliseconds(message.at) or 0
        is_late = known is None and any(at < each.at for each in list(self.rounds.values())[-1:])
        self.rounds[key] = summarised(message, own, at)
        if is_late:
            self.rounds = dict(sorted(self.rounds.items(), key=lambda item: item[1].at))
        while len(self.rounds) > KEPT:
            del self.rounds[next(iter(self.rounds))]
        for old in list(self.rounds)[:-WHOLE]:
            if self.rounds[old].hands:
                self.rounds[old] = structs.replace(self.rounds[old], hands={}, dealer=None)
        return True


MEASURED: Final = 4
"""Fewest rounds to measure the pace."""


class Floor(Tables[Seen]):
    """All tables below a root that sent a message, by name. changed: names of tables with a change."""

    def __init__(self, root: str) -> None:
        super().__init__(root, TOPICS, MOST, Seen)
        self.changed: set[str] = set()

    def handle(self, topic: str, payload: bytes, retained: bool, now: int) -> str | None:
        """Handle a message that came at `now` (ms since 1970); return the name of the table if it changed."""
        with suppress(MessageError):
            if seen := self.update(topic, payload, retained, now, now):
                return self._changed(seen)
        return None

    def recall(self, topic: str, payload: bytes) -> str | None:
        """Add a stored round; return the name of its table if it is known. An unreadable one is ignored."""
        with suppress(MessageError):
            seen = self.tables.get(self.named(topic)[0])
            if seen is None:
                return None
            with suppress(MessageError):
                if seen.add_round(payload):
                    self._changed(seen)
            return seen.name
        return None

    def _changed(self, seen: Seen) -> str:
        seen.version += 1
        self.changed.add(seen.name)
        return seen.name


IDS: Final = 64
"""Identities kept of each table, to know an event that comes again."""


class _Message(Struct, frozen=True):
    """What is read of a message on `event`."""

    table: str
    journal: str
    seq: int
    n: int
    event: dict[str, Any]


_decode = json_of(_Message)


class DoneAtTables:
    """The last acts of the tables below a root, by name."""

    def __init__(self, root: str) -> None:
        self.tables: dict[str, Done] = {}
        self._ids: dict[str, tuple[tuple[str, int, int], ...]] = {}
        self._topic = re.compile(rf"{re.escape(root)}/([^/]+)/event")

    def handle(self, topic: str, payload: bytes) -> bool:
        """Update a table by a message; return whether its acts changed."""
        match = self._topic.fullmatch(topic)
        if match is None or not payload or (match[1] not in self.tables and len(self.tables) >= MOST):
            return False
        try:
            message = _decode(payload)
        except Undecodable:
            return False
        name, id, known = match[1], (message.journal, message.seq, message.n), self._ids.get(match[1], ())
        if message.table != name or id in known:
            return False
        self._ids[name] = (*known, id)[-IDS:]
        before = self.tables.get(name, Done())
        after = self.tables[name] = followed(before, message.event)
        return after is not before
