"""Random given games of niu-niu and er ba gang, with the steps and results that the second statement of the rules has.

`python -m tests.games.grabbed_lines GAME COUNT [SEED]` writes them, a JSON object a line.
"""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any

from tests.games.grabbed import Table
from tests.games.grabbed_erbagang import ErBaGang
from tests.games.grabbed_niuniu import ORDER, NiuNiu

WRONG = """
    Xx 0p 5h 5p As wp grab=1 bet=1 9:grab=1 1:grab=99 2:grab 3:bet 4:bet=0 1:bet=x 1:grab=1.5 1:grab=100000 1:grab=-1
    3:bet=67 2:bet=2 1:grab=1 2:grab=0 3:grab=3 4:grab=2 1:bet=1 2:bet=1 3:bet=1 4:bet=1 lot lot=9 lot=x lot=1 lot=2
    lot=3 lot=4 1:fold S DD=5 3:look 2:raise=5 1:grab=007 nonsense 2:lot=1
""".split()  # noqa: SIM905

FACES = {
    "niuniu": [rank + suit for rank in "A23456789TJQK" for suit in "shdc"],
    "erbagang": [f"{pip}p" for pip in "123456789w"] * 4,
}


def settings_of(game: str, rng: Random) -> dict[str, Any]:
    """Settings as houses might choose them."""
    base = rng.choice(["1", "10", "2.5", "0.01", "0.125", "3"])
    if game == "niuniu":
        factors = {kind: rng.randint(1, 20) for kind in ORDER}
        grab = sorted(rng.sample(range(1, 9), rng.randint(0, 4)))
        bet = rng.sample(range(1, 31), rng.randint(1, 5))
        return {"base": base, "grab": [0, *grab], "bet": bet, "hand_multiples": factors}
    kinds = ["white_pair", "pair", "28", "points"]
    return {
        "base": base,
        "grab_max": rng.choice([1, 2, 3, 5, 6, 10, 50, 200, 200, 1000]),
        "order": rng.sample(kinds, 4),
        "ties": rng.choice(["high-tile", "banker", "push"]),
        "hand_multiples": {kind: rng.randint(1, 8) for kind in kinds},
        "banker_per": rng.choice(["round", "round", "game"]),
    }


def purses(base: str, rng: Random) -> dict[str, str]:
    """Purses of four seats, some of them small."""
    small = rng.choice(["3", "0.5"])
    return {seat: rng.choice(["1000", "1000", "250.5", "120", "40", "40", "12", base, small]) for seat in "1234"}


def line(game: str, rng: Random, name: str, wrong: float = 0.1) -> dict[str, Any]:
    """One game. wrong: the part of moves that are thrown in without regard to what is due."""
    settings = settings_of(game, rng)
    given: dict[str, Any] = {"id": name, "game": game, "type": "game", "settings": settings}
    if game == "niuniu":
        table: Table = NiuNiu(settings)
        steps = [table.step([])]
    else:
        given["money"] = purses(settings["base"], rng)
        table = ErBaGang(settings, given["money"])
        steps = [table.first()]
    pack, moves = rng.sample(FACES[game], len(FACES[game])), []
    while not table.over or rng.random() < wrong:
        thrown = table.over or rng.random() < wrong
        if thrown:
            move = rng.choice([*WRONG, *table.drawn[-2:]])
            if move in pack and table.now == "deal" and not table.over:
                pack.remove(move)
        else:
            move = _right(table, steps[-1], pack, rng)
        moves.append(move)
        steps.append(table.move(move))
    return given | {"moves": moves, "steps": steps, "result": table.result}


def _right(table: Table, step: dict[str, Any], pack: list[str], rng: Random) -> str:
    """A move that is due."""
    if step["due"]:
        return pack.pop()
    [(word, offer)] = step["marks"].items()
    if word == "lot":
        return f"lot={rng.choice(offer)[1:]}"
    seat = rng.choice(step["act"])[1:]
    if isinstance(offer, list):
        return f"{seat}:{word}={rng.choice(offer)}"
    if rng.random() < 0.4:  # bids and bets at the ends
        return f"{seat}:{word}={rng.choice([offer['min'], offer['max']])}"
    return f"{seat}:{word}={rng.randint(offer['min'], offer['max'])}"


def main(game: str, count: str, seed: str = "1") -> None:
    """Write so many lines."""
    rng = Random(int(seed))
    for n in range(int(count)):
        sys.stdout.write(json.dumps(line(game, rng, f"{game}-{n}")) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
