"""How much a table needs somebody: what tiles are sorted by."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from firmware_bridge.facts.wire_states import Alarm, Table
from firmware_bridge.floor.page.seen import Seen
from firmware_bridge.games import GAMES

SILENT_MS: Final = 90_000
"""The age of a health, told every 30 s, from which nobody knows how the table is."""

DIGITS: Final = 18
"""The longest number in a name that is sorted as one."""

Word = Literal["blocked", "alarm", "silent", "no_shoe", "playing"]

RANKS: Final[tuple[Word, ...]] = ("blocked", "alarm", "silent", "no_shoe", "playing")
"""What a table may need, the worst first."""


class Trouble(NamedTuple):
    """What a table needs most. silent: what is shown of it may be old, and why: `lost`, `stopped`, `old` or `never`."""

    word: Word
    silent: Literal["", "lost", "stopped", "old", "never"] = ""


def trouble(seen: Seen, now: int) -> Trouble:
    """What a table needs at a moment (ms since 1970)."""
    silent = _silent(seen, now)
    alarms = seen.alarms.open if seen.alarms else ()
    if any(each.blocks for each in alarms) or _is_out_of_order(seen):
        return Trouble("blocked", silent)
    if any(each.severity != "note" for each in alarms) or seen.unreadable:
        return Trouble("alarm", silent)
    if silent:
        return Trouble("silent", silent)
    if seen.table is None or not is_in_use(seen.table):
        return Trouble("no_shoe")
    return Trouble("playing")


def order(tables: list[tuple[Seen, Trouble]]) -> list[str]:
    """The names of tables, the worst trouble first, the older alarm before a newer one; alike by their names."""
    return [seen.name for seen, _ in sorted(tables, key=lambda each: _key(*each))]


def worst_first(alarms: tuple[Alarm, ...]) -> list[Alarm]:
    """Alarms: those that block first, then the critical ones; alike the oldest first."""
    severities = ("critical", "warning", "note")
    return sorted(
        alarms,
        key=lambda each: (
            not each.blocks,
            severities.index(each.severity) if each.severity in severities else 0,
            each.since,
        ),
    )


def is_in_use(table: Table) -> bool:
    """Whether a shoe is open; the next pack of a game whose packs last a round opens by itself."""
    game = GAMES.get(table.game)
    return table.phase not in ("empty", "ended") or bool(game and game.one_round_packs)


def _silent(seen: Seen, now: int) -> Literal["", "lost", "stopped", "old", "never"]:
    status = seen.status.state if seen.status else "online"
    if status in ("lost", "stopped"):
        return "lost" if status == "lost" else "stopped"
    if seen.health_at is None:
        return "never" if now - seen.since > SILENT_MS else ""
    return "old" if now - seen.health_at > SILENT_MS else ""


def _is_out_of_order(seen: Seen) -> bool:
    """Whether the bridge guides nobody for a reason that is no irregularity of the shoe."""
    return bool(seen.status and seen.status.mode in ("NO_JOURNAL", "OBSERVE"))


def _key(seen: Seen, needs: Trouble) -> tuple[int, int, tuple[tuple[int, str], ...]]:
    since = min((each.since for each in seen.alarms.open), default=0) if seen.alarms else 0
    return RANKS.index(needs.word), since if needs.word in ("blocked", "alarm") else 0, natural(seen.name)


@lru_cache(10_000)
def natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts names as people do: T2 before T10."""
    return tuple(
        (int(part), "") if part.isascii() and part.isdigit() and len(part) <= DIGITS else (-1, part)
        for part in re.split(r"([0-9]+)", name)
        if part
    )
