"""The orders, a row each: who may give it, when, how many people, its price; tables, rights and forms are read off."""

from collections.abc import Collection
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from msgspec import UnsetType

from firmware_bridge.facts.book import standing as when
from firmware_bridge.facts.book.roles import Role
from firmware_bridge.facts.book.standing import Conditions

People = Literal["one", "house", "logins", "two"]
"""How many people give an order: two where the `house` asks for them; `logins`: also where two people are two logins.

`two`: always.
"""

Price = Literal["free", "entry", "half", "twice", "back", "purses", "again"]
"""Bytes charged for an order that brings no round forward (daemon/table/budget.py): its entry, half of it, twice.

back: its entry, and what was ordered since the last card. purses, again: only where it replaces purses, a correction.
"""


class Row(NamedTuple):
    """An order.

    when: conditions that are judged first. behind: those that its handler judges behind the arguments. said: refusals
    that depend on an argument, or on the moment. who: the roles at the table, besides the owner. by_wire: `command` may
    be allowed to give it, `usual`: is, if the config does not say. people: how many. two_by_key: a signed order may
    name the second person. asks: what it would change is shown before it is given. is_key: it stands for a key of the
    dealer's. page: its place among the buttons of the page, 0 if it has none. is_anytime: it changes nothing, so that
    it may be of any moment. of_bets: it has no effect where betting is ignored.
    """

    when: Conditions = MappingProxyType({})
    behind: Conditions = MappingProxyType({})
    said: tuple[str, ...] = ()
    who: tuple[Role, ...] = ("pit",)
    by_wire: bool = True
    usual: bool = False
    people: People = "one"
    two_by_key: bool = False
    price: Price = "free"
    asks: bool = False
    is_key: bool = False
    page: int = 0
    is_anytime: bool = False
    of_bets: bool = False

    @property
    def codes(self) -> tuple[str, ...]:
        """The refusals for which the arguments do not matter, the first one first."""
        return (*self.when, *self.behind)


_TWO: Final = ("same_person", "two_people")
_STAKES: Final = ("takes_no_stakes", "takes_other_stakes", "no_such_seat_word", "no_amount", "bets_missing", "no_round")
_MARKS: Final = (
    *("late", "unknown", "not_possible", "not_your_turn", "already_marked", "bad_amount", "bad_target", "not_in_lot"),
    *("not_enough_money", "no_mark_due", "over"),
)
_CORRECTED: Final = (
    *("round_voided", "round_not_closed", "changes_nothing", "word_out_of_place", "cards_incomplete"),
    *("words_incomplete", "too_many_cards", "fewer_missed", "none_missed", "card_too_often", "no_such_card"),
)
_DECIDED: Final = (
    *("alarm_not_open", "no_such_choice", "no_choice", "card_gone", "no_round_for_choice", "round_closed"),
    *("burn_card_decides", "lid_open"),
)

ORDERS: Final[dict[str, Row]] = {
    "open_shoe": Row(when.BETWEEN_SHOES, behind=when.READER_HERE, said=("shuffle_unconfirmed", "wrong_decks")),
    "close_shoe": Row(when.BETWEEN_ROUNDS, price="back"),
    "close_table": Row({**when.BETWEEN_SHOES, **when.TABLE_OPEN}, price="entry", page=6),
    "bets_open": Row(when.BETS_TO_OPEN, usual=True, price="back", page=2, of_bets=True),
    "bets_closed": Row(when.BETS_TO_CLOSE, said=_STAKES, usual=True, price="purses", page=3, of_bets=True),
    "mark": Row(when.MARK_TIME, behind=when.NO_BETS_AWAITED, said=_MARKS, usual=True, is_key=True),
    "unmark": Row(
        behind={**when.MARK_STANDS, **when.MARK_UNPAID},
        said=("late", "mark_of_other_seat", "mark_stands_seen"),
        price="twice",
        is_key=True,
    ),
    "next": Row(behind=when.NEXT, said=("same_press",), is_key=True),
    "reveal": Row(
        when.BURNED,
        behind={**when.SEALED, **when.OPENING},
        said=("slot_not_to_open", "card_unread"),
        is_key=True,
    ),
    "fly": Row(when.FLY),
    "request_shoe_change": Row(when.SHOE_CHANGE, page=4),
    "request_dealer_change": Row(when.DEALER_CHANGE, price="entry", page=5),
    "dealer": Row(said=("dealer_missing",), price="entry"),
    "void": Row(when.ROUND_TO_VOID, said=_TWO, people="house", two_by_key=True, price="back", asks=True, page=1),
    "resolve": Row(behind=when.ALARM_OPEN, said=(*_TWO, *_DECIDED), people="house", two_by_key=True, asks=True, page=7),
    "correct": Row(when.SHOE_BEGUN, said=(*_TWO, *_CORRECTED), people="logins", price="again", asks=True),
    "resend": Row(usual=True, is_anytime=True),
    "enter": Row(
        when.SHOE_OPEN,
        behind=when.CARD_TO_ENTER,
        said=("same_person_enters", "no_more_of_card"),
        by_wire=False,
        people="two",
        price="half",
    ),
}
"""Name of an order (`do`) -> its row, in the order in which they are listed."""

GUARDED: Final = tuple(do for do, row in ORDERS.items() if row.people in ("house", "logins"))
"""The orders for which a house may ask for two people (`[service] second_person`)."""

VOIDS: Final = "void"
"""The order that two people give also where a decision about an alarm voids a round."""


IN_ROUND: Final = tuple(each.value for each in when.IN_ROUND)
"""The phases of the topic `table` in which a round is open."""


def voids(choice: str, phase: str) -> bool:
    """Return whether a decision voids a round."""
    return choice == "void" or (choice == "end-shoe" and phase in IN_ROUND)


def needs_two(do: str, asked: Collection[str] | UnsetType, phase: str, choice: str = "") -> bool:
    """Return whether a house that asks two people for these orders asks them for this one. choice: of a decision."""
    asked = asked or ()
    return do in asked or (VOIDS in asked and do == "resolve" and voids(choice, phase))
