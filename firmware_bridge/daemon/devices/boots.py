"""A reader board that restarts again and again."""

from __future__ import annotations

import logging
from collections import deque
from typing import Final

from firmware_bridge.daemon.table.table import Table

log = logging.getLogger(__name__)

NOTED: Final = 3
WITHIN_S: Final = 30.0
"""So many restarts are journaled within this time: a loop of restarts must not fill the disk."""


class Boots:
    """Counts the restarts that were journaled; a board says hello until it is greeted, so none is lost by waiting."""

    def __init__(self) -> None:
        self._noted: deque[float] = deque(maxlen=NOTED)
        self._is_loop = False

    def may_note(self, session: int, table: Table, now_s: float) -> bool:
        """Whether this restart is taken to the table and greeted; a disk that takes nothing takes none either."""
        known = table.shoe.device.reader
        if table.disk or (known is not None and known.session == session):
            return table.disk is None
        is_loop = len(self._noted) == NOTED and now_s - self._noted[0] < WITHIN_S
        if is_loop and not self._is_loop:
            log.warning("the reader board restarts again and again: check its power and cable")
        self._is_loop = is_loop
        if not is_loop:
            self._noted.append(now_s)
        return not is_loop
