"""The machine that runs scripts: whatever moves come, exactly one of due, result and stuck is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from firmware_bridge.facts.book.refusals import Refused
from firmware_bridge.facts.cards import cards
from firmware_bridge.games.game import Game, Layout, Play, Result, Script, Start, Terms
from firmware_bridge.games.machine import layout, refusal
from firmware_bridge.games.moves import Answered, Dealt, Mark, Move
from firmware_bridge.games.prompts import CardDue, Choice, MarkDue, Nothing, Offer, Plays, Question, did

[AS, KING] = cards("As Kh")
GO: dict[str, dict[str, Offer]] = {"S1": {"go": Nothing()}}


class Nobody(Struct, frozen=True):
    """No own part."""


def over(outcome: str = "over") -> Result:
    return Result(hands={}, outcome=outcome, bets={}, own=Nobody())


def game(round: Callable[[Any, Start], Script]) -> Game:
    return Game(
        name="one",
        terms=Terms,
        pack={},
        packs=range(1, 2),
        slots=("A",),
        areas={},
        play=Play(
            round=round,
            words=("go", "lot"),
        ),
    )


def run(round: Callable[[Any, Start], Script], *moves: Move) -> Layout:
    return layout(game(round), moves, Terms(), Start())


def a_card(terms: Any, start: Start) -> Script:
    yield did("round", 1)
    card = yield CardDue("A", None)
    yield Plays(0, "B")
    return over(card.value if card else "closed")


def a_mark(terms: Any, start: Start) -> Script:
    mark = yield MarkDue(GO)
    if mark.seat != "1":
        raise Refused("not_your_turn")
    yield did("go", mark.seat)
    yield MarkDue(GO, again=True)
    answer = yield Question("peek", ("yes", "no"))
    return over(answer)


def test_a_card_is_placed_and_may_play_elsewhere() -> None:
    assert run(a_card).due == CardDue("A", None)
    table = run(a_card, Dealt(AS))
    assert (table.placed[0].slot, table.placed[0].plays, table.placed[0].card) == ("A", "B", AS)
    assert table.result == over("As")
    assert table.did == (("round", 1),)


def test_a_closed_card_reaches_the_script_as_none() -> None:
    assert run(a_card, Dealt(None)).result == over("closed")


@pytest.mark.parametrize(
    ("round", "moves", "why"),
    [
        (a_card, [Mark("1", "go")], "Mark came where CardDue was asked"),
        (a_card, [Dealt(AS), Dealt(KING)], "more moves than the round takes"),
        (a_mark, [Dealt(AS)], "Dealt came where MarkDue was asked"),
        (a_mark, [Mark("2", "go")], "a mark the rules refuse: not_your_turn"),
        (a_mark, [Mark("1", "go"), Mark("1", "go"), Answered("perhaps")], "Answered came where Question was asked"),
    ],
)
def test_moves_that_are_no_rounds_leave_a_stuck_layout(round: Any, moves: list[Move], why: str) -> None:
    assert run(round, *moves) == Layout(
        run(round, *moves).placed, did=run(round, *moves).did, turns=run(round, *moves).turns, stuck=why
    )


def test_an_exception_in_a_script_is_a_stuck_layout_without_its_text() -> None:
    def fails(terms: Any, start: Start) -> Script:
        card = yield CardDue("A", "A")
        raise ValueError(card.value)

    assert run(fails, Dealt(AS)).stuck == "ValueError in the rules of one"


def test_turns_count_cards_and_answered_questions() -> None:
    first, again = Mark("1", "go"), Mark("1", "go")
    assert run(a_mark).turns == 0
    assert run(a_mark, first).turns == 0  # the same question goes on
    assert run(a_mark, first, again).turns == 1
    assert run(a_card, Dealt(AS)).turns == 1


@pytest.mark.parametrize(
    ("moves", "mark", "code"),
    [
        ([], Mark("1", "go"), None),
        ([], Mark("2", "go"), "not_your_turn"),
        ([], Mark("1", "fold"), "unknown"),
        ([Mark("1", "go"), Mark("1", "go"), Answered("yes")], Mark("1", "go"), "over"),
        ([Mark("1", "go"), Mark("1", "go")], Mark("1", "go"), "no_mark_due"),
    ],
)
def test_a_mark_is_refused_with_its_code(moves: list[Move], mark: Mark, code: str | None) -> None:
    refused = refusal(game(a_mark), moves, Terms(), Start(), mark)
    assert (refused.code if refused else None) == code


def test_a_lot_is_a_mark_without_a_seat() -> None:
    def lot(terms: Any, start: Start) -> Script:
        mark = yield MarkDue({"lot": {"lot": Choice(("1", "3"))}})
        return over(mark.value)

    assert run(lot, Mark("", "lot", "3")).result == over("3")
