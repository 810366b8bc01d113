"""Finds the newest rounds of a table by the index of messages: in its journal, and from there in those before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from firmware_bridge.floor.record.message import Key


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


def last_rounds(ask: Callable[[str, tuple[Any, ...]], Any], sql: Any, key: Key, shoe: int, most: int) -> list[bytes]:
    """The newest messages, the oldest first; what corrects a round that is older than all of them is left out.

    ask: executes a statement with its values; a cursor. sql: the module with the statements of this engine. key: the
    table and its present journal. shoe: the number of the present shoe.
    """

    def of_journal(journal: str, count: int) -> list[StoredRound]:
        return [StoredRound(*each) for each in ask(sql.LAST_ROUNDS, (key.table, journal, count))]

    found = of_journal(key.journal, most)
    if not found and (before := ask(sql.EARLIER, (key.table, shoe)).fetchone()):
        found = of_journal(str(before[0]), most)
    while found and len(found) < most:
        earlier = found[-1].prev_journal
        some = of_journal(earlier, most - len(found)) if earlier and earlier != found[-1].journal else []
        if not some:
            break
        found += some
    closed = {each.place for each in found if not each.revision}
    return [each.body for each in reversed(found) if each.place in closed]
