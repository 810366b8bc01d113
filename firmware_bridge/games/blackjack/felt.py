"""The felt of a blackjack round: hands of seats and dealer, their payment, and the discards."""

from collections.abc import Generator, Iterator
from decimal import Decimal
from typing import Any, Literal

from msgspec import Struct, field

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.blackjack.rules import MOST, is_blackjack, total
from firmware_bridge.games.prompts import Ask, did, in_words

How = Literal["stood", "doubled", "bust", "surrendered", "blackjack", "dealer_blackjack"]
"""The end of a hand; `dealer_blackjack`: it lost to one unplayed."""


class Laid(Struct, frozen=True):
    """A card in a hand, and its number (from 0) among the cards of the round."""

    card: Card
    n: int


class Hand(Struct):
    """A hand in play, by its slot: `S3.1` holds the first card of seat 3, the others are numbered as splits make them.

    bet: the stake of the hand. double: stake added. how: None while it is played. net: amount won, below 0 if lost.
    """

    seat: int
    name: str
    bet: Decimal
    laid: list[Laid] = field(default_factory=list)
    double: Decimal = Decimal(0)
    how: How | None = None
    net: Decimal = Decimal(0)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards of the hand, in the order they came to it."""
        return tuple([each.card for each in self.laid])

    @property
    def stake(self) -> Decimal:
        """The whole stake of the hand."""
        return self.bet + self.double

    @property
    def total(self) -> int:
        """The best total of the hand."""
        return total(self.cards)[0]

    @property
    def is_alive(self) -> bool:
        """Whether the hand waits for the dealer's."""
        return self.how in ("stood", "doubled")


class Felt(Struct):
    """The table. seats: seat -> its hands as they lie from the dealer's left. discards: hands in the holder."""

    seats: dict[int, list[Hand]]
    dealer: list[Card | None] = field(default_factory=list)
    drawn: int = 0
    discards: list[str] = field(default_factory=list)

    @property
    def hands(self) -> list[Hand]:
        """All hands as they lie from the dealer's left."""
        return [hand for hands in self.seats.values() for hand in hands]

    @property
    def from_right(self) -> Iterator[Hand]:
        """All hands as they lie from the dealer's right: the order in which they are settled."""
        return reversed(self.hands)

    @property
    def open_dealer(self) -> tuple[Card, ...]:
        """The dealer's cards that are open, in the order drawn."""
        return tuple([card for card in self.dealer if card])

    def natural(self, hand: Hand) -> bool:
        """Return whether the hand is a blackjack: two cards, never split."""
        return len(self.seats[hand.seat]) == 1 and is_blackjack(hand.cards)


Steps = Generator[Ask, Any, None]


def lose(felt: Felt, hand: Hand, amount: Decimal) -> Steps:
    """Collect chips of a hand that is over, then its cards."""
    yield from _collect(hand, amount)
    yield from _discard(felt, hand)


def pay_blackjacks(felt: Felt) -> Steps:
    """Pay each blackjack of a seat 3 to 2, and collect its cards."""
    for hand in felt.from_right:
        if felt.natural(hand):
            hand.how = "blackjack"
            yield from _pay(hand, hand.bet + hand.bet / 2)
            yield from _discard(felt, hand)


def settle_blackjack(felt: Felt) -> Steps:
    """Settle a dealer's blackjack: seats with one push, all others lose."""
    for hand in felt.from_right:
        if felt.natural(hand):
            hand.how = "blackjack"
            yield did("push", hand.name)
        else:
            hand.how = "dealer_blackjack"
            yield from _collect(hand, hand.bet)
    for hand in felt.from_right:
        yield from _discard(felt, hand)
    yield from _discard_dealer(felt)


def settle(felt: Felt) -> Steps:
    """Compare the hands that wait for the dealer's with it: first all chips, then the cards."""
    alive = [hand for hand in felt.from_right if hand.is_alive]
    dealer = total(felt.open_dealer)[0]
    for hand in alive:
        if dealer > MOST or hand.total > dealer:
            yield from _pay(hand, hand.stake)
        elif hand.total == dealer:
            yield did("push", hand.name)
        else:
            yield from _collect(hand, hand.stake)
    for hand in alive:
        yield from _discard(felt, hand)
    yield from _discard_dealer(felt)


def _pay(hand: Hand, amount: Decimal) -> Steps:
    hand.net = amount
    yield did("pay", hand.name, in_words(amount))


def _collect(hand: Hand, amount: Decimal) -> Steps:
    hand.net = -amount
    yield did("take", hand.name, in_words(amount))


def _discard(felt: Felt, hand: Hand) -> Steps:
    felt.discards.append(hand.name)
    yield did("discard", hand.name)


def _discard_dealer(felt: Felt) -> Steps:
    felt.discards.append("D")
    yield did("discard", "D")
