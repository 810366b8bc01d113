"""Which games a key of `bridge.toml` is for, and what cannot be set at all."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.bets import BETS
from firmware_bridge.games.game import Game
from firmware_bridge.shoe.policy import KEEP_ORDER, POLICIES


class Part(NamedTuple):
    """Games in which a key has an effect, and why it has none in the others."""

    has_effect: Callable[[Game], bool]
    why: str


def _keeps_its_pack(game: Game) -> bool:
    return not game.play.one_round_packs


_NO_CUT: Final = Part(_keeps_its_pack, "a pack lasts one round or one game, and has no cut card")
_VIP: Final = Part(lambda game: game.play.squeezed, "only guests of a VIP table of baccarat may ask")
_OF_ROADS: Final = Part(lambda game: "good_roads" in game.terms.__struct_fields__, "it has no roads")

PARTS: Final[dict[tuple[str, str], Part]] = {
    ("table", "burn"): Part(_keeps_its_pack, "each pack would be burned, and only NEXT could open one"),
    ("table", "after_cut"): _NO_CUT,
    ("table", "virtual_cut"): _NO_CUT,
    ("table", "cut_earliest"): _NO_CUT,
    ("service", "mode"): _VIP,
    ("service", "fly_limit"): _VIP,
    ("service", "shoe_change_after"): _VIP,
    ("service", "shoe_change_minutes"): _VIP,
    ("roads", "good"): _OF_ROADS,
    ("pins", "cut_card"): _NO_CUT,
    ("pins", "unmark"): Part(lambda game: bool(game.play.words), "no seat says a mark"),
    ("presence", "SLOT"): Part(lambda game: game.play.sensed, "a slot takes several cards"),
    ("mqtt", "live_odds"): Part(lambda game: bool(game.money.bets), "it has no live odds"),
}
"""Section and key -> the games it is for, where these are not all."""

PAGE: Final = "cannot be set: shoe help payout"

EXCEPTIONS: Final = f"cannot be set: choose [table] policy, one of {', '.join(POLICIES)}; shoe help exceptions"

WORDS: Final = frozenset(
    [
        *("h17", "s17", "soft17", "insurance", "evenmoney", "surrender", "das", "double", "doubling"),
        *("commission", "vig", "payout", "payouts", "pays", "pay", "paytable", "rake", "odds", "rtp"),
    ]
)
"""Words of keys that people look for and the shoe does not have: payments and rules."""

OF_POLICY: Final = frozenset(["irregularities", "irregularity", "exceptions", "policy"])
"""The same, of exceptions to a policy."""


def games_of(section: str, key: str) -> tuple[str, ...]:
    """Return the games a key is for; () for all of them."""
    part = PARTS.get((section, key))
    found = tuple(name for name, game in GAMES.items() if part is None or part.has_effect(game))
    return () if len(found) == len(GAMES) else found


def without_effect(raw: dict[str, Any], game: Game) -> Iterator[str]:
    """Yield the keys written in a TOML document that have no effect in its game, each with the reason."""
    for (section, key), part in PARTS.items():
        keys = raw.get(section)
        if isinstance(keys, dict) and key in keys and keys[key] not in (0, "none") and not part.has_effect(game):
            yield f"[{section}] {key} is not for {game.name}: {part.why}"


def cannot_be_set(name: str) -> str:
    """Return what is wrong with an unknown key that asks for a payment, a rule or an exception to a policy; else ""."""
    key = name.casefold().replace("-", "_")
    words = {*re.split(r"[_\s.]+", key), key.replace("_", "")}
    if words & OF_POLICY or key in KEEP_ORDER:
        return EXCEPTIONS
    return PAGE if words & WORDS or key in BETS else ""
