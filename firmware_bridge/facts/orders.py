"""The orders of backends and people, and the answers to them."""

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import fields

from firmware_bridge.facts import names
from firmware_bridge.facts.book import orders as book
from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.bounds import PERSON
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.printable import PATTERN

LONGEST_NAME: Final = names.LONGEST
LONGEST_REASON: Final = 500

# The pattern is for JSON Schema: validation.py refuses other texts with a text of its own.

Name = Annotated[str, Meta(max_length=LONGEST_NAME, extra_json_schema={"pattern": PATTERN})]
"""The name of a journal or an irregularity: at most 64 printable characters."""

PersonName = Annotated[
    str, Meta(max_length=LONGEST_NAME, extra_json_schema={"pattern": PATTERN, "x-of": PERSON}, extra={"of": PERSON})
]
"""The name of a person: `names.unfit` says which ones are refused."""

Reason = Annotated[str, Meta(max_length=LONGEST_REASON, extra_json_schema={"pattern": PATTERN})]
"""The giver's reason for an order: one line of at most 500 printable characters."""

Word = Annotated[str, Meta(min_length=1, max_length=32, pattern=r"^[ -~]*$")]
"""A seat, an amount, a card or a mark as people write it: printable ASCII."""

Number = Annotated[int, Meta(ge=-(2**53), le=2**53)]
"""An integer that every reader of JSON keeps exact."""

EntryNumber = Annotated[int, Meta(ge=1, le=2**53)]

MOST_MISSED: Final = 20
"""The most cards of one round that a reader may have missed, by a correction."""

KEYPAD: Final = "dealer's keypad"
"""Who gives the orders of the keys on the dealer's keypad."""


class Pack(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The packs in the shoe; without a `lot` the first card's is adopted, without `decks` the table's.

    left: cards left in a shoe that was dealt from elsewhere, those before unknown. Only given at the table.
    """

    lot: Number | None = None
    decks: Number | None = None
    left: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class _Order(Struct, frozen=True, omit_defaults=True, tag_field="do", forbid_unknown_fields=True):
    pass


class OpenShoe(_Order, frozen=True, tag="open_shoe"):
    """Opens the shuffled shoe on the table; the pit boss `confirmed_by` confirms the shuffle."""

    pack: Pack = Pack()
    dealer: PersonName = ""
    confirmed_by: PersonName = ""


class CloseShoe(_Order, frozen=True, tag="close_shoe"):
    """Closes the shoe: no more rounds from it; refused while a round is open."""

    why: Reason = ""


class CloseTable(_Order, frozen=True, tag="close_table"):
    """Closes the table until its next shoe is opened; refused while a shoe is open."""

    why: Reason = ""


class BetsOpen(_Order, frozen=True, tag="bets_open"):
    """Opens betting again; only while no card of the round is drawn. round: as in the topic `table`, None for any."""

    round: Number | None = None


class BetsClosed(_Order, frozen=True, tag="bets_closed"):
    """Closes betting: the round may be dealt. bets, money: seat -> an amount, in games that need them.

    round: as in the topic `table`, None for any.
    """

    bets: dict[Word, Word] = {}
    money: dict[Word, Word] = {}
    round: Number | None = None


class Mark(_Order, frozen=True, tag="mark"):
    """A seat's move. round, turn: the question it answers, None for the present one. seat None: the draw.

    The seat may be left out in a game that asks one seat at a time.
    """

    word: Word
    seat: Annotated[int, Meta(ge=1, le=99)] | None = None
    value: Word | None = None
    round: Number | None = None
    turn: Number | None = None


class Unmark(_Order, frozen=True, tag="unmark"):
    """Takes back the last mark, while nothing followed it. round, turn: the question that is asked now, None for any.

    seat: the seat that gave it, None for any; refused if it was another's.
    """

    seat: Annotated[int, Meta(ge=1, le=99)] | None = None
    round: Number | None = None
    turn: Number | None = None


class Next(_Order, frozen=True, tag="next"):
    """The dealer's NEXT key as an order. round: as in the topic `table`, None for any."""

    round: Number | None = None


class Reveal(_Order, frozen=True, tag="reveal"):
    """Opens sealed cards: those in `slots`, or the next step of the ceremony. round: as in `table`, None for any."""

    slots: tuple[Name, ...] = ()
    round: Number | None = None


class Fly(_Order, frozen=True, tag="fly"):
    """Deals this round without a bet and opens it at once (guests with a table of their own).

    round: as in the topic `table`, None for any.
    """

    round: Number | None = None


class RequestShoeChange(_Order, frozen=True, tag="request_shoe_change"):
    """The guest requests another shoe."""


class RequestDealerChange(_Order, frozen=True, tag="request_dealer_change"):
    """The guest requests another dealer: the pit boss sends one."""


class DealerIn(_Order, frozen=True, tag="dealer"):
    """Signs a dealer in, in place of the present one."""

    dealer: PersonName


class Correct(_Order, frozen=True, tag="correct"):
    """Corrects a closed round. cards: the cards that were played, and the marks, in order, as words.

    They are as many as the round had; a card more is refused, unless it is one of those `missed`: played, and not seen
    by the reader. second: the second person, at the table only.
    """

    round: Number
    cards: tuple[Word, ...]
    why: Reason
    second: PersonName = ""
    missed: Annotated[int, Meta(ge=0, le=MOST_MISSED)] = 0


class Void(_Order, frozen=True, tag="void"):
    """Voids the open round: it does not count. second: the second person, at the table only.

    round: as in the topic `table`, None for any.
    """

    why: Reason
    second: PersonName = ""
    round: Number | None = None


class Resolve(_Order, frozen=True, tag="resolve"):
    """The pit's decision about an open irregularity. second: the second person, at the table only."""

    irregularity: Name
    choice: Choice
    why: Reason = ""
    second: PersonName = ""


class Resend(_Order, frozen=True, tag="resend", rename={"start": "from"}):
    """Sends messages again: of `journal` from entry `start` to entry `to` inclusive, or all since a time.

    `since` is an RFC 3339 time; exactly one of `journal` and `since` is given.
    """

    journal: Name | None = None
    start: EntryNumber | None = None
    to: EntryNumber | None = None
    since: Name | None = None


class Enter(_Order, frozen=True, tag="enter"):
    """Two people enter the card that was not read. Only at the table."""

    card: Card
    second: PersonName


class Malformed(_Order, frozen=True, tag="malformed"):
    """An order that cannot be carried out; kept so that its refusal is on record, by its code and values.

    error, hint: its English, in journals of format 3, which have no values here.
    """

    what: str
    error: str = ""
    hint: str = ""
    code: str = ""
    values: dict[str, Value] = {}


Order = (
    OpenShoe
    | CloseShoe
    | CloseTable
    | BetsOpen
    | BetsClosed
    | Mark
    | Unmark
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


def tag_of(order: Order | type[Order]) -> str:
    """Return the name of an order: the value of `do`."""
    return str(order.__struct_config__.tag)


TYPES: Final[dict[str, type[Order]]] = {do: each for each in get_args(Order) if (do := tag_of(each)) in book.ORDERS}
"""Name of an order -> its type."""

ALL: Final = tuple(do for do in TYPES if book.ORDERS[do].by_wire)
"""The names of the orders that the topic `command` can be allowed to give."""

ORDERS: Final = tuple(TYPES[do] for do in ALL)
"""The orders that the topic `command` can be allowed to give."""

BY_MQTT: Final = tuple(do for do in ALL if book.ORDERS[do].usual)
"""The default of these: the orders of every round, and `resend`."""


def row_of(order: Order | type[Order]) -> book.Row:
    """Return the row of an order in the book. Raises KeyError for one that stands for what cannot be carried out."""
    return book.ORDERS[tag_of(order)]


def _may_name_round(order: type[Order]) -> bool:
    return any(each.name == "round" and not each.required for each in fields(order))


OF_ROUND: Final = tuple(filter(_may_name_round, ORDERS))
"""The orders about the round that is open or comes next; they may name it."""


def round_of(order: Order) -> int | None:
    """Return the round that an order names of those which may; None for none."""
    return getattr(order, "round", None) if type(order) in OF_ROUND else None


def reason(order: type[Order]) -> Literal["none", "may", "must"]:
    """Return whether an order has the giver's reason."""
    found = [each.required for each in fields(order) if each.name == "why"]
    return "none" if not found else "must" if found[0] else "may"


BY_KEY: Final = names.KEY
"""How the giver of a signed order begins: the name of its key follows."""

CLAIMS: Final = ("count", "as_of", "expires", "on_behalf_of")
"""What a signed order may say beside its own fields. on_behalf_of: the person who gave it, as its key says."""

TOPICS_BY_KEY: Final = ("stored",)
"""The topics that a key may be allowed to write, beside orders."""

LOCAL: Final = tuple(TYPES)
"""The orders that can be given at the table."""


NOT_YET: Final = "not_yet"
"""The code of a refusal by a table that has not read its journal yet: nothing was judged, so give it again."""


class Answer(Struct, frozen=True, omit_defaults=True):
    """The answer to the giver of an order. code, values: of a refusal; programs act on them.

    error, hint: the same in English, for people; not on record, made where an answer is sent.
    digest: of the order that was answered (`Ordered`); on record only, not sent. count: with `old_count` and
    `count_ahead`, the last one taken of this key, 0 for none. left_out: of `bets_closed`, seat -> why it takes no part
    in the round, such as `below_min`: its bet was not taken.
    """

    ok: bool
    id: str | None = None
    do: str | None = None
    error: str | None = None
    hint: str | None = None
    digest: str | None = None
    code: str | None = None
    count: int | None = None
    left_out: dict[str, str] = {}
    values: dict[str, Value] = {}


def refused(code: str, id: str | None = None, do: str | None = None, /, **values: Value) -> Answer:
    """Return the answer that refuses an order by a code of `refusals.REFUSALS`. id, do: of the order."""
    return Answer(ok=False, id=id, do=do, code=code, values=values)


def malformed(what: str, code: str, /, **values: Value) -> Malformed:
    """Return the order that stands for one that cannot be carried out, refused by a code of `refusals.REFUSALS`."""
    return Malformed(what, code=code, values=values)
