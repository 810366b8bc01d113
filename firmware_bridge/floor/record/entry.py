"""One entry of a journal as its messages come in: whether all of them are there."""

from __future__ import annotations

from firmware_bridge.floor.record.message import EVENT, Row, makes_round


class Entry:
    """What came of one entry: numbers of its events, of the rounds they announce, and of the rounds."""

    def __init__(self) -> None:
        self.of = 0
        self.events: set[int] = set()
        self.due: set[int] = set()
        self.rounds: set[int] = set()

    def take(self, row: Row) -> None:
        """Note a message of it, a repeat too."""
        if row.topic == EVENT:
            self.of = self.of or row.of
            self.events.add(row.n)
            if makes_round(row):
                self.due.add(row.n)
        else:
            self.rounds.add(row.n)

    @property
    def whole(self) -> bool:
        """Whether every message of it came."""
        return 0 < self.of == len(self.events) and self.due <= self.rounds
