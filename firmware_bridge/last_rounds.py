"""The last rounds of the present shoe, read off its journal file."""

from __future__ import annotations

import contextlib
from collections import deque
from pathlib import Path
from typing import Any, Final

import msgspec

from firmware_bridge.journal import Place
from firmware_bridge.line import unseal
from firmware_bridge.messages import messages

KEPT: Final = 8
"""Rounds a technician is shown."""

_MARKS: Final = (b'"RoundClosed"', b'"RoundVoided"')


class LastRounds:
    """Remembers how far the file was read, so that asking again reads only what is new."""

    def __init__(self) -> None:
        self._read = Place(Path(), 0)
        self._rounds: deque[dict[str, Any]] = deque(maxlen=KEPT)

    def up_to(self, end: Place | None) -> list[dict[str, Any]]:
        """The rounds before `end`, oldest first, in few words; those known while the file cannot be read."""
        if end is None:
            return []
        if end.path != self._read.path:
            self._rounds.clear()
            self._read = Place(end.path, 0)
        if end.offset > self._read.offset:
            with contextlib.suppress(OSError):
                self._take(end)
        return list(self._rounds)

    def _take(self, end: Place) -> None:
        with end.path.open("rb") as file:
            file.seek(self._read.offset)
            new = file.read(end.offset - self._read.offset)
        lines = [line for line in new.splitlines(keepends=True) if any(mark in line for mark in _MARKS)]
        told = [message for line in lines[-KEPT:] for message in messages(unseal(line)) if message.topic == "round"]
        self._rounds.extend(_in_few_words(message.payload) for message in told)
        self._read = end


def _in_few_words(payload: bytes) -> dict[str, Any]:
    told = msgspec.json.decode(payload)
    totals = {side: hand["total"] for side, hand in told.get("hands", {}).items()}
    return {
        "round": told["round"],
        "status": told["status"],
        "outcome": told.get("outcome"),
        "totals": totals,
        "last": told["last"],
    }
