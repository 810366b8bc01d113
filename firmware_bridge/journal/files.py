"""The files of a journal: their names, their choice by the user, and the lock against a second daemon."""

import fcntl
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from firmware_bridge.errors import JournalError

SUFFIX: Final = ".journal"
_NAME: Final = re.compile(rf"\d{{8,}}-[0-9a-f]+{re.escape(SUFFIX)}")


class InUse(JournalError):
    """Another daemon writes this journal."""


def file_name(journal: str) -> str:
    """Return the file of a journal id: `3-9f8a7c` is `00000003-9f8a7c.journal`."""
    number, nonce = journal.split("-", 1)
    return f"{int(number):08d}-{nonce}{SUFFIX}"


def journal_id(path: Path) -> str:
    """Return the id of a journal in a file of this name: the inverse of `file_name`."""
    number, nonce = path.stem.split("-", 1)
    return f"{int(number)}-{nonce}"


def journal_files(directory: Path) -> list[Path]:
    """Return the journal files, oldest first; no copies by other names, folders or pipes. Raises OSError."""
    try:
        with os.scandir(directory) as found:
            names = [each.name for each in found if each.is_file(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [directory / name for name in sorted(filter(_NAME.fullmatch, names))]


def files_in(directory: Path) -> list[Path]:
    """Return the journal files of a directory, oldest first. Raises JournalError if it cannot be read."""
    try:
        next(directory.iterdir(), None)
    except OSError as error:
        raise unreadable(error, directory) from None
    return journal_files(directory)


def chosen(directory: Path, names: Iterable[str] = ()) -> list[Path]:
    """Return the journal files of a directory: all, or those named by path, id or number. Raises JournalError."""
    if named := [_named(directory, name) for name in names]:
        return named
    files = files_in(directory)
    if not files:
        raise JournalError(f"no journal in {directory}", "name the directory with --dir or --config, or use sudo")
    return files


def unreadable(error: OSError, directory: Path) -> JournalError:
    """Return the error for a directory, or a file in it, that cannot be read."""
    hint = "put sudo before the command" if isinstance(error, PermissionError) else "name it with --dir or --config"
    return JournalError(f"{error.filename or directory}: {error.strerror or error}", hint)


def lock(directory: Path) -> int:
    """Return a file descriptor that locks out every other daemon until it is closed. Raises InUse, OSError."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _locked(directory, os.O_RDWR | os.O_CREAT)


def refuse_second(directory: Path) -> None:
    """Raise InUse where another daemon writes this journal; a faulty disk is found later."""
    try:
        os.close(_locked(directory, os.O_RDONLY))
    except OSError:
        return


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


def _locked(directory: Path, mode: int) -> int:
    fd = os.open(directory / "lock", mode | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise InUse(f"another daemon uses {directory}", "stop it first: systemctl stop firmware-bridge") from None
    except OSError:
        os.close(fd)
        raise
    return fd
