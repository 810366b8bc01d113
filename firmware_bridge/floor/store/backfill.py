"""Takes the messages of exported journals into a store: the same bytes that the tables published."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from firmware_bridge.errors import JournalError
from firmware_bridge.floor.record.ledger import Ledger
from firmware_bridge.floor.record.message import Row, now, row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store import Saved, Store
from firmware_bridge.journal.walk import Walk
from firmware_bridge.topics.event_and_round import messages

BATCH: Final = 500
"""Messages of a commit."""


def backfill(store: Store, path: Path, names: Names | None = None) -> Saved:
    """Take a journal or an export of one into a store; what it brought. names: what replaces names of people.

    Raises JournalError at the first line that cannot be trusted: the batches before it are kept, and it may be
    begun again. Raises StoreError.
    """
    ledger, total = Ledger(store.load, asks=False), Saved()
    rows = _rows(path)
    while batch := list(islice(rows, BATCH)):
        for each in batch:
            ledger.take(each)
        kept = [names.row(each) for each in batch] if names else batch
        saved = store.save(kept, [], list(ledger.changes()))
        total = Saved(*(before + more for before, more in zip(total, saved, strict=True)))
    return total


def _rows(path: Path) -> Iterator[Row]:
    received_at, walk = now(), Walk(path.name)
    try:
        with path.open("rb") as file:
            for line in walk.lines(file):
                for each in messages(line):
                    yield row(each.topic, line.public.table, each.payload, received_at)
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}", "name an export of a journal") from None
