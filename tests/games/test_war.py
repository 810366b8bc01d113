"""The toy game through the whole core: what is asked, taken, refused, answered, opened, published and settled."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import firmware_bridge
from firmware_bridge.facts import events, orders
from firmware_bridge.games import GAMES
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.round import asked
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from tests.kit.sources import tree
from tests.kit.table import Table
from tests.war.rules import GAME

PACKAGE = Path(firmware_bridge.__file__).parent

BETS = "bets=1:10,3:12.5"


@pytest.fixture(autouse=True)
def war() -> Iterator[None]:
    GAMES[GAME.name] = GAME
    yield
    del GAMES[GAME.name]


def table(text: str = "", **settings: Any) -> Table:
    """A table of war with bets taken, after some words of a deal script."""
    return Table(game="war", betting="required", burn="none", **settings).play(f"shoe {BETS} {text}")


def happened(table: Table) -> list[tuple[Any, ...]]:
    return [
        did
        for line in table.lines
        for event in line.entry.events
        if isinstance(event, events.Happened)
        for did in event.did
    ]


def refused(table: Table, **mark: Any) -> str | None:
    """The code with which the shoe refuses a mark, None if it takes it."""
    table.take(table.order(orders.Mark(**mark)))
    answer = table.lines[-1].entry.events[-1].answer
    return answer.code


ALSO: Final = {
    "cli/help/__init__.py",  # its page
    "client/testing.py",  # two fake tables
    "demo/read_round.py",  # a dealer who has a blackjack
    "config/sections.py",  # what is dealt where a config says nothing
    "facts/house.py",  # the same
    "facts/wire_states.py",  # the answer of a dealer's peek
    "floor/page/state.py",
}
"""Modules outside of `games` where a game's name stands as a text, and what for."""


def test_games_are_named_in_games_alone() -> None:
    """A new game is a package, a line in games/__init__.py, its texts and its page."""
    names = set(GAMES) - {GAME.name}
    for path in PACKAGE.rglob("*.py"):
        module, text = path.relative_to(PACKAGE).as_posix(), path.read_text()
        if module.startswith("games/") or module in ALSO or not any(name in text for name in names):
            continue
        assert not names & {node.value for node in ast.walk(tree(path)) if isinstance(node, ast.Constant)}, module


def test_first_the_lot_is_due_and_no_lamp_of_a_seat_is_steady() -> None:
    first = table()
    assert phase(first.shoe) is Phase.READY
    assert lamps(first.shoe).why[-1] == "lot: lot"
    assert "steady" not in {rhythm for lamp, rhythm in lamps(first.shoe).lit.items() if lamp != "ready"}
    assert {lamp for lamp, rhythm in lamps(first.shoe).lit.items() if rhythm == "candidate"} == {"S1", "S3"}


def test_the_lot_decides_whose_card_is_due_first() -> None:
    second = table("lot=3")
    assert phase(second.shoe) is Phase.DEALING
    assert lamps(second.shoe).lit["S3"] == "steady"


def test_the_dealers_card_lies_face_down_and_no_word_outside_names_it() -> None:
    after = table("lot=1 2s 3s 9h")
    assert after.shoe.laid[-1].card.value == "9h"
    assert not after.shoe.laid[-1].shown
    public = (
        b"".join(line.data.split(b"\t")[3] for line in after.lines)
        + json.dumps(json.loads(__import__("msgspec").json.encode(snapshots(after.shoe)))).encode()
    )
    assert b"9h" not in public


def test_what_only_the_closed_card_tells_is_answered_and_on_record() -> None:
    after = table("lot=1 2s 3s Ah")
    kinds = [type(event).__name__ for event in after.lines[-1].entry.events]
    at_the_end = ["Happened", "RoundClosed", "BetsOpened"]
    assert kinds == ["CardDealt", "QuestionAnswered", "CardRevealed", *at_the_end]


def test_an_open_table_turns_the_card_in_the_same_decision_as_the_last_mark() -> None:
    after = table("lot=1 5s 3s 4h 1:raise=5 3:stand")
    closed = next(event for event in after.lines[-1].entry.events if isinstance(event, events.RoundClosed))
    assert closed.bets == {"S1": "15", "S3": "-12.5"}
    assert closed.outcome == "seats"
    assert json.loads(bytes(closed.own)) == {"began": "1", "highest": False}


def test_a_sealed_table_waits_for_reveal() -> None:
    after = table("lot=1 5s 3s 4h 1:stand 3:stand", disclose="sealed")
    assert [laid.shown for laid in after.shoe.laid] == [True, True, False]
    assert lamps(after.shoe).why[-1] == "open the cards: press REVEAL"
    after.play("reveal")
    assert after.shoe.round == 2


@pytest.mark.parametrize(
    ("before", "mark", "code"),
    [
        ("", {"word": "stand", "seat": 1}, "not_possible"),
        ("", {"word": "fold", "seat": 1}, "unknown"),
        ("", {"word": "lot", "value": "2"}, "not_in_lot"),
        ("lot=1", {"word": "stand", "seat": 1}, "no_mark_due"),
        ("lot=1 5s 3s 4h", {"word": "stand", "seat": 3}, "not_your_turn"),
        ("lot=1 5s 3s 4h", {"word": "raise", "seat": 1, "value": "51"}, "bad_amount"),
        ("lot=1 5s 3s 4h", {"word": "stand", "seat": 1, "value": "5"}, "bad_amount"),
        ("lot=1 5s 3s 4h", {"word": "stand", "seat": 1, "turn": 0}, "late"),
        ("lot=1 5s 3s 4h", {"word": "stand", "seat": 1, "round": 2}, "late"),
        ("lot=1 5s 3s 4h", {"word": "stand", "seat": 1}, None),
    ],
)
def test_a_mark_that_cannot_be_taken_changes_nothing(before: str, mark: dict[str, Any], code: str | None) -> None:
    now = table(before)
    shown = (asked(now.shoe), now.shoe.turn, now.shoe.replies)
    assert refused(now, **mark) == code
    assert ((asked(now.shoe), now.shoe.turn, now.shoe.replies) == shown) == (code is not None)


def test_a_look_does_not_use_the_turn_up() -> None:
    now = table("lot=1 5s 3s 4h")
    turn = now.shoe.turn
    now.play("1:look")
    assert now.shoe.turn == turn
    now.play("1:stand")
    assert now.shoe.turn == turn + 1


def test_turns_count_on_through_rounds_and_shoes() -> None:
    now = table("lot=1 5s 3s 4h 1:stand 3:stand")
    turn = now.shoe.turn
    assert turn == 7  # the lot, three cards, two marks, the result
    now.play("!close_shoe shoe")
    assert now.shoe.turn == turn


def test_a_card_before_a_mark_is_held_face_down_and_dealt_when_one_asks_for_it() -> None:
    now = table("Ks")
    assert [each.id for each in now.shoe.device.irregular] == ["drawn_before_mark"]
    assert not now.shoe.laid
    now.play("lot=1")
    assert [laid.card.value for laid in now.shoe.laid] == ["Ks"]
    assert not now.shoe.device.irregular


def test_what_happened_is_published_once_and_names_no_sealed_face() -> None:
    now = table("lot=1 5s 3s 4h 1:raise=5 3:stand")
    assert happened(now)[:4] == [("round", 1), ("start", "S1"), ("peek", False), ("stake", "S1", "5")]
    assert happened(now).count(("peek", False)) == 1
    assert ("pay", "S1", "15") in happened(now)


def test_a_voided_round_gives_back_what_was_put_in() -> None:
    now = table("lot=1 5s 3s 4h 1:raise=5 !void misdeal")
    voided = next(event for event in now.lines[-1].entry.events if isinstance(event, events.RoundVoided))
    assert {seat: float(put) for seat, (put, _) in voided.stakes.items()} == {"S1": 15.0, "S3": 12.5}


def test_a_correction_gives_cards_and_marks_anew() -> None:
    now = table("lot=1 5s 3s 4h 1:stand 3:stand")
    now.play("!correct 1 lot=1,5s,3s,2h,1:stand,3:stand")
    assert any(isinstance(event, events.RoundCorrected) for event in now.lines[-1].entry.events)


def test_the_games_own_topic_follows_its_rounds() -> None:
    now = table("lot=1 5s 3s 4h 1:stand 3:stand")
    assert snapshots(now.shoe)["tally"].rounds == {"even": 1} or sum(snapshots(now.shoe)["tally"].rounds.values()) == 1
