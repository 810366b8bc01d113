"""Places what guests see of a round: the dealer above, and every seat where it is at the table, the same each round."""

from typing import Final, Literal, NamedTuple

from firmware_bridge.floor.page.guest.view import View
from firmware_bridge.games import GAMES
from firmware_bridge.games.guest import Hand, Result, seat

DEALER: Final = "D"

CARDS: Final = (2, 3, 4, 6, 8, 12, 24)
"""Steps of the number of cards in a hand: what has more than one step has the size of the next."""

HANDS: Final = (1, 2, 4, 6, 12)
"""Steps of the number of hands of a seat."""


class Place(NamedTuple):
    """A seat. hands: empty for a seat that does not play. is_in: whether it plays for the pot; None without one."""

    number: int
    hands: tuple[Hand, ...] = ()
    is_in: bool | None = None


class Board(NamedTuple):
    """The hands of one round. when: `now` if it is being dealt, `last` if it is over, `past` if another one is dealt.

    result: the last one, in hands or in words. sides: hands of a game without seats. dealer: None where he has no hand.
    cards, hands: the steps that all hands have room for, so that all letters have one size.
    """

    when: Literal["now", "last", "past"]
    result: Result | None
    sides: tuple[Hand, ...]
    dealer: Hand | None
    places: tuple[Place, ...]
    cards: int
    hands: int

    @property
    def has_hands(self) -> bool:
        """Whether there is anything beside the result in words."""
        return bool(self.sides or self.dealer or self.places)


def board(shown: View) -> Board:
    """Return the board of a view: the round that is dealt where guests see of it, else the last one."""
    is_now = bool(shown.cards or shown.pot or shown.stake or shown.seats)
    result = shown.result
    hands = shown.cards if is_now else result.hands if result else ()
    guest = GAMES[shown.game].guest if shown.game in GAMES else None
    numbers = [number for each in shown.places if (number := _number(each))]
    seated = [each for each in hands if _number(each.name) in numbers]
    places = tuple(
        [_place(number, seated, shown.seats if guest and guest.has_pot and is_now else None) for number in numbers]
    )
    dealer = next((each for each in hands if each.name == DEALER), None)
    if dealer is None and guest and guest.has_dealer:
        dealer = Hand(DEALER, ())
    return Board(
        when="now" if is_now else "past" if shown.runs else "last",
        result=result,
        sides=_sides(guest.sides if guest else (), hands),
        dealer=dealer,
        places=places,
        cards=_step(CARDS, max((len(each.cards) for each in seated), default=0)),
        hands=_step(HANDS, max((len(each.hands) for each in places), default=0)),
    )


def _sides(names: tuple[str, ...], hands: tuple[Hand, ...]) -> tuple[Hand, ...]:
    """Return the hands of all sides, once one of them has a card."""
    by_name = {each.name: each for each in hands if each.name in names}
    return tuple([by_name.get(name) or Hand(name, ()) for name in names]) if by_name else ()


def _place(number: int, hands: list[Hand], still: tuple[str, ...] | None) -> Place:
    """Return a seat with its hands. still: the seats that play for the pot; None without one."""
    is_in = None if still is None else f"S{number}" in still
    return Place(number, tuple([each for each in hands if _number(each.name) == number]), is_in)


def _number(slot: str) -> int:
    """Return the number of a seat, 0 for the dealer and for what is no seat."""
    return (seat(slot) or (0, 0))[0]


def _step(steps: tuple[int, ...], count: int) -> int:
    return next((each for each in steps if each >= count), steps[-1])
