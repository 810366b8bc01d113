"""The tables of baccarat: who draws a third card, and how many are burned."""

from functools import cache
from typing import Final

from firmware_bridge.facts.events_of_rounds import Reason

NATURALS: Final = (8, 9)
PLAYER_DRAWS: Final = (0, 1, 2, 3, 4, 5)

BURNS: Final = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(pip): pip for pip in range(2, 10)}
"""Cards burned unseen after an exposed first card of this rank."""

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
"""Banker's two cards -> the player's third cards (in points) on which the banker draws."""

STANDS_BY: Final = {3: "三八", 4: "四八一", 5: "五八三", 6: "六八五"}
"""Banker's two cards -> the dealers' rhyme for the player's third cards on which the banker stands.

四八一: on four, from 8 to 1, which is 8 9 0 1.
"""

Ruled = tuple[str, Reason]
"""A rule that decided: in words, and as an id with values."""

Thirds = tuple[tuple[bool, bool], tuple[Ruled, ...]]
"""Whether player and banker draw, and the rules that decided."""

_DOES: Final = {True: "draws", False: "stands"}


def third_cards(p1: int, b1: int, p2: int, b2: int, fifth: int) -> tuple[bool, bool]:
    """Return whether player and banker draw, from the points of the first four cards and of the fifth.

    `fifth` is the player's third card if the player draws; otherwise it plays no part.
    """
    player, banker = (p1 + p2) % 10, (b1 + b2) % 10
    if player in NATURALS or banker in NATURALS:
        return False, False
    player_draws = player in PLAYER_DRAWS
    return player_draws, (fifth if player_draws else STOOD) in BANKER_DRAWS[banker]


@cache
def thirds(player: int, banker: int, fifth: int) -> Thirds:
    """Return who draws, as far as the cards decide it, with the reasons in order.

    While the player's third card is not out (`fifth` is STOOD), only the player's draw is known.
    """
    naturals = [(side, total) for side, total in (("player", player), ("banker", banker)) if total > 7]
    if naturals:
        why = [(f"{side} natural {total}", _rule("natural", side, total)) for side, total in naturals]
        return (False, False), tuple(why)
    if player not in PLAYER_DRAWS:
        draws = STOOD in BANKER_DRAWS[banker]
        stands = (f"player stands on {player}", _rule("stands", "player", player))
        return (False, draws), (stands, (f"banker {banker}, player stood", _rule(_DOES[draws], "banker", banker)))
    if fifth == STOOD:
        return (True, False), ((f"player {player}", _rule("hand_total", "player", player)),)
    draws = fifth in BANKER_DRAWS[banker]
    last = Reason(_DOES[draws], {"side": "banker", "total": banker, "third": fifth})
    drew = (f"player {player} draws", _rule("draws", "player", player))
    by = f" ({STANDS_BY[banker]})" if not draws and banker in STANDS_BY else ""
    return (True, draws), (drew, (f"banker {banker}, player's third {fifth}{by}", last))


def _rule(rule: str, side: str, total: int) -> Reason:
    return Reason(rule, {"side": side, "total": total})
