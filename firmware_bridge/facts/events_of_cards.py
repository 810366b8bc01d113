"""Events of cards, of the cut card, of reader and lid, and of irregularities; the base of all events."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.bounds import PersonText
from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.inputs import Person


class Event(Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """Something that became true."""


Origin = Literal["reader", "carried", "manual"]
"""The source of a card of a round."""


class Secret(Struct, frozen=True):
    """A card not yet disclosed, with the nonce (32 hex digits) of its commitment."""

    card: Card
    nonce: str


class CardEvent(Event, frozen=True, kw_only=True):
    """A card went somewhere: named (`card`), or sealed (`commit`, and `secret` inside the house only).

    `serial` identifies it among cards of its face; it never leaves the house either.

    held: the card was the oldest in the queue of held cards, and leaves it. `commit` = hex SHA-256 of the ASCII text
    `journal:seq:n:card:nonce`. `nonce` opens the commitments made to a named card while it was held.
    """

    card: Card | None = None
    nonce: str | None = None
    commit: str | None = None
    secret: Secret | None = None
    serial: Serial | None = None
    held: bool = False


class CardBurned(CardEvent, frozen=True, kw_only=True):
    """A card was burned, `left` more follow; the exposed first card is named."""

    left: int


class CardDealt(CardEvent, frozen=True, kw_only=True):
    """The card lies in `slot` of round `round`.

    unread: the reader's reason why a card that lies face down is not known; it is neither named nor sealed.
    """

    round: int
    slot: str
    origin: Origin = "reader"
    unread: str = ""


class CardOverdrawn(CardEvent, frozen=True, kw_only=True):
    """A surplus card: it waits, sealed, for the next round."""

    round: int
    origin: Origin = "reader"


class CardHeld(CardEvent, frozen=True, kw_only=True):
    """A card drawn while no card could be dealt; an unread one has neither card nor commitment.

    code: an alarm's id, `blocked`, `betting_open`, `mark_due`, `to_reveal`, `round_stopped` or `internal_error`.
    reason: the reader's word for an unread card that is `blocked`. why: both in English, in journals of format 3.
    again: it may be the card before, read again: it does not count until the table has said which.
    """

    code: str = ""
    reason: str = ""
    why: str = ""
    lot: int | None = None
    manual: bool = False
    flags: tuple[str, ...] = ()
    slot: str | None = None
    again: bool = False


class CardEntered(CardEvent, frozen=True, kw_only=True):
    """Two people entered a card that was not read."""

    by: PersonText
    second: PersonText


class CardLookedAt(CardEvent, frozen=True, kw_only=True):
    """Two people looked at an unread card that lies face down in `slot`: message `n` of entry `seq`."""

    round: int
    slot: str
    seq: int
    n: int
    by: PersonText
    second: PersonText


class CardConfirmed(Event, frozen=True, kw_only=True):
    """The reader reported a card that people had entered while it was lost: the same card, dealt once."""


class CardSetAside(CardEvent, frozen=True, kw_only=True):
    """A card that is not played.

    why: `removed` (not of this shoe), `burned`, `void`, `pack over` (drawn after the last round of a pack of one game),
    `no shoe`, `observed` only, or `read again` (no card: the reader reported the card before once more).
    """

    why: Literal["removed", "burned", "void", "pack over", "no shoe", "observed", "read again"]


class CardRevealed(Event, frozen=True, kw_only=True):
    """A sealed card is disclosed: the one committed to by message `n` of entry `seq` of this journal."""

    card: Card
    nonce: str
    seq: int
    n: int
    round: int | None = None
    slot: str | None = None


class OverdrawnBurned(Event, frozen=True, kw_only=True):
    """The pit had the overdrawn cards burned."""


class BurnFinished(Event, frozen=True, kw_only=True):
    """The pit accepted a short burn as finished."""


class LotAdopted(Event, frozen=True, kw_only=True):
    """The batch of the first card became the batch (`lot`) of this shoe."""

    lot: int


CutBy = Literal["sensor", "reader", "virtual"]


class CutCardMet(Event, frozen=True, kw_only=True):
    """The cut card passed; `last_round` is the number of the last round of this shoe."""

    by: CutBy
    last_round: int
    held: bool = False


class CutCardHeld(Event, frozen=True, kw_only=True):
    """The cut card passed, and waits: behind cards that are held or sealed, or for the pit, because it is early.

    last_round: the round that it makes the last, where that is known: no card before it waits.
    """

    by: CutBy
    last_round: int | None = None


OfCards = (
    CardBurned
    | CardDealt
    | CardOverdrawn
    | CardHeld
    | CardEntered
    | CardLookedAt
    | CardConfirmed
    | CardSetAside
    | CardRevealed
    | OverdrawnBurned
    | BurnFinished
    | LotAdopted
    | CutCardMet
    | CutCardHeld
)
"""An event of a card."""


class ReaderSession(Event, frozen=True, kw_only=True):
    """A session of the reader board began: its reports count from 0 again. board: its serial number, if it said it."""

    session: int
    board: str = ""


class ReaderLent(Event, frozen=True, kw_only=True):
    """The reader is leased to a technician until `DeviceBack`: cards that pass it are not of a shoe.

    person: whom the kernel names, beside the name in `to`; missing while no daemon ran.
    """

    to: PersonText
    person: Person | UnsetType = UNSET


class LidTurned(Event, frozen=True, kw_only=True):
    """The lid of the shoe was opened or closed."""

    open: bool


OfDevices = ReaderSession | ReaderLent | LidTurned
"""An event of a device."""


class Irregular(Event, frozen=True, kw_only=True):
    """An irregularity at the table. values: of its row in facts/book/alarms.py, of disclosed cards only.

    `since`: ms since 1970. `of`: its subject, where closing it depends on that: names of sensors, `reader` or `dealer`
    for the result that differs, `card 5` for the fifth card of this shoe. detail: its English, in journals of format 3.
    """

    id: str
    detail: str = ""
    since: int
    of: tuple[str, ...] = ()
    values: dict[str, Value] = field(default_factory=dict)


class IrregularityClosed(Event, frozen=True, kw_only=True):
    """An irregularity was closed: by the pit's choice, the dealer's `confirm`, or by itself.

    choice: of the pit, or how it ended by itself: `back` (with the value `losses` after several), `burned`, `confirm`,
    `drawn`, `entered`, `free`, `given`, `kept`, `no_repeat` (with `cards`), `noted`, `recovered`, `seen`, `shoe_ended`,
    `stuck_too`, `taken_back`. why: what a person typed. clears: the pit accepts the oldest held card in spite of this
    irregularity. second: the second person, if any.
    """

    id: str
    choice: str
    values: dict[str, Value] = field(default_factory=dict)
    by: PersonText = ""
    why: str = ""
    clears: bool = False
    second: PersonText | UnsetType = UNSET


OfIrregularities = Irregular | IrregularityClosed
"""An event of an irregularity."""
