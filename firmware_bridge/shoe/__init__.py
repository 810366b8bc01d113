"""The shoe: what it knows, what it decides, and how a journal entry changes it."""

from __future__ import annotations

from msgspec.structs import replace

from firmware_bridge.facts.entry import Entry
from firmware_bridge.facts.events import AnyEvent, Commissioned, ShoeOpened
from firmware_bridge.facts.inputs import AnyInput
from firmware_bridge.shoe.decide import decide, fault, observe
from firmware_bridge.shoe.evolve import evolve
from firmware_bridge.shoe.state import Phase, Shoe, phase, with_device

__all__ = ["Phase", "Shoe", "advance", "decide", "entry_of", "evolve", "fault", "observe", "phase"]


def entry_of(shoe: Shoe, told: AnyInput, events: tuple[AnyEvent, ...], table: str, boot: str) -> Entry:
    """The journal entry for a decision: a new shoe (or device) begins a new journal at 1."""
    match events[0]:
        case ShoeOpened(number=number, journal=journal):
            return Entry(table, number, journal, 1, boot, told, events)
        case Commissioned(journal=journal):
            return Entry(table, 0, journal, 1, boot, told, events)
    return Entry(table, shoe.number, shoe.journal, shoe.seq + 1, boot, told, events)


def advance(shoe: Shoe, entry: Entry) -> Shoe:
    """The shoe after a whole entry; the reader's report in it is taken for good."""
    for event in entry.events:
        shoe = evolve(shoe, event)
    report = getattr(entry.input, "report", None)
    return with_device(replace(shoe, seq=entry.seq, n=0), reader=report or shoe.device.reader)
