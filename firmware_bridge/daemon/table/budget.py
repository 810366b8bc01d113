"""Limits what orders that go back may add to the journal: marks taken back, bets opened again, rounds voided."""

from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.refusals import is_backend, of_a_key
from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.book.orders import Price
from firmware_bridge.shoe.state import Shoe

Source = Literal["backend", "keys", "people"]

AT_ONCE: Final = 16_000
"""Bytes that the steps back of a source may add at once: some ten marks taken back and given again."""

A_SECOND: Final = 150
"""Bytes more a second: a mark taken back and given again each 10 s. 0.54 MB an hour, and counted refusals beside it."""

TOO_OFTEN: Final = "too_often"

LEASE: Final = 3
"""Entries of a lease: the reader is lent, it comes back, its board is met again."""


class Budget:
    """Bytes that the orders of each source may still add to the journal without bringing a round forward.

    Such an order, a step back, is charged with its entry and with what it throws away; a source without budget is
    refused any further one. No other order is charged or refused: the cards, the seats and the rules bound it, or it
    decides about something that a device reported (`resolve`). time: the clock, s.
    """

    def __init__(self, time: Callable[[], float]) -> None:
        self._time = time
        self._left: dict[Source, float] = {"backend": AT_ONCE, "keys": AT_ONCE, "people": AT_ONCE}
        self._filled_at = time()
        self._since = 0

    def is_spent(self, source: Source) -> bool:
        """Return whether a source has no budget now."""
        now = self._time()
        more, self._filled_at = (now - self._filled_at) * A_SECOND, now
        self._left = {each: min(AT_ONCE, left + more) for each, left in self._left.items()}
        return self._left[source] <= 0

    def admitted(
        self, shoe: Shoe, fact: inputs.AnyInput, judge: Callable[[inputs.AnyInput], Sequence[events.AnyEvent]]
    ) -> inputs.AnyInput:
        """Return the input itself; in place of a step back that its source has no budget for, a refused order."""
        if not isinstance(fact, inputs.Ordered | inputs.Pressed) or not self.is_spent(_source(fact)):
            return fact
        return _refused(fact) if _price(shoe, fact, judge(fact), 2, self._since) else fact

    def journaled(self, shoe: Shoe, entry: events.Entry, size: int) -> None:
        """Charge the source of an entry of `size` bytes that is on disk. shoe: as it was before."""
        fact = entry.input
        if isinstance(fact, inputs.CardRead) or any(isinstance(each, events.RoundClosed) for each in entry.events):
            self._since = 0
        elif price := _price(shoe, fact, entry.events, size, self._since):
            self._left[_source(fact)] -= price
            self._since = 0
        elif isinstance(fact, inputs.Ordered | inputs.Pressed) and not _changes_nothing(entry.events):
            self._since = min(AT_ONCE, self._since + size)


def _source(fact: inputs.AnyInput) -> Source:
    if not isinstance(fact, inputs.Ordered | inputs.ReaderBorrowed):
        return "keys"
    return "backend" if is_backend(fact.by) else "keys" if of_a_key(fact.by) else "people"


def _price(shoe: Shoe, fact: inputs.AnyInput, made: Sequence[events.AnyEvent], size: int, since: int) -> int:
    """Return the bytes charged for an entry of `size` bytes; 0 for one that goes forward, or changes nothing.

    since: bytes that were ordered since the last card; a step back throws them away, and is charged for them while no
    card of the round lies.
    """
    if isinstance(fact, inputs.ReaderBorrowed):
        return LEASE * size
    if _changes_nothing(made):
        return 0
    if _is_refusal(made[-1]):  # and yet something is on record: an irregularity, bets that make no round
        return size
    match fact:
        case inputs.Pressed(key="unmark"):
            return 2 * size
        case inputs.Pressed(key=key) if key not in ("next", "reveal"):  # a result again
            return size if since else 0
        case inputs.Ordered(order=order) if not isinstance(order, orders.Malformed):
            return _PRICES[orders.row_of(order).price](shoe, order, size, since)
    return 0


def _back(shoe: Shoe, order: orders.Order, size: int, since: int) -> int:
    """Return the charge for what is thrown away: a round with cards cannot be given again by orders alone."""
    return size if shoe.laid else size + since


def _purses(shoe: Shoe, order: orders.Order, size: int, since: int) -> int:
    """Return the charge for purses that are given again; the first ones after a round are its own."""
    return size + since if since and shoe.status == "open" and not shoe.betting else 0


def _again(shoe: Shoe, order: orders.Order, size: int, since: int) -> int:
    """Return the charge for a further correction of a round."""
    number = getattr(order, "round", None)
    return size if any(each.round == number and each.revision for each in shoe.rounds) else 0


_PRICES: Final[dict[Price, Callable[[Shoe, orders.Order, int, int], int]]] = {
    "free": lambda shoe, order, size, since: 0,
    "entry": lambda shoe, order, size, since: size,
    "half": lambda shoe, order, size, since: size // 2,
    "twice": lambda shoe, order, size, since: 2 * size,
    "back": _back,
    "purses": _purses,
    "again": _again,
}
"""Price of an order in the book -> the bytes that are charged: of the shoe, order, entry, and what was ordered."""


def _changes_nothing(made: Sequence[events.AnyEvent]) -> bool:
    return all(isinstance(each, events.CommandAnswered | events.KeyRefused) for each in made)


def _is_refusal(event: events.AnyEvent) -> bool:
    return isinstance(event, events.KeyRefused) or (isinstance(event, events.CommandAnswered) and not event.answer.ok)


def _refused(fact: inputs.Ordered | inputs.Pressed) -> inputs.Ordered:
    """Return the order that stands for one beyond the budget: with its giver and id, a key's with a stamp of now."""
    if isinstance(fact, inputs.Ordered):
        return replace(fact, order=orders.malformed(orders.tag_of(fact.order), TOO_OFTEN))
    refused = orders.malformed(fact.key, TOO_OFTEN)
    return inputs.Ordered(**now(), order=refused, by=f"key {fact.key}", nonce=fact.nonce)
