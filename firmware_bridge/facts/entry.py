"""One line of the journal: an input and what became true because of it."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.inputs import AnyInput


class Entry(Struct, frozen=True):
    """Entry `seq` (from 1, no gaps) of `journal`; `shoe` is the shoe's number, `boot` names the daemon's run."""

    table: str
    shoe: int
    journal: str
    seq: int
    boot: str
    input: AnyInput
    events: tuple[AnyEvent, ...]
