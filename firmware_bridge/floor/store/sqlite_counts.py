"""How much is in a store in SQLite, read beside the ingest and at once, however much it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from firmware_bridge.floor.store import StoreError

BUSY_S: Final = 1.0

COUNTS: Final = """
select (select max(rowid) from message), (select max(rowid) from conflict), (select max(rowid) from quarantine),
  (select count(*) from progress where (whole < known or since <> '') and whole < known)
"""
"""The number of the last row counts all that was ever stored, also what went by its age; after a restore, what is left.

The gaps as the index of journals that lack something has them.
"""


class Counts(NamedTuple):
    """How many messages were ever stored, came with other bytes, were none; and how many journals have gaps."""

    messages: int
    conflicts: int
    quarantine: int
    gaps: int


def counts(path: Path) -> Counts | None:
    """Of the store in a file; None where there is no file. It is never made, and never changed. Raises StoreError."""
    try:
        if not path.exists():
            return None
        address = f"file:{quote(str(path))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_S)) as db:
            found = db.execute(COUNTS).fetchone()
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{path}: {error}", "let the exporter's user read it") from None
    return Counts(*(each or 0 for each in found))
