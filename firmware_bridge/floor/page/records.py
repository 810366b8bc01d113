"""Asks the store again and again how the records of all tables stand, from `start` to `close`.

It does so in a thread of its own, so that messages of the broker never wait for the store.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Thread
from time import monotonic, time
from typing import Final, Literal, NamedTuple

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import Asked, Trouble
from firmware_bridge.floor.verified.standing import Delay, Standing, Watching, day_before, standings

log = logging.getLogger(__name__)

LOOK_S: Final = 5.0
"""Time between two queries: a record grows every few seconds, and a quorum comes every 20 s."""

AGAIN_S: Final = 30.0
"""The same where there is no store, or it cannot be read."""

LONGEST_S: Final = 300.0
"""Time between two queries for the longest window of a day, which reads the times of all its checkpoints."""

Fault = Literal["", "no_store", "unread"]
"""Why nothing is known of records: the page has no store, or cannot read it."""


class Sealed(NamedTuple):
    """How the record of a table is drawn. standing: None where the store knows of none.

    delay: how late its quorum is. longest: its longest window within a day, in seconds; None if unknown.
    """

    fault: Fault = "no_store"
    standing: Standing | None = None
    delay: Delay = ""
    longest: float | None = None

    @property
    def incidents(self) -> int:
        """Number of open incidents."""
        return len(self.standing.incidents) if self.standing else 0

    @property
    def note(self) -> str:
        """The newest note that was verified, "" without one."""
        return self.standing.log.note if self.standing and self.standing.log else ""


UNKNOWN: Final = Sealed()


class Records(NamedTuple):
    """What the store says of all records. standings: by table. longest: by origin."""

    fault: Fault = ""
    standings: Mapping[str, Standing] = {}
    longest: Mapping[str, float] = {}

    @property
    def enrolled(self) -> list[str]:
        """The tables with an enrolled key."""
        return [table for table, each in self.standings.items() if each.is_enrolled]

    def sealed(self, table: str, now: float) -> Sealed:
        """Return the record of a table at a time, in seconds since 1970."""
        found = self.standings.get(table)
        if found is None or found.log is None:
            return Sealed(self.fault, found)
        return Sealed(self.fault, found, found.delay(now), self.longest.get(found.log.origin))


class RecordWatch:
    """Queries the store every LOOK_S. watching: the witnesses of floor.toml."""

    def __init__(self, asked: Asked, watching: Watching) -> None:
        self.watching = watching
        self._asked, self._stop = asked, Event()
        self._longest: Mapping[str, float] = {}
        self._longest_at = float("-inf")
        self._trouble = Trouble(
            log, "the records of the tables are not known", "the records of the tables can be read again"
        )

    def start(self, deliver: Callable[[Records], None]) -> None:
        """Start. deliver: called with each answer."""
        Thread(target=self._run, args=(deliver,), name="records", daemon=True).start()

    def close(self) -> None:
        """Stop."""
        self._stop.set()

    def _run(self, deliver: Callable[[Records], None]) -> None:
        while not self._stop.is_set():
            found = self.read()
            deliver(found)
            self._stop.wait(AGAIN_S if found.fault else LOOK_S)

    def read(self) -> Records:
        """Return what the store says now; it may take some seconds."""
        try:
            found = self._asked(standings)
        except (StoreError, ConfigError) as error:
            self._trouble.note(str(error))
            return Records("unread")
        self._trouble.note("")
        if found is None:
            return Records("no_store")
        self._look_for_longest()
        return Records("", found, self._longest)

    def _look_for_longest(self) -> None:
        """Query the longest windows where it is time; a store that is too slow for it leaves them as they were."""
        if monotonic() - self._longest_at < LONGEST_S:
            return
        since = day_before(time())
        with suppress(StoreError, ConfigError):
            self._longest = self._asked(lambda reader: reader.longest_windows(since)) or {}
        self._longest_at = monotonic()
