"""Deletes the journals that a house need not keep any longer: each whole, on record, and never one with a flaw."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from firmware_bridge.floor.store import Store, StoreError

log = logging.getLogger(__name__)

RESTED: Final = timedelta(days=90)
"""A store without a message for so long is more likely read with a wrong clock than at a floor that rested."""

YEAR: Final = timedelta(days=365.25)


def expire(store: Store, years: int, *, dry: bool = False) -> Iterator[str]:
    """Delete journals older than so many years; a line about each, those that stay too.

    A journal is as old as its newest message: as the shoe had the time, and as the store took it, whichever is later.
    dry: only say what would be deleted. Raises StoreError, also where the clock is far ahead of every message.
    """
    now = datetime.now(UTC)
    _look_at_the_clock(store, now)
    before = _text(now - years * YEAR)
    for each in store.old(before):
        what = f"table {each.key.table}, journal {each.key.journal}, {each.messages} messages to {each.last_at}"
        if each.stays:
            yield f"stays: {what}: {each.stays}"
        elif dry:
            yield f"would be deleted: {what}"
        elif store.expire(each.key, before, _text(now)):
            log.warning("deleted after %d years: %s", years, what)
            yield f"deleted: {what}"


def _look_at_the_clock(store: Store, now: datetime) -> None:
    newest = store.newest()
    if newest and newest < _text(now - RESTED):
        what = f"the clock says {_text(now)}, and the newest message is of {newest}: nothing was deleted"
        raise StoreError(what, f"set the clock right; a floor that rested {RESTED.days} days has to play first")


def _text(time: datetime) -> str:
    """RFC 3339 with milliseconds, UTC."""
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
