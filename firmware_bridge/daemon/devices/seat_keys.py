"""Keys of seats on GPIO: a press is a mark, if the key was let go since the present question began."""

from __future__ import annotations

import asyncio
from typing import Final

from firmware_bridge.config.pins import mark_of_key
from firmware_bridge.daemon.table.stamps import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs, orders
from firmware_bridge.shoe.round import coming
from hardware.pins.sensors import Contact

AFTER_S: Final = 0.25
"""Seconds of a question before a key answers it: nobody reads it so quickly, and a bounce is over by then."""


class SeatKeys:
    """What the keys of the seats mean; `held` are their contacts, by their names in `[keys]`.

    A key that was down when the question began, or is pressed too soon after, says nothing: it answered the one before.
    """

    def __init__(self, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._table, self._loop = table, loop
        self.held: dict[str, Contact] = {}
        self._turn, self._since = -1, loop.time()
        self._released: set[str] = set()

    def changed(self) -> None:
        """Begin anew with the question that is asked now."""
        if not self._table.begun or (turn := coming(self._table.shoe).turn) == self._turn:
            return
        self._turn, self._since = turn, self._loop.time()
        self._released = {name for name, key in self.held.items() if not key.active}

    def let_go(self, name: str) -> None:
        """The key was released."""
        self._released.add(name)

    def pressed(self, name: str) -> None:
        """Give the mark of a key."""
        mark = mark_of_key(name)
        if mark is None or name not in self._released or self._loop.time() - self._since < AFTER_S:
            return
        self._released.discard(name)
        order = orders.Mark(mark.word, int(mark.seat) if mark.seat else None, mark.value, turn=self._turn)
        self._table.order(inputs.Ordered(**now(), order=order, by=f"key {name}", nonce=nonce()))
