"""A reader lent to a technician: what passes it is counted and put on record, and is never a card of a shoe."""

from __future__ import annotations

from typing import Final

from firmware_bridge.daemon import Table, now
from firmware_bridge.facts import inputs as i
from firmware_bridge.facts.inputs import Mark

RECORD_EVERY: Final = 64
"""Test cards from one record to the next: far fewer than the 256 reports after which their numbers come again."""


class Loan:
    """One loan of the reader, from the record that it begins until `record` after its last card."""

    def __init__(self, table: Table, to: str) -> None:
        self._table, self._to = table, to
        self._mark = table.shoe.reader
        self._count = 0
        self._tell(f"lent to {to} for calibration")

    @property
    def mark(self) -> Mark | None:
        """The last report that was taken, by the table or the technician."""
        return self._mark

    def passed(self, mark: Mark) -> None:
        """A test card passed."""
        self._count += mark != self._mark
        self._mark = mark
        if self._count == RECORD_EVERY:
            self.record()

    def record(self) -> None:
        """Put on record what has passed since the last record: the shoe then takes none of it for a card of its own."""
        if self._count:
            self._tell(f"{self._count} test cards passed, lent to {self._to}")
            self._count = 0

    def _tell(self, why: str) -> None:
        self._table.tell(i.DeviceLost(**now(), device="reader", why=why, mark=self._mark))
