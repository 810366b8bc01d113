"""What waits until whatever came before it has its place: cards, the cut card, and a reader's result."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.events import CutBy
from firmware_bridge.facts.inputs import ReaderResult


class HeldCard(Struct, frozen=True):
    """A card of the packs, drawn while it could not be dealt; `card` is None while nobody knows its face.

    cleared: the irregularities the floor has decided to keep it in spite of. reason: why it was not read, else why
    it was held.
    """

    card: Card | None
    nonce: str
    lot: int | None = None
    manual: bool = False
    flags: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    reason: str = ""
    slot: str | None = None
    serial: Serial | None = None


class HeldCut(Struct, frozen=True):
    """The cut card, seen `by` a sensor or the reader while cards before it are held."""

    by: CutBy


class HeldResult(Struct, frozen=True):
    """The result of a reader that judges the game, said while cards before it are held or sealed."""

    result: ReaderResult


Held = HeldCard | HeldCut | HeldResult
"""One thing that waits; a shoe keeps them in the order they came."""
