"""Events of single cards and of the cut card, of reader and lid, and of irregularities; what every event is."""

from typing import Literal

from msgspec import Struct, field

from firmware_bridge.facts.cards import Card, Serial


class Event(Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """Something that became true."""


Origin = Literal["reader", "carried", "manual"]
"""Where a card of a round came from."""


class Secret(Struct, frozen=True):
    """A card not yet disclosed, with the nonce (32 hex digits) its commitment was made with."""

    card: Card
    nonce: str


class CardEvent(Event, frozen=True, kw_only=True):
    """A card went somewhere: named (`card`), or sealed (`commit`, and `secret` inside the house only).

    `serial` tells it from other cards of its face; it never leaves the house either.

    held: the card was the oldest of what was held, and leaves the queue. `commit` = hex SHA-256 of the ASCII text
    `journal:seq:n:card:nonce`. `nonce` opens the commitments made to a named card while it was held.
    """

    card: Card | None = None
    nonce: str | None = None
    commit: str | None = None
    secret: Secret | None = None
    serial: Serial | None = None
    held: bool = False


class CardBurned(CardEvent, frozen=True, kw_only=True):
    """`left` more cards are to be burned; the exposed first card is named."""

    left: int


class CardDealt(CardEvent, frozen=True, kw_only=True):
    """The card lies in `slot` of round `round`.

    unread: why nobody knows a card that lies face down, in the words of its reader; it is neither named nor sealed.
    """

    round: int
    slot: str
    origin: Origin = "reader"
    unread: str = ""


class CardOverdrawn(CardEvent, frozen=True, kw_only=True):
    """A card too many: it waits, sealed, for the next round."""

    round: int
    origin: Origin = "reader"


class CardHeld(CardEvent, frozen=True, kw_only=True):
    """A card drawn while no card could be dealt; an unread one has neither card nor commitment."""

    why: str
    lot: int | None = None
    manual: bool = False
    flags: tuple[str, ...] = ()
    slot: str | None = None


class CardEntered(CardEvent, frozen=True, kw_only=True):
    """Two people entered a card that was not read."""

    by: str
    second: str


class CardLookedAt(CardEvent, frozen=True, kw_only=True):
    """Two people looked at a card that lies face down in `slot` and was not read: message `n` of entry `seq`."""

    round: int
    slot: str
    seq: int
    n: int
    by: str
    second: str


class CardConfirmed(Event, frozen=True, kw_only=True):
    """The reader reported a card that people had entered while it was away: the same one, dealt once."""


class CardSetAside(CardEvent, frozen=True, kw_only=True):
    """The card plays no part: `removed` (not of this shoe), `burned`, `void`, `no shoe`, or `observed` only."""

    why: Literal["removed", "burned", "void", "no shoe", "observed"]


class CardRevealed(Event, frozen=True, kw_only=True):
    """A sealed card is disclosed: the one committed to by message `n` of entry `seq` of this journal."""

    card: Card
    nonce: str
    seq: int
    n: int
    round: int | None = None
    slot: str | None = None


class OverdrawnBurned(Event, frozen=True, kw_only=True):
    """The floor had the overdrawn cards burned."""


class BurnFinished(Event, frozen=True, kw_only=True):
    """The floor took a short burn as finished."""


class LotAdopted(Event, frozen=True, kw_only=True):
    """The first card's pack lot is the lot of this shoe."""

    lot: int


CutBy = Literal["sensor", "reader", "virtual"]


class CutCardMet(Event, frozen=True, kw_only=True):
    """The cut card came by; `last_round` is the number of the last round of this shoe."""

    by: CutBy
    last_round: int
    held: bool = False


class CutCardHeld(Event, frozen=True, kw_only=True):
    """The cut card came by while cards before it were held: it waits behind them."""

    by: CutBy


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
    """A reader board session began: reports are counted from 0 again."""

    session: int


class ReaderLent(Event, frozen=True, kw_only=True):
    """A technician has the reader, until it is back: what passes it is no card of a shoe."""

    to: str


class LidTurned(Event, frozen=True, kw_only=True):
    """The lid of the shoe was opened or closed."""

    open: bool


OfDevices = ReaderSession | ReaderLent | LidTurned
"""An event of a device."""


class Irregular(Event, frozen=True, kw_only=True):
    """Something is wrong at the table. `detail` names disclosed cards only. `since`: ms since 1970.

    `of`: what it is about, where that matters to how it is closed: sensors by their names, `reader` or `dealer` for
    whose result differs, `card 5` for the fifth card of this shoe. `values`: what `detail` names, for pages that
    speak another language.
    """

    id: str
    detail: str
    since: int
    of: tuple[str, ...] = ()
    values: dict[str, str | int] = field(default_factory=dict)


class IrregularityClosed(Event, frozen=True, kw_only=True):
    """An irregularity was closed: by the floor's choice, the dealer's `confirm`, or by itself.

    clears: the floor takes the oldest held card in spite of this irregularity.
    """

    id: str
    choice: str
    by: str = ""
    why: str = ""
    clears: bool = False


OfIrregularities = Irregular | IrregularityClosed
"""An event of an irregularity."""
