"""Niu-niu in plain JSON objects, as given rounds have it: a game's summary, and which of two hands wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.niuniu.hands import strength


def summary(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A game, which is one round, from its `round` message."""
    told = rounds[-1]
    hands = {
        slot: {name: hand[name] for name in ("cards", "kind", "multiple", "three")}
        for slot, hand in told["hands"].items()
    }
    return {
        "banker": told["banker"],
        "multiple": told["multiple"],
        "bets": told["multiples"],
        "hands": hands,
        "outcomes": told["outcomes"],
        "net": told["bets"],
    }


def compare(given: Mapping[str, Any]) -> dict[str, Any]:
    """`winner` of the hands `a` and `b`. Raises KeyError, ValueError for an object that says no two hands."""
    a, b = (strength(_hand(given[name])) for name in ("a", "b"))
    return {"winner": "a" if a > b else "b"}


def _hand(told: Any) -> list[Card]:
    faces = told["cards"] if isinstance(told, Mapping) else told
    if len(faces) != 5:
        raise ValueError("a hand has five cards")
    return [Card(face) for face in faces]
