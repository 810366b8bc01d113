"""Whatever comes to a round, `layout` says where it stands: every prefix of every script, with one move exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from firmware_bridge.facts.cards import FACES, TILES
from firmware_bridge.games import baccarat
from firmware_bridge.games.baccarat.script import Baccarat
from firmware_bridge.games.game import Game, Start, Terms
from firmware_bridge.games.machine import layout, refusal
from firmware_bridge.games.moves import Answered, Dealt, Mark, Move
from firmware_bridge.games.prompts import CardDue, Choice, MarkDue, OpeningDue, Question
from tests.war import rules as war

WAR = Start(bets={"1": "10", "2": "7.5", "3": "1"})
TABLES: list[tuple[Game, Terms, Start]] = [
    (baccarat.GAME, Baccarat(), Start()),
    (baccarat.GAME, Baccarat(procedure="six-card"), Start()),
    (war.GAME, war.War(), WAR),
    (war.GAME, war.War(seats=1), Start()),
]
OTHERS: list[Move] = [
    Dealt(None),
    Dealt(TILES[0]),
    Dealt(FACES[0]),
    Answered("no"),
    Answered("perhaps"),
    *[
        Mark(seat, word, value)
        for seat in ("", "1", "9")
        for word in ("lot", "raise", "?")
        for value in (None, "1", "x")
    ],
]


def whole(game: Game, terms: Terms, start: Start, random: Random) -> list[Move]:
    """The moves of a whole round by chance, cards that lie face down opened as they must be."""
    moves: list[Move] = []
    while (now := layout(game, moves, terms, start)).result is None:
        assert not now.stuck, now.stuck
        match now.due:
            case CardDue(down=down):
                moves.append(
                    Dealt(None if down or (game.play.squeezed and random.random() < 0.3) else random.choice(FACES))
                )
            case OpeningDue(may=may):
                dealt = [n for n, move in enumerate(moves) if isinstance(move, Dealt)]
                for n, each in zip(dealt, now.placed, strict=True):
                    if (each.plays or each.slot) in may and each.card is None:
                        moves[n] = Dealt(random.choice(FACES))
            case Question(among=among):
                moves.append(Answered(random.choice(among)))
            case MarkDue(act=act):
                slot, offers = random.choice(list(act.items()))
                word, offer = random.choice(list(offers.items()))
                value = random.choice(offer.values) if isinstance(offer, Choice) else "1" if word == "raise" else None
                moves.append(Mark("" if slot == "lot" else slot[1:], word, value))
    return moves


def rounds() -> Iterator[tuple[Game, Terms, Start, list[Move]]]:
    for number, (game, terms, start) in enumerate(TABLES):
        random = Random(number)
        for _ in range(25):
            yield game, terms, start, whole(game, terms, start, random)


def test_every_prefix_of_a_round_waits_for_exactly_one_thing() -> None:
    for game, terms, start, moves in rounds():
        for count in range(len(moves)):
            now = layout(game, moves[:count], terms, start)
            assert (now.due is None, now.result, now.stuck) == (False, None, "")
        assert layout(game, moves, terms, start).result


def test_layout_is_total_with_one_move_exchanged_under_every_prefix() -> None:
    for game, terms, start, moves in rounds():
        for count in range(1, len(moves) + 1):
            for n in range(count):
                for other in OTHERS:
                    now = layout(game, [*moves[:n], other, *moves[n + 1 : count]], terms, start)
                    assert (now.due is not None) + (now.result is not None) + bool(now.stuck) == 1


@pytest.mark.parametrize("table", range(len(TABLES)))
def test_a_mark_is_taken_or_refused_with_a_code_at_every_step(table: int) -> None:
    game, terms, start = TABLES[table]
    for moves in (whole(game, terms, start, Random(seed)) for seed in range(10)):
        for count in range(len(moves) + 1):
            for other in OTHERS:
                if isinstance(other, Mark):
                    refused = refusal(game, moves[:count], terms, start, other)
                    now = layout(game, [*moves[:count], other], terms, start)
                    assert bool(now.stuck) == (refused is not None)
