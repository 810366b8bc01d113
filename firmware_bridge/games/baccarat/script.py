"""A round of baccarat as a script: settings, four cards, thirds by the tables, and an Angel Eye's words for it."""

from collections.abc import Generator
from typing import Final, Literal

from msgspec import Raw, Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import own_json
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.games.baccarat.bets import NaturalBets, TigerPairTop, results
from firmware_bridge.games.baccarat.roads.good import GoodId
from firmware_bridge.games.baccarat.rules import NATURALS, STOOD, Ruled, Thirds, thirds
from firmware_bridge.games.game import Result, Script, Start, Terms
from firmware_bridge.games.prompts import Ask, CardDue, OpeningDue, Plays

SqueezeRule = Literal["largest-stake", "any-bettor"]
"""Who may open the cards: the guest with the largest stake on a side, or any with a bet."""


class Baccarat(Terms, frozen=True):
    """`[game]` of a baccarat table.

    procedure: third cards drawn when they are due, or six cards in every round.
    leading_ties: where roads show ties before the first win: on its bead, or in a column of their own.
    row1_limit: what a column of a road does that cannot leave row 1: it stays, or goes down at the first column it can.
    good_roads: the good roads that are shown, None for all ten.
    tiger_pair_top: what the top prize of the tiger pair asks for: identical cards, or the same rank.
    natural_bets: whether a bet on a natural needs the side to win, or any natural.
    squeeze: who may open the cards: the guest with the largest stake on a side, or any with a bet.
    """

    procedure: Literal["on-demand", "six-card"] = "on-demand"
    leading_ties: Literal["first-bead", "own-column"] = "first-bead"
    row1_limit: Literal["stay", "descend"] = "stay"
    good_roads: tuple[GoodId, ...] | None = None
    tiger_pair_top: TigerPairTop = "identical"
    natural_bets: NaturalBets = "must-win"
    squeeze: SqueezeRule = "largest-stake"


PAIRS: Final = ("P1", "B1", "P2", "B2")
"""The slots of both opening hands, in the order dealt."""

RESERVES: Final = ("R1", "R2")
"""Drawn in every round of six cards: what it does not use opens the next one."""

STEPS: Final = (("P1", "P2"), ("B1", "B2"))
"""The order of the ceremony: the player's pair, the banker's pair, then the thirds."""

Cards = list[Card | None]

_PAIRS_DUE: Final = tuple(CardDue(slot, slot, why=f"{slot} due") for slot in PAIRS)


class Hand(Struct, frozen=True):
    """One side of a round, cards in the order they joined the hand."""

    cards: tuple[Card, ...]
    total: int
    points: str


class Own(Struct, frozen=True):
    """The fields of a round that only baccarat has."""

    natural: bool
    pairs: dict[str, bool]


def round(terms: Baccarat, start: Start) -> Script:
    """Play one round under either procedure."""
    cards: Cards = []
    for due in _PAIRS_DUE:
        cards.append((yield due))
    if terms.procedure == "six-card":
        for n, slot in enumerate(RESERVES):
            cards.append((yield CardDue(slot, _part(cards, n), why=f"{slot} due")))
        third = _reserve
    else:
        third = _drawn
    yield from _open_pairs(cards)
    fifth = STOOD
    draws, why = _thirds(cards, fifth)
    if draws[0]:
        fifth = yield from third(cards, "P3", why[-1])
        draws, why = _thirds(cards, fifth)
    if draws[1]:
        yield from third(cards, "B3", why[-1])
    return _result(terms, cards, draws, why)


def _drawn(cards: Cards, slot: str, why: Ruled) -> Generator[Ask, Card | None, int]:
    """Draw a third card; return its points."""
    words, rule = why
    reason = Reason(rule.id, {"slot": slot, **rule.values})
    card = yield CardDue(slot, slot, why=f"{slot} due: {words}", reason=reason)
    cards.append(card)
    return (yield from _opened(card, slot))


def _reserve(cards: Cards, slot: str, why: Ruled) -> Generator[Ask, Card | None, int]:
    """Play the reserve that becomes this third card; return its points."""
    n = 4 if slot == "P3" or not _thirds(cards, STOOD)[0][0] else 5
    yield Plays(n, slot)
    return (yield from _opened(cards[n], slot))


def _opened(card: Card | None, slot: str) -> Generator[Ask, Card | None, int]:
    """Return the points of a card, which must be open."""
    if card is None:
        yield OpeningDue((slot,), (slot,), f"open {slot}")
        raise LookupError("an opening is never answered")
    return card.points


def _open_pairs(cards: Cards) -> Generator[Ask, Card | None, None]:
    """Wait until the four opening cards are open."""
    closed = {slot for slot, card in zip(PAIRS, cards, strict=False) if card is None}
    if closed:
        step = next(slots for slots in STEPS if closed & set(slots))
        may = tuple(slot for slot in PAIRS if slot in closed)
        yield OpeningDue(tuple(slot for slot in step if slot in closed), may, "open the first two cards of both hands")
        raise LookupError("an opening is never answered")


def _part(cards: Cards, n: int) -> str | None:
    """Return the slot in which reserve `n` (0 or 1) of these cards is played, None if it is not, or that is sealed."""
    if None in cards[:4]:
        return None
    draws, _ = _thirds(cards, STOOD)
    if not draws[0]:
        return "B3" if draws[1] and n == 0 else None
    if n == 0:
        return "P3"
    fifth = cards[4]
    return "B3" if fifth and _thirds(cards, fifth.points)[0][1] else None


def _totals(cards: Cards) -> tuple[int, int]:
    """Return the points of the player's and the banker's first two cards, all of them open."""
    p1, b1, p2, b2 = (card.points for card in cards[:4] if card)
    return (p1 + p2) % 10, (b1 + b2) % 10


def _thirds(cards: Cards, fifth: int) -> Thirds:
    return thirds(*_totals(cards), fifth)


def _result(terms: Baccarat, cards: Cards, draws: tuple[bool, bool], why: tuple[Ruled, ...]) -> Result:
    p1, b1, p2, b2, *more = cards
    cards_of = {
        "player": _faces(p1, p2, *more[: draws[0]]),
        "banker": _faces(b1, b2, *more[draws[0] : draws[0] + draws[1]]),
    }
    hands = {side: _hand(hand) for side, hand in cards_of.items()}
    player, banker = hands["player"], hands["banker"]
    return Result(
        hands=hands,
        outcome="player" if player.total > banker.total else "banker" if banker.total > player.total else "tie",
        bets=results(cards_of, terms.tiger_pair_top, terms.natural_bets),
        own=Own(
            natural=not any(draws) and max(player.total, banker.total) in NATURALS,
            pairs={side: hand[0].rank == hand[1].rank for side, hand in cards_of.items()},
        ),
        why=tuple([words for words, _ in why]),
        reasons=tuple([rule for _, rule in why]),
    )


def _faces(*cards: Card | None) -> tuple[Card, ...]:
    return tuple([card for card in cards if card])


def _hand(cards: tuple[Card, ...]) -> Hand:
    total = sum(card.points for card in cards) % 10
    return Hand(cards, total, f"natural {total}" if len(cards) == 2 and total in NATURALS else str(total))


SIDES: Final = ("player", "banker")

_decode = own_json(Own)


def verdict(outcome: str, own: Raw) -> tuple[str, ...]:
    """Return the words of a judging reader: the side that won, or `tie`, and the pairs, the player's first."""
    pairs = _decode(own).pairs
    return (outcome, *(f"{side} pair" for side in SIDES if pairs[side]))


def unjudged(terms: Baccarat) -> dict[str, str]:
    """Return the terms that a judging reader cannot follow: it deals on demand."""
    if terms.procedure == "on-demand":
        return {}
    return {"procedure": "an angel-eye deals by its own rules, on-demand"}
