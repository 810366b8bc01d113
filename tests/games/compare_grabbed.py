"""Many random games beside the second statement of the rules, by hand: the script alone, without a shoe.

`python -m tests.games.compare_grabbed GAME COUNT [SEED]`
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import msgspec
from msgspec import Raw, Struct

from firmware_bridge.demo import round_player as shown
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Net
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Layout, Result, Start
from firmware_bridge.games.machine import layout, refusal
from firmware_bridge.games.moves import Dealt, Mark, Move, mark_of
from firmware_bridge.games.prompts import OpeningDue
from tests.games.grabbed_lines import line


class Past(Struct):
    """A round that is over, as the next one may ask for it."""

    cards: tuple[()]
    outcome: str
    own: Raw
    money: dict[str, str]
    nets: dict[str, Net]


def played(case: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """What is due or asked after each move that was taken, what all of them did, and the rounds that were closed."""
    game = GAMES[case["game"]]
    terms, start = msgspec.convert(case["settings"], game.terms, strict=False), Start(money=case.get("money", {}))
    moves: list[Move] = []
    cards: list[Card] = []
    asked, did, rounds = [], [], []
    left, over = game.size, False
    for word, after in zip([None, *case["moves"]], case["steps"], strict=True):
        if word is not None and "error" in after:
            mark = mark_of(word)
            assert over or mark is None or word in Card._value2member_map_ or _refuses(game, moves, terms, start, mark)
            continue
        if word is not None and (mark := mark_of(word)) and word not in Card._value2member_map_:
            moves.append(Mark(mark.seat, mark.word, mark.value))
        elif word is not None:
            cards.append(Card(word))
            moves.append(Dealt(None))
            did.append(["place", after["did"][0][1], word, "down"])
            left -= 1
        table = layout(game, moves, terms, start)
        if isinstance(table.due, OpeningDue):
            moves = _opened(moves, cards)
            table = layout(game, moves, terms, start)
        while table.result:
            did += _did(table)
            rounds.append(_message(table.result))
            past = Past((), table.result.outcome, Raw(msgspec.json.encode(table.result.own)), {}, {})
            start, moves, cards = Start(before=(*start.before, past), left=left), [], []
            over = game.play.ends(terms, start)
            if over:
                break
            table = layout(game, moves, terms, start)
        over = over or table.no_round
        asked.append(shown.over([]) if over else shown.step(table, []))
    return asked, did + ([] if over and not table.no_round else _did(table)), rounds


def _message(result: Result) -> dict[str, Any]:
    """What a `round` message says beside what all games say."""
    fields = msgspec.json.decode(msgspec.json.encode([result.hands, result.bets, result.own]))
    return {"hands": fields[0], "bets": fields[1], **fields[2]}


def _refuses(game: Any, moves: list[Move], terms: Any, start: Start, mark: Mark) -> bool:
    return refusal(game, moves, terms, start, mark) is not None


def _opened(moves: list[Move], cards: list[Card]) -> list[Move]:
    faces = iter(cards)
    return [Dealt(next(faces)) if isinstance(move, Dealt) else move for move in moves]


def _did(table: Layout) -> list[Any]:
    return [[list(word) if isinstance(word, tuple) else word for word in words] for words in table.did]


def main(game: str, count: str, seed: str = "1") -> None:
    """Compare so many games; an AssertionError names the first that differs."""
    rng = Random(int(seed))
    for n in range(int(count)):
        case = line(game, rng, f"{game}-{seed}-{n}", wrong=0.05)
        asked, did, rounds = played(case)
        taken = [step for step in case["steps"] if "error" not in step]
        assert asked == [step | {"did": []} for step in taken], case
        assert _sorted(did) == _sorted([each for step in taken for each in step["did"]]), case
        summary = GAMES[game].demo.summary
        assert summary
        assert (summary(rounds) if rounds else None) == case["result"], case


def _sorted(did: list[Any]) -> tuple[list[Any], list[Any]]:
    """Cards placed, then all that happened in its order."""
    return [each for each in did if each[0] == "place"], [each for each in did if each[0] != "place"]


if __name__ == "__main__":
    main(*sys.argv[1:])
