"""Hands of zha jin hua a second time, from the rules alone: cards are texts."""

from __future__ import annotations

ORDER = "23456789TJQKA"
SUITS = "dchs"


def kind_of(cards: list[str]) -> str:
    ranks = "".join(sorted((card[0] for card in cards), key=ORDER.index))
    if ranks[0] == ranks[2]:
        return "leopard"
    in_a_row = ranks in ORDER or ranks == "23A"
    of_one_suit = cards[0][1] == cards[1][1] == cards[2][1]
    if in_a_row and of_one_suit:
        return "straight_flush"
    if of_one_suit:
        return "flush"
    if in_a_row:
        return "straight"
    if ranks[0] == ranks[1] or ranks[1] == ranks[2]:
        return "pair"
    return "special_235" if ranks == "235" else "high_card"


LADDER = ["special_235", "high_card", "pair", "straight", "flush", "straight_flush", "leopard"]


def first_wins(a: list[str], b: list[str]) -> bool:
    ka, kb = kind_of(a), kind_of(b)
    if (ka, kb) == ("special_235", "leopard"):
        return True
    if (ka, kb) == ("leopard", "special_235"):
        return False
    if ka != kb:
        return LADDER.index(ka) > LADDER.index(kb)
    return measure(a, ka) > measure(b, kb)


def measure(cards: list[str], kind: str) -> list[int]:
    high = sorted(cards, key=lambda card: (ORDER.index(card[0]), SUITS.index(card[1])), reverse=True)
    ranks = [ORDER.index(card[0]) for card in high]
    if kind == "pair":
        twice = next(rank for rank in ranks if ranks.count(rank) == 2)
        once = next(rank for rank in ranks if ranks.count(rank) == 1)
        return [twice, once, int(ORDER[twice] + "s" in cards)]
    if kind in ("straight", "straight_flush") and ranks == [12, 1, 0]:
        return [1, SUITS.index(high[1][1])]
    return [*ranks, SUITS.index(high[0][1])]
