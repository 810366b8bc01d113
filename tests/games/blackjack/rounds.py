"""Random rounds of blackjack: settings, bets, and words that keep to the rules or break them.

By hand, many of them: `python -m tests.games.blackjack.rounds 0 100000`.
"""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any

from firmware_bridge.demo.round_player import answer
from tests.games.blackjack.book import RANKS, SUITS, Book

BETS = ("10", "12.5", "15", "7", "33.33", "100", "0.30", "499.99", "500", "9.99", "500.01", "1000", "1")
WRONG = ("P", "10h", "Xx", "SS", "1s", "S=5", "SP=1", "DD=0", "DD=x", "DD=1e1", "9:S", "lot=1", "3:look", "5p", "s", "")
WORDS = ("S", "H", "DD", "SP", "SU")
FEW_RANKS = ("A8T", "A2", "23456", "TJQKA", "9T")


def settings(rng: Random) -> dict[str, Any]:
    """Settings of a table, the usual ones more often."""
    return {
        "decks": rng.choice((6, 8)),
        "seats": rng.choice((7, 7, rng.randint(1, 7))),
        "min": rng.choice(("10", "0.01", "5")),
        "max": rng.choice(("500", "1000", "99.5")),
        "max_hands": rng.choice((4, 4, rng.randint(1, 7))),
        "split_by": rng.choice(("rank", "value")),
        "split_aces": rng.choice(("play", "one-card")),
    }


def bets(rng: Random) -> dict[str, str]:
    """Bets of some seats, a few of them not to be taken."""
    seats = rng.sample(range(1, 8), rng.randint(1, 7)) + [8] * (rng.random() < 0.05)
    return {str(seat): rng.choice(BETS) for seat in sorted(seats)}


def line(seed: int) -> dict[str, Any]:
    """A round as a line that `scripts/play` reads, with what is to be answered."""
    rng = Random(seed)
    given, staked, left = settings(rng), bets(rng), rng.choice((416, rng.randint(120, 312)))
    said = words(rng, Book(given, staked, left))
    book = Book(given, staked, left)
    steps = [book.step(), *(book.step(book.take(word)) for word in said)]
    round = {"id": f"{seed}", "game": "blackjack", "type": "round", "settings": given, "bets": staked, "left": left}
    return round | {"moves": said, "steps": steps, "result": book.result()}


def differs(case: dict[str, Any]) -> str:
    """Where the real shoe plays another round than the book, "" if it does not."""
    answered = answer("blackjack", json.dumps({name: case[name] for name in case if name not in ("steps", "result")}))
    for n, (ours, book) in enumerate(zip(answered["steps"], case["steps"], strict=True)):
        if ours != book:
            return f"{case['id']}: step {n}, after {[None, *case['moves']][n]}: {ours} instead of {book}"
    ours = answered["result"]
    return "" if ours == case["result"] else f"{case['id']}: {ours} instead of {case['result']}"


def words(rng: Random, book: Book) -> list[str]:
    """A whole round for the book: it takes every word on the way."""
    ranks = rng.choice((RANKS, RANKS, *FEW_RANKS))
    errs, splits = rng.choice((0, 0.05, 0.3)), rng.random()
    said: list[str] = []
    while not book.over and len(said) < 300:
        word = _wrong(rng) if rng.random() < errs else _right(rng, book, ranks, splits)
        book.take(word)
        said.append(word)
    return [*said, *(_wrong(rng) for _ in range(rng.randint(0, 2)))]


def _right(rng: Random, book: Book, ranks: str, splits: float) -> str:
    if book.wants_card:
        return rng.choice(ranks if len(book.out) < 16 or rng.random() < 0.8 else RANKS) + rng.choice(SUITS)
    may = book.step_marks()
    word = "SP" if "SP" in may and rng.random() < splits else rng.choice(list(may))
    if word == "DD" and rng.random() < 0.5:
        most = float(may["DD"]["max"])
        word += f"={rng.choice((str(round(most * rng.random(), 2)), may['DD']['max'], '1', '0.1'))}"
    seat = book.turn.seat if book.turn else 1
    return f"{seat}:{word}" if rng.random() < 0.3 else word


def _wrong(rng: Random) -> str:
    card = rng.choice(RANKS) + rng.choice(SUITS)
    return rng.choice((card, rng.choice(WORDS), f"{rng.randint(1, 7)}:{rng.choice(WORDS)}", rng.choice(WRONG)))


if __name__ == "__main__":
    wrong = [found for seed in range(int(sys.argv[1]), int(sys.argv[2])) if (found := differs(line(seed)))]
    print(len(wrong), *wrong[:3], sep="\n")
