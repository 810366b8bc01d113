"""Commands on a store: export rows, back-fill from journals, compact and delete old journals."""

import csv
import logging
import os
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, TextIO

import msgspec

from firmware_bridge.config.streams import as_utf8
from firmware_bridge.errors import JournalError
from firmware_bridge.floor.cells import cell
from firmware_bridge.floor.record.ledger import Ledger
from firmware_bridge.floor.record.message import Row, now, rfc3339, row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store import Saved, Store, What
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.recovery import Salvage

log = logging.getLogger(__name__)

BODIES: Final = ("body", "other_body")
"""Columns with messages: objects in JSON, text in CSV."""

BATCH: Final = 500
"""Most messages of a commit."""

RESTED: Final = timedelta(days=90)
"""A newest message older than this more likely means a wrong clock than a floor that rested."""

YEAR: Final = timedelta(days=365.25)


def export(store: Store, what: What, table: str | None, journal: str | None, target: Path | None, form: str) -> int:
    """Write rows to a file, atomically, or to stdout; return how many. Raises StoreError.

    form: `jsonl`, an object a line, or `csv`, with a header and with no text that a spreadsheet calculates. Bytes that
    are no message are in base64.
    """
    columns, count = store.columns(what), 0
    with output(target) as out:
        sheet = csv.writer(out)
        if form == "csv":
            sheet.writerow(columns)
        for row in store.rows(what, table, journal):
            values = dict(zip(columns, row, strict=True))
            if form == "csv":
                sheet.writerow(map(cell, values.values()))
            else:
                out.write(
                    msgspec.json.encode({name: _as_json(name, each) for name, each in values.items()}).decode() + "\n"
                )
            count += 1
    return count


def backfill(
    store: Store, path: Path, names: Names | None = None, left_out: Callable[[JournalError], None] | None = None
) -> Saved:
    """Save the messages of a journal, or of an export of one; return the counts. names: replaces names of people.

    left_out: called with the fault of each line that cannot be trusted, and later lines are saved all the same; without
    it the first such line raises JournalError. Batches before an error are kept, and the command may be repeated.
    Raises JournalError if no line can be read, StoreError.
    """
    ledger, total = Ledger(store.load, asks=False), Saved()
    rows = _rows(path, left_out or _refuse)
    while batch := list(islice(rows, BATCH)):
        for each in batch:
            ledger.add(each)
        kept = [names.row(each) for each in batch] if names else batch
        saved = store.save(kept, [], list(ledger.changes()))
        total = Saved(*(before + more for before, more in zip(total, saved, strict=True)))
    return total


def expire(store: Store, years: int, *, dry: bool = False, quorum: bool = False) -> Iterator[str]:
    """Delete journals older than so many years; yield a line about each, also about those that stay.

    A journal is as old as its newest message, by the shoe's clock or by its arrival, the later one. dry: delete
    nothing. quorum: of a table with an enrolled key, delete only what a quorum of witnesses has cosigned; else what a
    checkpoint has verified. Leaves are never deleted. Raises StoreError, also if the clock is far ahead of every
    message.
    """
    now = datetime.now(UTC)
    _look_at_the_clock(store, now)
    before = rfc3339(now - years * YEAR)
    for each in store.old(before, quorum=quorum):
        began = monotonic()
        what = f"table {each.key.table}, journal {each.key.journal}, {each.messages} messages to {each.last_at}"
        if each.stays:
            yield f"kept: {what}: {each.stays}"
        elif dry:
            yield f"would be deleted: {what}"
        elif store.expire(each.key, before, rfc3339(now), quorum=quorum):
            leaves = store.leaves_in(*each.key)
            what += f"; {leaves} leaves of its record are kept" if leaves else ""
            log.warning("deleted after %d years: %s", years, what)
            yield f"deleted: {what}"
            sleep(monotonic() - began)  # others write


def expire_events(store: Store, years: int, *, dry: bool = False, quorum: bool = False) -> str:
    """Delete the events of compacted journals older than so many years; return a line about it. As `expire`.

    Rounds, facts and leaves are kept.
    """
    now = datetime.now(UTC)
    _look_at_the_clock(store, now)
    before, journals, events = rfc3339(now - years * YEAR), 0, 0
    for key in store.compacted(before):
        began = monotonic()
        if count := store.expire_events(key, before, rfc3339(now), quorum=quorum, dry=dry):
            journals, events = journals + 1, events + count
            sleep(monotonic() - began)  # others write
    what = f"{events} events of {journals} journals older than {years} years; their rounds are kept"
    if events and not dry:
        log.warning("deleted: %s", what)
    return f"{'would be deleted' if dry else 'deleted'}: {what}"


def compact(store: Store, hours: int, *, quorum: bool = False, rest: bool = True) -> str:
    """Make the events of each shoe that is over for so many hours one block; return what was done, in words.

    rest: work half of the time at most, since others write. quorum: as in `expire`. Raises StoreError.
    """
    before, journals, messages, size, block = rfc3339(datetime.now(UTC) - timedelta(hours=hours)), 0, 0, 0, 0
    for key in store.over():
        began = monotonic()
        if made := store.compact(key, before, quorum=quorum):
            journals, messages = journals + 1, messages + made.messages
            size, block = size + made.size, block + made.block
            sleep(monotonic() - began if rest else 0.0)
    store.drop_taken()
    return f"{journals} journals compacted: {messages} events of {size} bytes are in blocks of {block} bytes"


def expire_quarantine(store: Store, days: int, *, dry: bool = False) -> str:
    """Delete what is in quarantine for more than so many days; return a line about it. Raises StoreError."""
    now = datetime.now(UTC)
    if store.newest():  # a store of junk alone has no clock to compare with
        _look_at_the_clock(store, now)
    count = store.expire_quarantine(rfc3339(now - timedelta(days=days)), dry=dry)
    what = f"{count} messages in quarantine for more than {days} days"
    if count and not dry:
        log.warning("deleted: %s", what)
    return f"{'would be deleted' if dry else 'deleted'}: {what}"


@contextmanager
def output(target: Path | None) -> Iterator[TextIO]:
    """Yield a stream of what is written to a file, atomically, or to stdout. Raises StoreError."""
    if target is None:
        yield as_utf8()
        sys.stdout.flush()
        return
    with replaced(target) as fresh, fresh.open("w", encoding="utf-8", newline="") as out:
        yield out


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """Yield a new file beside another one, which it replaces at the end, on disk. Raises StoreError."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield fresh
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.replace(target)
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{target} cannot be written ({error.strerror})", "choose another file with -o") from None
    finally:
        fresh.unlink(missing_ok=True)


def _as_json(name: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if name in BODIES and isinstance(value, str) and "\n" not in value:
        return msgspec.Raw(value.encode())
    return value


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
        raise JournalError(f"{path}: {error.strerror}", "give a file of shoe journal export") from None
    for fault in salvage.faults:
        left_out(fault) if has_begun else _refuse(fault)


def _refuse(fault: JournalError) -> None:
    raise fault


def _look_at_the_clock(store: Store, now: datetime) -> None:
    newest = store.newest()
    if newest and newest < rfc3339(now - RESTED):
        what = f"the clock says {rfc3339(now)}, but the newest message is from {newest}: nothing was deleted"
        raise StoreError(what, f"set the clock; after a pause of {RESTED.days} days, wait until a table has played")
