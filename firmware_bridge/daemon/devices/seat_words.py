"""What the seats of a table may say now, for their keypads: words, and the amounts that may come with them."""

from __future__ import annotations

from firmware_bridge.games.asks import Between, Choice, MarkDue, Offer, Target, Whole, in_words
from firmware_bridge.games.moves import LOT
from firmware_bridge.shoe import Phase, Shoe, phase
from firmware_bridge.shoe.round import asked, coming
from hardware.keypads import WORDS, Turn


def turns(shoe: Shoe, seats: tuple[int, ...]) -> list[Turn]:
    """One packet for each of these seats that must or may say something now; one for nobody where none may."""
    shoe = coming(shoe)
    question = asked(shoe) if phase(shoe) in (Phase.READY, Phase.DEALING) else None
    if not isinstance(question, MarkDue):
        return [Turn(shoe.turn, 0)]
    told = []
    for seat in seats:
        offers: dict[str, Offer] = {}
        for may in (question.anytime, question.act):
            for slot, words in may.items():
                if slot.partition(".")[0] == f"S{seat}" or (slot == LOT and seat == seats[0]):
                    offers |= words
        known = {word: offer for word, offer in offers.items() if word in WORDS}
        if known:
            told.append(Turn(shoe.turn, seat, tuple(known), *_limits(known)))
    return told or [Turn(shoe.turn, 0)]


def asked_hand(shoe: Shoe, seat: int) -> int | None:
    """The hand of a seat that is asked now, by its number; None where none is, or the seat has but one."""
    question = asked(coming(shoe))
    slots = question.act if isinstance(question, MarkDue) else ()
    hands = [slot.partition(".")[2] for slot in slots if slot.partition(".")[0] == f"S{seat}"]
    return int(hands[0]) if hands and hands[0] else None


def _limits(offers: dict[str, Offer]) -> tuple[str, str]:
    """The least and the most that may come with the first word that takes an amount or a seat."""
    for offer in offers.values():
        match offer:
            case Between(least=least, most=most):
                return in_words(least), in_words(most)
            case Whole(least=least, most=most):
                return str(least), str(most)
            case Choice(values=values) | Target(seats=values) if values:
                return values[0], values[-1]
    return "", ""
