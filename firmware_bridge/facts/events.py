"""Events: what became true at the table, as it is journaled and published. All of them can be had from here."""

from __future__ import annotations

from firmware_bridge.facts.device import Device
from firmware_bridge.facts.event import Event
from firmware_bridge.facts.events_of_cards import *
from firmware_bridge.facts.events_of_devices import *
from firmware_bridge.facts.events_of_irregularities import *
from firmware_bridge.facts.events_of_rounds import *
from firmware_bridge.facts.house import House, Row
from firmware_bridge.facts.orders import Answer, Pack


class Commissioned(Event, frozen=True, kw_only=True):
    """The first entry of a device: facts before any shoe have a place."""

    journal: str


class BridgeStarted(Event, frozen=True, kw_only=True):
    """The daemon began; `house` holds from the next shoe on.

    torn: bytes cut off the journal's end, of an entry that the power cut short: it was never confirmed to anybody.
    """

    version: str
    house: House
    torn: int = 0


class ShoeOpened(Event, frozen=True, kw_only=True):
    """A new shoe with its frozen settings; `digest` = hex SHA-256 of settings, policy and software version.

    `device` is what the new journal takes over from the one before; it never leaves the house.
    """

    number: int
    journal: str
    house: House
    policy: dict[str, Row]
    version: str
    digest: str
    pack: Pack
    device: Device | None = None
    dealer: str = ""
    confirmed_by: str = ""


class ShoeChangeRequested(Event, frozen=True, kw_only=True):
    """The guest asked for another shoe; due at monotonic time `until` (ms)."""

    until: int


class ShoeChangeOverdue(Event, frozen=True, kw_only=True):
    """The shoe was not changed in time."""


class DealerChangeRequested(Event, frozen=True, kw_only=True):
    """The guest asked for another dealer."""


class DealerSignedIn(Event, frozen=True, kw_only=True):
    """This dealer deals from now on."""

    dealer: str


class ShoeEnded(Event, frozen=True, kw_only=True):
    """No more rounds from this shoe; the rest of it is discarded."""

    why: str
    rounds: int


class KeyRefused(Event, frozen=True, kw_only=True):
    """A key had no meaning now."""

    key: str
    why: str


class Noted(Event, frozen=True, kw_only=True):
    """Something worth a line in the journal. held: the oldest of what is held leaves the queue with it."""

    what: str
    held: bool = False


class CommandAnswered(Event, frozen=True, kw_only=True):
    """An order was obeyed or refused."""

    answer: Answer
    by: str


AnyEvent = (
    OfCards
    | OfDevices
    | OfIrregularities
    | OfRounds
    | Commissioned
    | BridgeStarted
    | ShoeOpened
    | ShoeChangeRequested
    | ShoeChangeOverdue
    | DealerChangeRequested
    | DealerSignedIn
    | ShoeEnded
    | KeyRefused
    | Noted
    | CommandAnswered
)
"""Any event: those above, and those that the files beside this one tell of."""
