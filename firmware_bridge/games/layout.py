"""What a game makes of the moves of a round: which slot each fills, which is due, the result."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.facts.cards import Card


class Result(Struct, frozen=True):
    """What a complete round gave. `hands` by side, cards in the order they joined the hand."""

    hands: dict[str, tuple[Card, ...]]
    totals: dict[str, int]
    outcome: str
    natural: bool
    pairs: dict[str, bool]
    why: tuple[str, ...]


class Layout(Struct, frozen=True):
    """The table as the moves so far have made it.

    slots: the slot each move lies in, in the order of moves.
    used: for each move the slot it is played in (a reserve's R1 becomes P3 or B3), None if this round
    does not play it. A reserve counts as not played until the draws are known.
    due: the one slot the next card belongs to, None when the round is complete.
    why: the rule behind `due`, in words; it tells points of cards already on the layout.
    """

    slots: tuple[str, ...]
    used: tuple[str | None, ...]
    due: str | None
    why: str
    result: Result | None

    @property
    def carried(self) -> tuple[int, ...]:
        """Indexes of the moves that the complete round leaves for the next one."""
        return tuple(i for i, slot in enumerate(self.used) if slot is None) if self.result else ()
