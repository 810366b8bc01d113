"""Sensors in the slots: a card lies where none was dealt to."""

from __future__ import annotations

from firmware_bridge.facts.inputs import SlotFilled
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.round import layout, rules
from firmware_bridge.shoe.state import Shoe, blockers


def slot_filled(draft: Draft, fact: SlotFilled) -> None:
    """A card was laid into a slot: one that was dealt to, else the round is held.

    The last card of a round that closed by itself lands after it, and cards of six-card rounds are moved.
    """
    shoe = draft.shoe
    if shoe.held or shoe.overdrawn or blockers(shoe) or fact.slot in _dealt_to(shoe):
        return  # what waits to be dealt lies where it was laid
    if fact.slot in rules(shoe).secret and shoe.house.disclose == "sealed" and _is_closed(shoe):
        return  # whether anybody draws is a secret
    laid = ", ".join(each.slot for each in layout(shoe).placed) if shoe.laid else "no slot"
    draft.open_irregularity(
        "wrong_slot", f"a card lies on {fact.slot}; cards were dealt to {laid}", slot=fact.slot, dealt=laid
    )


def slot_ignored(draft: Draft, fact: SlotFilled) -> None:
    """Between shoes, and in the burn, cards may lie anywhere."""


def _is_closed(shoe: Shoe) -> bool:
    """Whether the round waits for a card to be opened, or for one that lies face down to be drawn."""
    return layout(shoe).result is None and any(not laid.shown for laid in shoe.laid)


def _dealt_to(shoe: Shoe) -> set[str]:
    now = {slot for each in layout(shoe).placed for slot in (each.slot, each.plays) if slot}
    if any(laid.drawn for laid in shoe.laid):
        return now
    return now | ({each.slot for each in shoe.rounds[-1].cards} if shoe.rounds else set())
