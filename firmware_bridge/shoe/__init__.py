"""The shoe: what it knows, what it decides, and how a journal entry changes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from firmware_bridge.facts.entry import Entry
from firmware_bridge.facts.events import AnyEvent, Commissioned, ShoeOpened
from firmware_bridge.facts.inputs import AnyInput, last_report
from firmware_bridge.shoe.decide import decide, fault, observe
from firmware_bridge.shoe.evolve import evolve
from firmware_bridge.shoe.round import phase
from firmware_bridge.shoe.state import Phase, Shoe, with_device

__all__ = ["Phase", "Shoe", "Step", "advance", "decide", "entry_of", "evolve", "fault", "observe", "phase", "step"]


Judge = Callable[[Shoe, AnyInput], tuple[AnyEvent, ...]]


class Step(NamedTuple):
    """What an input makes: a journal entry, and the shoe after it."""

    entry: Entry
    shoe: Shoe


def step(shoe: Shoe, fact: AnyInput, table: str, boot: str, judge: Judge = decide) -> Step | None:
    """Judge an input; None where nothing becomes true because of it."""
    events = judge(shoe, fact)
    if not events:
        return None
    entry = entry_of(shoe, fact, events, table, boot)
    return Step(entry, advance(shoe, entry))


def entry_of(shoe: Shoe, fact: AnyInput, events: tuple[AnyEvent, ...], table: str, boot: str) -> Entry:
    """The journal entry for a decision: a new shoe (or device) begins a new journal at 1."""
    match events[0]:
        case ShoeOpened(number=number, journal=journal):
            return Entry(table, number, journal, 1, boot, fact, events)
        case Commissioned(journal=journal):
            return Entry(table, 0, journal, 1, boot, fact, events)
    return Entry(table, shoe.number, shoe.journal, shoe.seq + 1, boot, fact, events)


def advance(shoe: Shoe, entry: Entry) -> Shoe:
    """The shoe after a whole entry; the reader's report in it is taken for good."""
    for event in entry.events:
        shoe = evolve(shoe, event)
    return with_device(replace(shoe, seq=entry.seq, n=0), reader=last_report(entry.input) or shoe.device.reader)
