"""Checks a card that left the shoe, before it is put in its place."""

from typing import Final

from msgspec import Struct

from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.games.prompts import CardDue
from firmware_bridge.shoe.round import asked, copies, due, is_named, phase, rules
from firmware_bridge.shoe.state import IN_PLAY, HeldCard, Phase, Shoe, card_number, row

_FOREIGN_CODES: Final = {
    "unknown code": phrase("not_in_book"),
    "foreign": phrase("not_in_book"),
    "shared port": phrase("port_shared"),
    "no code book": phrase("no_code_book"),
}
"""Reason of a reader -> why a card that it read without a face is `foreign`."""

BURN: Final = "burn"
"""The slot that a reader names for a burned card."""


class CardFault(Struct, frozen=True):
    """A fault of a card: the irregularity's id and its values."""

    id: str
    values: dict[str, Value] = {}


def card_fault(shoe: Shoe, card: HeldCard) -> CardFault | None:
    """Return the first fault of a card that the pit has not cleared, None if there is none."""
    if card.is_doubtful:
        return CardFault("read_again", {"behind": len(shoe.seen)})
    if "foreign" not in card.cleared and (found := _foreign(shoe, card)):
        return CardFault("foreign", {"why": found})
    if card.card is None:
        return CardFault("unreadable", {"reason": card.reason, "number": card_number(shoe)})
    if card.slot and "wrong_slot" not in card.cleared and (misplaced := _misplaced(shoe, card.slot)):
        return misplaced
    for flag in card.flags:
        if flag not in card.cleared and row(shoe, flag).blocks:
            return CardFault(flag, {"number": card_number(shoe)})
    if "duplicate" not in card.cleared and (again := _duplicate(shoe, card, card.card)):
        return CardFault("duplicate", again)
    return None


def is_of_this_shoe(shoe: Shoe, card: HeldCard) -> bool:
    """Return whether the packs can hold this card besides those seen; True for one that was not read."""
    return not _foreign(shoe, card) and not (card.card and _duplicate(shoe, card, card.card))


def _foreign(shoe: Shoe, card: HeldCard) -> Phrase | None:
    if card.card is None:
        return _FOREIGN_CODES.get(card.reason)
    if card.card not in rules(shoe).pack:
        return phrase("not_of_game")
    if card.lot is not None and shoe.lot is not None and card.lot != shoe.lot:
        return phrase("other_batch", lot=card.lot, shoe=shoe.lot)
    return None


def _misplaced(shoe: Shoe, slot: str) -> CardFault | None:
    now = phase(shoe)
    if now is Phase.COMPLETE:  # the first slot is of the round to come
        no_card = CardFault("wrong_slot", {"slot": slot})
        return None if slot == rules(shoe).play.first else no_card
    if now not in (Phase.BURNING, Phase.READY, Phase.DEALING):
        return None
    expected = BURN if now is Phase.BURNING else due(shoe)
    if not expected or slot == expected:
        return None
    return CardFault("wrong_slot", {"slot": slot, "due": expected})


def _duplicate(shoe: Shoe, card: HeldCard, face: Card) -> dict[str, Value]:
    """Return the values of a card that the packs cannot hold besides those seen, else {}; a serial comes once only."""
    again, most = card.serial is not None and card.serial in shoe.serials, copies(shoe, face)
    if not again and shoe.seen.count(face) < most:
        return {}
    named: dict[str, Value] = {"card": face.value} if _would_be_named(shoe) else {}
    return named | ({"why": phrase("drawn_before")} if again else {"came": most + 1, "copies": most})


def _would_be_named(shoe: Shoe) -> bool:
    """Return whether a card would be disclosed at once if it were dealt now."""
    question = asked(shoe) if phase(shoe) in IN_PLAY else None
    return isinstance(question, CardDue) and is_named(shoe, question)
