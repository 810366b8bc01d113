"""Prompts of the script of a round: a card, an opening, marks, an answer; and reports of what happened."""

import re
from decimal import Context, Decimal, InvalidOperation
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.facts.book.refusals import Refused, phrase
from firmware_bridge.facts.events_of_rounds import Reason, Word, Words
from firmware_bridge.games.moves import LOT


class CardDue(Struct, frozen=True):
    """The next card belongs to `slot`, which is where it is laid.

    plays: the slot it is played in, None for a reserve with no part, or with a part that is not known yet.
    down: by the rules of the game it lies face down. why: the rule in words, from open cards only.
    reason: the rule as an id and values; None where the slot alone is enough.
    """

    slot: str
    plays: str | None
    down: bool = False
    why: str = ""
    reason: Reason | None = None


class OpeningDue(Struct, frozen=True):
    """The round goes on only when cards are opened.

    step: the slots that REVEAL and the clock open next. may: all slots that an order can open now.
    by_itself: they are opened at once, also where a house seals cards: the result is known, no guest squeezes.
    only: the numbers (from 0) of the cards that are opened, where others in these slots stay face down; () for all.
    """

    step: tuple[str, ...]
    may: tuple[str, ...]
    why: str = ""
    by_itself: bool = False
    only: tuple[int, ...] = ()


class Nothing(Struct, frozen=True, tag=True):
    """The mark takes no value."""


class Choice(Struct, frozen=True, tag=True):
    """The mark takes one of `values`."""

    values: tuple[str, ...]


class Between(Struct, frozen=True, tag=True):
    """The mark takes an amount from `least` to `most`, both included, in whole steps above `least`.

    step: None for any amount. above: `least` itself is too little. or_none: without a value it means `most`.
    """

    least: Decimal
    most: Decimal
    step: Decimal | None = None
    above: bool = False
    or_none: bool = False


class Whole(Struct, frozen=True, tag=True):
    """The mark takes a whole number from `least` to `most`, both included."""

    least: int
    most: int


class Price(Struct, frozen=True, tag=True):
    """The mark takes no value and costs `cost`."""

    cost: Decimal


class Target(Struct, frozen=True, tag=True):
    """The mark names one of `seats` and costs `cost`; without seats it takes no value and means all of them."""

    seats: tuple[str, ...]
    cost: Decimal


Offer = Nothing | Choice | Between | Whole | Price | Target
"""The value that may come with a mark."""


class MarkDue(Struct, frozen=True):
    """Marks are due: of the seats that must (`act`), and of those that may at any time (`anytime`), with their offers.

    Seats are named by their slots: `S3`, a hand of it `S3.2`; the lot is the slot `lot`.
    again: it is the question asked before, not yet answered by all: its number stays. place: which of the seat's hands
    is asked, counted from 0 at the dealer's left.
    """

    act: dict[str, dict[str, Offer]]
    anytime: dict[str, dict[str, Offer]] = {}
    why: str = ""
    again: bool = False
    place: int = 0


class Question(Struct, frozen=True):
    """A question to cards lying face down: `what` (peek, compare) among those in `of`; the answer is one of `among`."""

    what: str
    among: tuple[str, ...]
    of: tuple[str, ...] = ()


Due = CardDue | OpeningDue | MarkDue | Question
"""Any prompt a round can wait for."""


class Plays(Struct, frozen=True):
    """The card of move `n` (from 0) is played in `slot` from now on: a reserve, or the card of a split."""

    n: int
    slot: str


class Did(Struct, frozen=True):
    """An event at the table in `words`: a verb and what it concerns; no sealed face in it."""

    words: Words


class Shows(Struct, frozen=True):
    """The game's view of the running round from here on, beside cards, hands and marks: betting round, pot.

    playing, looked: the slots of seats that are still in, and of those that looked; None where the game has no such.
    """

    of: Struct
    playing: tuple[str, ...] | None = None
    looked: tuple[str, ...] | None = None


class Sign(Struct, frozen=True):
    """The answer about a slot with cards face down, shown until the next card or mark.

    `turn`: the dealer has a blackjack. `no`: the dealer has none. `lost`: the hand lost a comparison.
    """

    slot: str
    means: Literal["turn", "no", "lost"]


Ask = Due | Plays | Did | Shows | Sign
"""Anything a script yields. `Plays`, `Did`, `Shows` and `Sign` wait for no move."""


def did(verb: str, *about: Word) -> Did:
    """Return the `Did` of a verb: `did("pay", "S3.1", "15")`."""
    return Did((verb, *about))


WHOLE: Final = re.compile("0|[1-9][0-9]{0,14}")
"""A whole number as text."""

DIGITS: Final = 15
"""Digits of the longest amount."""

EXACT: Final = Context(prec=100)
"""Amounts have far fewer digits, behind the point and before it: with this context none is ever rounded."""

LONGEST_SETTING: Final = 32
"""Letters of the longest amount that a house may set."""


def amount(text: str | None) -> Decimal:
    """Return an amount of money in plain decimals. Raises Refused for anything else."""
    try:
        if text is None or not set(text) <= set("0123456789.") or len(text) > DIGITS:
            raise InvalidOperation
        return Decimal(text)  # neither sign nor exponent: digits and one point
    except InvalidOperation:
        raise Refused("bad_amount", now=(phrase("digits"),)) from None


def is_of_letters(money: Decimal, most: int) -> bool:
    """Return whether a setting is an amount that can be written in at most so many letters, without an exponent."""
    exponent = money.as_tuple().exponent
    return isinstance(exponent, int) and abs(exponent) <= most and len(f"{money:f}") <= most


def check_settings(**amounts: Decimal) -> None:
    """Check that settings, each by its name, are amounts of money. Raises ValueError."""
    for name, money in amounts.items():
        if not is_of_letters(Decimal(money), LONGEST_SETTING):
            raise ValueError(f"{name} = {money}: give an amount of at most {LONGEST_SETTING} characters")


def in_words(money: Decimal) -> str:
    """Return an amount as plain decimals: "37.5", "-7.5", "100"; never an exponent, no zeros behind the point."""
    text = f"{money:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def check(word: str, value: str | None, offer: Offer) -> None:
    """Check the value of a mark. Raises Refused with the values allowed."""
    match offer:
        case Nothing() | Price() | Target(seats=()):
            if value is not None:
                raise Refused("bad_amount", now=(phrase("no_value", word=word),))
        case Choice(values=values):
            if value not in values:
                one = phrase("one_of", word=word, values=values)
                raise Refused("not_in_lot" if word == LOT else "bad_amount", now=(one,))
        case Whole(least=least, most=most):
            if value is None or not WHOLE.fullmatch(value) or not least <= int(value) <= most:
                raise Refused("bad_amount", now=(phrase("whole", word=word, least=least, most=most),))
        case Target(seats=seats):
            if value not in seats:
                raise Refused("bad_target", now=(phrase("one_of", word=word, values=seats),))
        case Between():
            if value is not None or not offer.or_none:
                _between(word, amount(value), offer)


def _between(word: str, given: Decimal, offer: Between) -> None:
    is_whole = offer.step is None or (given - offer.least) % offer.step == 0
    if not (offer.least <= given <= offer.most) or (offer.above and given == offer.least) or not is_whole:
        limits = {"word": word, "least": str(offer.least), "most": str(offer.most)}
        code = "more_than" if offer.above else "from_to"
        if offer.step:
            code, limits = f"{code}_in_steps", {**limits, "step": str(offer.step)}
        raise Refused("bad_amount", now=(phrase(code, **limits),))
