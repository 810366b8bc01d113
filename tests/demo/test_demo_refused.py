"""`shoe demo` with words that cannot be: it says so in a line and plays nothing."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.demo.faults import FAULTS, NOT_SHOWN
from tests.kit import command

shoe = command.shoe  # fixture

Refused = Callable[..., str]


@pytest.fixture
def refused(shoe: command.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """`refused(words)`: what a demo says that never begins; no process of its own is needed to say it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def run(*words: str, code: int = 2) -> str:
        ran = shoe("demo", "--seed", "3", "--speed", "200", *words)
        assert (ran.code, ran.out, list(tmp_path.iterdir())) == (code, "", []), ran
        return ran.err

    return run


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["--fault", "reader-lots"], r"there is no fault 'reader-lots': did you mean reader_lost\? faults are: "),
        (["--fault", "magic"], "there is no fault 'magic': .*faults are: unreadable, duplicate"),
        (["--speed", "0"], "'0' is not a speed: write 1 for a human dealer"),
        (["--rounds", "none"], "'none' is not a number of rounds"),
        (["--svg", "x.png"], "'x.png' is not a picture's name: write one that ends in .svg"),
        (["--port", "70000"], "'70000' is not a port: write 1 to 65535"),
    ],
)
def test_a_wrong_word_is_reported_in_one_line(refused: Refused, words: list[str], pattern: str) -> None:
    said = refused(*words)
    assert re.search(pattern, said)
    assert said.count("\n") == 1


def test_a_picture_that_cannot_be_kept_is_reported_before_anything_is_played(refused: Refused) -> None:
    said = refused("--svg", "/nonexistent/d.svg", code=1)
    assert said == "shoe: /nonexistent/d.svg: No such file or directory; choose a file that can be written\n"


def test_a_shoe_that_judges_by_other_rules_than_the_procedure(refused: Refused) -> None:
    said = refused("--reader", "angel-eye", "--procedure", "six-card")
    assert said == "shoe demo: an Angel Eye shoe decides on-demand tables only; leave --procedure six-card out\n"


def test_a_fault_that_a_reader_cannot_have(refused: Refused) -> None:
    said = refused("--fault", "jam", "--reader", "line")
    assert said == "shoe demo: jam does not happen to a line reader; use --reader native\n"


def test_every_fault_says_what_it_is() -> None:
    assert all(fault.text and fault.readers for fault in FAULTS.values())


@pytest.mark.parametrize(
    ("game", "fault", "why"),
    [
        ("erbagang", "burn_short", "nothing is burned"),
        ("niuniu", "shoe_empty", "a new pack comes before the last card"),
        ("zhajinhua", "cut_card_missing", "a new pack comes before its place; --fault sensor_stuck opens it"),
        ("niuniu", "overdrawn", "after its round the pack is over"),
        ("niuniu", "missing_third", "it has no third card"),
    ],
)
def test_a_fault_that_a_game_never_comes_to_is_refused_with_those_it_can(
    game: str, fault: str, why: str, refused: Refused
) -> None:
    said = refused("--game", game, "--fault", fault)
    assert f"{fault} does not happen in {game}: {why}; possible faults: unreadable, " in said
    assert fault not in said.partition("possible faults: ")[2].rstrip().split(", ")


@pytest.mark.parametrize("fault", NOT_SHOWN)
def test_an_alarm_that_cannot_be_shown_says_why(fault: str, refused: Refused) -> None:
    said = refused("--fault", fault)
    assert f"{fault} is an alarm that the demo cannot show: {NOT_SHOWN[fault]}" in said


def test_a_fault_of_a_judging_reader_is_refused_without_one(refused: Refused) -> None:
    said = refused("--game", "blackjack", "--fault", "wrong_slot")
    assert "wrong_slot does not happen in blackjack: no reader judges it" in said
    assert "wrong_slot" not in said.partition("possible faults: ")[2]
