"""The bodies of state topics and answers: each forms one JSON object with a `StateHead` (facts/wire.py).

That of `health` is in facts/book/measures.py, those of a game's own topics are in its package.
"""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.bounds import Number, PersonText
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.house import House, Limit
from firmware_bridge.facts.wire import Name

OrderName = Annotated[str, Meta(extra_json_schema={"enum": list(ORDERS)})]
"""The name of an order; a newer table may have more."""

Clock = Literal["synchronised", "unsynchronised", "unknown"]


class Record(Struct, frozen=True):
    """The signed record of a table. origin: the log's name; size: its entries; key: its vkey; None, 0 before it began.

    signed: whether entries are signed now. witnessed: the size that a quorum of witnesses has cosigned.
    """

    origin: Annotated[str, Name] | None
    size: Annotated[int, Number]
    key: Annotated[str, Name] | None
    signed: bool
    witnessed: Annotated[int, Number]


NO_RECORD: Final = Record(None, 0, None, signed=False, witnessed=0)


class Status(Struct, frozen=True):
    """The topic `status`: whether the bridge is connected. `lost` is the bridge's will, published by the broker.

    build: commit and date of the software, `dirty` where it was changed; commit and `clone` where it runs in a clone;
    `unknown` where neither is known. next_seq: the next entry in the journal of the head. mode: how much can be done
    now. clock: whether a time server keeps it. link: the number of the connection since `boot`, in the will too: ignore
    a `lost` of an older connection. record: the signed record of the table. orders: the name of each key of
    `[[orders]]`, "" for orders without a signature, and which orders it may give. two_people: the keys that may name a
    second person.
    """

    state: Literal["online", "stopped", "lost"]
    version: Annotated[str, Name]
    build: Annotated[str, Name]
    next_seq: int
    mode: Annotated[str, Name]
    clock: Clock
    link: Annotated[int, Number]
    record: Record = NO_RECORD
    orders: dict[str, tuple[str, ...]] = {}
    two_people: tuple[str, ...] = ()


class Slot(Struct, frozen=True, omit_defaults=True):
    """A filled slot; `card` only when it is disclosed."""

    slot: str
    card: str | UnsetType = UNSET


Verb = Literal["draw", "turn", "take", "pay", "move", "collect", "compare", "ask", "press", "wait"]


class Act(Struct, frozen=True, omit_defaults=True):
    """An act of the dealer; a part that says nothing is left out.

    slot: the lamp or place it concerns (`burn`: beside the table). hand: a hand there: `S3.2`. to: where a card is
    moved. amount: money as exact decimal text; of `draw` at the burn: the cards left. key: `next` or `reveal`. slots:
    the slots that are opened, or the seats of a draw. what: what is awaited (`pit`, `shoe`, `bets`, `result`,
    `change`: of the shoe, which a guest asked for), taken (`rake`), or laid back (`collected` cards).

    draw: draw a card to the slot. turn: turn the cards of the hand. take, pay: chips of, or to, the hand; without an
    amount where stakes are not known. move: move the card, or lay collected cards back where they lay. collect: the
    cards of the hand. compare: the cards on the table with `hands` (those not `collected`) or `slots`, and with
    `beside`, then press NEXT. ask: the seat must act.
    """

    verb: Verb
    slot: str = ""
    hand: str = ""
    to: str = ""
    amount: str = ""
    key: str = ""
    slots: tuple[str, ...] = ()
    what: str = ""


class Table(Struct, frozen=True):
    """The topic `table`: the cards on it and what comes next; `due` is the slot of the next card.

    expected: the acts of the dealer that are due, in their order. pays: seat, hand and amount (below 0: taken) in the
    order in which they are paid, from the result to NEXT, where stakes are known. beside: cards that lie face down
    beside the table's slots: held, or drawn too many. closed: whether it was closed (`close_table`), which
    ends when the next shoe is opened. orders: order -> code of its refusal, for those that the table refuses now,
    whatever their arguments are; it may take the others.

    Only in games with marks: turn: the number of the question. hands: slot -> its cards in order, null for one that is
    face down. act: slot -> the marks to choose from, with the values allowed for each (topics/offers.py). anytime: the
    marks allowed at any time, in or out of turn. shows: the game's own data of the running round. asked_hand: the hand
    that is asked, null where several seats are, or none. in, looked: the slots that are still in the round, and those
    that looked, in games where seats go out. collected: the hands in `hands` that no longer lie on the table. peeked:
    the answer to the dealer's peek, from the peek to the end of the round.
    """

    game: str
    phase: Annotated[str, Name]
    round: int
    last: bool
    slots: tuple[Slot, ...]
    due: str | None
    closed_bets: tuple[str, ...]
    cards_left: Annotated[int, Number] | None
    burn_left: int | None
    shoe_change: str | None
    dealer: PersonText
    dealer_change: bool
    flown: int
    held: int
    open: tuple[str, ...]
    limits: dict[str, Limit]
    settings: House
    expected: tuple[Act, ...] = ()
    pays: tuple[tuple[str, str, str], ...] = ()
    beside: int = 0
    closed: bool = False
    orders: dict[OrderName, str] = {}
    turn: int | UnsetType = UNSET
    hands: dict[str, tuple[str | None, ...]] | UnsetType = UNSET
    act: dict[str, dict[str, Any]] | UnsetType = UNSET
    anytime: dict[str, dict[str, Any]] | UnsetType = UNSET
    shows: dict[str, Any] | UnsetType = UNSET
    asked_hand: str | UnsetType | None = UNSET
    playing: tuple[str, ...] | UnsetType = field(name="in", default=UNSET)
    looked: tuple[str, ...] | UnsetType = UNSET
    collected: tuple[str, ...] | UnsetType = UNSET
    peeked: Literal["blackjack", "none"] | UnsetType = UNSET


class Lamps(Struct, frozen=True):
    """The topic `lamps`. lit: lamp -> rhythm: `steady` due, `confirm` 1 Hz, `candidate` of a draw 2 Hz, `quick` 4 Hz,
    `blocked` 5 Hz, `double`, `triple` or `quadruple` flash.

    why: as text, with points of disclosed cards only. reasons: the same as ids and values, one for each of `why`.
    """

    lit: dict[str, str]
    why: tuple[str, ...]
    reasons: tuple[Reason, ...]


class Alarm(Struct, frozen=True):
    """An open irregularity. `id`: its code; `since`: ms since 1970; `choices`: those of the pit; `of`: its subject.

    refused: choice -> the code by which the table refuses it now, whatever the pit adds (docs/backend.md, Refusals).
    values: of its row in facts/book/alarms.py; `{}` where the id is enough. text: what happened and what to do, in
    English, for people at a terminal; no program reads it.
    """

    id: Annotated[str, Name]
    since: int
    severity: Annotated[str, Name]
    blocks: bool
    choices: tuple[str, ...]
    of: tuple[str, ...] = ()
    values: dict[str, Value] = {}
    text: str = ""
    refused: dict[Annotated[str, Name], str] = {}


class Alarms(Struct, frozen=True):
    """The topic `alarm`: the irregularities that are open, oldest first."""

    open: tuple[Alarm, ...]


class Chance(Struct, frozen=True):
    """`num` of `den` equally likely ordered deals have the net result `pays`, in units per unit staked."""

    pays: int | float
    num: int
    den: int


class BetOdds(Struct, frozen=True):
    """The odds of a bet: a chance for every distinct net result, -1 last; they add up to `den`.

    rtp: return to player per unit staked, the stake included, as a fraction in lowest terms.
    """

    tiers: tuple[Chance, ...]
    rtp: tuple[int, int]


class Odds(Struct, frozen=True, omit_defaults=True):
    """The topic `odds`, of round `round` of the shoe of the head, with `cards` cards left before it.

    odds: by bet; None where they are not known. deviation: how much more each bet returns than with a full shoe.
    """

    round: int | None
    cards: int
    odds: dict[str, BetOdds] | None
    deviation: dict[str, float] | UnsetType = UNSET
