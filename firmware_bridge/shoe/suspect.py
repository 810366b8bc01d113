"""What may be wrong with a card that left the shoe, before it is put anywhere."""

from __future__ import annotations

from typing import Final

from firmware_bridge.cards import Card
from firmware_bridge.games import GAMES, PACKS
from firmware_bridge.shoe.state import Held, Phase, Shoe, due, phase, row

FOREIGN_CODES: Final = ("unknown code", "foreign")
"""Why a card has no face although the reader read it: its code is in no code book."""


BURN: Final = "burn"
"""Where a reader says that a burned card goes."""


def wrong_with(shoe: Shoe, card: Held) -> tuple[str, str] | None:
    """The first irregularity of a card that the floor has not cleared: id and detail."""
    if "foreign" not in card.cleared and (found := _foreign(shoe, card)):
        return "foreign", found
    if card.card is None:
        return "unreadable", f"card {len(shoe.seen) + 1} of this shoe was not read: {card.reason}"
    if card.slot and "wrong_slot" not in card.cleared and (found := _misplaced(shoe, card.slot)):
        return "wrong_slot", found
    for flag in card.flags:
        if flag not in card.cleared and row(shoe, flag).blocks:
            return flag, f"card {len(shoe.seen) + 1} of this shoe"
    if "duplicate" not in card.cleared and _too_many(shoe, card.card):
        named = card.card.value if _is_named(shoe, card.card) else "a sealed card"
        return "duplicate", f"{named}: copy {shoe.house.decks + 1} in {shoe.house.decks} decks"
    return None


def is_of_this_shoe(shoe: Shoe, card: Held) -> bool:
    """Whether the packs can hold this card besides those seen; one that nobody read is taken to be theirs."""
    return not _foreign(shoe, card) and not (card.card and _too_many(shoe, card.card))


def _foreign(shoe: Shoe, card: Held) -> str:
    if card.card is None:
        return "a code that is in no code book" if card.reason in FOREIGN_CODES else ""
    if card.card not in PACKS[shoe.house.game]:
        return "a card of another game"
    if None not in (card.lot, shoe.lot) and card.lot != shoe.lot:
        return f"pack lot {card.lot}, this shoe holds lot {shoe.lot}"
    return ""


def _misplaced(shoe: Shoe, slot: str) -> str:
    if phase(shoe) not in (Phase.BURNING, Phase.READY, Phase.DEALING):
        return ""
    expected = BURN if phase(shoe) is Phase.BURNING else due(shoe)
    return f"went to {slot}, {expected} is due" if expected and slot != expected else ""


def _too_many(shoe: Shoe, face: Card) -> bool:
    return shoe.seen.count(face) >= shoe.house.decks


def _is_named(shoe: Shoe, face: Card) -> bool:
    """Whether a card would be disclosed at once if it were dealt now."""
    if phase(shoe) not in (Phase.READY, Phase.DEALING) or shoe.house.disclose == "sealed":
        return False
    faces = tuple(laid.card for laid in shoe.moves)
    return GAMES[shoe.house.game]((*faces, face), shoe.house.procedure).used[-1] is not None
