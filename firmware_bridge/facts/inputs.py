"""Inputs: what the wires and the people say, with their time."""

from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Order


class ReportNo(Struct, frozen=True, array_like=True):
    """The number of a reader's report: `seq` counts 0..255 in a board's `session`, and wraps."""

    session: int
    seq: int


Flag = Literal["face_up", "double_feed", "backwards"]
"""What a reader may notice about a card it did read."""

Concern = Literal["card", "movement", "optics"]
"""What a report without a card is about: a card nobody read, a movement in the shoe, or the reader's own optics."""

NO_CARD: Final[dict[str, Concern]] = {
    "jam": "movement",
    "backwards": "movement",
    "lamp_weak": "optics",
    "saturated": "optics",
}
"""The reasons, in the reader's words, that concern no card; every other one does."""


class Input(Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """Something the wires or the people said.

    salt: 16 random bytes of its own (32 hex digits): without them, a hash of the input would tell which one it is.
    at: wall time, ms since 1970, UTC. mono: a clock that nobody can set, ms since some moment of this boot.
    """

    salt: str = ""
    at: int
    mono: int = 0


class Started(Input, frozen=True, kw_only=True):
    """The daemon began; `house` holds from the next shoe on. `nonce` names a new journal. torn: see its event."""

    version: str
    house: House
    nonce: str
    torn: int = 0


class CardRead(Input, frozen=True, kw_only=True):
    """One card passed the reader. `lot` is the pack lot printed on it; `gap`: reports before it were lost.

    slot: where the reader, or a sensor in the slot, says that the card went. serial: where each card has one.
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


class CardUnread(Input, frozen=True, kw_only=True):
    """The reader saw something and read no card: `reason` in the reader's words."""

    reason: str
    nonce: str
    report: ReportNo | None = None
    gap: bool = False

    @property
    def concerns(self) -> Concern:
        """What the report is about; a movement or the optics say nothing of a card: it is read, or not, by itself."""
        return NO_CARD.get(self.reason, "card")


class CutCardSeen(Input, frozen=True, kw_only=True):
    """The cut card passed the reader or its sensor, seen `by` its sensor or by the reader."""

    by: Literal["sensor", "reader"]
    report: ReportNo | None = None
    gap: bool = False


class Pressed(Input, frozen=True, kw_only=True):
    """The dealer pressed `next`, `reveal`, or a key called as the result it tells. nonce: names a journal it opens."""

    key: str
    nonce: str = ""


class ReaderResult(Struct, frozen=True):
    """The result of a round by a reader that judges the game, in words that the game knows.

    They name the outcome first; `("forced",)` says that the reader's button ended the round.
    """

    words: tuple[str, ...]


class ReaderJudged(Input, frozen=True, kw_only=True):
    """A reader that judges the game says its result."""

    result: ReaderResult


class ReaderSaid(Input, frozen=True, kw_only=True):
    """Anything else a reader says that belongs on record; `gap`: cards may have been missed."""

    what: str
    gap: bool = False


class TimePassed(Input, frozen=True, kw_only=True):
    """A moment came that `deadline(shoe)` had asked for."""


class ClockJumped(Input, frozen=True, kw_only=True):
    """The wall clock was set, by so many milliseconds."""

    by: int


class LidMoved(Input, frozen=True, kw_only=True):
    """The lid of the shoe was opened or closed."""

    open: bool


class SlotFilled(Input, frozen=True, kw_only=True):
    """A sensor in a slot feels a card that was not there before."""

    slot: str


class SensorStuck(Input, frozen=True, kw_only=True):
    """A sensor is active longer than it can be, or (not `stuck`) has let go again."""

    sensor: str
    stuck: bool


class DeviceLost(Input, frozen=True, kw_only=True):
    """The reader or the broker is gone."""

    device: Literal["reader", "broker"]
    why: str


class ReaderBorrowed(Input, frozen=True, kw_only=True):
    """The daemon lends the reader to the technician `by`. taken: the last report the daemon knows of."""

    by: str
    taken: ReportNo | None = None


class TestCardsPassed(Input, frozen=True, kw_only=True):
    """`count` test cards of the technician `by` passed the reader: none of them is a card of the shoe.

    taken: the report of the last one. lent: the daemon had lent the reader; else no daemon ran meanwhile.
    """

    count: int
    by: str
    taken: ReportNo | None = None
    lent: bool = False


class DeviceBack(Input, frozen=True, kw_only=True):
    """The reader or the broker answers again.

    resumes: the reader kept its reports, so nothing it saw is lost. cut_short: the command of the technician who had
    borrowed the reader did not end as it should, so more test cards may come.
    """

    device: Literal["reader", "broker"]
    resumes: bool = False
    cut_short: bool = False


class ReaderBooted(Input, frozen=True, kw_only=True):
    """The reader board said hello: a new `session` means that it was reset and forgot what it held."""

    session: int


class DiskFailed(Input, frozen=True, kw_only=True):
    """The journal could not be written from `at` until `until`; the input is journaled once it can be."""

    irregularity: Literal["disk_full", "disk_error"]
    why: str
    until: int


class Ordered(Input, frozen=True, kw_only=True):
    """Somebody gave an order: the backend (with an id) or a person at the table.

    digest: 16 hex digits that tell an order with an id from others, None where nobody made any.
    """

    order: Order
    by: str
    nonce: str
    id: str | None = None
    digest: str | None = None


AnyInput = (
    Started
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
    | ReaderBorrowed
    | TestCardsPassed
    | DeviceBack
    | ReaderBooted
    | DiskFailed
    | Ordered
)


def report_of(fact: AnyInput) -> ReportNo | None:
    """The number of the reader's report that a fact was read from, None for other facts and unnumbered reports."""
    return fact.report if isinstance(fact, (CardRead, CardUnread, CutCardSeen)) else None


def last_report(fact: AnyInput) -> ReportNo | None:
    """The number of the last report that the table or a technician has taken with this fact, None if it says none."""
    return fact.taken if isinstance(fact, (ReaderBorrowed, TestCardsPassed)) else report_of(fact)
