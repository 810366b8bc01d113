"""Counts the acts of a shift that a house watches: what people did by hand, by the dealer who dealt."""

from typing import Final

from msgspec import UnsetType
from msgspec.structs import replace

from firmware_bridge.facts import events
from firmware_bridge.facts.events import AnyEvent, ShiftActs
from firmware_bridge.facts.house import MOST_COUNTED, Acts
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.shifts import shift_of
from firmware_bridge.shoe.state import Shoe

OTHERS: Final = "(others)"
"""The dealer for whom the acts of all dealers beyond `MOST_COUNTED` are counted."""


def counted(shoe: Shoe, entry: events.Entry) -> ShiftActs | UnsetType:
    """Return the acts of the present shift with an entry's; `shoe` is the one after it. UNSET while there are none."""
    acts = shoe.device.acts
    for event in entry.events:
        if found := _act(shoe, event):
            acts = _with(acts or _begun(shoe, entry), *found)
    return acts


def end_shift(draft: Draft) -> None:
    """Add the line of a shift that has ended, if something was counted in it."""
    acts = draft.shoe.device.acts
    if draft.events and acts and (acts.shift, acts.gaming_day) != shift_of(draft.shoe, draft.at, draft.utc_offset):
        draft.add(events.ShiftEnded(shift=acts.shift, gaming_day=acts.gaming_day, acts=acts.acts))


def _act(shoe: Shoe, event: AnyEvent) -> tuple[str, str] | None:
    """Return the act in an event, and the dealer it is counted for."""
    match event:
        case events.CardEntered() | events.CardLookedAt():
            return "entered", shoe.dealt_by or shoe.dealer
        case events.RoundVoided(dealt_by=dealer):
            return "voided", dealer
        case events.RoundCorrected(dealt_by=dealer):
            return "corrected", dealer
        case events.Irregular(id="cut_card_early"):
            return "cut_early", shoe.dealer
        case events.MarkTakenBack():
            return "taken_back", shoe.dealer
    return None


def _begun(shoe: Shoe, entry: events.Entry) -> ShiftActs:
    return ShiftActs(*shift_of(shoe, entry.input.at, entry.input.utc_offset))


def _with(acts: ShiftActs, act: str, dealer: str) -> ShiftActs:
    """Return the counts with one act more."""
    known = {each.dealer: each for each in acts.acts}
    name = dealer if dealer in known or len(known) < MOST_COUNTED - 1 else OTHERS
    before = known.get(name) or Acts(dealer=name)
    known[name] = replace(before, **{act: getattr(before, act) + 1})
    return replace(acts, acts=tuple(known.values()))
