"""The retained topics of a game's own, grown round by round."""

from __future__ import annotations

from typing import Any, NamedTuple

from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Topic
from firmware_bridge.games.house import terms_of
from firmware_bridge.shoe.state import PastRound, Shoe


class _Built(NamedTuple):
    """What was built of which rounds."""

    terms: Any
    rounds: tuple[PastRound, ...]
    built: Any
    shown: Any


class OwnTopics:
    """Shows the topics of one table, grown by the newest rounds; one that did not change is the very same object."""

    def __init__(self) -> None:
        self._last: dict[Topic, _Built] = {}

    def of(self, shoe: Shoe) -> dict[str, Any]:
        """Topic -> what it holds now; empty once a new shoe is opened, of the coming game before the first one is."""
        house = shoe.device.next_house if shoe.status == "empty" else shoe.house
        return {topic.name: self._shown(topic, terms_of(house), shoe.rounds) for topic in GAMES[house.game].topics}

    def _shown(self, topic: Topic, terms: Any, rounds: tuple[PastRound, ...]) -> Any:
        last = self._last.pop(topic, None)  # what was built may change now
        if last is None or last.terms != terms or last.rounds != rounds:
            built = _grown(topic, terms, rounds, last)
            last = _Built(terms, rounds, built, topic.show(built))
        self._last[topic] = last
        return last.shown


def _grown(topic: Topic, terms: Any, rounds: tuple[PastRound, ...], last: _Built | None) -> Any:
    """What is built of these rounds: of the last ones and more, or anew after a correction and in another shoe."""
    if last and last.terms == terms and rounds[: len(last.rounds)] == last.rounds:
        built, done = last.built, len(last.rounds)
    else:
        built, done = topic.empty(terms), 0
    for round in rounds[done:]:
        built = topic.grow(built, round) if round.outcome else built
    return built
