"""Rounds of zha jin hua by chance, as lines of the vectors without their outputs: legal moves and others among them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from tests.games.zhajinhua.simulated import marks
from tests.games.zhajinhua.simulator import DECK, Refused, Round

WRONG = [
    "call", "look", "lot", "lot=1", "1:lot=1", "lot=9", "Xx", "Zz", "1:bet=3", "7:call", "8:fold", "0:look", "1:call=2",
    "2:look=1", "3:fold=x", "1:raise", "1:raise=abc", "2:raise=0.5", "1:raise=1000", "3:raise=1e1", "2:raise=-4",
    "1:compare", "2:compare", "3:compare=9", "1:compare=1", "2:compare=S1", "3:compare=x", "1:fold", "2:fold",
    "5h", "Qs", "1p", "01:call", "2:", "raise=3", "1:lot",
]  # fmt: skip
SETTINGS = [
    ("1", "1", "10"),
    ("5", "5", "50"),
    ("2", "1", "8"),
    ("0.5", "0.25", "3"),
    ("1", "3", "9"),
    ("0.1", "0.1", "1.7"),
]
PURSES = [("100", "500", "2000"), ("3", "5", "8", "13", "18"), ("0.4", "1", "2", "20.5"), ("50", "7.25", "1000")]
BONUSES = [{"leopard": "10", "straight_flush": "5"}, {"leopard": "50", "straight_flush": "2.5"}, {}, {"leopard": "3"}]


def lines(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """So many rounds."""
    random = Random(seed)
    for number in range(count):
        yield _line(random, f"{seed}-{number}")


def _line(random: Random, id: str) -> dict[str, Any]:
    ante, step, top = random.choice(SETTINGS)
    purses = random.choice(PURSES)
    seats = sorted(random.sample(range(1, 8), random.choices([2, 3, 4, 5, 6], [1, 6, 6, 6, 1])[0]))
    line: dict[str, Any] = {
        "id": id,
        "game": "zhajinhua",
        "type": "game",
        "settings": {
            "ante": ante,
            "step": step,
            "top": top,
            "rounds": random.choice([1, 2, 3, 20]),
            "rake": random.choice(["0", "0", "0.05", "0.025", "0.333"]),
            "bonus": random.choice(BONUSES),
        },
        "money": {str(seat): random.choice(purses) for seat in seats},
    }
    return line | {"moves": _moves(random, Round(line))}


def _moves(random: Random, round: Round) -> list[str]:
    deck, moves = _stacked(random), list[str]()
    careful = random.random()
    while round.phase != "over" and len(moves) < 400:
        word = _wrong(random, round) if random.random() < 0.08 else _legal(random, round, deck, careful)
        moves.append(word)
        try:
            round.move(word)
        except Refused:
            continue
        if word in deck:
            deck.remove(word)
    return [*moves, random.choice(WRONG)]


def _wrong(random: Random, round: Round) -> str:
    """A move that is wrong at most times, often of the seat whose turn it is."""
    word = random.choice(WRONG)
    return (
        f"{round.to_act[0]}:{word[2:]}" if word[1:2] == ":" and round.phase == "bet" and random.random() < 0.7 else word
    )


def _stacked(random: Random) -> list[str]:
    """A pack, often with only a few ranks or suits of it in front: rare hands meet."""
    rare = random.choice(["", "", "", "235", "KQJ", "s", "h", "A23", "9"])
    pack = random.sample(DECK, len(DECK))
    return sorted(pack, key=lambda card: not set(card) & set(rare)) if rare else pack


def _legal(random: Random, round: Round, deck: list[str], careful: float) -> str:
    if round.phase == "deal":
        return random.choice(deck[: random.choice([1, 1, 1, 12])]) if random.random() < 0.97 else random.choice(DECK)
    if round.phase == "lot":
        return f"lot={random.choice(round.seats)}"
    if random.random() < 0.1:
        return f"{random.choice(round.alive())}:{random.choices(['look', 'fold'], [4, 1])[0]}"
    may = marks(round, seat := round.to_act[0])
    weights = {
        "look": 1,
        "call": 1 + 6 * careful,
        "raise": 3,
        "compare": 2 * (1 - careful),
        "fold": 0.6 * (1 - careful),
    }
    word = random.choices(list(may), [weights[each] for each in may])[0]
    if word == "raise":
        return f"{seat}:raise={_raised(random, may['raise'])}"
    if word == "compare" and may["compare"]["with"] != "all":
        return f"{seat}:compare={random.choice(round.others(seat))}"
    return f"{seat}:{word}"


def _raised(random: Random, offer: dict[str, Fraction]) -> str:
    least, most, step = offer["min"], offer["max"], offer["step"]
    amount = least + random.randint(0, int((most - least) / step)) * step
    off = random.choice([Fraction(0)] * 8 + [step, -step, step / 2, Fraction(1, 4)])
    return str(float(amount + off))
