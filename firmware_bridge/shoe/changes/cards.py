"""What the events of single cards change in a shoe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.shoe.held import HeldCard, HeldCut
from firmware_bridge.shoe.state import Laid, Shoe, next_turn, oldest_held, with_device


def _laid(
    shoe: Shoe, event: events.CardEvent, origin: events.Origin = "reader", over: bool = False
) -> tuple[Laid, ...]:
    """The card of an event as it lies: nothing for a card nobody knows."""
    seq, n = shoe.seq + 1, shoe.n + 1
    if event.card is not None:
        return (Laid(event.card, origin, "", seq, n, shown=True, over=over),)
    if event.secret is not None:
        return (Laid(event.secret.card, origin, event.secret.nonce, seq, n, shown=False, over=over),)
    return ()


def _drawn(shoe: Shoe, event: events.CardEvent, laid: tuple[Laid, ...]) -> Shoe:
    """Count a card that left the shoe, and let go of it if it was held."""
    return replace(
        shoe,
        held=shoe.held[1:] if event.held else shoe.held,
        seen=(*shoe.seen, *[each.card for each in laid if each.card]),
        unknown=shoe.unknown + (not laid),
        serials=(*shoe.serials, event.serial) if event.serial else shoe.serials,
    )


def card_burned(shoe: Shoe, event: events.CardBurned) -> Shoe:
    laid = _laid(shoe, event)
    sealed = tuple(each for each in laid if not each.shown)
    return replace(_drawn(shoe, event, laid), burn_left=event.left, aside=shoe.aside + sealed)


def card_dealt(shoe: Shoe, event: events.CardDealt) -> Shoe:
    known = _laid(shoe, event, event.origin)
    laid = known or (Laid(None, event.origin, "", shoe.seq + 1, shoe.n + 1, shown=False),)
    return replace(_drawn(shoe, event, known), laid=shoe.laid + laid, turn=next_turn(shoe))


def card_looked_at(shoe: Shoe, event: events.CardLookedAt) -> Shoe:
    assert event.secret is not None
    card, nonce = event.secret.card, event.secret.nonce

    def told(laid: Laid) -> Laid:
        if (laid.seq, laid.n) != (event.seq, event.n):
            return laid
        return replace(laid, card=card, nonce=nonce, origin="manual", entered=(shoe.seq + 1, shoe.n + 1))

    laid = tuple(map(told, shoe.laid))
    return replace(shoe, laid=laid, seen=(*shoe.seen, card), unknown=shoe.unknown - 1)


def card_overdrawn(shoe: Shoe, event: events.CardOverdrawn) -> Shoe:
    laid = _laid(shoe, event, event.origin, over=True)
    return replace(_drawn(shoe, event, laid), overdrawn=shoe.overdrawn + laid)


def card_held(shoe: Shoe, event: events.CardHeld) -> Shoe:
    secret = event.secret
    held = HeldCard(
        secret.card if secret else None,
        secret.nonce if secret else "",
        event.lot,
        event.manual,
        event.flags,
        reason=event.why,
        slot=event.slot,
        serial=event.serial,
    )
    return replace(shoe, held=(*shoe.held, held))


def card_entered(shoe: Shoe, event: events.CardEntered) -> Shoe:
    assert event.secret is not None
    if not event.held:
        return with_device(shoe, entered=(*shoe.device.entered, event.secret.card))
    first = oldest_held(shoe)
    assert first is not None
    first = replace(first, card=event.secret.card, nonce=event.secret.nonce, manual=True)
    return replace(shoe, held=(first, *shoe.held[1:]))


def card_confirmed(shoe: Shoe, _: events.CardConfirmed) -> Shoe:
    return with_device(shoe, entered=shoe.device.entered[1:])


def card_set_aside(shoe: Shoe, event: events.CardSetAside) -> Shoe:
    if event.why in ("removed", "no shoe", "observed"):
        return replace(shoe, held=shoe.held[1:] if event.held else shoe.held)
    laid = _laid(shoe, event)
    return replace(_drawn(shoe, event, laid), aside=shoe.aside + laid)


def card_revealed(shoe: Shoe, event: events.CardRevealed) -> Shoe:
    def hit(laid: Laid) -> bool:
        return laid.committed == (event.seq, event.n)

    return replace(
        shoe,
        laid=tuple(replace(laid, shown=True) if hit(laid) else laid for laid in shoe.laid),
        aside=tuple(laid for laid in shoe.aside if not hit(laid)),
    )


def overdrawn_burned(shoe: Shoe, _: events.OverdrawnBurned) -> Shoe:
    burned = tuple(laid for laid in shoe.laid if laid.over and not laid.shown)
    return replace(
        shoe,
        aside=shoe.aside + shoe.overdrawn + burned,
        overdrawn=(),
        laid=tuple(laid for laid in shoe.laid if laid not in burned),
    )


def burn_finished(shoe: Shoe, _: events.BurnFinished) -> Shoe:
    return replace(shoe, burn_left=0)


def lot_adopted(shoe: Shoe, event: events.LotAdopted) -> Shoe:
    return replace(shoe, lot=event.lot)


def cut_card_met(shoe: Shoe, event: events.CutCardMet) -> Shoe:
    held = shoe.held[1:] if event.held else shoe.held
    return replace(shoe, last_round=event.last_round, cut_by=event.by, held=held)


def cut_card_held(shoe: Shoe, event: events.CutCardHeld) -> Shoe:
    return replace(shoe, held=(*shoe.held, HeldCut(event.by)))


CHANGES: Final[dict[type, Callable[[Shoe, Any], Shoe]]] = {
    events.CardBurned: card_burned,
    events.CardDealt: card_dealt,
    events.CardOverdrawn: card_overdrawn,
    events.CardHeld: card_held,
    events.CardEntered: card_entered,
    events.CardLookedAt: card_looked_at,
    events.CardConfirmed: card_confirmed,
    events.CardSetAside: card_set_aside,
    events.CardRevealed: card_revealed,
    events.OverdrawnBurned: overdrawn_burned,
    events.BurnFinished: burn_finished,
    events.LotAdopted: lot_adopted,
    events.CutCardMet: cut_card_met,
    events.CutCardHeld: cut_card_held,
}
"""Event of a card -> what it changes."""
