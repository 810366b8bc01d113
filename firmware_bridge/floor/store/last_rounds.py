"""Finds the newest rounds of a table by the index of messages: in its journal, and from there in those before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class StoredRound(NamedTuple):
    """A message of the topic `round`. prev_journal: where the round message before it at its table is."""

    journal: str
    shoe: int
    round: int
    revision: int
    prev_journal: str | None
    body: bytes

    @property
    def place(self) -> tuple[str, int, int]:
        """Which round it is about."""
        return self.journal, self.shoe, self.round


def last_rounds(
    journal: str,
    of_journal: Callable[[str, int], list[StoredRound]],
    earlier: Callable[[], str | None],
    most: int,
) -> list[bytes]:
    """The newest messages, the oldest first; what corrects a round that is older than all of them is left out.

    journal: the present one. of_journal: so many of a journal at most, the newest first. earlier: the journal before
    the present one, where that has no round yet.
    """
    found = of_journal(journal, most)
    if not found and (before := earlier()):
        found = of_journal(before, most)
    while found and len(found) < most:
        before = found[-1].prev_journal
        some = of_journal(before, most - len(found)) if before and before != found[-1].journal else []
        if not some:
            break
        found += some
    closed = {each.place for each in found if not each.revision}
    return [each.body for each in reversed(found) if each.place in closed]
