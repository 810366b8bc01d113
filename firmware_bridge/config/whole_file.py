"""Writes a file whole or not at all, whatever happens meanwhile."""

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace the file at `path`, on disk when this returns; line ends stay as they are. Raises OSError.

    Whoever could use the file before can use it now, also where root writes it with a umask of its own; a new file
    belongs to whom its directory belongs, and who may list that may read it.
    """
    owner, group, mode = _access(path)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        with suppress(OSError):  # only root may give a file away
            os.fchown(file.fileno(), owner, group)
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    fresh.replace(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _access(path: Path) -> tuple[int, int, int]:
    """Owner, group and mode of a file."""
    try:
        was = path.stat()
    except FileNotFoundError:
        of = path.parent.stat()
        return of.st_uid, of.st_gid, of.st_mode & 0o044 | 0o600
    return was.st_uid, was.st_gid, was.st_mode & 0o777
