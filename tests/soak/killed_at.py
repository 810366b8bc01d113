"""A daemon that ends itself by SIGKILL between signing and publishing: at call `POINT:N` of KILLED_AT."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from firmware_bridge.cli import main
from firmware_bridge.journal import record_tree
from firmware_bridge.journal.record_tiles import RecordTiles
from firmware_bridge.mqtt.connection import Connection

KILLED_AT: Final = "KILLED_AT"

BEHIND: Final = {
    "signed": (record_tree, "signed_note"),
    "written": (os, "pwrite"),
    "synced": (os, "fdatasync"),
    "renamed": (os, "rename"),
    "published": (Connection, "publish"),
    "tiled": (RecordTiles, "step"),
}
"""Points that are reached once a call has done its work."""

BEFORE: Final = {"unwritten": (os, "pwrite"), "unsynced": (os, "fdatasync"), "unpublished": (Connection, "publish")}
"""Points that are reached before it does any."""

POINTS: Final = (*BEHIND, *BEFORE)

RARE: Final = ("renamed", "tiled")
"""Points that a daemon reaches a few times only."""


def arm(where: str) -> None:
    """Let the process end at a point, `POINT:N`."""
    point, _, nth = where.partition(":")
    owner, name = (BEHIND | BEFORE)[point]
    setattr(owner, name, _deadly(getattr(owner, name), int(nth), is_before=point in BEFORE))


def _deadly(real: Callable[..., Any], nth: int, *, is_before: bool) -> Callable[..., Any]:
    calls = count(1)

    def call(*arguments: Any, **named: Any) -> Any:
        is_last = next(calls) == nth
        if is_last and is_before:
            os.kill(os.getpid(), signal.SIGKILL)
        done = real(*arguments, **named)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    return call


if __name__ == "__main__":
    arm(os.environ[KILLED_AT])
    sys.exit(main())
