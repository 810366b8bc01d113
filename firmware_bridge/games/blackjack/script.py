"""A round of blackjack as a script: bets, deal, peek, blackjacks, marks of the seats, dealer, settlement."""

from collections.abc import Generator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from firmware_bridge.facts.book.refusals import Phrase, Refused, phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.games import prompts
from firmware_bridge.games.blackjack.felt import Felt, Hand, Laid, Steps, lose, pay_blackjacks, settle, settle_blackjack
from firmware_bridge.games.blackjack.result import result
from firmware_bridge.games.blackjack.rules import MOST, PEEKS, STANDS_ON, Blackjack, doubles, is_pair, refused, total
from firmware_bridge.games.game import Script, Start
from firmware_bridge.games.moves import Mark

DEALER: Final = "D"
"""The dealer's slot."""

WORDS: Final = ("S", "H", "DD", "SP", "SU")
"""The marks: stand, hit, double down, split, surrender."""

RULES: Final = {
    "deal": "",
    "split": "the second card of a split hand",
    "hits": "a hit",
    "doubles": "a double, one card",
}
"""Reason of a due card -> the same in words."""

_FACE_DOWN: Final = prompts.CardDue(DEALER, DEALER, down=True, why="D due, face down")
_PEEK: Final = prompts.Question("peek", ("yes", "no"), (DEALER,))


def round(terms: Blackjack, start: Start) -> Script:
    """Play one round for the seats with accepted bets."""
    felt = yield from _bets(terms, start)
    if not felt.seats:
        return None
    yield from _deal(felt)
    up = yield from _turn(felt, 0, "the dealer's first card")
    if up.rank in PEEKS:
        has_blackjack = (yield _PEEK) == "yes"
        yield prompts.did("peek", has_blackjack)
        yield prompts.Sign(DEALER, "turn" if has_blackjack else "no")
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


def _bets(terms: Blackjack, start: Start) -> Generator[prompts.Ask, Any, Felt]:
    """Return the seats that take part; where betting is ignored every seat of the table, with a bet of 1."""
    if not start.bets:
        return _felt({seat: Decimal(1) for seat in range(1, terms.seats + 1)})
    bets = {}
    for seat, text in sorted(start.bets.items(), key=lambda each: int(each[0])):
        if why := refused(int(seat), Decimal(text), terms.seats, terms.min, terms.max):
            yield prompts.did("bet_refused", f"S{seat}", why)
        else:
            bets[int(seat)] = Decimal(text)
    return _felt(bets)


def _felt(bets: dict[int, Decimal]) -> Felt:
    return Felt({seat: [Hand(seat, f"S{seat}.1", bet)] for seat, bet in bets.items()})


def _deal(felt: Felt) -> Generator[prompts.Ask, Any, None]:
    """Deal two cards to every seat from the dealer's left, face up, and two to the dealer, face down."""
    for _ in range(2):
        for hand in felt.hands:
            yield from deal_to(felt, hand, "deal")
        felt.dealer.append((yield _FACE_DOWN))
        felt.drawn += 1


def _turn(felt: Felt, n: int, named: str) -> Generator[prompts.Ask, Any, Card]:
    """Turn the dealer's first card (`n` = 0) or the hole card (1), which lie face down after a card for each seat."""
    card = felt.dealer[n]
    if card is None:
        number = len(felt.seats) * (n + 1) + n
        yield prompts.OpeningDue((DEALER,), (DEALER,), f"turn {named}", only=(number,))
        raise LookupError("an opening is never answered")
    yield prompts.did("turn", DEALER, card.value)
    return card


def _draw(felt: Felt) -> Generator[prompts.Ask, Any, None]:
    """Draw for the dealer, to 16; he stands on 17, soft or not."""
    while (now := total(felt.open_dealer)[0]) < STANDS_ON:
        reason = Reason("dealer_draws", {"slot": DEALER, "total": now})
        felt.dealer.append((yield prompts.CardDue(DEALER, DEALER, why=f"D due: the dealer has {now}", reason=reason)))
        felt.drawn += 1


def play(felt: Felt, terms: Blackjack, hands: list[Hand]) -> Steps:
    """Play the hands of one seat out, from the dealer's left; splits add hands on the way."""
    n = 0
    while n < len(hands):
        while not hands[n].how:
            yield from _one_step(felt, terms, hands, hands[n])
        n += 1


def deal_to(felt: Felt, hand: Hand, rule: str) -> Steps:
    """Deal one card face up to a hand, by one of `RULES`; over 21 its stake and cards go at once."""
    card = yield _due(hand.name, rule)
    if card is None:
        yield prompts.OpeningDue((hand.name,), (hand.name,), f"open {hand.name}")
        raise LookupError("an opening is never answered")
    hand.laid.append(Laid(card, felt.drawn))
    felt.drawn += 1
    if len(hand.laid) > 2 and hand.total > MOST:
        hand.how = "bust"
        yield from lose(felt, hand, hand.stake)


def _one_step(felt: Felt, terms: Blackjack, hands: list[Hand], hand: Hand) -> Steps:
    """Deal the second card of a split hand, or carry out the seat's mark."""
    if len(hand.laid) == 1:
        yield from deal_to(felt, hand, "split")
        if hand.cards[0].rank == "A" and terms.split_aces == "one-card":
            hand.how = "stood"
        return
    mark = yield from _mark(terms, hands, hand)
    match mark.word:
        case "S":
            hand.how = "stood"
        case "H":
            yield from deal_to(felt, hand, "hits")
        case "DD":
            yield from _double(felt, hand, mark)
        case "SP":
            yield from _split(hands, hand)
        case "SU":
            hand.how = "surrendered"
            yield from lose(felt, hand, hand.bet / 2)


def _mark(terms: Blackjack, hands: list[Hand], hand: Hand) -> Generator[prompts.Ask, Any, Mark]:
    """Return the mark of the seat that is asked. Raises Refused for another seat's, or one the hand does not allow."""
    offers = _offers(terms, hands, hand)
    why = f"{hand.name} has {hand.total}: {', '.join(offers)}"
    mark: Mark = yield prompts.MarkDue({hand.name: offers}, why=why, place=hands.index(hand))
    if mark.seat not in ("", str(hand.seat)):
        turn = phrase("turn_of", seat=hand.seat, hand=hand.name, marks=tuple(offers))
        raise Refused("not_your_turn", now=(turn,))
    if mark.word not in offers:
        asked = phrase("asks", slot=hand.name, words=tuple(offers))
        raise Refused("not_possible", now=(_why_not(terms, hands, hand, mark.word), asked))
    prompts.check(mark.word, mark.value, offers[mark.word])
    return mark


def _offers(terms: Blackjack, hands: list[Hand], hand: Hand) -> dict[str, prompts.Offer]:
    offers: dict[str, prompts.Offer] = {"S": prompts.Nothing(), "H": prompts.Nothing()}
    if len(hand.laid) == 2:
        offers["DD"] = doubles(hand.bet)
        if len(hands) < terms.max_hands and is_pair(hand.cards, terms.split_by):
            offers["SP"] = prompts.Nothing()
        if len(hands) == 1:
            offers["SU"] = prompts.Nothing()
    return offers


def _why_not(terms: Blackjack, hands: list[Hand], hand: Hand, word: str) -> Phrase:
    """Return the reason why a mark of the game is not allowed now."""
    if word == "SU":
        return phrase("surrender_first")
    if len(hand.laid) > 2:
        return phrase("two_cards_only", word=word)
    if len(hands) >= terms.max_hands:
        return phrase("most_hands", count=terms.max_hands)
    return phrase(f"not_same_{terms.split_by}")


@lru_cache(256)
def _due(slot: str, rule: str) -> prompts.CardDue:
    words = RULES[rule]
    if not words:
        return prompts.CardDue(slot, slot, why=f"{slot} due")
    return prompts.CardDue(slot, slot, why=f"{slot} due: {words}", reason=Reason(rule, {"slot": slot}))


def _double(felt: Felt, hand: Hand, mark: Mark) -> Steps:
    hand.double = hand.bet if mark.value is None else Decimal(mark.value)
    yield prompts.did("stake", hand.name, prompts.in_words(hand.double))
    yield from deal_to(felt, hand, "doubles")
    if not hand.how:
        hand.how = "doubled"


def _split(hands: list[Hand], hand: Hand) -> Steps:
    """Split a hand: its second card becomes a new hand, next to it on the dealer's right, with a stake of its own."""
    moved = hand.laid.pop()
    new = Hand(hand.seat, f"S{hand.seat}.{len(hands) + 1}", hand.bet, [moved])
    hands.insert(hands.index(hand) + 1, new)
    yield prompts.Plays(moved.n, new.name)
    yield prompts.did("stake", new.name, prompts.in_words(new.bet))
    yield prompts.did("move", new.name, moved.card.value)
