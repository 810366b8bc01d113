"""The retained topics of a game's own, grown round by round."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Topic
from firmware_bridge.games.house import terms_of
from firmware_bridge.shoe.grown import Grown
from firmware_bridge.shoe.state import Shoe


class _Built(NamedTuple):
    """What was built of which rounds."""

    terms: Any
    rounds: Grown[Any]
    built: Any
    shown: Any


_last: Final[dict[Topic, _Built]] = {}
"""What each topic showed last: most often it is asked for again, or with one round more."""


def own_topics(shoe: Shoe) -> dict[str, Any]:
    """Topic -> what it holds now; empty as soon as a new shoe is opened, of the coming game before the first one is."""
    house = shoe.device.next_house if shoe.status == "empty" else shoe.house
    return {topic.name: _shown(topic, terms_of(house), shoe.rounds) for topic in GAMES[house.game].topics}


def _shown(topic: Topic, terms: Any, rounds: Grown[Any]) -> Any:
    last = _last.pop(topic, None)  # what was built may change now
    if last is None or last.terms is not terms or last.rounds != rounds:
        built = _grown(topic, terms, rounds, last)
        last = _Built(terms, rounds, built, topic.show(built))
    _last[topic] = last
    return last.shown


def _grown(topic: Topic, terms: Any, rounds: Grown[Any], last: _Built | None) -> Any:
    """What is built of these rounds: of the last one more, or anew after a correction and in another shoe."""
    if last and last.terms is terms and rounds.begins_with(last.rounds):
        built, done = last.built, len(last.rounds)
    else:
        built, done = topic.empty(terms), 0
    for round in rounds[done:]:
        built = topic.grow(built, round) if round.outcome else built
    return built
