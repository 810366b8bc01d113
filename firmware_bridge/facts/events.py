"""Events of the table and the shoe as journaled and published, the entry that holds them, and the device."""

from msgspec import UNSET, Struct, UnsetType, field

from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.bounds import PersonText
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_cards import *
from firmware_bridge.facts.events_of_cards import Event, Irregular
from firmware_bridge.facts.events_of_rounds import *
from firmware_bridge.facts.events_of_rounds import EntryName
from firmware_bridge.facts.house import Acts, House, Row
from firmware_bridge.facts.inputs import AnyInput, Code, Follows, Person, ReportNo
from firmware_bridge.facts.orders import Answer, Pack


class RecordBegun(Event, frozen=True, kw_only=True):
    """A record began: its first leaf is this entry. origin: the log's name. key: its vkey (C2SP signed-note)."""

    origin: str
    key: str
    follows: Follows


class RecordEnded(Event, frozen=True, kw_only=True):
    """Two people end the record: `RecordBegun` follows in the same entry.

    person, confirmed: as in `CommandAnswered`.
    """

    origin: str
    why: str
    by: PersonText
    second: PersonText
    person: Person | UnsetType = UNSET
    confirmed: Person | UnsetType = UNSET


class KeyChanged(Event, frozen=True, kw_only=True):
    """From this entry on `new` signs; `old` signs too until it is retired, then it is "". Keys as vkeys.

    person, confirmed: as in `CommandAnswered`.
    """

    old: str
    new: str
    by: PersonText
    second: PersonText
    person: Person | UnsetType = UNSET
    confirmed: Person | UnsetType = UNSET


class ShiftActs(Struct, frozen=True):
    """What was counted in a shift so far. shift, gaming_day: as in the message of a round, "" where there are none."""

    shift: str
    gaming_day: str
    acts: tuple[Acts, ...] = ()


class ShiftEnded(Event, frozen=True, kw_only=True):
    """A shift ended in which something was counted; it comes with the first entry after its end."""

    shift: str
    gaming_day: str
    acts: tuple[Acts, ...]


ShiftOf = tuple[str, str]
"""The name of a shift, and its gaming day, YYYY-MM-DD."""


class Device(Struct, frozen=True):
    """State of a device that outlives a shoe.

    next_house: settings of the next shoe. reader: number of the last report handled. answers: those to orders with an
    id, oldest first. irregular: the open irregularities. entered: cards that people entered and the reader has not
    reported yet. flown: rounds dealt without a bet, in a row. dealer_change: another dealer was requested. lid_open:
    the last state of its sensor. lent: the technician who has the reader, "" for none. turn: questions answered at
    this table before the shoe was opened, modulo 65,536. prev: the entry of the last round message, None before the
    first. order_keys: of the last start. used: public half of a key -> the highest count of its signed orders, if there
    are any. counts: the same by the name of a key, of names without a key since, in journals of 0.1.0. unmarked: dealer
    ("" if none is signed in) -> marks taken back while he dealt, if there are any. record: how the present record
    began, None before the first; its `key` is the one that signs now. retiring: the key before it, which signs too
    until it is retired. code: of the last start. acts: what was counted in the present shift, if anything. serial: of
    the last reader board that said it. closed: whether the table is closed, left out while it is not. steady: cards
    since the reader last reported one again, left out unless `reader_repeats` is open. shift: of the last round that
    was over, if the house has shifts.
    """

    next_house: House = House()
    reader: ReportNo | None = None
    answers: tuple[Answer, ...] = ()
    irregular: tuple[Irregular, ...] = ()
    entered: tuple[Card, ...] = ()
    flown: int = 0
    dealer_change: bool = False
    lid_open: bool = False
    lent: PersonText = ""
    turn: int = 0
    prev: EntryName | None = None
    unmarked: dict[PersonText, int] | UnsetType = UNSET
    counts: dict[str, int] | UnsetType = UNSET
    order_keys: dict[str, str] | UnsetType = UNSET
    used: dict[str, int] | UnsetType = UNSET
    record: RecordBegun | None = None
    retiring: str | UnsetType = UNSET
    code: Code | UnsetType = UNSET
    acts: ShiftActs | UnsetType = UNSET
    serial: str | UnsetType = UNSET
    closed: bool | UnsetType = UNSET
    steady: int | UnsetType = UNSET
    shift: ShiftOf | UnsetType = UNSET


class Commissioned(Event, frozen=True, kw_only=True):
    """The first entry of a device, before any shoe."""

    journal: str


class BridgeStarted(Event, frozen=True, kw_only=True):
    """The daemon started; `house` applies from the next shoe on.

    torn: bytes cut off the journal's end, of an entry that a power cut interrupted: it was never confirmed. code: what
    runs, as it was installed. order_keys: name of each key that may give orders -> its public half, 64 hex digits;
    missing where there is none.
    """

    version: str
    house: House
    torn: int = 0
    code: Code | UnsetType = UNSET
    order_keys: dict[str, str] | UnsetType = UNSET


class SoftwareChanged(Event, frozen=True, kw_only=True):
    """Other software, packages or another interpreter than at the start before; `by` installed it, "" if unknown."""

    old: Code
    new: Code
    by: PersonText


class CodeFound(Event, frozen=True, kw_only=True):
    """Files of the running software that differ from what was installed, at most 20 of them."""

    changed: tuple[str, ...]


class ShoeOpened(Event, frozen=True, kw_only=True):
    """A new shoe with its frozen settings; `digest` = hex SHA-256 of settings, policy and software version.

    `policy` has the irregularities that can come in this game. `device` is the state that the new journal continues
    with; it never leaves the house.
    """

    number: int
    journal: str
    house: House
    policy: dict[str, Row]
    version: str
    digest: str
    pack: Pack
    device: Device | None = None
    dealer: PersonText = ""
    confirmed_by: PersonText = ""


class ShoeChangeRequested(Event, frozen=True, kw_only=True):
    """The guest asked for another shoe; due at monotonic time `until` (ms)."""

    until: int


class ShoeChangeOverdue(Event, frozen=True, kw_only=True):
    """The shoe was not changed in time."""


class DealerChangeRequested(Event, frozen=True, kw_only=True):
    """The guest asked for another dealer."""


class DealerSignedIn(Event, frozen=True, kw_only=True):
    """A dealer signed in and deals from now on."""

    dealer: PersonText


class TableClosed(Event, frozen=True, kw_only=True):
    """The table is closed, `by` the giver of the order, until its next shoe is opened."""

    by: PersonText
    why: str = ""


class ShoeEnded(Event, frozen=True, kw_only=True):
    """No more rounds are dealt from this shoe; the rest of it is discarded.

    code: `last_round`, `pack_over`, `few_cards`, `shoe_empty`, `closed` with the value `by`, or `pit` with `alarm`.
    why: what a person typed; all of it in English in journals of format 3.
    """

    code: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    why: str = ""
    rounds: int


class KeyRefused(Event, frozen=True, kw_only=True):
    """A key had no meaning now. code, values: of its refusal; why: its English, in journals of format 3."""

    key: str
    why: str = ""
    code: str = ""
    values: dict[str, Value] = field(default_factory=dict)


class Noted(Event, frozen=True, kw_only=True):
    """A note for the journal. held: the oldest held card or signal leaves the queue with it.

    code: `same_card`, `error_again` (with the value `error`), `observed` (`input`), `other_reader` (`serial`, `known`),
    `reader_said` (`says`), `no_card`, `outside` (both `reason`), `cut_undecided`, `cut_outside` (both `by`),
    `cut_again` (`by`, `round`), `cut_waits`, `lent` (`to`), `test_cards_lent` (`count`, `to`), `test_cards` (`count`,
    `by`), `result_agrees` (`by`, `outcome`), `result_due`, `result_of_none`, `result_discarded`, `pattern` (`pattern`,
    `cards`). what: all of it in English, in journals of format 3.
    """

    code: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    what: str = ""
    held: bool = False


class CommandAnswered(Event, frozen=True, kw_only=True):
    """An order was obeyed or refused. seat: the one that a refused mark named, or nothing.

    by: `key/NAME` for a signed order, with its count. on_behalf_of: the person who gave a signed order, as its key
    says. person: who gave it at the table, beside the name in `by`; missing for a key and for a backend.
    confirmed: who confirmed it from another login; where it is missing, the second of two people is only a name.
    """

    answer: Answer
    by: PersonText
    seat: str = ""
    count: int | None = None
    on_behalf_of: PersonText | UnsetType = UNSET
    person: Person | UnsetType = UNSET
    confirmed: Person | UnsetType = UNSET


class OrdersRefused(Event, frozen=True, kw_only=True):
    """Messages by MQTT that were refused without an entry of their own. why: code of the refusal -> how many.

    counts: name of a key -> the highest count of its orders among them: it is used up.
    """

    why: dict[str, int]
    counts: dict[str, int]


AnyEvent = (
    OfCards
    | OfDevices
    | OfIrregularities
    | OfRounds
    | Commissioned
    | BridgeStarted
    | SoftwareChanged
    | CodeFound
    | RecordBegun
    | RecordEnded
    | KeyChanged
    | ShoeOpened
    | ShoeChangeRequested
    | ShoeChangeOverdue
    | DealerChangeRequested
    | DealerSignedIn
    | ShoeEnded
    | TableClosed
    | ShiftEnded
    | KeyRefused
    | Noted
    | CommandAnswered
    | OrdersRefused
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
