"""A table's messages as far as a guest screen may know them: what is not named here is dropped as it is read.

Left out on purpose: cards left, commitments, heads, people, purses, single bets, what an alarm is about, reasons, odds,
health and versions. A text that comes through is compared with the words of the screen (guest.py), never shown itself.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import Limit

Number = Annotated[int, Meta(ge=0, le=2**53)]


class _Head(Struct, frozen=True):
    """Which shoe of which journal of which table a message is of, which run of the daemon said it, and when."""

    table: str
    shoe: Number
    journal: str
    boot: str
    at: str


class _State(_Head, frozen=True):
    as_of: Number


class Status(_State, frozen=True):
    """Whether the table is there, and whether it deals."""

    state: Literal["online", "stopped", "lost"]
    link: Number
    mode: str


class _Open(Struct, frozen=True):
    blocks: bool


class Alarms(_State, frozen=True):
    """Whether something stops the table: of each alarm this and nothing else."""

    open: tuple[_Open, ...]


class Slot(Struct, frozen=True):
    """A card on the table; None for one that lies face down."""

    slot: str
    card: Card | None = None


class Shows(Struct, frozen=True):
    """The pot of a running round, the stake of a seat that has not looked, the betting round: 0 before the first."""

    round: Number = 0
    stake: str = ""
    pot: str = ""


class Terms(Struct, frozen=True):
    """What the settings of a game say of its limits."""

    min: str = ""
    max: str = ""
    ante: str = ""
    top: str = ""
    base: str = ""


class Settings(Struct, frozen=True):
    """What is dealt in the present shoe, or in the coming one; how bets are closed and a pack is opened; the limits."""

    game: str = ""
    betting: str = ""
    confirm_shuffle: bool = False
    terms: Terms = Terms()


class Table(_State, frozen=True):
    """What lies on the table. act, anytime: slot -> the words that are asked of it; nothing that comes with a word."""

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

    @property
    def game(self) -> str:
        """What is dealt; before the first shoe only the settings say it."""
        return self.settings.game if self.phase == "empty" else self.dealt


class Roads(_State, frozen=True):
    """The roads that guests see: bead plate and big road."""

    naturals: Annotated[str, Meta(pattern="^[01]*$")]
    bead: tuple[tuple[Number, Number, Literal["red", "blue", "green"], bool, bool], ...]
    big_grid: tuple[tuple[Number, Number, Literal["red", "blue", "green"], Number, Number], ...]

    def __post_init__(self) -> None:
        """Raise ValueError where not every bead says whether it was a natural."""
        if len(self.naturals) != len(self.bead):
            raise ValueError("naturals and bead are not of the same rounds")


class Hand(Struct, frozen=True):
    """A hand of a round that is over, as far as its game has these fields."""

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
    """A round that is over, or counts for nothing; a voided one has neither hands nor outcome."""

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


GuestMessage = Status | Alarms | Table | Roads | Round

_DECODERS: Final[dict[str, msgspec.json.Decoder[Any]]] = {
    "status": msgspec.json.Decoder(Status),
    "alarm": msgspec.json.Decoder(Alarms),
    "table": msgspec.json.Decoder(Table),
    "roads": msgspec.json.Decoder(Roads),
    "round": msgspec.json.Decoder(Round),
}

TOPICS: Final = tuple(_DECODERS)
"""The topics that a guest screen is made of."""


def read(topic: str, payload: bytes, table: str | None = None) -> GuestMessage | None:
    """What a message tells guests; None for another topic, and for bytes that are no message of this one.

    table: the one whose topic it came on; what another one says there is no message.
    """
    decoder = _DECODERS.get(topic)
    try:
        message: GuestMessage | None = decoder.decode(payload) if decoder else None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return None if message is None or table not in (None, message.table) else message
