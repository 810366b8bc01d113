"""Policies: which irregularities can come in a game; how each house handles them stands in facts/book/alarms.py."""

from collections.abc import Callable
from typing import Final, Literal

from firmware_bridge.facts.book.alarms import KEEP_ORDER as KEEP_ORDER
from firmware_bridge.facts.book.alarms import POLICIES as POLICIES
from firmware_bridge.facts.book.alarms import Policy as Policy
from firmware_bridge.games.game import Game

Never = Literal[
    "", "no_verdict", "no_third", "next_is_third", "no_marks", "pack_over", "one_face", "no_burn", "new_pack_first"
]
"""Why a game cannot have an irregularity; "" if it can."""


def cannot_come(irregularity: str, game: Game) -> Never:
    """Return the reason why a game cannot have an irregularity, or ""."""
    return _NEVER[irregularity](game) if irregularity in _NEVER else ""


def policy_of(name: str, game: Game) -> Policy:
    """Return the rows of a policy for the irregularities that can come in a game."""
    return {id: row for id, row in POLICIES[name].items() if not cannot_come(id, game)}


def _unless(holds: Callable[[Game], object], why: Never) -> Callable[[Game], Never]:
    """Return a function that gives `why` for a game of which something does not hold, else ""."""
    return lambda game: "" if holds(game) else why


def _has_equal_cards(game: Game) -> bool:
    """Return whether a shoe of a game may hold a card of the same face twice."""
    return max(game.packs) > 1 or max(game.pack.values()) > 1


_NO_VERDICT: Final = _unless(lambda game: game.play.verdict, "no_verdict")
_ONE_FACE: Final = _unless(_has_equal_cards, "one_face")
_NO_BURN: Final = _unless(lambda game: game.play.may_burn, "no_burn")

_NEVER: Final[dict[str, Callable[[Game], Never]]] = {
    "wrong_slot": _NO_VERDICT,
    "result_mismatch": _NO_VERDICT,
    "missing_third": _unless(lambda game: game.play.has_third, "no_third"),
    "relabelled_third": lambda _: "next_is_third",
    "drawn_before_mark": _unless(lambda game: game.play.words, "no_marks"),
    "overdrawn": _unless(lambda game: not (game.play.one_round_packs and game.play.may_burn), "pack_over"),
    "read_again": _ONE_FACE,
    "reader_repeats": _ONE_FACE,
    "burn_short": _NO_BURN,
    "burn_over": _NO_BURN,
    "shoe_empty": _unless(lambda game: not game.play.one_round_packs, "new_pack_first"),
}
"""Irregularity that does not come in every game -> the reason why a game cannot have it, or ""."""
