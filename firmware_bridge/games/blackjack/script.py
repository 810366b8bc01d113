"""A round of blackjack as a script: bets, deal, peek, blackjacks, seats, dealer, settlement."""

from __future__ import annotations

from collections.abc import Generator
from decimal import Decimal
from typing import Any, Final

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.reason import Reason
from firmware_bridge.games.asks import Ask, CardDue, OpeningDue, Question, did
from firmware_bridge.games.blackjack.felt import Felt, Hand
from firmware_bridge.games.blackjack.play import deal_to, play
from firmware_bridge.games.blackjack.result import result
from firmware_bridge.games.blackjack.settle import pay_blackjacks, settle, settle_blackjack
from firmware_bridge.games.blackjack.terms import Blackjack
from firmware_bridge.games.blackjack.totals import PEEKS, STANDS_ON, total
from firmware_bridge.games.game import Script, Start

DEALER: Final = "D"
"""The dealer's slot."""

_FACE_DOWN: Final = CardDue(DEALER, DEALER, down=True, why="D due, face down")
_PEEK: Final = Question("peek", ("yes", "no"), (DEALER,))


def round(terms: Blackjack, start: Start) -> Script:
    """One round for the seats whose bets are taken."""
    felt = yield from _bets(terms, start)
    if not felt.seats:
        return None
    yield from _deal(felt)
    up = yield from _turn(felt, 0, "the dealer's first card")
    if up.rank in PEEKS:
        has_blackjack = (yield _PEEK) == "yes"
        yield did("peek", has_blackjack)
        if has_blackjack:
            yield from _turn(felt, 1, "the hole card")
            yield from settle_blackjack(felt)
            return result(felt, start)
    yield from pay_blackjacks(felt)
    for hands in felt.seats.values():
        yield from play(felt, terms, hands)
    yield from _turn(felt, 1, "the hole card")
    if any(hand.is_alive for hand in felt.hands):
        yield from _draw(felt)
    yield from settle(felt)
    return result(felt, start)


def _bets(terms: Blackjack, start: Start) -> Generator[Ask, Any, Felt]:
    """The seats that take part; where betting is ignored every seat of the table, with a bet of 1."""
    if not start.bets:
        return _felt({seat: Decimal(1) for seat in range(1, terms.seats + 1)})
    bets = {}
    for seat, text in sorted(start.bets.items(), key=lambda each: int(each[0])):
        if why := refused(terms, int(seat), Decimal(text)):
            yield did("bet_refused", f"S{seat}", why)
        else:
            bets[int(seat)] = Decimal(text)
    return _felt(bets)


def refused(terms: Blackjack, seat: int, bet: Decimal) -> str:
    """Why a bet is not taken, "" if it is."""
    if not 1 <= seat <= terms.seats:
        return "no_such_seat"
    if bet < terms.min:
        return "below_min"
    return "above_max" if bet > terms.max else ""


def _felt(bets: dict[int, Decimal]) -> Felt:
    return Felt({seat: [Hand(seat, f"S{seat}.1", bet)] for seat, bet in bets.items()})


def _deal(felt: Felt) -> Generator[Ask, Any, None]:
    """Two cards to every seat from the dealer's left, face up, and two to the dealer, face down."""
    for _ in range(2):
        for hand in felt.hands:
            yield from deal_to(felt, hand, "deal")
        felt.dealer.append((yield _FACE_DOWN))
        felt.drawn += 1


def _turn(felt: Felt, n: int, named: str) -> Generator[Ask, Any, Card]:
    """Turn the dealer's first card (`n` = 0) or the hole card (1), which lie face down after a card for each seat."""
    card = felt.dealer[n]
    if card is None:
        number = len(felt.seats) * (n + 1) + n
        yield OpeningDue((DEALER,), (DEALER,), f"{named} is to be turned", only=(number,))
        raise LookupError("an opening is never answered")
    yield did("turn", DEALER, card.value)
    return card


def _draw(felt: Felt) -> Generator[Ask, Any, None]:
    """The dealer draws to 16 and stands on 17, soft or not."""
    while (now := total(felt.open_dealer)[0]) < STANDS_ON:
        reason = Reason("dealer_draws", {"slot": DEALER, "total": now})
        felt.dealer.append((yield CardDue(DEALER, DEALER, why=f"D due: the dealer has {now}", reason=reason)))
        felt.drawn += 1
