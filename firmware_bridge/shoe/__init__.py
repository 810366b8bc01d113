"""The shoe: its state, its decisions, and how a journal entry changes it."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from firmware_bridge.facts.events import AnyEvent, Commissioned, Entry, ShoeOpened
from firmware_bridge.facts.inputs import AnyInput, Ordered, Pressed, last_report
from firmware_bridge.facts.orders import Next
from firmware_bridge.games import GAMES
from firmware_bridge.shoe.acts import counted
from firmware_bridge.shoe.decide import decide, drafted, fault, observe
from firmware_bridge.shoe.evolve import evolve
from firmware_bridge.shoe.round import acted, phase
from firmware_bridge.shoe.state import Phase, Shoe, with_device

__all__ = [
    "Phase",
    "Shoe",
    "Step",
    "advance",
    "decide",
    "entry_of",
    "evolve",
    "fault",
    "keeps_its_journal",
    "observe",
    "phase",
    "step",
]


Judge = Callable[[Shoe, AnyInput], tuple[AnyEvent, ...]]


class Step(NamedTuple):
    """The result of an input: a journal entry, and the shoe after it."""

    entry: Entry
    shoe: Shoe


def step(shoe: Shoe, fact: AnyInput, table: str, boot: str, judge: Judge | None = None) -> Step | None:
    """Decide about an input; return None where it causes no event. judge: gives the events in place of `decide`."""
    draft = None if judge else drafted(shoe, fact)
    events = judge(shoe, fact) if judge else tuple(draft.events) if draft else ()
    if not events:
        return None
    entry = entry_of(shoe, fact, events, table, boot)
    return Step(entry, _after(shoe, draft.shoe, entry) if draft else advance(shoe, entry))


def entry_of(shoe: Shoe, fact: AnyInput, events: tuple[AnyEvent, ...], table: str, boot: str) -> Entry:
    """Return the entry for a decision: a new device begins a new journal at 1, and so does a shoe that names one."""
    match events[0]:
        case ShoeOpened(number=number, journal=journal):
            seq = shoe.seq + 1 if journal == shoe.journal else 1
            return Entry(table, number, journal, seq, boot, fact, events)
        case Commissioned(journal=journal):
            return Entry(table, 0, journal, 1, boot, fact, events)
    return Entry(table, shoe.number, shoe.journal, shoe.seq + 1, boot, fact, events)


def advance(shoe: Shoe, entry: Entry) -> Shoe:
    """Return the shoe after a whole entry; the reader's report in it counts as received."""
    before = shoe
    for event in entry.events:
        shoe = evolve(shoe, event)
    return _after(before, shoe, entry)


def _after(before: Shoe, shoe: Shoe, entry: Entry) -> Shoe:
    """Return the shoe after an entry, from that after its last event; before: the one that the entry came to."""
    begun = entry.input.at if entry.seq == 1 else shoe.begun
    ended = entry.input.mono if _is_ended_by_next(before, shoe, entry.input) else shoe.ended_by_next
    shoe = replace(shoe, seq=entry.seq, n=0, begun=begun, acted=acted(before, shoe), ended_by_next=ended)
    read = last_report(entry.input) or shoe.device.reader
    return with_device(shoe, reader=read, acts=counted(shoe, entry))


def _is_ended_by_next(before: Shoe, shoe: Shoe, fact: AnyInput) -> bool:
    if (before.status, shoe.status) != ("open", "ended"):
        return False
    match fact:
        case Pressed(key="next") | Ordered(order=Next()):
            return True
    return False


def keeps_its_journal(shoe: Shoe) -> bool:
    """Return whether more cards are to come into the present journal: of this shoe, or of the packs after it."""
    return shoe.status == "open" or GAMES[shoe.house.game].play.one_round_packs
