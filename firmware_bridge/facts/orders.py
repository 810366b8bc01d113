"""The orders a backend or a person may give, and the answers they get."""

from typing import Annotated, Final, get_args

from msgspec import Meta, Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.printable import PATTERN

LONGEST_NAME: Final = 64
LONGEST_REASON: Final = 500

# The pattern is for JSON Schema: the desk (table/validation.py) refuses other texts in words of its own.

Name = Annotated[str, Meta(max_length=LONGEST_NAME, extra_json_schema={"pattern": PATTERN})]
"""What people, journals and irregularities are called: at most 64 characters that can be printed."""

Reason = Annotated[str, Meta(max_length=LONGEST_REASON, extra_json_schema={"pattern": PATTERN})]
"""Why somebody gives an order, in his words: at most 500 characters that can be printed, in one line."""

Word = Annotated[str, Meta(min_length=1, max_length=32, pattern=r"^[ -~]*$")]
"""A seat, an amount, a card or a mark as people write it: printable characters."""

Number = Annotated[int, Meta(ge=-(2**53), le=2**53)]
"""What every reader of JSON takes for an integer."""

EntryNumber = Annotated[int, Meta(ge=1, le=2**53)]


class Pack(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The packs in the shoe; without a `lot` the first card's is adopted, without `decks` the table's.

    left: cards still in a shoe that was dealt from elsewhere: nobody knows those before. Only given at the table.
    """

    lot: Number | None = None
    decks: Number | None = None
    left: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class _Order(Struct, frozen=True, omit_defaults=True, tag_field="do", forbid_unknown_fields=True):
    pass


class OpenShoe(_Order, frozen=True, tag="open_shoe"):
    """A shuffled shoe is on the table; the pit boss `confirmed_by` stands for it."""

    pack: Pack = Pack()
    dealer: Name = ""
    confirmed_by: Name = ""


class CloseShoe(_Order, frozen=True, tag="close_shoe"):
    """No more rounds from this shoe; refused while a round is open."""

    why: Reason = ""


class BetsOpen(_Order, frozen=True, tag="bets_open"):
    """Bets may be placed again; only while no card of the round is out."""


class BetsClosed(_Order, frozen=True, tag="bets_closed"):
    """No more bets: the round may be dealt. bets, money: seat -> an amount, in games that need them."""

    bets: dict[Word, Word] = {}
    money: dict[Word, Word] = {}


class Mark(_Order, frozen=True, tag="mark"):
    """A seat's move. round, turn: the question it answers, None for the present one. seat None: the lot.

    In a game where one seat at a time has a say, the seat may be left out.
    """

    word: Word
    seat: Annotated[int, Meta(ge=1, le=99)] | None = None
    value: Word | None = None
    round: Number | None = None
    turn: Number | None = None


class Next(_Order, frozen=True, tag="next"):
    """The dealer's NEXT key, by wire."""


class Reveal(_Order, frozen=True, tag="reveal"):
    """Open sealed cards: those in `slots`, or the next step of the ceremony."""

    slots: tuple[Name, ...] = ()


class Fly(_Order, frozen=True, tag="fly"):
    """Deal this round without a bet and open it at once (guests with a table of their own)."""


class RequestShoeChange(_Order, frozen=True, tag="request_shoe_change"):
    """The guest asks for another shoe."""


class RequestDealerChange(_Order, frozen=True, tag="request_dealer_change"):
    """The guest asks for another dealer: the pit boss sends one."""


class DealerIn(_Order, frozen=True, tag="dealer"):
    """A dealer signs in; the present one is relieved."""

    dealer: Name


class Correct(_Order, frozen=True, tag="correct"):
    """The floor says what came to a closed round, in order: the cards that were played, and the marks, as words."""

    round: Number
    cards: tuple[Word, ...]
    why: Reason


class Void(_Order, frozen=True, tag="void"):
    """The open round counts for nothing."""

    why: Reason


class Resolve(_Order, frozen=True, tag="resolve"):
    """The floor's decision about an open irregularity."""

    irregularity: Name
    choice: Choice
    why: Reason = ""


class Resend(_Order, frozen=True, tag="resend", rename={"start": "from"}):
    """Send messages again: of `journal` from entry `start` to entry `to` inclusive, or all since a time.

    `since` is an RFC 3339 time; exactly one of `journal` and `since` is given.
    """

    journal: Name | None = None
    start: EntryNumber | None = None
    to: EntryNumber | None = None
    since: Name | None = None


class Enter(_Order, frozen=True, tag="enter"):
    """Two people say which card was not read. Local only."""

    card: Card
    second: Name


class Malformed(_Order, frozen=True, tag="malformed"):
    """An order nobody can obey; kept so that its refusal is on record."""

    what: str
    error: str
    hint: str


Order = (
    OpenShoe
    | CloseShoe
    | BetsOpen
    | BetsClosed
    | Mark
    | Next
    | Reveal
    | Fly
    | RequestShoeChange
    | RequestDealerChange
    | DealerIn
    | Void
    | Resolve
    | Correct
    | Resend
    | Enter
    | Malformed
)

ORDERS: Final[tuple[type[Order], ...]] = tuple(each for each in get_args(Order) if each not in (Enter, Malformed))
"""What the topic `command` can be allowed to take."""


def tag_of(order: Order | type[Order]) -> str:
    """The name of an order: what `do` says."""
    return str(order.__struct_config__.tag)


ALL: Final = tuple(map(tag_of, ORDERS))
"""The names of the orders that the topic `command` can be allowed to give."""

BY_MQTT: Final = ("bets_open", "bets_closed", "mark", "resend")
"""Those it may give where the config says nothing: what a backend needs in every round, and resends."""

LOCAL: Final = (*ALL, "enter")
"""The orders that can be given at the table."""


class Answer(Struct, frozen=True, omit_defaults=True):
    """The answer to the giver of an order; `error` says why it was refused, `hint` what to do next.

    digest: on record, of the order that was answered (`Ordered`); its giver is not told.
    """

    ok: bool
    id: str | None = None
    do: str | None = None
    error: str | None = None
    hint: str | None = None
    digest: str | None = None
