"""The part of `shoe-floor check` about what is missing, the ingest, and the room on its disk."""

from collections.abc import Iterator, Mapping
from typing import Final

from firmware_bridge.config.findings import Finding
from firmware_bridge.floor.record.message import seconds
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.condition import DAY_S, Heartbeat, bytes_a_day, days_left

YOUNG_S: Final = 300.0
"""Seconds for a gap to close, or to be answered a little, before it is wrong."""

SILENT_S: Final = 60.0
"""Age of a heartbeat from which on an ingest is wrong."""

SOON_DAYS: Final = 3.0
"""Days that are left from which on a disk is warned of."""

LEAST: Final = 256 * 1024 * 1024
"""Bytes that are left from which on a disk is full."""


def findings(store: Store, now: float) -> Iterator[Finding]:
    """Yield the findings of a store. now: seconds since 1970."""
    yield from _of_the_ingest(store, now)
    yield from _of_the_disk(store, now)
    yield from _of_gaps(store, now)


def and_closed(closed: Mapping[str, int], kind: str) -> str:
    """Return how many of a kind were closed, in words; "" for none."""
    return f", {closed[kind]} closed" if closed.get(kind) else ""


def _of_the_ingest(store: Store, now: float) -> Iterator[Finding]:
    found = store.heartbeats()
    if not found:
        yield Finding("WARN", "ingest", "no ingest has run with this store", "systemctl start shoe-floor-ingest")
    for each in found:
        age = max(0.0, now - seconds(each.at))
        what = f"{each.name} said {_ago(age)} that it runs"
        if age >= SILENT_S:
            words = f"{each.name} has not said for {_span(age)} that it runs"
            yield Finding("FAIL", "ingest", words, "see systemctl status shoe-floor-ingest, and its log")
        elif each.fault:
            yield Finding("FAIL", "ingest", f"{what}, and receives nothing: {each.fault}", "see its log")
        else:
            yield Finding("OK", "ingest", f"{what}; {_stored(each, now)}")


def _stored(each: Heartbeat, now: float) -> str:
    if not each.message_at:
        return "no message has come yet"
    message, commit = (_span(max(0.0, now - seconds(at))) for at in (each.message_at, each.committed_at))
    return f"newest message {message} ago, last commit {commit} ago, {each.backlog} entries behind"


def _of_the_disk(store: Store, now: float) -> Iterator[Finding]:
    room, sizes = store.room(), store.sizes()
    daily = bytes_a_day(sizes, room.used, now)
    pace = "" if daily is None else f", {_bytes(daily)} more a day"
    if room.free is None:
        yield Finding("OK", "disk", f"the database takes {_bytes(room.used)}{pace}; its server's disk is not seen here")
        return
    left = days_left(room, sizes, now)
    words = f"the store takes {_bytes(room.used)}{pace}; {_bytes(room.free)} are free"
    words += f", {_days(left)} at this pace" if left is not None else ""
    todo = "make room: a larger disk, [store] keep_years (docs/floor.md); until then tables and broker keep what comes"
    if room.free < LEAST or (left is not None and left < 1 / 24):
        yield Finding("FAIL", "disk", words, todo)
    elif left is not None and left < SOON_DAYS:
        yield Finding("WARN", "disk", words, todo)
    else:
        yield Finding("OK", "disk", words)


def _of_gaps(store: Store, now: float) -> Iterator[Finding]:
    moved = [seconds(str(row[-1])) for row in store.rows("gaps", None, None)]
    words = f"{len(moved)} journals with gaps{and_closed(store.closed_counts(), 'gap')}"
    todo = (
        "run shoe-floor export gaps; then shoe-floor backfill with journals exported at the tables. What is lost for "
        "good: shoe-floor close gap"
    )
    yield _aged("gaps", moved, now, words, todo)
    owing = [seconds(at) for at in store.owing().values()]
    words = f"{len(owing)} tables have not sent all from before their newest shoe"
    todo = (
        "the ingest asks them again; if this stays, read their answers in its log, and allow resend in "
        "[mqtt] commands of their bridge.toml; of a table that is gone for good, shoe-floor close gap"
    )
    yield _aged("tables", owing, now, words, todo)


def _aged(name: str, moved: list[float], now: float, words: str, todo: str) -> Finding:
    """Return OK without any; a warning while each came on a little lately. moved: when they did."""
    if not moved:
        return Finding("OK", name, words)
    if now - min(moved) < YOUNG_S:
        return Finding("WARN", name, f"{words}, being asked for", "wait: they are asked for, and answered")
    return Finding("FAIL", name, words, todo)


def _ago(age: float) -> str:
    return f"{_span(age)} ago"


def _span(age: float) -> str:
    """Return seconds in words."""
    for unit, size in (("days", DAY_S), ("h", 3600.0), ("min", 60.0)):
        if age >= 2 * size:
            return f"{age / size:.0f} {unit}"
    return f"{age:.0f} s"


def _days(left: float) -> str:
    return f"{left:.0f} days" if left >= 2 else f"{left * 24:.0f} h" if left >= 1 / 12 else f"{left * 1440:.0f} min"


def _bytes(count: float) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"
