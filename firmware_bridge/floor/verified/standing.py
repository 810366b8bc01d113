"""Says how the record of each table stands: who knows its key, how far it is witnessed, and since when it is not."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, NamedTuple

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.record.message import rfc3339, seconds
from firmware_bridge.floor.record.state import Incident, Log, TrustedKey
from firmware_bridge.floor.store.cosigned import Cosignature, CosignedQueries
from firmware_bridge.floor.verified import quorum
from firmware_bridge.floor.verified.feeding import is_enrolled
from firmware_bridge.record.verify import Key

LATE_S: Final = 600.0
"""Time of an entry without a quorum from which a table is a warning."""

OVERDUE_S: Final = 3600.0
"""The same, from which somebody has to look."""

Delay = Literal["", "late", "overdue"]
"""How long the oldest entry has stood without a quorum: below LATE_S, from there on, from OVERDUE_S on."""


class Standing(NamedTuple):
    """How the newest record of a table stands. Times are RFC 3339, "" for none.

    log: None before a checkpoint was verified. seen: since when it has a key that is not enrolled. witnessed_at: when
    the newest quorum was there. waits_since: when the first entry without one came, of an enrolled record. round: shoe
    and number of the last witnessed round, None if unknown. cosigned: vkey of a witness -> its newest cosignature.
    is_enrolled: whether a key of the table was.
    """

    log: Log | None
    seen: str = ""
    witnessed_at: str = ""
    waits_since: str = ""
    round: tuple[int, int] | None = None
    cosigned: Mapping[str, Cosignature] = {}
    incidents: Sequence[Incident] = ()
    is_enrolled: bool = False

    def waits_s(self, now: float) -> float:
        """Return the seconds its oldest entry stood without a quorum at a time (s since 1970); 0 if all have one."""
        return max(0.0, now - seconds(self.waits_since)) if self.waits_since else 0.0

    def delay(self, now: float) -> Delay:
        """Return how late the quorum is at a time, in seconds since 1970."""
        waits = self.waits_s(now)
        return "overdue" if waits >= OVERDUE_S else "late" if waits >= LATE_S else ""


class Watching(NamedTuple):
    """The witnesses of a house, and how many of them must lie before two histories are possible (None if unknown)."""

    keys: tuple[Key, ...] = ()
    liars: int | None = None


def watching(config: FloorConfig) -> Watching:
    """Return the witnesses of `floor.toml`."""
    try:
        liars = quorum.policy(config).liars()
    except ConfigError:  # its file is the ingest's; without it the page is drawn all the same
        liars = None
    return Watching(tuple(each.key for each in quorum.fed(config)), liars)


def standings(store: CosignedQueries) -> dict[str, Standing]:
    """Return table -> how its newest record stands, of every table with a key, a record or an open incident."""
    records = {each.log.table: each for each in of_records(store).values() if each.log}  # the newest one stays
    keys, incidents = store.record_keys(), store.incidents()
    made: dict[str, Standing] = {}
    for table in {*records, *(each.table for each in keys), *(each.table for each in incidents)}:
        own = tuple(each for each in incidents if each.table == table)
        mine = [each for each in keys if each.table == table]
        enrolled = any(each.was_enrolled for each in mine)
        found = records.get(table, Standing(None))
        made[table] = found._replace(seen=_seen(mine, own), incidents=own, is_enrolled=enrolled)
    return made


def of_records(store: CosignedQueries) -> dict[str, Standing]:
    """Return origin -> how a record stands, without what concerns its table, the older ones of a table first."""
    keys = {(each.table, each.vkey): each for each in store.record_keys()}
    witnessed = {each.origin: each.at for each in store.newest_witnessed()}
    opened, rounds = store.open_windows(), store.witnessed_rounds()
    lines: dict[str, dict[str, Cosignature]] = {}
    for each in store.cosignatures():
        lines.setdefault(each.origin, {})[each.witness] = each
    made: dict[str, Standing] = {}
    for log in store.logs():
        origin, at = log.origin, witnessed.get(log.origin, "")
        is_open = log.witnessed < log.size and is_enrolled(keys.get((log.table, log.vkey)), log)
        waits = (opened.get(origin) or at) if is_open else ""
        if log.size:
            made[origin] = Standing(log, "", at, waits, rounds.get(origin), lines.get(origin, {}))
    return made


def day_before(now: float) -> str:
    """Return the RFC 3339 time a day before one in seconds since 1970: from there the longest window is looked for."""
    return rfc3339(datetime.fromtimestamp(now, UTC) - timedelta(days=1))


def _seen(keys: Sequence[TrustedKey], incidents: Sequence[Incident]) -> str:
    """Return since when a table shows a key that is not enrolled: its first one, or that of a new record."""
    if keys and not any(each.was_enrolled for each in keys):
        return min(each.at for each in keys)
    return min((each.at for each in incidents if each.kind == "new_birth"), default="")
