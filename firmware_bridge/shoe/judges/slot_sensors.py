"""Sensors in the slots: a card lies where none was dealt to."""

from __future__ import annotations

from firmware_bridge.facts.inputs import SlotFilled
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.state import PAIRS, Shoe, blockers, is_open_round, layout


def slot_filled(draft: Draft, told: SlotFilled) -> None:
    """A card was laid into a slot: one that was dealt to, else the round is held.

    The last card of a round that closed by itself lands after it, and cards of six-card rounds are moved.
    """
    shoe = draft.shoe
    if shoe.held or shoe.overdrawn or blockers(shoe) or told.slot in _dealt_to(shoe):
        return  # what waits to be dealt lies where it was laid
    if told.slot not in PAIRS and shoe.house.disclose == "sealed" and not is_open_round(shoe):
        return  # whether anybody draws is a secret
    laid = ", ".join(slot for slot in layout(shoe).slots) if shoe.moves else "no slot"
    draft.open_irregularity("wrong_slot", f"a card lies on {told.slot}; cards were dealt to {laid}")


def slot_ignored(draft: Draft, told: SlotFilled) -> None:
    """Between shoes, and in the burn, cards may lie anywhere."""


def _dealt_to(shoe: Shoe) -> set[str]:
    table = layout(shoe)
    now = {*table.slots, *(slot for slot in table.used if slot)} if shoe.moves else set()
    if any(laid.drawn for laid in shoe.moves):
        return now
    return now | ({each.slot for each in shoe.rounds[-1].cards} if shoe.rounds else set())
