"""Events of the table and the shoe as journaled and published, the entry that holds them, and the device."""

from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_cards import *
from firmware_bridge.facts.events_of_cards import Event, Irregular
from firmware_bridge.facts.events_of_rounds import *
from firmware_bridge.facts.events_of_rounds import EntryName
from firmware_bridge.facts.house import House, Row
from firmware_bridge.facts.inputs import AnyInput, ReportNo
from firmware_bridge.facts.orders import Answer, Pack


class Device(Struct, frozen=True):
    """State of a device that outlives a shoe.

    next_house: settings of the next shoe. reader: number of the last report handled. answers: those to orders with an
    id, oldest first. irregular: the open irregularities. entered: cards that people entered and the reader has not
    reported yet. flown: rounds dealt without a bet, in a row. dealer_change: another dealer was requested. lid_open:
    the last state of its sensor. lent: the technician who has the reader, "" for none. turn: questions answered at
    this table before the shoe was opened, modulo 65,536. prev: the entry of the last round message, None before the
    first. unmarked: dealer ("" if none is signed in) -> marks taken back while he dealt, if there are any.
    """

    next_house: House = House()
    reader: ReportNo | None = None
    answers: tuple[Answer, ...] = ()
    irregular: tuple[Irregular, ...] = ()
    entered: tuple[Card, ...] = ()
    flown: int = 0
    dealer_change: bool = False
    lid_open: bool = False
    lent: str = ""
    turn: int = 0
    prev: EntryName | None = None
    unmarked: dict[str, int] | UnsetType = UNSET


class Commissioned(Event, frozen=True, kw_only=True):
    """The first entry of a device, before any shoe."""

    journal: str


class BridgeStarted(Event, frozen=True, kw_only=True):
    """The daemon started; `house` applies from the next shoe on.

    torn: bytes cut off the journal's end, of an entry that a power cut interrupted: it was never confirmed.
    """

    version: str
    house: House
    torn: int = 0


class ShoeOpened(Event, frozen=True, kw_only=True):
    """A new shoe with its frozen settings; `digest` = hex SHA-256 of settings, policy and software version.

    `device` is the state that the new journal continues with; it never leaves the house.
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
    """A dealer signed in and deals from now on."""

    dealer: str


class ShoeEnded(Event, frozen=True, kw_only=True):
    """No more rounds are dealt from this shoe; the rest of it is discarded."""

    why: str
    rounds: int


class KeyRefused(Event, frozen=True, kw_only=True):
    """A key had no meaning now."""

    key: str
    why: str


class Noted(Event, frozen=True, kw_only=True):
    """A note for the journal. held: the oldest held card or signal leaves the queue with it."""

    what: str
    held: bool = False


class CommandAnswered(Event, frozen=True, kw_only=True):
    """An order was obeyed or refused. seat: the one that a refused mark named, or nothing."""

    answer: Answer
    by: str
    seat: str = ""


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
"""Any event: those above, of cards and of rounds."""


class Entry(Struct, frozen=True):
    """Entry `seq` (from 1, no gaps) of `journal`; `shoe` is the shoe's number, `boot` names the daemon's run."""

    table: str
    shoe: int
    journal: str
    seq: int
    boot: str
    input: AnyInput
    events: tuple[AnyEvent, ...]
