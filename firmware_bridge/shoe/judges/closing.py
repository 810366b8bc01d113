"""What is published of a round: as it closed, and as it was corrected."""

from __future__ import annotations

from collections import Counter
from typing import Final

from firmware_bridge.facts import events
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.orders import Correct
from firmware_bridge.games import PACKS, Result, whole_round
from firmware_bridge.games.baccarat.bets import results
from firmware_bridge.games.house import terms_of
from firmware_bridge.shoe.state import PastRound, Shoe, is_last, layout

OUTLIVE_A_SHOE: Final = ("reader_lost", "broker_lost", "sensor_stuck")
"""Irregularities of devices, not of cards."""


def closed_round(shoe: Shoe) -> events.RoundClosed:
    """The round that is complete on the layout."""
    table = layout(shoe)
    result = table.result
    assert result is not None
    return events.RoundClosed(
        game=shoe.house.game,
        round=shoe.round,
        cards=played(shoe, table.used),
        hands={side: events.Hand(hand, result.totals[side]) for side, hand in result.hands.items()},
        outcome=result.outcome,
        natural=result.natural,
        pairs=result.pairs,
        bets=_bets(shoe, result),
        carried=len(table.carried),
        last=is_last(shoe),
        flags=_flags(shoe),
        why=result.why,
        prev=shoe.prev,
    )


def corrected_round(shoe: Shoe, past: PastRound, order: Correct, by: str) -> events.RoundCorrected | None:
    """A closed round judged anew from other cards; None if they are not exactly one round of the packs' cards."""
    pack, decks = PACKS[shoe.house.game], shoe.house.decks
    if any(card not in pack or copies > decks for card, copies in Counter(order.cards).items()):
        return None
    table = whole_round(shoe.house.game, order.cards)
    if table is None or table.result is None:
        return None
    slots = (slot for slot in table.used if slot)
    origin = {each.slot: each.origin for each in past.cards}
    return events.RoundCorrected(
        game=shoe.house.game,
        round=past.round,
        cards=tuple(
            events.Played(slot, card, origin.get(slot, "manual") if card in _faces(past) else "manual")
            for slot, card in zip(slots, order.cards, strict=True)
        ),
        hands={side: events.Hand(hand, table.result.totals[side]) for side, hand in table.result.hands.items()},
        outcome=table.result.outcome,
        natural=table.result.natural,
        pairs=table.result.pairs,
        bets=_bets(shoe, table.result),
        carried=past.carried,
        last=past.last,
        flags=tuple(dict.fromkeys((*past.flags, "corrected"))),
        why=(order.why,),
        prev=shoe.prev,
        revision=past.revision + 1,
        corrects=past.seq,
        by=by,
    )


def played(shoe: Shoe, slots: tuple[str | None, ...]) -> tuple[events.Played, ...]:
    """The cards on the layout that may be named, each with its slot (None: it plays no part)."""
    return tuple(
        events.Played(slot, laid.card, laid.origin)
        for slot, laid in zip(slots, shoe.moves, strict=True)
        if slot and laid.shown
    )


def _faces(past: PastRound) -> set[Card]:
    return {each.card for each in past.cards}


def _bets(shoe: Shoe, result: Result) -> dict[str, float]:
    terms = terms_of(shoe.house)
    return dict(results(result.hands, terms.tiger_pair_top, terms.natural_bets))


def _flags(shoe: Shoe) -> tuple[str, ...]:
    manual = ("manual",) if any(laid.origin == "manual" for laid in shoe.moves) else ()
    flown = ("fly",) if shoe.flying else ()
    return manual + flown + tuple(each.id for each in shoe.device.irregular if each.id not in OUTLIVE_A_SHOE)
