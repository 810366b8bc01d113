"""The plan and the report of a fleet's run."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from firmware_bridge.games import GAMES
from scripts.tools.fleet.compare import Compared
from scripts.tools.fleet.measure import Use
from scripts.tools.fleet.windows import Windows

FAULTS: Final = ("ingest", "store", "broker", "network", "process")
"""What fails, in this order, one in each fifth of the time."""

OF_WITNESSES: Final = ("witness", "quorum", "")
"""What fails after that where there are witnesses, in as many parts of the time more; "": nothing."""

INTERVAL_S: Final = 75.0
"""Seconds between faults in a full run; with less, all their times shrink in proportion."""

AWAY_S: Final = {
    "ingest": 10.0,
    "store": 10.0,
    "broker": 10.0,
    "network": 20.0,
    "process": 5.0,
    "witness": 30.0,
    "quorum": 90.0,
}
"""How long each is away in a full run."""

MIX: Final = (*GAMES, *["baccarat"] * 5)
"""The games of every ten tables: a floor has more of baccarat than of all others together."""


class Plan(Struct, frozen=True, kw_only=True):
    """What is asked for.

    every_s: a round's due time at a table. stored: whether the store's word counts for tables. journals: the folder
    that those of the tables are made in, None for the fleet's own. witnesses: how many cosign the records; feed_s:
    seconds between two checkpoints of a table that they get. compact: whether shoes that are over are compressed
    all the time.
    """

    tables: int = 1000
    processes: int = 4
    every_s: float = 20.0
    minutes: float = 10.0
    engine: str = "mosquitto"
    store: str = "sqlite"
    faults: bool = False
    stored: bool = True
    journals: str | None = None
    seed: int = 0
    witnesses: int = 0
    feed_s: int = 20
    compact: bool = False

    @property
    def names(self) -> dict[str, str]:
        """Each table and its game."""
        return {f"T{number + 1:04}": MIX[number % len(MIX)] for number in range(self.tables)}

    @property
    def due(self) -> int:
        """Rounds due in the whole run, of all tables together."""
        return round(self.tables * 60 * self.minutes / self.every_s)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What fails, one in each part of the time."""
        return FAULTS + OF_WITNESSES if self.witnesses else FAULTS

    @property
    def interval_s(self) -> float:
        """Seconds from fault to fault."""
        return 60 * self.minutes / len(self.troubles)

    def away_s(self, fault: str) -> float:
        """Return how long something is away in this run."""
        return AWAY_S[fault] * min(1.0, self.interval_s / INTERVAL_S)


class Trouble(Struct, kw_only=True):
    """A fault that was made. at_s: since the play began; away_s: until it was over.

    whole_s: from then until the store had all that was journaled by then, over the whole fleet; None: it never had.
    """

    what: str
    at_s: float
    away_s: float = 0.0
    whole_s: float | None = None


class Report(Struct, kw_only=True):
    """What came of a run. use, cpu_s: of each kind of process, at the end, and over the whole play.

    compacted: journals whose events became a block. base: what a fleet process uses before its first table. sent:
    messages that tables published, some of them again.
    """

    plan: Plan
    journals: str = ""
    seconds: float = 0.0
    connect_s: float = 0.0
    whole_s: float | None = None
    rounds: int = 0
    entries: int = 0
    sent: int = 0
    refused: int = 0
    blocked: int = 0
    lag_ms: float = 0.0
    troubles: list[Trouble] = []
    compared: Compared | None = None
    windows: Windows | None = None
    conflicts: int = 0
    quarantined: int = 0
    compacted: int = 0
    base: Use = Use()
    use: dict[str, Use] = {}
    cpu_s: dict[str, float] = {}
    failures: list[str] = []

    @property
    def is_fine(self) -> bool:
        """Whether nothing was lost, doubled, in conflict or witnessed late, and nothing else failed."""
        whole = self.compared is not None and self.compared.is_whole and self.compared.made > 0
        healed = all(each.whole_s is not None for each in self.troubles)
        wrong = self.conflicts, self.quarantined, self.failures, self.refused, self.blocked
        witnessed = self.windows is not None and self.windows.is_fine if self.plan.witnesses else True
        packed = self.compacted > 0 or not self.plan.compact
        return whole and healed and witnessed and packed and not any(wrong)
