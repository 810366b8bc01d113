"""Inputs: reports of devices and people, with their time."""

from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.book.roles import Role
from firmware_bridge.facts.bounds import PersonText
from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Order


class Follows(Struct, frozen=True):
    """What a record goes on from: the log before it, None for the first; its size, the newest head, and how much of it
    a quorum of witnesses had cosigned. head: hex SHA-256, the journal's chain, which binds all that is older.
    """

    origin: str | None
    size: int
    head: str
    witnessed: int


class Person(Struct, frozen=True, omit_defaults=True):
    """Who gave an order at the table: the `uid` that the kernel says, its `login`, and the `role` of its socket.

    login: "" where the uid has none. terminal_claimed: the terminal, as the command says it, unchecked.
    """

    uid: int
    login: PersonText = ""
    role: Role = "owner"
    terminal_claimed: PersonText = ""


class ReportNo(Struct, frozen=True, array_like=True):
    """The number of a reader's report: `seq` counts 0..255 in a board's `session`, and wraps."""

    session: int
    seq: int


Flag = Literal["face_up", "double_feed", "backwards"]
"""Observations of a reader about a card that it did read."""

Concern = Literal["card", "movement", "optics"]
"""The subject of a report without a card: an unread card, a movement in the shoe, or the reader's own optics."""

NO_CARD: Final[dict[str, Concern]] = {
    "jam": "movement",
    "backwards": "movement",
    "lamp_weak": "optics",
    "saturated": "optics",
}
"""Reader reasons that concern no card; every other reason does."""


class Input(Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """A report of a device or a person.

    salt: 16 random bytes (32 hex digits), so that the input cannot be guessed from its hash.
    at: wall time, ms since 1970, UTC. mono: monotonic time, ms since some moment of this boot. utc_offset: minutes that
    local time was ahead of UTC.
    """

    salt: str = ""
    at: int
    mono: int = 0
    utc_offset: int = 0


class NewRecord(Struct, frozen=True):
    """A record that begins with this entry, unless the device has one: see `RecordBegun`."""

    origin: str
    key: str
    follows: Follows


class Code(Struct, frozen=True):
    """The code that runs: hex SHA-256 of the software (None in a clone), of the other packages and of the config."""

    software: str | None
    packages: str
    python: str
    config: str


class Started(Input, frozen=True, kw_only=True):
    """The daemon started; `house` applies from the next shoe on. `nonce` names a new journal. torn: see its event.

    code, installed_by: of the installation that runs; UNSET where it is not known. order_keys: as in `BridgeStarted`.
    """

    version: str
    house: House
    nonce: str
    torn: int = 0
    record: NewRecord | None = None
    code: Code | UnsetType = UNSET
    installed_by: PersonText = ""
    order_keys: dict[str, str] | UnsetType = UNSET


class RecordRenewed(Input, frozen=True, kw_only=True):
    """Two people begin another record, between shoes. person, confirmed: as in `Ordered`."""

    record: NewRecord
    why: str
    by: PersonText
    second: PersonText
    person: Person | UnsetType = UNSET
    confirmed: Person | UnsetType = UNSET


class KeyRotated(Input, frozen=True, kw_only=True):
    """Two people change the key of the record to `new`, between shoes; `old` signs too until it is retired ("").

    person, confirmed: as in `Ordered`.
    """

    old: str
    new: str
    by: PersonText
    second: PersonText
    person: Person | UnsetType = UNSET
    confirmed: Person | UnsetType = UNSET


class CodeChecked(Input, frozen=True, kw_only=True):
    """Files of the running software differ from what was installed."""

    changed: tuple[str, ...]


class CardRead(Input, frozen=True, kw_only=True):
    """One card passed the reader. `lot`: the batch printed on it; `gap`: reports before it were lost.

    slot: where the card went, by the reader or a sensor in the slot. serial: where each card has one. again: the code
    before was the same, so long ago that it may be another card of this face, so lately that it may be the same one.
    """

    card: Card
    nonce: str
    report: ReportNo | None = None
    lot: int | None = None
    quality: int | None = None
    flags: tuple[Flag, ...] = ()
    gap: bool = False
    slot: str | None = None
    serial: Serial | None = None
    again: bool = False


class CardUnread(Input, frozen=True, kw_only=True):
    """The reader noticed something and read no card: `reason` as the reader reports it; `again` as in `CardRead`."""

    reason: str
    nonce: str
    report: ReportNo | None = None
    gap: bool = False
    again: bool = False

    @property
    def concerns(self) -> Concern:
        """The subject of the report; a movement or the optics are no card: a card has a report of its own."""
        return NO_CARD.get(self.reason, "card")


class CutCardSeen(Input, frozen=True, kw_only=True):
    """The cut card passed its sensor or the reader, as in `by`."""

    by: Literal["sensor", "reader"]
    report: ReportNo | None = None
    gap: bool = False


class Pressed(Input, frozen=True, kw_only=True):
    """The dealer pressed `next`, `reveal`, `unmark`, or the key of a result. nonce: names a journal that it opens."""

    key: str
    nonce: str = ""


class ReaderResult(Struct, frozen=True):
    """The result of a round by a reader that judges the game, in words of the game, the outcome first.

    `("forced",)`: the reader's button ended the round.
    """

    words: tuple[str, ...]


class ReaderJudged(Input, frozen=True, kw_only=True):
    """A reader that judges the game reported its result."""

    result: ReaderResult


class ReaderSaid(Input, frozen=True, kw_only=True):
    """Any other report of a reader that belongs on record.

    `gap`: cards may have been missed. `overdrawn`: one card too many was drawn.
    """

    what: str
    gap: bool = False
    overdrawn: bool = False


class TimePassed(Input, frozen=True, kw_only=True):
    """The moment of `deadline(shoe)` came."""


class ClockJumped(Input, frozen=True, kw_only=True):
    """The wall clock was set, `by` so many milliseconds."""

    by: int


class LidMoved(Input, frozen=True, kw_only=True):
    """The lid of the shoe was opened or closed."""

    open: bool


class SlotFilled(Input, frozen=True, kw_only=True):
    """A sensor in a slot detects a card that was not there before."""

    slot: str


class SensorStuck(Input, frozen=True, kw_only=True):
    """A sensor is active for longer than possible, or (not `stuck`) inactive again."""

    sensor: str
    stuck: bool


class DeviceLost(Input, frozen=True, kw_only=True):
    """The reader or the broker is lost. code, values: a row of `FAILURES`. why: its English, where there is no code."""

    device: Literal["reader", "broker"]
    why: str = ""
    code: str = ""
    values: dict[str, Value] = {}


class ReaderFaulted(Input, frozen=True, kw_only=True):
    """The reader sent more than cards can be drawn; its port is left unread and closed. why, code: see DeviceLost."""

    why: str = ""
    code: str = ""
    values: dict[str, Value] = {}


class ReaderBorrowed(Input, frozen=True, kw_only=True):
    """The daemon leased the reader to the technician `by`. taken: the last report that the daemon handled."""

    by: PersonText
    taken: ReportNo | None = None
    person: Person | UnsetType = UNSET


class TestCardsPassed(Input, frozen=True, kw_only=True):
    """`count` test cards of the technician `by` passed the reader: none of them is a card of the shoe.

    taken: the report of the last one. lent: the daemon had leased the reader; else no daemon was running.
    """

    count: int
    by: PersonText
    taken: ReportNo | None = None
    lent: bool = False


class DeviceBack(Input, frozen=True, kw_only=True):
    """The reader or the broker answers again.

    resumes: the reader kept its reports, so none is lost. cut_short: the command of the technician who had leased the
    reader did not end properly, so more test cards may come. losses: how often its open port was lost, where more than
    once.
    """

    device: Literal["reader", "broker"]
    resumes: bool = False
    cut_short: bool = False
    losses: int = 0


class ReaderBooted(Input, frozen=True, kw_only=True):
    """The reader board sent its hello: a new `session` means that it was reset and lost its stored reports.

    serial: the board's own number, "" where it has none.
    """

    session: int
    serial: str = ""


class DiskFailed(Input, frozen=True, kw_only=True):
    """The journal could not be written from `at` until `until`; journaled once it can be. why, code: see DeviceLost."""

    irregularity: Literal["disk_full", "disk_error"]
    why: str = ""
    code: str = ""
    values: dict[str, Value] = {}
    until: int


class Ordered(Input, frozen=True, kw_only=True):
    """An order of the backend (with an id) or of a person at the table.

    digest: 16 hex digits that identify the content of an order with an id, else None. count: that of a signed order;
    `by` is then `key/NAME`, and `on_behalf_of` the person who gave it, as the key says. person: who gave it at the
    table. confirmed: who confirmed it from a login of his own, where the house asks two people for two logins.
    """

    order: Order
    by: PersonText
    nonce: str
    id: str | None = None
    digest: str | None = None
    count: int | None = None
    on_behalf_of: PersonText | UnsetType = UNSET
    person: Person | UnsetType = UNSET
    confirmed: Person | UnsetType = UNSET


class RefusalsCounted(Input, frozen=True, kw_only=True):
    """Refused messages that have no entry of their own: code -> how many. counts: name of a key -> its highest count.

    It comes once a minute at most, and when the daemon stops.
    """

    why: dict[str, int]
    counts: dict[str, int]


AnyInput = (
    Started
    | CodeChecked
    | RecordRenewed
    | KeyRotated
    | CardRead
    | CardUnread
    | CutCardSeen
    | Pressed
    | ReaderJudged
    | ReaderSaid
    | TimePassed
    | ClockJumped
    | LidMoved
    | SlotFilled
    | SensorStuck
    | DeviceLost
    | ReaderFaulted
    | ReaderBorrowed
    | TestCardsPassed
    | DeviceBack
    | ReaderBooted
    | DiskFailed
    | Ordered
    | RefusalsCounted
)


def report_of(fact: AnyInput) -> ReportNo | None:
    """Return the number of the reader's report behind a fact, None for other facts and unnumbered reports."""
    return fact.report if isinstance(fact, (CardRead, CardUnread, CutCardSeen)) else None


def last_report(fact: AnyInput) -> ReportNo | None:
    """Return the number of the last report that the table or a technician handled with this fact; None for none."""
    return fact.taken if isinstance(fact, (ReaderBorrowed, TestCardsPassed)) else report_of(fact)
