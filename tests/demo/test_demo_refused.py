"""`shoe demo` with words that cannot be: it says so in a line and plays nothing."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.demo.faults import FAULTS
from tests.kit import command

shoe = command.shoe  # fixture

Refused = Callable[..., str]


@pytest.fixture
def refused(shoe: command.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """`refused(words)`: what a demo says that never begins; no process of its own is needed to say it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def run(*words: str, code: int = 1) -> str:
        ran = shoe("demo", "--seed", "3", "--speed", "200", *words)
        assert (ran.code, ran.out, list(tmp_path.iterdir())) == (code, "", []), ran
        return ran.err

    return run


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--fault", "reader-lots"], r"there is no fault 'reader-lots': did you mean reader_lost\? faults are: "),
        (["--fault", "disk_full"], "there is no fault 'disk_full': .*faults are: unreadable, duplicate"),
        (["--speed", "0"], "'0' is not a speed: write 1 for a human dealer"),
        (["--rounds", "none"], "'none' is not a number of rounds"),
        (["--svg", "x.png"], "'x.png' is not a picture's name: write one that ends in .svg"),
        (["--port", "70000"], "'70000' is not a port: write 1 to 65535"),
    ],
)
def test_a_wrong_word_is_told_in_one_line(refused: Refused, words: list[str], told: str) -> None:
    said = refused(*words, code=2)
    assert re.search(told, said)
    assert said.count("\n") == 1


def test_a_picture_that_cannot_be_kept_is_told_before_anything_is_played(refused: Refused) -> None:
    said = refused("--svg", "/nonexistent/d.svg")
    assert said == "shoe: /nonexistent/d.svg: No such file or directory; choose a file that can be written\n"


def test_a_shoe_that_judges_by_other_rules_than_the_procedure(refused: Refused) -> None:
    said = refused("--reader", "angel-eye", "--procedure", "six-card")
    assert said == "shoe: an Angel Eye shoe decides on-demand tables only; leave --procedure six-card out\n"


def test_a_fault_that_a_reader_cannot_have(refused: Refused) -> None:
    said = refused("--fault", "jam", "--reader", "line")
    assert said == "shoe: jam does not happen to a line reader; use --reader native\n"


def test_every_fault_says_what_it_is() -> None:
    assert all(fault.text and fault.readers for fault in FAULTS.values())


@pytest.mark.parametrize("fault", ["duplicate", "shoe_empty", "cut_card_missing"])
def test_a_fault_that_needs_one_pack_is_refused_for_a_game_of_more(fault: str, refused: Refused) -> None:
    said = refused("--game", "blackjack", "--fault", fault)
    assert f"{fault} needs 1 deck, blackjack is dealt from more" in said


@pytest.mark.parametrize(
    ("game", "fault", "why"),
    [
        ("blackjack", "burn_short", "nothing is burned"),
        ("niuniu", "shoe_empty", "a new pack comes before the last card"),
        ("zhajinhua", "cut_card_missing", "a new pack comes before the last card"),
        ("erbagang", "duplicate", "its pack has several of each face"),
    ],
)
def test_a_fault_that_a_game_never_comes_to_is_refused_with_those_it_can(
    game: str, fault: str, why: str, refused: Refused
) -> None:
    said = refused("--game", game, "--fault", fault)
    assert f"{fault} does not happen in {game}: {why}; possible faults: unreadable, " in said
    assert fault not in said.partition("possible faults: ")[2].rstrip().split(", ")
