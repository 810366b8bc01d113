"""What the dealer's screen and the topic `table` say where cards lie aside, stakes are unknown, or a mark was wrong."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import events, orders
from firmware_bridge.facts.wire_states import Act, Table
from firmware_bridge.games.house import usual
from firmware_bridge.topics import state
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.texts import LANGUAGES, Language
from firmware_bridge.topics.texts.dealer import Pile
from tests.kit import table as kit
from tests.kit.table import BACK, LOST, RESTART, Step
from tests.topics.dealer_screens import at_a_table

DEALT = "shoe bets=1:100,2:10 8h 5c Ts 8d 9h 7s"
PURSES = "shoe money=1:500,2:500,3:500 Ks 9h 2h Kh 9d 5c 7d 2s Ad"
PAIR = "shoe bets=1:100,2:10 8h 5c 6s 8d 9h Ts"


def at(game: str, *steps: Step, **changes: Any) -> kit.Table:
    return kit.Table(**{"game": game, **usual(game), "close": "next", **changes}).play(*steps)


def of(table: kit.Table) -> Table:
    return state.table(table.shoe)


# ---------------------------------------------------------------- cards to compare


@pytest.mark.parametrize(
    ("game", "steps", "beside"),
    [
        ("niuniu", ("shoe 1:grab=1 5h", RESTART), 1),
        ("niuniu", ("shoe 1:grab=1 5h 6h 7h", RESTART), 3),
        ("blackjack", (f"{DEALT} 2c", RESTART), 1),
        ("blackjack", (f"{DEALT} S S 2c", LOST, BACK), 1),
        ("zhajinhua", (f"{PURSES} 4c", RESTART), 1),
        ("erbagang", ("shoe money=1:9,2:9,3:9,4:9 1:grab=1 5p", RESTART), 1),
        ("baccarat", ("shoe 9s Kd Th Kc 4h", LOST, BACK), 1),
        ("blackjack", (DEALT, RESTART), 0),
    ],
)
def test_a_card_that_lies_aside_is_among_those_to_compare(game: str, steps: tuple[Step, ...], beside: int) -> None:
    table = at(game, *steps, **({"burn": "none"} if game == "baccarat" else {}))
    assert of(table).beside == beside
    piles = at_a_table(table).compare
    assert piles is not None
    shown = [each for each in piles if each.place.startswith("Beside")]
    assert shown == ([Pile(f"Beside, face down: {beside}", ())] if beside else [])
    assert len(piles) > len(shown) or of(table).slots == ()


def test_a_card_that_came_before_the_bets_lies_aside_until_it_is_dealt() -> None:
    table = at("baccarat", "shoe 9s", burn="none", betting="required")
    assert of(table).beside == 1
    table.play("bets-closed")
    assert of(table).beside == 0


@pytest.mark.parametrize(
    ("game", "steps", "gone", "left"),
    [
        (
            "blackjack",
            "shoe bets=1:100,2:10 Ts 5c 8d 6h 9h 7s 1:H Kc",
            (),
            ["Seat 1", "Seat 2", "Dealer"],
        ),
        ("blackjack", "shoe bets=1:100,2:10 Ts 5c 8d 6h 9h 7s 1:H Kc 2:H 2d", ("S1.1",), ["Seat 2", "Dealer"]),
        ("blackjack", "shoe bets=1:100,2:10 As 5c 8d Kh 9h 7s 2:H 2d", ("S1.1",), ["Seat 2", "Dealer"]),
        ("zhajinhua", f"{PURSES} lot=1 1:fold 2:call", ("S1",), ["Seat 2", "Seat 3"]),
    ],
)
def test_a_hand_is_compared_until_its_cards_are_collected(
    game: str, steps: str, gone: tuple[str, ...], left: list[str]
) -> None:
    table = at(game, steps, RESTART)
    assert of(table).collected == gone
    piles = at_a_table(table).compare
    assert piles is not None
    assert [each.place for each in piles] == left


# ---------------------------------------------------------------- stakes that are not known


def test_no_amount_is_named_where_stakes_are_not_known() -> None:
    table = at("blackjack", "shoe As 9h 7c Ts Kd 9d 6h 9s", betting="ignored", seats=3)
    assert Act("pay", slot="S1", hand="S1.1") in of(table).expected
    table.play("S S")
    assert table.phase == "complete"
    assert of(table).pays == ()
    assert [act.verb for act in of(table).expected if act.hand and act.verb in ("pay", "take")] == ["take", "take"]
    assert {act.amount for act in of(table).expected} == {""}
    shown = at_a_table(table)
    assert [(each.verb, each.hand, each.amount) for each in shown.pays] == [
        ("take", "Seat 3", ""),
        ("take", "Seat 2", ""),
    ]


def test_amounts_are_named_where_the_table_knows_them() -> None:
    table = at("erbagang", "shoe 1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1", betting="ignored")
    table.play("wp 1p 2p 3p wp 4p 5p 6p")
    assert of(table).pays


# ---------------------------------------------------------------- the dealer's peek


def test_the_answer_to_the_peek_stands_in_the_table_until_the_round_is_over() -> None:
    table = at("blackjack", "shoe bets=1:100,2:10 Kd 2d As Kh 3d")
    assert of(table).peeked not in ("blackjack", "none")
    table.play("9c")
    assert of(table).peeked == "none"
    table.play("1:S 2:H 4s", RESTART)
    assert of(table).peeked == "none"
    table.play("2:S")
    assert table.phase == "complete"
    assert of(table).peeked == "none"
    table.play("next")
    assert of(table).peeked not in ("blackjack", "none")


def test_a_blackjack_of_the_dealer_stands_in_the_table() -> None:
    assert of(at("blackjack", "shoe bets=1:100,2:10 Kd 2d As Kh 3d Kc")).peeked == "blackjack"
    assert of(at("blackjack", DEALT)).peeked == "none"  # ten up
    assert of(at("blackjack", PAIR)).peeked not in ("blackjack", "none")  # six up: no peek


@pytest.mark.parametrize(
    ("steps", "turned"),
    [
        (DEALT, "Turn the first card only: Dealer"),
        (PAIR, "Turn the first card only: Dealer"),
        ("shoe bets=1:100,2:10 Kd 2d As Kh 3d Kc", "Turn the cards: Dealer"),  # he has a blackjack
        (f"{DEALT} S S", "Turn the cards: Dealer"),
    ],
)
def test_the_dealer_is_asked_to_turn_the_hole_card_only_when_it_is_shown(steps: str, turned: str) -> None:
    assert at_a_table(at("blackjack", steps)).due[0].text == turned


# ---------------------------------------------------------------- a mark that is taken back


@pytest.mark.parametrize(
    ("steps", "moved", "words"),
    [
        (f"{PAIR} SP unmark", Act("move", slot="S1", hand="S1.2", to="S1.1"), "Seat 1, hand 2 → Seat 1, hand 1"),
        (
            f"{PAIR} SP 8s SP unmark",
            Act("move", slot="S1", hand="S1.3", to="S1.1"),
            "Seat 1, hand 3 → Seat 1, hand 1",
        ),
    ],
)
def test_a_split_that_is_taken_back_is_laid_back(steps: str, moved: Act, words: str) -> None:
    table = at("blackjack", steps)
    assert of(table).expected == (moved, Act("ask", slot="S1", hand="S1.1"))
    assert at_a_table(table).due[0].text == f"Move the card: {words}"
    assert lamps(table.shoe).lit == {"S1": "confirm"}
    table.play("1:S")
    assert "move" not in [act.verb for act in of(table).expected]


def test_collected_cards_are_laid_back_where_a_fold_is_taken_back() -> None:
    table = at("zhajinhua", f"{PURSES} lot=1 1:fold unmark")
    assert of(table).expected[0] == Act("move", slot="S1", to="S1", what="collected")
    assert at_a_table(table).due[0].text == "Lay the collected cards back: Seat 1"
    assert lamps(table.shoe).lit == {"S1": "confirm"}
    table.play("1:call")
    assert [act.verb for act in of(table).expected] == ["ask"]


def test_what_was_taken_back_is_forgotten_with_its_round() -> None:
    table = at("blackjack", f"{PAIR} SP unmark", "!void x", "bets=1:100,2:10 As 5c 8d Kd 9h Ts")
    assert [(act.verb, act.amount) for act in of(table).expected] == [
        ("turn", ""),
        ("pay", "150"),
        ("collect", ""),
        ("ask", ""),
    ]


# ---------------------------------------------------------------- a wrong mark


@pytest.mark.parametrize(
    ("lang", "game", "steps", "why"),
    [
        ("en", "blackjack", "shoe bets=1:100,2:10 8h 1:S", "A card is due: draw it first"),
        ("zh-Hant", "blackjack", "shoe bets=1:100,2:10 8h 1:S", "先發牌：現在要發牌"),
        ("zh-Hans", "blackjack", "shoe bets=1:100,2:10 8h 1:S", "先发牌：现在要发牌"),
        ("en", "blackjack", "shoe 8h 1:S", "A card is due: draw it first"),
        ("en", "blackjack", "shoe 1:S", "No mark is awaited: close the bets first"),
        ("en", "blackjack", f"{PAIR} 1:S 2:S 1:S", "Open the cards first: press REVEAL"),
        ("zh-Hant", "blackjack", f"{PAIR} 1:S 2:S 1:S", "請先開牌：按 REVEAL"),
    ],
)
def test_a_mark_that_nothing_asks_for_is_refused_by_what_is_due(
    lang: Language, game: str, steps: str, why: str
) -> None:
    changes: dict[str, Any] = {"betting": "ignored"} if steps == "shoe 8h 1:S" else {}
    changes |= {"disclose": "sealed"} if "1:S 2:S" in steps else {}
    refused = at_a_table(at(game, steps, **changes), lang).refused
    assert refused is not None
    assert refused.why == why


@pytest.mark.parametrize("by", ["floor", orders.KEYPAD])
def test_a_wrong_mark_is_said_with_the_seat_that_it_names(by: str) -> None:
    table = at("blackjack", DEALT)
    table.take(table.order(orders.Mark("S", 2), by=by))
    shown = at_a_table(table)
    assert shown.refused is not None
    assert shown.refused.what == "This mark is not accepted: Seat 2"
    assert shown.acts[0] == "Refused: Seat 2"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_wrong_mark_without_a_seat_is_said_to_be_an_order(lang: Language) -> None:
    table = at("blackjack", DEALT)
    table.take(table.order(orders.Mark("DD", value="500"), by="anna"))
    refused = at_a_table(table, lang).refused
    assert refused is not None
    assert "MARK" not in refused.what
    assert "anna" not in f"{refused}"


def test_the_answer_on_record_names_the_seat_of_a_refused_mark_alone() -> None:
    table = at("blackjack", DEALT)
    table.take(table.order(orders.Mark("S", 2)))
    table.take(table.order(orders.Mark("S", 1)))
    answered = [each.seat for each in table.events if isinstance(each, events.CommandAnswered)]
    assert answered[-2:] == ["2", ""]
