"""The inputs that wait for the disk."""

from __future__ import annotations

from collections import deque
from typing import Final

from firmware_bridge.facts import inputs

RETRY_DISK_S: Final = 1.0
"""How often a disk that takes nothing is tried again."""

RETRY_CARD_S: Final = 0.05
"""How often, while a card waits for it."""

AT_MOST: Final = 10_000
"""Inputs kept in memory while the disk takes nothing; a reader that numbers its reports keeps them itself."""


class Waiting:
    """Inputs in the order in which they came; the first is taken away once it is journaled."""

    def __init__(self) -> None:
        self._inputs: deque[inputs.AnyInput] = deque()
        self._has_card = False

    @property
    def retry_s(self) -> float:
        """How soon the disk is tried again."""
        return RETRY_CARD_S if self._has_card and self._inputs else RETRY_DISK_S

    def __len__(self) -> int:
        return len(self._inputs)

    def keep(self, fact: inputs.AnyInput) -> bool:
        """Keep an input for later; whether it is kept, and was not yet.

        A report that the reader says again is kept once. Orders are not kept: their giver was answered. Reports beyond
        the limit are not acknowledged, so the reader keeps them.
        """
        report = inputs.report_of(fact)
        is_known = report is not None and any(inputs.report_of(each) == report for each in self._inputs)
        if isinstance(fact, inputs.Ordered) or is_known or len(self._inputs) >= AT_MOST:
            return False
        is_card = isinstance(fact, inputs.CardRead | inputs.CardUnread)
        self._has_card = is_card or (self._has_card and bool(self._inputs))
        self._inputs.append(fact)
        return True

    @property
    def first(self) -> inputs.AnyInput:
        """The input that waits longest."""
        return self._inputs[0]

    def drop_first(self) -> None:
        """The first input is journaled."""
        self._inputs.popleft()

    def clear(self) -> tuple[inputs.AnyInput, ...]:
        """Keep nothing any more; what was kept."""
        kept = tuple(self._inputs)
        self._inputs.clear()
        return kept
