"""Checks a card that left the shoe, before it is put in its place."""

from typing import Final

from msgspec import Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.prompts import CardDue
from firmware_bridge.shoe.round import asked, copies, due, is_named, phase, rules
from firmware_bridge.shoe.state import IN_PLAY, HeldCard, Phase, Shoe, next_card, row

_IN_NO_BOOK: Final = "its code is in no code book"
_FOREIGN_CODES: Final = {
    "unknown code": _IN_NO_BOOK,
    "foreign": _IN_NO_BOOK,
    "shared port": "its code is unknown, and another program is at the reader's port: run `shoe check`",
    "no code book": "no code book is set up, and its code is not the name of a card: run `shoe check`",
}
"""Reason of a reader -> the detail of `foreign` for a card that it read without a face."""

BURN: Final = "burn"
"""The slot that a reader names for a burned card."""


class CardFault(Struct, frozen=True):
    """A fault of a card: the irregularity's id, its detail in words, and the values in it."""

    id: str
    detail: str
    values: dict[str, str | int] = {}


def card_fault(shoe: Shoe, card: HeldCard) -> CardFault | None:
    """The first fault of a card that the pit has not cleared, None if there is none."""
    if card.is_doubtful:
        return CardFault("read_again", f"behind card {len(shoe.seen)} of this shoe")
    if "foreign" not in card.cleared and (found := _foreign(shoe, card)):
        return CardFault("foreign", found)
    if card.card is None:
        values: dict[str, str | int] = {"reason": card.reason}
        return CardFault("unreadable", f"{next_card(shoe)} of this shoe was not read: {card.reason}", values)
    if card.slot and "wrong_slot" not in card.cleared and (misplaced := _misplaced(shoe, card.slot)):
        return misplaced
    for flag in card.flags:
        if flag not in card.cleared and row(shoe, flag).blocks:
            return CardFault(flag, f"{next_card(shoe)} of this shoe")
    if "duplicate" not in card.cleared and (found := _duplicate(shoe, card, card.card)):
        return CardFault("duplicate", found)
    return None


def is_of_this_shoe(shoe: Shoe, card: HeldCard) -> bool:
    """Whether the packs can hold this card besides those seen; True for one that was not read."""
    return not _foreign(shoe, card) and not (card.card and _duplicate(shoe, card, card.card))


def _foreign(shoe: Shoe, card: HeldCard) -> str:
    if card.card is None:
        return _FOREIGN_CODES.get(card.reason, "")
    if card.card not in rules(shoe).pack:
        return "this game has no such card"
    if None not in (card.lot, shoe.lot) and card.lot != shoe.lot:
        return f"the card is from batch {card.lot}, this shoe holds batch {shoe.lot}"
    return ""


def _misplaced(shoe: Shoe, slot: str) -> CardFault | None:
    now = phase(shoe)
    if now is Phase.COMPLETE:  # the first slot is of the round to come
        no_card = CardFault("wrong_slot", f"a card went to {slot}, but no card is due", {"slot": slot})
        return None if slot == rules(shoe).play.first else no_card
    if now not in (Phase.BURNING, Phase.READY, Phase.DEALING):
        return None
    expected = BURN if now is Phase.BURNING else due(shoe)
    if not expected or slot == expected:
        return None
    return CardFault("wrong_slot", f"a card went to {slot}, but {expected} is due", {"slot": slot, "due": expected})


def _duplicate(shoe: Shoe, card: HeldCard, face: Card) -> str:
    """The reason why the packs cannot hold this card besides those seen, "" if they can; a serial comes once only."""
    again, most = card.serial is not None and card.serial in shoe.serials, copies(shoe, face)
    if not again and shoe.seen.count(face) < most:
        return ""
    named = face.value if _would_be_named(shoe) else "a sealed card"
    return (
        f"{named}: exactly this card was drawn before"
        if again
        else f"{named} came {most + 1} times, the shoe holds {most}"
    )


def _would_be_named(shoe: Shoe) -> bool:
    """Whether a card would be disclosed at once if it were dealt now."""
    question = asked(shoe) if phase(shoe) in IN_PLAY else None
    return isinstance(question, CardDue) and is_named(shoe, question)
