"""`shoe odds`: what it reads and what it writes."""

from __future__ import annotations

import argparse
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli import odds as odds_
from firmware_bridge.errors import ScriptError
from firmware_bridge.facts.cards import cards
from firmware_bridge.games.baccarat.bets import BETS
from firmware_bridge.games.baccarat.odds import Odds, odds, remaining
from tests.games.baccarat.eight_decks import DEALS_8_DECKS, eight


class Command:
    """`shoe odds` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.parser = argparse.ArgumentParser()
        odds_.options(self.parser)

    def __call__(self, *words: object) -> str:
        """What it writes."""
        assert odds_.run(self.parser.parse_args([str(word) for word in words])) == 0
        return self.capsys.readouterr().out


@pytest.fixture
def shoe_odds(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def as_json(by_bet: dict[str, Odds]) -> dict[str, Any]:
    return {
        bet: {
            "tiers": [{"pays": chance.pays, "num": chance.num, "den": chance.den} for chance in each.tiers],
            "rtp": list(each.rtp),
        }
        for bet, each in by_bet.items()
    }


def test_json_of_a_full_shoe(shoe_odds: Command) -> None:
    by_bet = json.loads(shoe_odds("--json"))
    assert by_bet == as_json(eight())
    assert by_bet["banker"]["tiers"][0] == {"pays": 0.95, "num": 2_292_252_566_437_888, "den": DEALS_8_DECKS}


def test_json_of_what_is_left(shoe_odds: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.deal").write_text("Qs # another shoe's\nshoe As Td ?? 9c5h cut +2s next # the rest", "utf-8")
    left = as_json(odds(remaining(6, cards("AsTd9c5h")), "same-rank", "any-natural"))
    options = ("--decks", 6, "--json", "--tiger-pair-top", "same-rank", "--natural-bets", "any-natural")
    assert json.loads(shoe_odds(*options, "--seen", tmp_path / "a.deal")) == left
    monkeypatch.setattr("sys.stdin", io.StringIO("As Td\n9c5h"))
    assert json.loads(shoe_odds(*options, "--seen", "-")) == left


def test_people_get_a_table(shoe_odds: Command) -> None:
    lines = shoe_odds().splitlines()
    assert "416 cards in 8 decks, 416 left" in lines[0]
    assert "  ".join(lines[3].split()) == "Player  98.7649  %  1  to  1  44.624661  %"
    assert lines[4].split() == ["push", "9.515597", "%"]
    assert lines[5].split() == ["lost", "45.859742", "%"]
    assert all(bet.en in " ".join(lines) for bet in BETS.values())


def test_seen_cards_that_make_no_sense(shoe_odds: Command, tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="No such file or directory; give a file of cards"):
        shoe_odds("--seen", tmp_path / "none")
    (tmp_path / "picture").write_bytes(b"\xff\xfe")
    with pytest.raises(ScriptError, match="it is not a text file"):
        shoe_odds("--seen", tmp_path / "picture")
    (tmp_path / "a.deal").write_text("As Tx")
    with pytest.raises(ScriptError, match="line 1: 'Tx' is not a word"):
        shoe_odds("--seen", tmp_path / "a.deal")


LINES = {
    ("baccarat", "en"): (
        "416 cards in 8 decks, 416 left. RTP: what comes",
        "Basic",
        "Player",
        "1 to 1",
        "push",
        "lost",
    ),
    ("baccarat", "zh-Hant"): ("8 副牌 416 張，剩 416 張。回報率", "基本三寶", "莊(免佣)", "1 賠 1", "退回本金", "輸"),
    ("baccarat", "zh-Hans"): ("8 副牌 416 张，剩 416 张。回报率", "基本三宝", "庄(免佣)", "1 赔 1", "退回本金", "输"),
    ("blackjack", "zh-Hant"): ("荷官以首張牌計的結果", "黑傑克", "爆牌"),
    ("niuniu", "zh-Hant"): ("剩 52 張牌：五張牌", "五小牛", "炸彈"),
    ("erbagang", "zh-Hans"): ("剩 40 张牌：两张牌", "点数"),
    ("zhajinhua", "zh-Hant"): ("剩 52 張牌：三張牌", "豹子"),
}


@pytest.mark.parametrize(("game", "lang"), LINES)
def test_the_table_is_in_the_language_asked_for(shoe_odds: Command, game: str, lang: str) -> None:
    table = shoe_odds("--game", game, "--lang", lang)
    assert [words for words in LINES[game, lang] if words not in table] == []
    assert (re.search("[\u4e00-\u9fff]", table) is None) == (lang == "en")
    english = set(re.findall("[A-Za-z]{3,}", table)) if lang != "en" else set()
    assert english == set()


@pytest.mark.parametrize(
    ("locale", "words"), [("zh_TW.UTF-8", "基本三寶"), ("zh_CN.UTF-8", "基本三宝"), ("en_US.UTF-8", "\nBasic\n")]
)
def test_the_table_is_in_the_terminals_language(
    shoe_odds: Command, monkeypatch: pytest.MonkeyPatch, locale: str, words: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    assert words in shoe_odds()
