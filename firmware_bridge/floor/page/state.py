"""What the tables of a floor have said: a pure fold of their messages, the latest of each topic."""

from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar, Final

from firmware_bridge.client.payload import MessageError, state, verify_table
from firmware_bridge.facts.wire_states import Alarms, Health, Lamps, Status, Table
from firmware_bridge.floor.latest import Latest, Read, Tables, milliseconds
from firmware_bridge.floor.page.round_summary import RoundSummary, read, summarised
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


class Seen(Latest):
    """What one table has said; a topic is None until it came.

    version: goes up with each message that changed something. rounds: by journal, shoe and round, the oldest first.
    ahead: the table's clock against ours, in ms. unreadable: why the latest message of a topic could not be read.
    """

    reads: ClassVar[Mapping[str, Read]] = {
        "status": lambda payload: state(payload, Status),
        "table": lambda payload: state(payload, Table),
        "lamps": lambda payload: state(payload, Lamps),
        "alarm": lambda payload: state(payload, Alarms),
        "health": lambda payload: state(payload, Health),
        "roads": lambda payload: state(payload, Board),
    }

    def __init__(self, name: str, since: int) -> None:
        super().__init__(name, since)
        self.version = self.ahead = 0
        self.rounds: dict[tuple[str, int, int], RoundSummary] = {}
        self.unreadable: dict[str, str] = {}

    @property
    def table(self) -> Table | None:
        """What lies on it."""
        return self.body("table")  # type: ignore[no-any-return]

    @property
    def lamps(self) -> Lamps | None:
        """Which lamps are lit, and why."""
        return self.body("lamps")  # type: ignore[no-any-return]

    @property
    def alarms(self) -> Alarms | None:
        """The irregularities that are open."""
        return self.body("alarm")  # type: ignore[no-any-return]

    @property
    def roads(self) -> Board | None:
        """The roads of its shoe, of baccarat alone, while that is what is dealt."""
        board: Board | None = self.body("roads")
        return board if self.table and self.table.game == "baccarat" else None

    @property
    def shoe(self) -> int | None:
        """The number of its shoe."""
        return self.messages["table"].head.shoe if "table" in self.messages else None

    def last_rounds(self, count: int) -> list[RoundSummary]:
        """The newest rounds, the newest first."""
        return list(self.rounds.values())[: -count - 1 : -1]

    def per_hour(self, now: int) -> int | None:
        """Rounds of the last hour; of a shorter time as many as an hour would have, None where that is too short."""
        now = max([now + self.ahead, *[each.at for each in self.last_rounds(1)]])
        ended = [each.at for each in self.rounds.values() if each.status != "voided" and now - each.at <= HOUR_MS]
        if len(ended) < MEASURED or now == ended[0]:
            return None
        return round((len(ended) - 1) * HOUR_MS / (now - ended[0]))

    def update(self, topic: str, payload: bytes, retained: bool, now: int, wall: int) -> bool:
        """Take a message, as `Latest` does; one that cannot be read is noted."""
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
        """Take a round; whether it is another one than was known. Raises MessageError."""
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
        return True


MEASURED: Final = 4
"""The fewest rounds whose pace is told."""


class Floor(Tables[Seen]):
    """All tables that said anything below a root, by name; `changed` are those that said something new."""

    def __init__(self, root: str) -> None:
        super().__init__(root, TOPICS, MOST, Seen)
        self.changed: set[str] = set()

    def handle(self, topic: str, payload: bytes, retained: bool, now: int) -> str | None:
        """Take a message that came at `now` (ms since 1970); the name of the table that it changed."""
        with suppress(MessageError):
            if seen := self.update(topic, payload, retained, now, now):
                return self._changed(seen)
        return None

    def recall(self, topic: str, payload: bytes) -> str | None:
        """Take a round that is stored; the name of its table where that is known. What cannot be read is left out."""
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
