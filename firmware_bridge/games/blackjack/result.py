"""The result of a round of blackjack."""

from decimal import Decimal
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.games.blackjack import felt as on
from firmware_bridge.games.blackjack.rules import MOST, STANDS_ON, is_blackjack, total
from firmware_bridge.games.game import Result, Start
from firmware_bridge.games.prompts import in_words

Outcome = Literal["win", "lose", "push"]


class Hand(Struct, frozen=True):
    """A seat's hand. units: net in units of `bet`, a decimal or `p/q`; amounts are exact decimal texts."""

    cards: tuple[Card, ...]
    points: str
    total: int
    soft: bool
    how: on.How
    bet: str
    double: str
    outcome: Outcome
    units: str
    net: str


class Dealer(Struct, frozen=True):
    """The dealer's hand, cards in the order drawn. soft: an ace counts 11."""

    cards: tuple[Card, ...]
    total: int
    soft: bool
    blackjack: bool
    bust: bool


class Seat(Struct, frozen=True):
    """The net of a seat with all its hands, in units of its bet and in money."""

    units: str
    net: str


class Own(Struct, frozen=True):
    """The fields of a round that only blackjack has.

    seats: `S3` -> its sum. house: minus the sum of all nets. discards: hands, and `D`, in the order they went into the
    discard holder. left: cards in the shoe after the round. shuffle_due: fewer than a quarter of the shoe are left.
    """

    dealer: Dealer
    seats: dict[str, Seat]
    house: str
    discards: tuple[str, ...]
    left: int
    shuffle_due: bool


def result(felt: on.Felt, start: Start) -> Result:
    """Return the result of the settled round on the table."""
    cards = felt.open_dealer
    best, soft = total(cards)
    dealer = Dealer(cards, best, soft, is_blackjack(cards), best > MOST)
    nets = {seat: sum((hand.net for hand in hands), Decimal(0)) for seat, hands in felt.seats.items()}
    put = {seat: sum((hand.stake for hand in hands), Decimal(0)) for seat, hands in felt.seats.items()}
    outcome, why, reason = _ended(dealer)
    return Result(
        hands={hand.name: _hand(hand) for hand in felt.hands},
        outcome=outcome,
        bets={f"S{seat}": in_words(net) for seat, net in nets.items()},
        staked={f"S{seat}": in_words(amount) for seat, amount in put.items()},
        own=Own(
            dealer=dealer,
            seats={f"S{seat}": Seat(units(net, felt.seats[seat][0].bet), in_words(net)) for seat, net in nets.items()},
            house=in_words(-sum(nets.values(), Decimal(0))),
            discards=tuple(felt.discards),
            left=start.left - felt.drawn,
            shuffle_due=is_shuffle_due(start.decks, start.left - felt.drawn),
        ),
        why=(why,),
        reasons=(reason,),
    )


def is_shuffle_due(decks: int, left: int) -> bool:
    """Return whether fewer than a quarter of the cards of so many packs are left."""
    return 4 * left < len(FACES) * decks


def _ended(dealer: Dealer) -> tuple[str, str, Reason]:
    """Return the outcome for the dealer: as a word, as a sentence, and as an id with values."""
    if dealer.blackjack:
        return "dealer_blackjack", "the dealer has a blackjack", Reason("dealer_blackjack", {})
    now = Reason("dealer_total", {"total": dealer.total})
    if dealer.bust:
        return "dealer_bust", f"the dealer busts with {dealer.total}", Reason("dealer_bust", {"total": dealer.total})
    if dealer.total >= STANDS_ON:
        return f"dealer_{dealer.total}", f"the dealer stands on {dealer.total}", now
    why = f"no hand is left, the dealer keeps {dealer.total}"
    return "dealer_no_draw", why, Reason("dealer_no_draw", {"total": dealer.total})


def _hand(hand: on.Hand) -> Hand:
    best, soft = total(hand.cards)
    assert hand.how, "a round ends with the last hand"
    return Hand(
        cards=hand.cards,
        points=_points(hand, best, soft),
        total=best,
        soft=soft,
        how=hand.how,
        bet=in_words(hand.bet),
        double=in_words(hand.double),
        outcome="win" if hand.net > 0 else "lose" if hand.net < 0 else "push",
        units=units(hand.net, hand.bet),
        net=in_words(hand.net),
    )


def _points(hand: on.Hand, best: int, soft: bool) -> str:
    if hand.how in ("blackjack", "bust"):
        return "blackjack" if hand.how == "blackjack" else f"bust {best}"
    return f"soft {best}" if soft else str(best)


def units(net: Decimal, bet: Decimal) -> str:
    """Return a net in units of its bet: a decimal where one is exact, else a fraction `p/q` in lowest terms."""
    exact = Fraction(net) / Fraction(bet)
    twos, fives = _power(exact.denominator, 2), _power(exact.denominator, 5)
    if exact.denominator != 2**twos * 5**fives:
        return str(exact)
    places = max(twos, fives)
    digits = exact.numerator * 10**places // exact.denominator
    return in_words(Decimal((digits < 0, tuple(map(int, str(abs(digits)))), -places)))


def _power(n: int, prime: int) -> int:
    """Return how often the prime divides `n`."""
    return next(power for power in range(n.bit_length() + 1) if n % prime ** (power + 1))
