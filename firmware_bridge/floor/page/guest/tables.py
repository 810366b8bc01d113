"""What guest screens keep of all tables of a floor: nothing that a screen does not show is in it."""

from __future__ import annotations

import re
from typing import Final

from firmware_bridge.floor.page.guest.fold import NOTHING, STATES, Kept, fold
from firmware_bridge.floor.page.guest.read import TOPICS

MOST: Final = 10_000
"""Tables at most."""


class Guests:
    """The tables below a root, by name, as far as guests may know them."""

    def __init__(self, root: str) -> None:
        self.tables: dict[str, Kept] = {}
        self._topic = re.compile(rf"{re.escape(root)}/([^/]+)/({'|'.join(TOPICS)})")

    def take(self, topic: str, payload: bytes) -> bool:
        """Take a message; whether it changed what is kept."""
        match = self._topic.fullmatch(topic)
        if match is None:
            return False
        name, last = match.groups()
        before = self.tables.get(name, NOTHING)
        if before is NOTHING and len(self.tables) >= MOST:
            return False
        after = fold(before, last, payload, name)
        if after is before:
            return False
        if any(getattr(after, state) for state in STATES):
            self.tables[name] = after
        else:  # the table is no more
            self.tables.pop(name, None)
        return after != before
