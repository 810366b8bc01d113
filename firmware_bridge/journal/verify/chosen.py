"""Which files somebody means who asks for journals: by path, id or number, or all of a directory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import SUFFIX, file_name, journal_files


def chosen(directory: Path, names: Iterable[str] = ()) -> list[Path]:
    """The files of journals: all of a directory, or those named by path, id or number. Raises JournalError."""
    if named := [_named(directory, name) for name in names]:
        return named
    files = files_in(directory)
    if not files:
        raise JournalError(f"no journal in {directory}", "name the directory with --dir or --config, or use sudo")
    return files


def files_in(directory: Path) -> list[Path]:
    """The journal files of a directory, oldest first. Raises JournalError if it cannot be read."""
    try:
        next(directory.iterdir(), None)
    except OSError as error:
        raise unreadable(error, directory) from None
    return journal_files(directory)


def unreadable(error: OSError, directory: Path) -> JournalError:
    """What to do where a file of a directory, or the directory, cannot be read."""
    hint = "put sudo before the command" if isinstance(error, PermissionError) else "name it with --dir or --config"
    return JournalError(f"{error.filename or directory}: {error.strerror or error}", hint)


def _named(directory: Path, name: str) -> Path:
    path = Path(name)
    if "/" in name or path.suffix == SUFFIX or path.is_file():
        return path
    files = files_in(directory)
    same = [each for each in files if name.isdecimal() and each.name.startswith(f"{int(name):08d}-")]
    if "-" in name and name.split("-", 1)[0].isdecimal():
        same = [each for each in files if each.name == file_name(name)]
    if not same:
        raise JournalError(f"no journal {name} in {directory}", "see `shoe journal list`")
    return same[0]
