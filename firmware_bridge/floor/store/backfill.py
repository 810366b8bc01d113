"""Takes the messages of exported journals into a store: the same bytes that the tables published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from firmware_bridge.errors import JournalError
from firmware_bridge.floor.record.ledger import Ledger
from firmware_bridge.floor.record.message import Row, now, row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store import Saved, Store
from firmware_bridge.journal.trusted import Salvage
from firmware_bridge.topics.event_and_round import messages

BATCH: Final = 500
"""Messages of a commit."""


def backfill(
    store: Store, path: Path, names: Names | None = None, left_out: Callable[[JournalError], None] | None = None
) -> Saved:
    """Take a journal or an export of one into a store; what it brought. names: what replaces names of people.

    left_out: called with what is wrong where a line cannot be trusted, and all behind it is taken nevertheless; without
    it the first such line raises JournalError. Raises JournalError where no line can be read. The batches before an
    error are kept, and it may be begun again. Raises StoreError.
    """
    ledger, total = Ledger(store.load, asks=False), Saved()
    rows = _rows(path, left_out or _refuse)
    while batch := list(islice(rows, BATCH)):
        for each in batch:
            ledger.take(each)
        kept = [names.row(each) for each in batch] if names else batch
        saved = store.save(kept, [], list(ledger.changes()))
        total = Saved(*(before + more for before, more in zip(total, saved, strict=True)))
    return total


def _rows(path: Path, left_out: Callable[[JournalError], None]) -> Iterator[Row]:
    received_at, salvage, has_begun = now(), Salvage(path.name), False
    try:
        with path.open("rb") as file:
            for line in salvage.lines(file):
                has_begun = True
                for fault in salvage.faults:
                    left_out(fault)
                for each in messages(line):
                    yield row(each.topic, line.public.table, each.payload, received_at)
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}", "name an export of a journal") from None
    for fault in salvage.faults:
        left_out(fault) if has_begun else _refuse(fault)


def _refuse(fault: JournalError) -> None:
    raise fault
