"""What each bet pays: the page that `shoe odds --markdown` makes, and the words by which it is found."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

import pytest

from firmware_bridge.cli.odds.payouts import page
from firmware_bridge.games.baccarat.bets import BETS, results, tiers
from firmware_bridge.games.baccarat.odds import full, odds
from firmware_bridge.games.niuniu.script import NiuNiu
from tests.docs.pages import DOCS
from tests.kit import command

shoe = command.shoe  # a fixture


@cache
def rows() -> list[list[str]]:
    """The cells of each row of the page that names a bet."""
    return [line.strip("| ").split(" | ") for line in page().splitlines() if line.startswith("| `")]


def test_every_bet_of_baccarat_has_a_row_for_each_payment() -> None:
    for bet, paid in tiers("identical", "must-win").items():
        found = [row for row in rows() if row[0] == f"`{bet}`" and len(row) == 7]
        pays = ["stake back" if net == 0 else f"{net} to 1" for net in paid]
        assert [row[5] for row in found if "`" not in row[4]][: len(pays)] == pays
        assert (found[0][1], found[0][3]) == (BETS[bet].en, BETS[bet].zh)
        assert not re.search(r"[闲庄对龙宝运无敌烧红黄赐边细]", found[0][2])


def test_a_return_is_that_of_a_full_shoe_of_eight() -> None:
    exact = odds(full(8))
    for row in rows():
        if row[0].strip("`") in exact and row[-1].endswith("%") and len(row) == 7 and " with " not in row[0]:
            assert row[-1] == f"{float(100 * Fraction(*exact[row[0].strip('`')].rtp)):.4f} %"


def test_the_hands_of_niuniu_pay_what_the_settings_say() -> None:
    pays = {row[0].strip("`"): int(row[5].rpartition(" ")[2]) for row in rows() if "banker's multiple" in row[-2]}
    assert pays == NiuNiu().hand_multiples


def test_half_is_paid_on_six_without_commission() -> None:
    from firmware_bridge.facts.cards import Card

    six = {"player": (Card("2s"), Card("3h"), Card("Td")), "banker": (Card("3s"), Card("3h"))}
    assert results(six)["banker_no_commission"] == 0.5
    assert results(six)["banker"] == 0.95


def test_one_game_alone(shoe: command.Run) -> None:
    assert shoe("odds", "--markdown", "--game", "niuniu").out.startswith("## Niu-niu 搶莊牛牛 抢庄牛牛\n")
    ran = shoe("odds", "--markdown", "--decks", "6")
    assert (ran.code, "--decks with --markdown" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("commission", "5 %: banker pays 0.95 to 1"),
        ("tie", "8 to 1"),
        ("insurance", "there is none, and it cannot be set"),
        ("rake", "[game] rake, a part of the winner's profit"),
        ("6:5", "a blackjack pays 3 to 2; 6 to 5 cannot be set"),
        ("h17", "stands on soft 17"),
        ("wu_dalang", "150 to 1"),
        ("big tiger", "50 to 1"),
        ("武大郎", "150 to 1"),
        ("even money", "cannot be set"),
    ],
)
def test_help_finds_a_payment(shoe: command.Run, words: str, text: str) -> None:
    ran = shoe("help", *words.split())
    assert (ran.code, text in " ".join(ran.out.split())) == (0, True), ran.out


@pytest.mark.parametrize("word", ["payout", "payouts"])
def test_help_has_the_page(shoe: command.Run, word: str) -> None:
    text = " ".join(shoe("help", word).out.split())
    assert "What cannot be set" in text
    assert "wu_dalang" in text


def test_a_word_in_many_rows_shows_some_of_them(shoe: command.Run) -> None:
    assert re.search(r"\.\. and \d+ more rows\n", shoe("help", "banker", "wins").out)


def test_the_page_is_shipped() -> None:
    assert (DOCS / "payouts.md").read_text("utf-8") == page()


@pytest.mark.parametrize("decks", ["0", "-1", "x", "1.5"])
def test_a_shoe_of_no_decks_is_wrong_usage(decks: str, shoe: command.Run) -> None:
    ran = shoe("odds", f"--decks={decks}")
    assert (ran.code, f"--decks: '{decks}' is not a number of decks: write 1 to 12" in ran.err) == (2, True)
