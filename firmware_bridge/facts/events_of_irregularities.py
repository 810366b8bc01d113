"""Events of irregularities: what is wrong at the table, and how it was settled."""

from __future__ import annotations

from msgspec import field

from firmware_bridge.facts.event import Event


class Irregular(Event, frozen=True, kw_only=True):
    """Something is wrong at the table. `detail` names disclosed cards only. `since`: ms since 1970.

    `of`: what it is about, where that matters to how it is closed: sensors by their names, `reader` or `dealer` for
    whose result differs, `card 5` for the fifth card of this shoe. `values`: what `detail` names, for pages that
    speak another language.
    """

    id: str
    detail: str
    since: int
    of: tuple[str, ...] = ()
    values: dict[str, str | int] = field(default_factory=dict)


class IrregularityClosed(Event, frozen=True, kw_only=True):
    """An irregularity was closed: by the floor's choice, the dealer's `confirm`, or by itself.

    clears: the floor takes the oldest held card in spite of this irregularity.
    """

    id: str
    choice: str
    by: str = ""
    why: str = ""
    clears: bool = False


OfIrregularities = Irregular | IrregularityClosed
"""An event of an irregularity."""
