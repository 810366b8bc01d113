"""Keeps a directory of journals to one table: its name is in each entry, and none may go out under another one."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal.cursor import Cursor, read_cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.recovery import begun_files, moved_aside, trusted_lines
from firmware_bridge.shoe import Shoe, advance

PAGE: Final = "shoe help tables"


def writer(directory: Path) -> str | None:
    """Return the table that the newest journal is of; None where there is none. Raises JournalError, OSError."""
    return next(filter(None, map(table_of, reversed(journal_files(directory)))), None)


def refusal_of_other(directory: Path, table: str) -> ConfigError:
    """Return the refusal of a directory with another table's newest journal: what was found, and what to do."""
    name = writer(directory) or ""
    what = f'[table] id is "{table}", and the journal in {directory} is of table {name}'
    shoe, is_sent = _state(directory)
    if is_sent and shoe.status != "open":
        return ConfigError(
            what, f'write id = "{name}", or put the journal aside: {moved_aside(directory, name)} ({PAGE})'
        )
    back, wait = f'write id = "{name}" and start again', "when sudo shoe status says nothing waiting, rename it"
    if shoe.status == "open":
        end = "end the shoe (sudo shoe do close-shoe)"
        return ConfigError(f"{what}: its shoe {shoe.number} is open", f"{back}; {end}; {wait} ({PAGE})")
    return ConfigError(f"{what}: it was not sent to its end", f"{back}; {wait} ({PAGE})")


def table_of(path: Path) -> str | None:
    """Return the table that a journal was begun for; None without a whole line. Raises JournalError, OSError."""
    first = next(read_lines(Place(path, 0)), None)
    return first[0].public.table if first else None


def _state(directory: Path) -> tuple[Shoe, bool]:
    """Return the shoe that the newest journal folds to, and whether all was sent; as far as it can be read."""
    shoe, last = Shoe(), None
    with suppress(JournalError, OSError):  # a damaged journal has its own error, under its own name
        cursor = read_cursor(directory / "cursor")
        for line, _ in trusted_lines(begun_files(journal_files(directory), cursor), cursor):
            assert line.entry
            shoe, last = advance(shoe, line.entry), Cursor(line.public.journal, line.public.seq)
        return shoe, cursor == last
    return shoe, False
