"""Events: what became true at the table, as it is journaled and published."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from firmware_bridge.cards import Card
from firmware_bridge.facts.inputs import Mark
from firmware_bridge.facts.orders import Answer, Pack
from firmware_bridge.house import House
from firmware_bridge.policy import Row

Origin = Literal["reader", "carried", "manual"]
"""Where a card of a round came from."""


class Secret(Struct, frozen=True):
    """A card not yet disclosed, with the nonce (32 hex digits) its commitment was made with."""

    card: Card
    nonce: str


class Event(Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    """Something that became true."""


class Commissioned(Event, frozen=True, kw_only=True):
    """The first entry of a device: facts before any shoe have a place."""

    journal: str


class BridgeStarted(Event, frozen=True, kw_only=True):
    """The daemon began; `house` holds from the next shoe on."""

    version: str
    house: House


class Luggage(Struct, frozen=True):
    """What a new journal takes over from the one before; never published."""

    next_house: House
    reader: Mark | None
    answers: tuple[Answer, ...]
    irregular: tuple[Irregular, ...]
    entered: tuple[Card, ...] = ()


class ShoeOpened(Event, frozen=True, kw_only=True):
    """A new shoe with its frozen settings; `digest` = hex SHA-256 of settings, policy and software version."""

    number: int
    journal: str
    house: House
    policy: dict[str, Row]
    version: str
    digest: str
    pack: Pack
    luggage: Luggage | None
    dealer: str = ""
    confirmed_by: str = ""


class CardEvent(Event, frozen=True, kw_only=True):
    """A card went somewhere: named (`card`), or sealed (`commit`, and `secret` inside the house only).

    `held`: it is the oldest of the cards that were held. `commit` = hex SHA-256 of the ASCII text
    `journal:seq:n:card:nonce`. `nonce` opens the commitments made to a named card while it was held.
    """

    card: Card | None = None
    nonce: str | None = None
    commit: str | None = None
    secret: Secret | None = None
    held: bool = False


class CardBurned(CardEvent, frozen=True, kw_only=True):
    """`left` more cards are to be burned; the exposed first card is named."""

    left: int


class CardDealt(CardEvent, frozen=True, kw_only=True):
    """The card lies in `slot` of round `round`."""

    round: int
    slot: str
    origin: Origin = "reader"


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


class RevealClockStarted(Event, frozen=True, kw_only=True):
    """Sealed cards open by themselves at monotonic time `until` (ms)."""

    until: int


class RevealTimeEnded(Event, frozen=True, kw_only=True):
    """From here on this round's cards open as they are drawn."""


class Flown(Event, frozen=True, kw_only=True):
    """The round is dealt without a bet, the `in_a_row`-th after another."""

    round: int
    in_a_row: int


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


class BetsOpened(Event, frozen=True, kw_only=True):
    """Betting for `round` is open."""

    round: int


class BetsClosed(Event, frozen=True, kw_only=True):
    """Betting for `round` is closed."""

    round: int


class Played(Struct, frozen=True, rename={"origin": "from"}):
    """A card of a closed round: where it was played and where it came from."""

    slot: str
    card: Card
    origin: Origin


class Hand(Struct, frozen=True):
    """One side of a closed round, cards in the order they joined the hand."""

    cards: tuple[Card, ...]
    total: int


class Judged(Event, frozen=True, kw_only=True, omit_defaults=False):
    """A round with its result: what the topic `round` says. `bets`: net units per unit staked."""

    game: str
    round: int
    cards: tuple[Played, ...]
    hands: dict[str, Hand]
    outcome: str
    natural: bool
    pairs: dict[str, bool]
    bets: dict[str, float]
    carried: int
    last: bool
    flags: tuple[str, ...]
    why: tuple[str, ...]
    prev: int | None


class RoundClosed(Judged, frozen=True, kw_only=True):
    """A round is over."""

    status: Literal["closed"] = "closed"
    revision: int = 0


class RoundCorrected(Judged, frozen=True, kw_only=True):
    """The floor corrected a closed round: a whole new one; `corrects` is the entry of the one before."""

    revision: int
    corrects: int
    by: str
    status: Literal["corrected"] = "corrected"


class RoundVoided(Event, frozen=True, kw_only=True, omit_defaults=False):
    """A round that counts for nothing; `cards` names those that were disclosed."""

    game: str
    round: int
    cards: tuple[Played, ...]
    why: tuple[str, ...]
    by: str
    last: bool
    prev: int | None
    status: Literal["voided"] = "voided"
    revision: int = 0


class ShoeEnded(Event, frozen=True, kw_only=True):
    """No more rounds from this shoe; the rest of it is discarded."""

    why: str
    rounds: int


class Irregular(Event, frozen=True, kw_only=True):
    """Something is wrong at the table. `detail` names disclosed cards only. `since`: ms since 1970."""

    id: str
    detail: str
    since: int


class IrregularityClosed(Event, frozen=True, kw_only=True):
    """It was settled: by the floor's choice, the dealer's `confirm`, or by itself."""

    id: str
    choice: str
    by: str = ""
    why: str = ""


class ReaderSession(Event, frozen=True, kw_only=True):
    """A reader board session began: reports are counted from 0 again."""

    session: int


class KeyRefused(Event, frozen=True, kw_only=True):
    """A key had no meaning now."""

    key: str
    why: str


class Noted(Event, frozen=True, kw_only=True):
    """Something worth a line in the record; `held`: it was the oldest of what was held."""

    what: str
    held: bool = False


class CommandAnswered(Event, frozen=True, kw_only=True):
    """An order was obeyed or refused."""

    answer: Answer
    by: str


AnyEvent = (
    Commissioned
    | BridgeStarted
    | ShoeOpened
    | CardBurned
    | CardDealt
    | CardOverdrawn
    | CardHeld
    | CardEntered
    | CardConfirmed
    | CardSetAside
    | CardRevealed
    | OverdrawnBurned
    | BurnFinished
    | LotAdopted
    | CutCardMet
    | CutCardHeld
    | BetsOpened
    | BetsClosed
    | RoundClosed
    | RoundCorrected
    | RevealClockStarted
    | RevealTimeEnded
    | Flown
    | ShoeChangeRequested
    | ShoeChangeOverdue
    | DealerChangeRequested
    | DealerSignedIn
    | RoundVoided
    | ShoeEnded
    | Irregular
    | IrregularityClosed
    | ReaderSession
    | KeyRefused
    | Noted
    | CommandAnswered
)
