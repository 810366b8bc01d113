"""Child process that computes odds from counts of disclosed cards: JSON lines in, JSON lines out."""

import contextlib
import sys
from typing import BinaryIO

import msgspec
from msgspec import Raw, Struct

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.wire_states import Odds
from firmware_bridge.games import GAMES


class Question(Struct, frozen=True):
    """A question for odds: of a round of `game` under `terms`, with `cards` left. seen: card -> number disclosed."""

    game: str
    decks: int
    terms: Raw
    round: int
    cards: int
    seen: dict[Card, int]


def answer(question: Question) -> Odds:
    """Return the odds of every bet, and the difference of its return from a full shoe's; None where unknown."""
    game = GAMES[question.game]
    terms = from_json(question.terms, game.terms)
    seen = [card for card, count in question.seen.items() for _ in range(count)]
    assert game.odds, f"nobody asks for the odds of {question.game}"
    book = game.odds()
    try:
        odds = book.of(question.decks, seen, terms)
        differs = book.deviation(question.decks, seen, terms)
    except BridgeError:  # too few cards, or a surplus copy that the pit kept
        return Odds(question.round, 0, None)
    more = {bet: round(float(each), 9) for bet, each in differs.items()}
    return Odds(question.round, question.cards, dict(odds), more)


def main(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer each line with a line, to the end of input."""
    for line in questions:
        answers.write(msgspec.json.encode(answer(from_json(line, Question))) + b"\n")
        answers.flush()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        main(sys.stdin.buffer, sys.stdout.buffer)
