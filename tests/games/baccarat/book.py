"""The rule book of baccarat stated again for the tests, without the program's tables."""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.facts.cards import Card

# Rule book section 2, read row by row: banker's two cards -> the player's third cards it stands on.
STANDS_ON = {0: "", 1: "", 2: "", 3: "8", 4: "0189", 5: "012389", 6: "01234895", 7: "0123456789"}

SAID = {3: " (三八)", 4: " (四八一)", 5: " (五八三)", 6: " (六八五)", 7: ""}
"""How dealers say where the banker stands."""

OPENING = ("P1", "B1", "P2", "B2")
RESERVES = ("R1", "R2")


def draws(p1: int, b1: int, p2: int, b2: int, third: int) -> tuple[bool, bool]:
    """The rule book in its own order: natural, player, banker."""
    player, banker = (p1 + p2) % 10, (b1 + b2) % 10
    if player >= 8 or banker >= 8:
        return False, False
    if player >= 6:
        return False, banker <= 5
    return True, str(third) not in STANDS_ON[banker]


class Book(NamedTuple):
    """What the book says of the cards so far: where each lies and plays, what is due, or the end."""

    slots: tuple[str, ...]
    plays: tuple[str | None, ...]
    due: str | None
    due_why: str
    outcome: str | None = None
    hands: dict[str, tuple[Card, ...]] | None = None
    why: tuple[str, ...] = ()

    @property
    def carried(self) -> tuple[int, ...]:
        """Which cards a complete round leaves for the next one."""
        return tuple(n for n, slot in enumerate(self.plays) if slot is None) if self.outcome else ()


def book(faces: tuple[Card, ...], procedure: str) -> Book:
    """The round after these cards, in the order drawn."""
    base = OPENING if procedure == "on-demand" else OPENING + RESERVES
    count = len(faces)
    if count <= 3:
        return Book(base[:count], base[:count], base[count], f"{base[count]} due")
    thirds = _thirds(faces)
    plays = (OPENING + thirds + (None, None))[:count]
    filled = OPENING + thirds if procedure == "on-demand" else base
    if count < len(filled):
        why = f": {_why(faces)[-1]}" if procedure == "on-demand" else ""
        return Book(filled[:count], plays, filled[count], f"{filled[count]} due{why}")
    hands = {
        side: tuple(card for card, slot in zip(faces, plays, strict=True) if slot and slot[0] == side[0].upper())
        for side in ("player", "banker")
    }
    player, banker = (sum(card.points for card in hand) % 10 for hand in hands.values())
    outcome = "tie" if player == banker else "player" if player > banker else "banker"
    return Book(filled, plays, None, "", outcome, hands, _why(faces))


def _thirds(faces: tuple[Card, ...]) -> tuple[str, ...]:
    """The third cards that are drawn, as far as the first five cards tell: without a fifth, the next one alone."""
    p1, b1, p2, b2 = (card.points for card in faces[:4])
    player, banker = draws(p1, b1, p2, b2, faces[4].points if len(faces) > 4 else -1)
    if player and len(faces) == 4:
        return ("P3",)
    return ("P3",) * player + ("B3",) * banker


def _why(faces: tuple[Card, ...]) -> tuple[str, ...]:
    p1, b1, p2, b2, *more = (card.points for card in faces)
    player, banker = (p1 + p2) % 10, (b1 + b2) % 10
    if max(player, banker) >= 8:
        return tuple(f"{side} natural {n}" for side, n in (("player", player), ("banker", banker)) if n >= 8)
    if player >= 6:
        return f"player stands on {player}", f"banker {banker}, player stood"
    if not more:
        return (f"player {player}",)
    stands = str(more[0]) in STANDS_ON[banker]
    return f"player {player} draws", f"banker {banker}, player's third {more[0]}{SAID[banker] if stands else ''}"
