"""Rounds of baccarat for tests, run by its script: cards in the order drawn, all of them open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from firmware_bridge.facts.cards import Card
from firmware_bridge.games import machine
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.games.baccarat.script import Baccarat
from firmware_bridge.games.game import Start
from firmware_bridge.games.moves import Dealt
from firmware_bridge.games.prompts import CardDue

TERMS = {"on-demand": Baccarat(), "six-card": Baccarat(procedure="six-card")}


class Ended(NamedTuple):
    """How a round ended, by side."""

    hands: dict[str, tuple[Card, ...]]
    totals: dict[str, int]
    outcome: str
    natural: bool
    pairs: dict[str, bool]


class Round(NamedTuple):
    """Where each card lies and where it is played (None: nowhere), the slot that is due and why, or the end."""

    slots: tuple[str, ...]
    used: tuple[str | None, ...]
    due: str | None
    why: str
    result: Ended | None
    carried: tuple[int, ...]


def layout(cards: Sequence[Card], procedure: str) -> Round:
    """The round after these cards. Raises ValueError for cards that are no round's."""
    table = machine.layout(GAME, [Dealt(card) for card in cards], TERMS[procedure], Start())
    if table.stuck:
        raise ValueError(table.stuck)
    due = table.due if isinstance(table.due, CardDue) else None
    return Round(
        slots=tuple([each.slot for each in table.placed]),
        used=tuple([each.plays for each in table.placed]),
        due=due.slot if due else None,
        why=due.why if due else "",
        result=_ended(table.result) if table.result else None,
        carried=table.carried,
    )


def _ended(result: Any) -> Ended:
    return Ended(
        hands={side: hand.cards for side, hand in result.hands.items()},
        totals={side: hand.total for side, hand in result.hands.items()},
        outcome=result.outcome,
        natural=result.own.natural,
        pairs=result.own.pairs,
    )
