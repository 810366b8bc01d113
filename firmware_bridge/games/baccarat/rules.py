"""Baccarat as one pure function: the cards of a round in, the layout out."""

from __future__ import annotations

from functools import cache
from typing import Final

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.layout import Layout, Result

SLOTS: Final = {
    "on-demand": ("P1", "B1", "P2", "B2"),
    "six-card": ("P1", "B1", "P2", "B2", "R1", "R2"),
}
"""The slots every round fills, by dealing procedure (seeds 001/003 and 000)."""

NATURALS: Final = (8, 9)
PLAYER_DRAWS: Final = (0, 1, 2, 3, 4, 5)

BURNS: Final = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(pip): pip for pip in range(2, 10)}
"""Cards burned unseen after an exposed first card of this rank (seed 001)."""

STOOD: Final = -1
"""In place of the player's third card when the player stood."""

BANKER_DRAWS: Final[dict[int, tuple[int, ...]]] = {
    0: (STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    1: (STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    2: (STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    3: (STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 9),
    4: (STOOD, 2, 3, 4, 5, 6, 7),
    5: (STOOD, 4, 5, 6, 7),
    6: (6, 7),
    7: (),
}
"""Banker's two cards -> the player's third cards (in points) on which the banker draws (seed 000)."""


def third_cards(p1: int, b1: int, p2: int, b2: int, fifth: int) -> tuple[bool, bool]:
    """Whether player and banker draw, from the points of the first four cards and of the fifth.

    `fifth` is the player's third card if the player draws; otherwise it plays no part.
    """
    player, banker = (p1 + p2) % 10, (b1 + b2) % 10
    if player in NATURALS or banker in NATURALS:
        return False, False
    player_draws = player in PLAYER_DRAWS
    return player_draws, (fifth if player_draws else STOOD) in BANKER_DRAWS[banker]


def layout(cards: tuple[Card, ...], procedure: str) -> Layout:
    """The layout after `cards` (in the order drawn, carried ones first) under a dealing procedure.

    Raises ValueError for more cards than the round takes: the shoe never asks that.
    """
    count = len(cards)
    if count < 4:
        return _begun(procedure, count)
    p1, b1, p2, b2 = (card.points for card in cards[:4])
    fifth = cards[4].points if count > 4 else STOOD
    table, why = _judged(procedure, count, (p1 + p2) % 10, (b1 + b2) % 10, fifth)
    return table if table.due else Layout(table.slots, table.used, None, "", _result(cards, table.used, why))


@cache
def _begun(procedure: str, count: int) -> Layout:
    """The layout of the first cards, which go to their slots whatever they are."""
    base = SLOTS[procedure]
    return Layout(base[:count], base[:count], base[count], f"{base[count]} due", None)


@cache
def _judged(procedure: str, count: int, player: int, banker: int, fifth: int) -> tuple[Layout, tuple[str, ...]]:
    """The layout of four cards and more but for its result, with the reasons; totals are of two cards each."""
    base = SLOTS[procedure]
    draws, why = thirds(player, banker, fifth)
    drawn = tuple(slot for slot, drawn in zip(("P3", "B3"), draws, strict=True) if drawn)
    six_card = procedure == "six-card"
    if count > (len(base) if six_card else len(base) + len(drawn)):
        raise ValueError(f"{count} cards are more than this round takes")
    used = (*base[:4], *(drawn[i] if i < len(drawn) else None for i in range(count - 4)))
    filled = base if six_card else (*base, *drawn)
    due = filled[count] if count < len(filled) else None
    told = "" if not due else f"{due} due" if six_card else f"{due} due: {why[-1]}"
    return Layout(filled[:count], used, due, told, None), why


@cache
def thirds(player: int, banker: int, fifth: int) -> tuple[tuple[bool, bool], tuple[str, ...]]:
    """Who draws, as far as the cards tell, with the reasons in the order they were judged.

    While the player's third card is not out (`fifth` is STOOD), only the player's draw is known.
    """
    naturals = [f"{side} natural {total}" for side, total in (("player", player), ("banker", banker)) if total > 7]
    if naturals:
        return (False, False), tuple(naturals)
    if player not in PLAYER_DRAWS:
        draws = STOOD in BANKER_DRAWS[banker]
        return (False, draws), (f"player stands on {player}", f"banker {banker}, player stood")
    if fifth == STOOD:
        return (True, False), (f"player {player}",)
    draws = fifth in BANKER_DRAWS[banker]
    return (True, draws), (f"player {player} draws", f"banker {banker}, player's third {fifth}")


def _result(cards: tuple[Card, ...], used: tuple[str | None, ...], why: tuple[str, ...]) -> Result:
    hands = {
        side: tuple(card for card, slot in zip(cards, used, strict=True) if slot and slot[0] == letter)
        for side, letter in (("player", "P"), ("banker", "B"))
    }
    player, banker = (sum(card.points for card in hand) % 10 for hand in hands.values())
    return Result(
        hands=hands,
        totals={"player": player, "banker": banker},
        outcome="player" if player > banker else "banker" if banker > player else "tie",
        natural=len(hands["player"]) == len(hands["banker"]) == 2 and max(player, banker) in NATURALS,
        pairs={side: hand[0].rank == hand[1].rank for side, hand in hands.items()},
        why=why,
    )
