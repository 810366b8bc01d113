"""Address of a Unix socket by a path of any length."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

LONGEST: Final = 107
"""Bytes of the longest path that the kernel takes (unix(7))."""


BOUND: Final = Path("/proc/net/unix")
"""All Unix sockets of this machine with the paths they were bound to, for every user."""


def is_bound(path: Path) -> bool:
    """Return whether a process may have a socket at this path, even one this user cannot see; True if unknown."""
    if len(os.fsencode(path)) > LONGEST:
        return True
    try:
        lines = BOUND.read_bytes().splitlines()
    except OSError:
        return True
    bound = {line.split(maxsplit=7)[-1] for line in lines}
    return not bound.isdisjoint(map(os.fsencode, (path, path.absolute())))


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """Yield the path, or one through its open directory if it is too long. Raises OSError for a missing directory."""
    if len(os.fsencode(path)) <= LONGEST:
        yield str(path)
        return
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
