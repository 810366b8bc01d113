"""Keeps a directory of journals to one table: its name is in each entry, and none may go out under another one."""

from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal.cursor import Cursor, read_cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.recovery import begun_files, moved_aside, trusted_lines
from firmware_bridge.shoe import Shoe, advance

PAGE: Final = "shoe help tables"


class Found(NamedTuple):
    """The newest journal of another table: what was found, and what to do."""

    what: str
    remedy: str


def other_table(directory: Path, table: str) -> Found | None:
    """The newest journal in a directory, where it is of another table; None where there is none.

    Raises JournalError, OSError.
    """
    files = journal_files(directory)
    name = next(filter(None, map(table_of, reversed(files))), table)  # a newest one may have no whole line
    if name == table:
        return None
    cursor = read_cursor(directory / "cursor")
    what = f'[table] id is "{table}", and the journal in {directory} is of table {name}'
    shoe, is_sent = _state(begun_files(files, cursor), cursor)
    if is_sent and shoe.status != "open":
        return Found(what, f'write id = "{name}", or put the journal aside: {moved_aside(directory, name)} ({PAGE})')
    back, wait = f'write id = "{name}" and start again', "when sudo shoe status says nothing waiting, rename it"
    if shoe.status == "open":
        end = "end the shoe (sudo shoe do close-shoe)"
        return Found(f"{what}: its shoe {shoe.number} is open", f"{back}; {end}; {wait} ({PAGE})")
    return Found(f"{what}: it was not sent to its end", f"{back}; {wait} ({PAGE})")


def refuse_other_table(directory: Path, table: str) -> None:
    """Raises ConfigError where the newest journal is of another table; JournalError, OSError."""
    if found := other_table(directory, table):
        raise ConfigError(found.what, found.remedy)


def table_of(path: Path) -> str | None:
    """The table that a journal was begun for; None without a whole line. Raises JournalError, OSError."""
    first = next(read_lines(Place(path, 0)), None)
    return first[0].public.table if first else None


def _state(files: list[Path], cursor: Cursor | None) -> tuple[Shoe, bool]:
    """The shoe that the newest file folds to, and whether all was sent; as far as it can be read."""
    shoe, last = Shoe(), None
    with suppress(JournalError):  # told once the table has its name again
        for line, _ in trusted_lines(files, cursor):
            assert line.entry
            shoe, last = advance(shoe, line.entry), Cursor(line.public.journal, line.public.seq)
        return shoe, cursor == last
    return shoe, False
