"""Writes a file whole or not at all, even at a power cut."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace the file at `path`; it is on disk on return. Line ends stay. Raises OSError.

    The file keeps its owner, group and mode, also when root writes it under another umask. A new file takes owner and
    group of its directory, and the directory's read permissions.
    """
    owner, group, mode = _access(path)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        with suppress(OSError):  # only root may change an owner
            os.fchown(file.fileno(), owner, group)
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    fresh.replace(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold off other writers of files in a folder for the block; the files themselves are replaced. Raises OSError."""
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def make_public(folder: Path) -> None:
    """Make a folder that everybody may read, under any umask; one that is there stays as it is. Raises OSError."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)


def _access(path: Path) -> tuple[int, int, int]:
    """Return owner, group and mode of the file; those for a new one if there is none."""
    try:
        was = path.stat()
    except FileNotFoundError:
        of = path.parent.stat()
        return of.st_uid, of.st_gid, of.st_mode & 0o044 | 0o600
    return was.st_uid, was.st_gid, was.st_mode & 0o777
