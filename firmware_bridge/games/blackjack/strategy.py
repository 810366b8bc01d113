"""Basic strategy of blackjack, for many packs and a dealer who stands on every 17."""

from random import Random
from typing import Final

from firmware_bridge.games.blackjack.rules import VALUES, is_pair, total
from firmware_bridge.games.strategy import Asked

UPS: Final = "23456789TA"
"""The dealer's first card, by column of the tables below."""

HARD: Final = {
    8: "HHHHHHHHHH",
    9: "HDDDDHHHHH",
    10: "DDDDDDDDHH",
    11: "DDDDDDDDDH",
    12: "HHSSSHHHHH",
    13: "SSSSSHHHHH",
    14: "SSSSSHHHHH",
    15: "SSSSSHHHUH",
    16: "SSSSSHHUUU",
    17: "SSSSSSSSSS",
}
"""Total without an ace that counts 11 -> action; lower ones as 8, higher ones as 17. D double, U surrender."""

SOFT: Final = {
    13: "HHHDDHHHHH",
    14: "HHHDDHHHHH",
    15: "HHDDDHHHHH",
    16: "HHDDDHHHHH",
    17: "HDDDDHHHHH",
    18: "SDDDDSSHHH",
    19: "SSSSSSSSSS",
}
"""Total with an ace that counts 11 -> action; lower ones as 13, higher ones as 19."""

PAIRS: Final = {
    1: "PPPPPPPPPP",
    2: "PPPPPP----",
    3: "PPPPPP----",
    4: "---PP-----",
    6: "PPPPP-----",
    7: "PPPPPP----",
    8: "PPPPPPPPPP",
    9: "PPPPP-PP--",
}
"""Points of a card of the pair -> where to split it; fives and tens never."""

WORDS: Final = {"H": "H", "S": "S", "D": "DD", "U": "SU"}

_STANDS_INSTEAD: Final = 18
"""A soft hand from this total on stands where it may not double."""


def act(asked: Asked, rng: Random) -> tuple[str, str | None]:
    """Return the mark that the tables give for the hand that is asked, against the dealer's first card."""
    dealer = next((each.card for each in asked.table.placed if each.slot == "D" and each.card), None)
    if dealer is None or not asked.hand:
        return "S", None
    column = UPS.index("T" if VALUES[dealer.rank] == VALUES["T"] else dealer.rank)
    pair = PAIRS.get(VALUES[asked.hand[0].rank], "") if is_pair(asked.hand, "value") else ""
    if "SP" in asked.offers and pair and pair[column] == "P":
        return "SP", None
    best, soft = total(asked.hand)
    row = SOFT[min(max(best, 13), 19)] if soft else HARD[min(max(best, 8), 17)]
    word = WORDS[row[column]]
    if word in asked.offers:
        return word, None
    return ("S" if soft and best >= _STANDS_INSTEAD else "H"), None
