"""Opens a table's journal, with retries until the disk works."""

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from firmware_bridge.daemon.delivery.backlog import place_behind
from firmware_bridge.daemon.table.disk_outage import NOT_READ, RETRY_DISK_S
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.journal.cursor import CursorFile
from firmware_bridge.journal.files import InUse, lock
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.other_table import refusal_of_other, writer
from firmware_bridge.journal.preallocate import unusable
from firmware_bridge.journal.reader import Place
from firmware_bridge.journal.recovery import refusal, verify_format

PATIENCE_S: Final = 1.0
"""Seconds of reading after which the table shows that its journal cannot be written yet."""

Result = TypeVar("Result")


class Opened(NamedTuple):
    """The start of the outbox: the cursor, and the place behind its entry (None: the beginning of all files)."""

    cursor: CursorFile
    place: Place | None


async def open_journal(table: Table, stopped: Callable[[], Awaitable[None]]) -> Opened:
    """Open the table's journal, in a thread, as a failing SD card may be slow.

    stopped: awaited for each new error that stops the table. Raises JournalError for a journal that cannot be trusted,
    InUse for another daemon's, ConfigError for another table's.
    """
    while True:
        reading = _in_thread(lambda: _opened(table.journal, table.name))
        try:
            if not (await asyncio.wait({reading}, timeout=PATIENCE_S))[0]:
                await _stop(table, NOT_READ, stopped)
            opened = await reading
            if opened is None:
                raise await _in_thread(lambda: refusal_of_other(table.journal.directory, table.name))
            table.shoe = table.journal.shoe
            return opened
        except InUse:
            raise
        except JournalError as error:
            await _stop(table, DiskError(error.what, error.hint, "journal_damaged"), stopped)
            raise
        except DiskError as error:
            await _stop(table, error, stopped)
        finally:
            reading.cancel()
        await asyncio.sleep(RETRY_DISK_S)


async def _stop(table: Table, error: DiskError, stopped: Callable[[], Awaitable[None]]) -> None:
    if table.stop_for(error):
        await stopped()


def _opened(journal: Journal, table: str) -> Opened | None:
    """Open the journal, unless it is of another table."""
    directory = journal.directory
    try:
        verify_format(directory)
        os.close(lock(directory))  # makes the directory, and keeps other daemons out
        if writer(directory) not in (table, None):
            return None
        cursor = CursorFile(directory / "cursor")
    except InUse:
        raise
    except JournalError as error:
        raise refusal(error, directory) from None
    except OSError as error:
        raise unusable(directory, error) from None
    try:
        journal.open(cursor.value)
        return Opened(cursor, place_behind(directory, cursor.value))
    except BaseException:
        journal.close()
        cursor.close()
        raise


def _in_thread(work: Callable[[], Result]) -> asyncio.Future[Result]:
    """Return the result of `work` in a daemon thread: if it hangs, the process can still end."""
    result = concurrent.futures.Future[Result]()

    def run() -> None:
        result.set_running_or_notify_cancel()
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, name="journal", daemon=True).start()
    return asyncio.wrap_future(result)
