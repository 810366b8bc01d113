"""Given rounds through the real shoe: the toy game's, move by move, refusals and all."""

from __future__ import annotations

import io
import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from firmware_bridge.cli import main
from firmware_bridge.demo.given import LineError, answer
from firmware_bridge.games import GAMES
from tests.war.rules import GAME

LOOKED = "lot=3 5s Kh 4d 3:look 3:raise=5 1:stand"


@pytest.fixture(autouse=True)
def war() -> Iterator[None]:
    GAMES[GAME.name] = GAME
    yield
    del GAMES[GAME.name]


def line(moves: str, **more: Any) -> dict[str, Any]:
    given = {"id": "w", "game": "war", "type": "round", "settings": {"seats": 3, "unknown": 1}}
    return given | {"bets": {"1": "10", "3": "12.5"}, "moves": moves.split()} | more


def play(moves: str, **more: Any) -> dict[str, Any]:
    return answer("war", json.dumps(line(moves, **more)))


def errors(moves: str, **more: Any) -> list[str | None]:
    return [step.get("error") for step in play(moves, **more)["steps"][1:]]


def test_each_step_says_what_is_due_and_what_a_move_did() -> None:
    steps = play(LOOKED)["steps"]
    lot = {"due": None, "act": ["lot"], "marks": {"lot": ["S1", "S3"]}, "pot": "22.5"}
    assert steps[0] == {"did": [["round", 1]], **lot}
    assert steps[1] == {"did": [["start", "S3"]], "due": "S3", "act": [], "marks": {}, "pot": "22.5"}
    assert steps[2]["did"] == [["place", "S3", "5s", "up"]]
    assert steps[4]["did"] == [["place", "D", "4d", "down"], ["peek", False]]
    assert steps[4]["marks"] == {"stand": True, "raise": {"min": "1", "max": "50"}, "look": True}
    assert steps[6]["did"] == [["stake", "S3", "5"]]
    assert steps[6]["pot"] == "27.5"
    assert steps[7]["did"][:2] == [["turn", "D"], ["pay", "S3", "17.5"]]
    assert {name: steps[7][name] for name in steps[7] if name != "did"} == {
        "due": None, "act": [], "marks": {}, "over": True,
    }  # fmt: skip


def test_the_result_is_what_the_round_message_says() -> None:
    assert play(LOOKED)["result"] == {"began": "3", "net": {"S3": "17.5", "S1": "10"}}
    assert play("lot=3")["result"] is None


def test_a_round_without_anybody_is_over_before_it_begins() -> None:
    played = play("lot=1", bets={"9": "5"})
    over: dict[str, Any] = {"due": None, "act": [], "marks": {}, "over": True}
    refused = {"did": [["round", 1], ["bet_refused", "S9", "no_such_seat"]], **over}
    assert played["steps"] == [refused, {"did": [], **over, "error": "over"}]
    assert played["result"] is None


@pytest.mark.parametrize(
    ("moves", "codes"),
    [
        ("10h Xx 2:zz wp", ["unknown"] * 4),
        ("5s lot=2 lot=3 lot=3 5s 5s", ["no_card_due", "not_in_lot", None, "no_mark_due", None, None]),
        ("lot=3 5s 5s Kh", [None, None, "duplicate", None]),
        ("lot=3 5s lot=3 Kh 4d 1:stand 3:raise=51 3:look=1",
         [None, None, "no_mark_due", None, None, "not_your_turn", "bad_amount", "bad_amount"]),
        (LOOKED + " 5s stand", [None] * 7 + ["over"] * 2),
    ],
)  # fmt: skip
def test_a_refused_move_is_named_and_changes_nothing(moves: str, codes: list[str | None]) -> None:
    if moves.startswith("lot=3 5s 5s"):
        assert errors(moves, settings={"decks": 1}) == codes
    else:
        assert errors(moves) == codes
        steps = play(moves)["steps"]
        for before, after in pairwise(steps):
            if "error" in after and "error" not in before:
                unchanged = {name: after[name] for name in after if name not in ("did", "error")}
                assert unchanged == {name: before[name] for name in before if name != "did"}


def test_amounts_may_be_numbers_too() -> None:
    assert play(LOOKED, bets={"1": 10, "3": 12.5}) == play(LOOKED)


def test_a_shoe_that_runs_out_ends_the_round_without_a_result() -> None:
    played = play("lot=3 5s Kh 4d 3:stand", left=2)
    assert played["steps"][-1]["error"] == "over"
    assert played["result"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"bets": {"1": "-5"}},
        {"bets": {"one": "5"}},
        {"settings": {"decks": 1000}},
        {"left": -1},
    ],
)
def test_inputs_that_no_shoe_takes_are_no_round(wrong: dict[str, Any]) -> None:
    with pytest.raises(LineError):
        play(LOOKED, **wrong)


@pytest.mark.parametrize("amount", ["NaN", "sNaN", "Infinity", "1e999999999"])
@pytest.mark.parametrize(("game", "key"), [("blackjack", "max"), ("zhajinhua", "top"), ("erbagang", "base")])
def test_a_setting_that_is_no_amount_is_no_round(game: str, key: str, amount: str) -> None:
    with pytest.raises(LineError):
        answer(game, json.dumps({"type": "round", "settings": {key: amount}, "moves": []}))


def test_hands_are_compared_by_the_games_own_function() -> None:
    compared = answer("war", '{"id": "c", "game": "war", "type": "compare", "a": "As", "b": "Kd"}')
    assert compared == {"id": "c", "winner": "b"}


def test_lines_are_answered_in_order_and_a_bad_one_is_named(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    good, last = json.dumps(line("", id="a")), json.dumps(line("lot=3", id="b"))
    text = "\r\n".join([good, "nonsense", "", "[" * 100_000, last]) + "\r\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BOM_UTF8 + text.encode())))
    assert main(["play", "war"]) == 1
    out, err = capfdbinary.readouterr()
    assert [json.loads(each)["id"] for each in out.splitlines()] == ["a", "b"]
    assert b"play: line 2: " in err
    assert b"play: line 4: " in err
