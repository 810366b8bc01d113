"""Where guests find a seat on their screen, and how the round that is over is told from the one that is dealt."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from firmware_bridge.floor.page.guest.board import board
from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import View, view
from firmware_bridge.games.guest import Hand, Result
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from tests.floor.guest_stage import Stage
from tests.floor.guest_table import kept, seen, table
from tests.floor.guests import STAGES

BLACKJACK: dict[str, Any] = {"game": "blackjack", "betting": "required", "decks": 6}


def numbers(drawn: str) -> list[str]:
    """The seats of a screen in their order."""
    return re.findall(r'<li class="place[^"]*"><h3[^>]*>(\d+)</h3>', drawn)


@pytest.mark.parametrize(
    ("house", "count"),
    [
        (BLACKJACK, 7),
        (BLACKJACK | {"terms": {"seats": 3}}, 3),
        ({"game": "niuniu", "decks": 1}, 4),
        ({"game": "erbagang", "decks": 1}, 4),
        ({"game": "zhajinhua", "decks": 1}, 7),
        ({}, 0),
    ],
)
def test_a_table_has_its_seats_whoever_plays(house: dict[str, Any], count: int) -> None:
    terms = house.get("terms", {})
    stage = Stage()
    table(stage, "", **{key: value for key, value in house.items() if key != "terms"})
    said = [
        each._replace(payload=_with_terms(each.payload, terms)) if each.topic == "table" and terms else each
        for each in stage.said
    ]
    assert len(view(kept(said)).places) == count


def _with_terms(payload: bytes, terms: dict[str, Any]) -> bytes:
    plain = json.loads(payload)
    plain["settings"]["terms"] |= terms
    return json.dumps(plain).encode()


def test_each_seat_is_drawn_at_its_place_every_round() -> None:
    drawn = set()
    for name in ("blackjack", "niuniu", "erbagang", "zhajinhua"):
        kept_now = kept(STAGES[name]().said)
        shown = view(kept_now, "live")._replace(waits=False)
        drawn.add((name, tuple(numbers(screen("T07", shown, "en")))))
    assert drawn == {
        ("blackjack", tuple("1234567")),
        ("niuniu", tuple("1234")),
        ("erbagang", tuple("1234")),
        ("zhajinhua", tuple("1234567")),
    }


LOST = tuple(Hand(f"S{n}", ("Ts", "7d"), "17", "", "lose") for n in range(1, 8))
BLACK = Result(
    6, "is.blackjack.dealer_blackjack", hands=(Hand("D", ("As", "Js"), "21", "is.blackjack.blackjack"), *LOST)
)
SEATS = tuple(f"S{n}" for n in range(1, 8))
OVER = View(waits=False, game="blackjack", shoe=3, round=7, bets="open", places=SEATS, result=BLACK)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_dealers_result_is_said_once_at_the_dealer(lang: Language) -> None:
    drawn = screen("T07", OVER, lang)
    assert text(lang, "guest.is.blackjack.dealer_blackjack") not in drawn
    dealer = re.findall(r'<div class="dealer.*?</div>', drawn, re.DOTALL)
    assert len(dealer) == 1
    kind = text(lang, "guest.is.blackjack.blackjack")
    assert drawn.partition("<section")[2].count(kind) == dealer[0].count(kind) == 1
    assert drawn.count(f'<p class="ended">{text(lang, "guest.lose")}</p>') == 7


def test_a_blackjack_against_the_dealers_is_a_push() -> None:
    said = STAGES["blackjack"]().said
    hands = [hand for shown in _results(said) for hand in shown.hands if hand.name != "D"]
    assert hands
    for hand in hands:
        assert hand.kind in ("", "is.blackjack.bust", "is.blackjack.blackjack")
        assert (hand.kind, hand.outcome) not in (("is.blackjack.blackjack", "push"), ("is.blackjack.bust", "win"))


def _results(said: Any) -> list[Result]:
    whole = view(kept(said))
    return [each for each in (whole.result, *whole.results) if each]


def test_the_last_round_is_called_the_last_until_the_next_one_is_dealt() -> None:
    assert (board(OVER).when, "Last result" in screen("T07", OVER, "en")) == ("last", True)
    dealt = OVER._replace(bets="closed", runs=True)
    assert (board(dealt).when, "Previous result" in screen("T07", dealt, "en")) == ("past", True)
    live = dealt._replace(cards=(Hand("S3", ("9s",)),))
    assert board(live).when == "now"
    assert [len(each.hands) for each in board(live).places] == [0, 0, 1, 0, 0, 0, 0]
    assert not seen("shoe 9s Kd Th Kc").runs
    assert seen("shoe 9s Kd Th Kc 9h").runs


def test_a_round_of_a_pack_of_its_own_is_called_by_the_pack() -> None:
    result = Result(1, "wins.players", shoe=56)
    shown = View(waits=False, game="niuniu", shoe=57, round=1, places=SEATS[:4], result=result, runs=True)
    drawn = screen("T07", shown, "en")
    assert "Pack 57" in drawn
    assert "Pack 56" in drawn
    assert "Round 1" not in drawn


@pytest.mark.parametrize(("hands", "step"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 6), (9, 12), (40, 12)])
def test_all_hands_of_a_board_have_the_size_of_the_smallest(hands: int, step: int) -> None:
    held = tuple(Hand(f"S1.{n}", ("2s", "3s"), "5", "", "win") for n in range(1, hands + 1))
    shown = OVER._replace(result=Result(6, "", hands=(*held, Hand("S2", ("9s",) * 7))))
    placed = board(shown)
    assert (placed.hands, placed.cards) == (step, 8)
    assert len(placed.places[0].hands) == hands


def test_a_table_that_was_closed_says_so_whatever_its_connection() -> None:
    stage = Stage()
    table(stage, "shoe 9s Kd Th Kc !close_shoe")
    closed = [
        each._replace(payload=json.dumps(json.loads(each.payload) | {"closed": True}).encode())
        if each.topic == "table"
        else each
        for each in stage.said
    ]
    shown = view(kept(closed), silent=True, note="note")
    assert (shown.is_shut, shown.waits, shown.result, shown.roads, shown.note) == (True, False, None, None, "")
    drawn = screen("T07", shown, "en")
    assert "Table closed" in drawn
    assert "20000" in drawn
    assert not view(kept(stage.said)).is_shut


def test_baccarat_says_all_roads_counts_pairs_and_the_shoe() -> None:
    shown = seen("shoe 9s 9d 9h Kc")
    assert shown.result
    assert shown.roads
    drawn = screen("T07", shown, "en")
    for road in ("Bead plate", "Big road", "Big eye boy", "Small road", "Cockroach road", "Ask road"):
        assert f'aria-label="{road}"' in drawn
    assert f"Shoe {shown.shoe}" in drawn
    counts = re.findall(r"<dd>(\d+)</dd>", drawn.partition('"counts"')[2])[:6]
    assert counts == ["1", "0", "0", "0", "1", "1"]
    assert shown.result.pairs == ("player",)
