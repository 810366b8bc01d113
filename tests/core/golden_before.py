"""Objects as they were said when the golden rows were written, where they are built in another way now."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from firmware_bridge.games.baccarat.terms import Baccarat

HOUSE: Final = (
    *("game", "procedure", "decks", "burn", "close", "betting", "disclose", "after_cut", "new_shoe", "virtual_cut"),
    *("policy", "leading_ties", "row1_limit", "good_roads", "tiger_pair_top", "natural_bets", "squeeze", "mode"),
    *("reveal_timeout", "fly_limit", "shoe_change_after", "shoe_change_minutes", "confirm_shuffle", "limits"),
)


def house(said: dict[str, Any]) -> dict[str, Any]:
    """The settings of the game stood among those of the table."""
    flat = said | msgspec.to_builtins(Baccarat()) | said["terms"]
    return {name: flat[name] for name in HOUSE if name in flat}
