"""Given rounds through the real shoe: the toy game's, move by move, refusals and all."""

from __future__ import annotations

import io
import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli import main
from firmware_bridge.demo.read_round import RoundReader
from firmware_bridge.demo.round_player import LineError, answer
from firmware_bridge.games import GAMES
from tests.docs.pages import DOCS
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
        ("11h Xx 2:zz wp", ["unknown"] * 4),
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
    assert main(["play", "war", "--json", "-"]) == 1
    out, err = capfdbinary.readouterr()
    assert [json.loads(each)["id"] for each in out.splitlines()] == ["a", "b"]
    assert b"play: line 2: " in err
    assert b"play: line 4: " in err


def test_a_round_is_read_by_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "baccarat"]) == 0
    shown = capsys.readouterr().out
    assert "dealt     P1 3" in shown
    assert "round 1   Banker" in shown
    assert "lucky_6 12" in shown


@pytest.mark.parametrize("game", [name for name in GAMES if name != "war"])
def test_a_round_of_each_game_is_shipped_and_goes_to_its_end(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", game]) == 0
    shown = capsys.readouterr().out
    assert "round 1   " in shown
    assert not [word for word in ("refused", "! open", "waits") if f"\n{word}" in shown], shown
    assert main(["play", game, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert not any("error" in step for step in steps)


WAYS: list[tuple[str, int, str]] = [
    ("", 1, "has no card"),
    ("Ks 5h 9x 3c", 1, "line 1: '9x' is not a word of a deal script"),
    ("{}", 1, 'line 1: "a" is missing'),
    ('{"type": "round", "moves": 3}', 1, 'line 1: "moves" must be a list [ ], and is a whole number'),
    ('{"a": ["As"], "b": 3}', 1, "line 1: a value is not of the kind that belongs there"),
    ('{"a": ["Ax", "2s", "3s"], "b": ["4s", "5s", "6s"]}', 1, "line 1: 'Ax' is not a card"),
]


LINES = [
    ("{}", '"type" is missing; write "type": "round" or "game"'),
    ('{"type": "rond"}', 'blackjack has no lines of the type "rond"; did you mean round?'),
    ('{"type": 5}', 'blackjack has no lines of the type 5; write "type"'),
    ('{"type": "round"}', '"moves" is missing; a round is {"type": "round", "moves"'),
    ("[", "the line must be an object { }, and is a list [ ]; a round is {"),
    ("null", "the line must be an object { }, and is null"),
    ('{"type": "round"', "it is cut off: a bracket or a quotation mark is not closed"),
    ('{"type": "r\u00fcnd", moves: []}', "it is not JSON from character 18 on"),
    ('{"type": "round", "moves": ["As", 1]}', 'item 2 of "moves" must be a text in quotation marks, and is a whole'),
    ('{"type": "round", "moves": [], "bets": {"1": []}}', 'a value of "bets" must be a whole number or a number or'),
    ('{"type": "round", "moves": [], "left": -1}', '"left" must be a whole number, 0 or more'),
    ('{"type": "round", "moves": [], "settings": {"seats": 99}}', "settings.seats = 99: write a whole number from 1"),
    ('{"type": "round", "moves": [], "settings": {"split_by": "x"}}', 'split_by = "x": use one of: "rank", "value"'),
    ('{"type": "round", "moves": [], "settings": {"decks": "x"}}', '"decks" must be a whole number or null, and is a'),
    ('{"game": "niuniu"}', "a line of niuniu, not of blackjack; play it as niuniu"),
    ('{"game": 5}', 'a line of 5, not of blackjack; write "game": "blackjack", or leave it out'),
    (b'{"type": "\xff"}', "it is not text in UTF-8"),
]


@pytest.mark.parametrize(("text", "error"), LINES, ids=[str(text) for text, _ in LINES])
def test_a_wrong_line_is_answered_in_words_with_what_to_write(text: str | bytes, error: str) -> None:
    with pytest.raises(LineError) as raised:
        answer("blackjack", text)
    said = str(raised.value)
    assert error in said
    assert not [raw for raw in ("Expected", "`", "enum", "malformed", "codec", "$") if raw in said]


@pytest.mark.parametrize(("text", "code", "said"), WAYS)
def test_what_is_no_round_is_named_without_words_of_python(
    text: str, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "given").write_text(text)
    assert main(["play", "zhajinhua", str(file)]) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Error" not in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for each in (tmp_path / "none", tmp_path):
        assert main(["play", "blackjack", str(each)]) == 1
        err = capsys.readouterr().err
        assert str(each) in err
        assert "Errno" not in err
        assert "give a deal script" in err


def test_a_round_that_is_not_over_says_what_it_waits_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "a.deal").write_text("Ks 5h")
    assert main(["play", "baccarat", str(file)]) == 0
    assert "waits     the round is not over: a card is due at P2" in capsys.readouterr().out


def test_lines_are_read_by_a_person_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = Path(__file__).parents[1] / "vectors/games/zhajinhua.jsonl"
    (file := tmp_path / "one").write_text(vectors.read_text().splitlines()[1] + "\n")
    assert main(["play", "zhajinhua", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "S3 pays 1, compares with S1 and loses; S1 takes 9" in shown
    assert "refused   3:compare=1: not_allowed" in shown


def test_a_script_of_another_game_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "baccarat", str(DOCS / "examples" / "blackjack.deal")]) == 1
    assert "refused   mark" in capsys.readouterr().out


def test_bets_and_their_money_are_shown_by_seat() -> None:
    event = {"type": "BetsClosed", "bets": {"1": "10"}, "money": {"S1": "5", "3": "2.5"}}
    assert [*RoundReader()._event_lines({"event": event})] == [("bets", "S1 10"), ("money", "S1 5, S3 2.5")]
