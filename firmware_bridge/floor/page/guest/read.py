"""Decodes the fields of a table's messages that a guest screen may use; all other fields are dropped.

Left out on purpose: cards left, commitments, heads, people, purses, single bets, details of alarms, reasons, odds,
health and versions. Text is compared with the words of the screen (view.py), and never shown itself.
"""

from collections.abc import Callable
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.house import Limit

Number = Annotated[int, Meta(ge=0, le=2**53)]


class _Head(Struct, frozen=True):
    """Table, shoe, journal, boot and time of a message."""

    table: str
    shoe: Number
    journal: str
    boot: str
    at: str


class _State(_Head, frozen=True):
    as_of: Number


class Status(_State, frozen=True):
    """Connection and mode of the table."""

    state: Literal["online", "stopped", "lost"]
    link: Number
    mode: str


class _Open(Struct, frozen=True):
    blocks: bool


class Alarms(_State, frozen=True):
    """Open alarms: of each only whether it blocks the table."""

    open: tuple[_Open, ...]


class Slot(Struct, frozen=True):
    """A card on the table; None for one face down."""

    slot: str
    card: Card | None = None


class Shows(Struct, frozen=True):
    """Pot, stake of a seat that has not looked, and betting round of the running round: 0 before the first."""

    round: Number = 0
    stake: str = ""
    pot: str = ""


class Terms(Struct, frozen=True):
    """The limits in the settings of a game, and its number of seats."""

    min: str = ""
    max: str = ""
    ante: str = ""
    top: str = ""
    base: str = ""
    seats: Number = 0


class Settings(Struct, frozen=True):
    """Game of the present or next shoe, how bets are closed and a pack is opened, and limits."""

    game: str = ""
    betting: str = ""
    confirm_shuffle: bool = False
    terms: Terms = Terms()


class Table(_State, frozen=True):
    """The cards on the table. act, anytime: slot -> the words it may answer with, without their values."""

    dealt: str = msgspec.field(name="game")
    phase: str
    round: Number
    slots: tuple[Slot, ...]
    limits: dict[str, Limit]
    settings: Settings
    hands: dict[str, tuple[Card | None, ...]] = {}
    act: dict[str, dict[str, Raw]] = {}
    anytime: dict[str, dict[str, Raw]] = {}
    shows: Shows = Shows()
    closed: bool = False

    @property
    def game(self) -> str:
        """The game; before the first shoe from the settings."""
        return self.settings.game if self.phase == "empty" else self.dealt


Colour = Literal["red", "blue", "green"]
Sign = Literal["R", "B"]
Answer = tuple[Sign | None, Sign | None, Sign | None]
Signs = tuple[tuple[Number, Number, Sign], ...]


class Ask(Struct, frozen=True):
    """Side -> the signs that big eye boy, small and cockroach road would get by it."""

    banker: Answer = (None, None, None)
    player: Answer = (None, None, None)


class Roads(_State, frozen=True):
    """The roads for guests, and what the next round would add to the derived ones."""

    naturals: Annotated[str, Meta(pattern="^[01]*$")]
    bead: tuple[tuple[Number, Number, Colour, bool, bool], ...]
    big_grid: tuple[tuple[Number, Number, Colour, Number, Number], ...]
    big_eye_grid: Signs = ()
    small_grid: Signs = ()
    cockroach_grid: Signs = ()
    ask: Ask = Ask()

    def __post_init__(self) -> None:
        """Raise ValueError unless naturals and bead have one length."""
        if len(self.naturals) != len(self.bead):
            raise ValueError("naturals and bead are not of the same rounds")


class Hand(Struct, frozen=True):
    """A hand of a finished round; a field that its game lacks is empty."""

    cards: tuple[Card, ...] = ()
    total: Number | None = None
    kind: str = ""
    how: str = ""
    outcome: str = ""
    digit: str = ""


class Dealer(Struct, frozen=True):
    """The dealer's hand at blackjack."""

    cards: tuple[Card, ...]
    total: Number
    blackjack: bool
    bust: bool


class Round(_Head, frozen=True):
    """A finished or voided round; a voided one has neither hands nor outcome."""

    seq: Number
    game: str
    round: Number
    revision: Number
    status: Literal["closed", "corrected", "voided"]
    outcome: str = ""
    hands: dict[str, Hand] = {}
    natural: bool = False
    dealer: Dealer | None = None
    banker: str = ""
    outcomes: dict[str, str] = {}
    winner: str = ""
    pot: str = ""
    shown: tuple[str, ...] = ()
    pairs: dict[str, bool] = {}


GuestMessage = Status | Alarms | Table | Roads | Round

_DECODERS: Final[dict[str, Callable[[bytes], GuestMessage]]] = {
    "status": json_of(Status),
    "alarm": json_of(Alarms),
    "table": json_of(Table),
    "roads": json_of(Roads),
    "round": json_of(Round),
}

TOPICS: Final = tuple(_DECODERS)
"""Topics of a guest screen."""


def read(topic: str, payload: bytes, table: str | None = None) -> GuestMessage | None:
    """Decode a message; None for another topic, and for bytes that are no message of this topic.

    table: from the topic it came on; a message of another table is None.
    """
    decoder = _DECODERS.get(topic)
    try:
        message = decoder(payload) if decoder else None
    except Undecodable:
        return None
    return None if message is None or table not in (None, message.table) else message
