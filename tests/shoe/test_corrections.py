"""Closed rounds that the floor corrects: whole new rounds, and what else follows."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.daemon.table.live_odds import before_round
from firmware_bridge.facts import orders
from firmware_bridge.shoe.state import cards_left, disclosed
from firmware_bridge.topics.state import snapshots
from tests.kit.table import Table, faces

NATURAL = "9s Kd Th Kc"
PLAIN: dict[str, Any] = {"burn": "none"}


def corrected(table: Table, number: int, text: str, missed: int = 0) -> Table:
    table.take(table.order(orders.Correct(number, faces(text), "camera", missed=missed)))
    return table


def test_a_correction_is_a_whole_new_round() -> None:
    table = corrected(Table(**PLAIN).play(f"shoe {NATURAL} 2s 6d 4h Ac"), 1, "9s Kd Th 9c")
    first, second, third = table.rounds
    assert (third["round"], third["status"], third["revision"], third["corrects"]) == (1, "corrected", 1, first["seq"])
    assert (first["outcome"], third["outcome"], third["prev"]["seq"], third["why"]) == (
        "player",
        "tie",
        second["seq"],
        ["camera"],
    )
    assert third["cards"][3] == {"slot": "B2", "card": "9c", "from": "manual"}
    assert (first["bets"]["tie"], third["bets"]["tie"]) == (-1, 8)
    assert third["by"] == "floor"


def test_a_correction_of_a_correction() -> None:
    table = corrected(corrected(Table(**PLAIN).play(f"shoe {NATURAL}"), 1, "9s Kd Th 9c"), 1, "2s 6d 4h Ac")
    assert [each["revision"] for each in table.rounds] == [0, 1, 2]
    assert [each.get("corrects") for each in table.rounds] == [None, *[each["seq"] for each in table.rounds[:2]]]
    table.play(NATURAL)
    assert table.rounds[-1]["prev"] == {name: table.rounds[-2][name] for name in ("journal", "seq")}


def test_each_round_names_the_one_before_across_shoes_and_journals() -> None:
    table = Table(**PLAIN).play(f"shoe {NATURAL} 2s !void misdeal !close_shoe shoe {NATURAL}")
    corrected(table, 1, "9s Kd Th 9c")
    named = [{name: each[name] for name in ("journal", "seq")} for each in table.rounds]
    assert [each["prev"] for each in table.rounds] == [None, *named[:-1]]
    assert len({each["journal"] for each in named}) == 2


def test_a_correction_rebuilds_the_roads() -> None:
    table = Table(**PLAIN).play(f"shoe {NATURAL} 2s 6d 4h Ac 9s Kd Th Kc")
    corrected(table, 1, "2s 6d 4h Ac")
    straight = Table(**PLAIN).play("shoe 2s 6d 4h Ac 2s 6d 4h Ac 9s Kd Th Kc")
    assert snapshots(table.shoe)["roads"] == snapshots(straight.shoe)["roads"]


def test_a_correction_after_the_end_of_the_shoe() -> None:
    table = corrected(Table(**PLAIN).play("shoe 9s cut Kd Th Kc"), 1, "2s 6d 4h Ac")
    assert table.rounds[-1]["status"] == "corrected"
    assert table.rounds[-1]["last"] is True


WRONG = [
    (1, "9s Kd Th", "too few"),
    (1, "9s Kd Th Kc 2s", "a card after a natural"),
    (1, "2s 2d 3h Ac", "a third is due"),
    (1, "1p Kd Th Kc", "this game has no such card"),
    (2, NATURAL, "a voided round"),
    (3, NATURAL, "a round in progress"),
    (9, NATURAL, "a round to come"),
]


@pytest.mark.parametrize(("number", "text", "reason"), WRONG, ids=[row[2] for row in WRONG])
def test_a_correction_is_refused(number: int, text: str, reason: str) -> None:
    table = Table(**PLAIN).play(f"shoe {NATURAL} 9s !void misdeal 9s")
    before = table.summary
    assert not corrected(table, number, text).answer.ok
    assert table.summary == before


# settings, steps, the cards of round 1 -> why they are refused
COPIES = [
    ({"decks": 1}, f"shoe {NATURAL}", "9s Kd 9s Kc", "9s would come 2 times, more often than the decks hold it"),
    (
        {"decks": 1},
        f"shoe {NATURAL} 2s",
        "2s 6d 4h Ac",
        "2s would come 2 times, more often than the decks hold it",
    ),
    ({}, "shoe " + 8 * "9s 9d Th Kc ", "9s 9s Th Kc", "9s would come 9 times, more often than the decks hold it"),
]


@pytest.mark.parametrize(("house", "steps", "text", "error"), COPIES)
def test_a_correction_names_no_more_copies_than_the_packs_hold(
    house: dict[str, Any], steps: str, text: str, error: str
) -> None:
    table = Table(**PLAIN | house).play(steps)
    seen = table.seen
    assert corrected(table, 1, text).answer.error == error
    assert table.seen == seen


def test_two_rounds_with_swapped_cards_are_corrected_one_by_one() -> None:
    table = Table(**PLAIN, decks=1).play("shoe 9s Kd Th Kc 8s Jd Qh Qc")
    assert not corrected(table, 1, "8s Kd Th Kc").answer.ok
    assert corrected(table, 2, "9h Jd Qh Qc").answer.ok
    assert corrected(table, 1, "8s Kd Th Kc").answer.ok


@pytest.mark.parametrize("sealed", ["2h", "2c"])
def test_what_a_correction_may_name_says_nothing_of_sealed_cards(sealed: str) -> None:
    """Two copies of a card are in the shoe; whether one lies there face down is nobody's to find out."""
    table = Table(burn="none", disclose="sealed", decks=2).play(f"shoe 2h 3h 7s 7d reveal reveal {sealed}")
    answer = corrected(table, 1, "2h 2h 7s 7d").answer
    assert (answer.ok, answer.error) == (True, None)


def test_a_correction_exchanges_what_was_seen() -> None:
    """Read as six cards, and five lay there: the sixth has left the shoe all the same."""
    table = Table(**PLAIN).play(f"shoe 2s 2h 3s 3h 4d 6d {NATURAL}")
    assert cards_left(table.shoe) == 406
    corrected(table, 1, "2s 2h 3s 3h 9d")
    assert cards_left(table.shoe) == 406
    assert sorted(table.seen.split()) == sorted(f"2s 2h 3s 3h 9d 6d {NATURAL}".split())
    assert before_round(table.shoe) == disclosed(table.shoe) != ()
    assert sorted(each.value for each in before_round(table.shoe)) == sorted(table.seen.split())
    corrected(table, 1, "2s 2h 3s 3h 4d 6d")
    assert sorted(table.seen.split()) == sorted(f"2s 2h 3s 3h 4d 6d {NATURAL}".split())


@pytest.mark.parametrize(
    ("corrections", "left"),
    [
        (["2s 2h 3s 3h 9d"], 410),
        (["2s 2h 3s 3h 9d", "2s 2h 3s 3h 9c"], 410),
        (["2s 2h 3s 3h 9d", "2s 2h 3s 3h 4d 7d"], 410),
        (["9s Kd Th Kc", "2s 2h 3s 3h 4d 6d", "9s Kd Th Kc"], 410),
    ],
)
def test_no_correction_puts_a_card_back_into_the_shoe(corrections: list[str], left: int) -> None:
    table = Table(**PLAIN).play("shoe 2s 2h 3s 3h 4d 6d")
    for each in corrections:
        corrected(table, 1, each)
        assert table.answer.ok
        assert cards_left(table.shoe) == left
        assert len(before_round(table.shoe)) == 6
    assert snapshots(table.shoe)["table"].cards_left == left


def test_a_correction_to_more_cards_is_taken_back_by_the_next() -> None:
    """The reader missed a card, said the pit, and then that it did not."""
    table = Table(**PLAIN).play(f"shoe {NATURAL}")
    for cards, missed, left in (("2s 2h 3s 3h 9d", 1, 411), (NATURAL, 0, 412)):
        corrected(table, 1, cards, missed)
        assert cards_left(table.shoe) == left


@pytest.mark.parametrize(("limit", "opened"), [(409, "cut_card_early"), (410, "")])
def test_a_correction_moves_no_place_of_a_cut_card(limit: int, opened: str) -> None:
    table = Table(**PLAIN, cut_earliest=limit).play("shoe 2s 2h 3s 3h 4d 6d")
    assert " ".join(corrected(table, 1, "2s 2h 3s 3h 9d").play("cut").open) == opened
    table = Table(**PLAIN, virtual_cut=limit).play("shoe 2s 2h 3s 3h 4d 6d")
    corrected(table, 1, "2s 2h 3s 3h 9d").play("2s")
    assert ("cut_card_missing" in table.open) is (limit == 410)


def test_a_card_that_was_taken_for_another_may_still_come() -> None:
    table = corrected(Table(**PLAIN, decks=1).play(f"shoe {NATURAL}"), 1, "8s Kd Th Kc")
    assert table.play("9s").open == ()
    assert table.play("8s").open == ("duplicate",)


def test_a_correction_of_a_burned_and_sealed_shoe_leaves_its_secrets() -> None:
    table = Table(burn=1, procedure="six-card", close="next").play(f"shoe 2c {NATURAL} 2d 2h next")
    corrected(table, 1, "8s Kd Th Kc")
    assert sorted(each.value for each in disclosed(table.shoe)) == sorted(["8s", "Kd", "Th", "Kc"])


@pytest.mark.parametrize(("is_corrected", "has_alarm"), [(False, False), (True, True)])
def test_patterns_are_of_the_corrected_cards(is_corrected: bool, has_alarm: bool) -> None:
    table = Table(**PLAIN).play("shoe 9s 9h 9d 9c 9s 9h 8d 9c")
    if is_corrected:
        corrected(table, 2, "9s 9h 9d 9c")
    assert ("unshuffled" in table.play("9s 9h 9d 9c").open) is has_alarm


def test_a_round_of_the_shoe_before_is_not_corrected() -> None:
    table = Table(**PLAIN).play(f"shoe {NATURAL} !close_shoe shoe")
    assert not corrected(table, 1, "2s 6d 4h Ac").answer.ok


def refused(table: Table, number: int, text: str) -> str:
    table.take(table.order(orders.Correct(number, faces(text), "camera")))
    answer = table.answer
    assert not answer.ok
    return f"{answer.error}; {answer.hint}"


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ("9s Kd Th Kc 2h", "2h is not possible in place 5; the round ends before it"),
        ("2s 6d 3h", "these cards are not a complete round; the round goes on: the next card goes to B2"),
        ("2s 6d 3h Kc", "these cards are not a complete round; the round goes on: the next card goes to P3"),
    ],
)
def test_cards_that_are_no_whole_round_are_named(cards: str, said: str) -> None:
    for procedure in ({}, {"procedure": "six-card"}):
        table = Table(**PLAIN, **procedure).play(f"shoe {NATURAL} 2c 3c next" if procedure else f"shoe {NATURAL}")
        unused = ": give only the cards that were played, not the unused ones of R1 and R2"
        assert refused(table, 1, cards) == said + (unused if procedure and "ends before it" in said else "")


def test_a_round_of_the_shoe_before_is_not_corrected_and_the_floor_sees_why() -> None:
    ended = "a round of the previous shoe cannot be corrected after the next shoe is opened"
    table = Table(burn="first-card").play(f"shoe 2s 5c 5d {NATURAL} 2s !void misdeal")
    assert refused(table, 2, NATURAL) == "round 2 was voided; only a closed round can be corrected"
    assert refused(table, 3, NATURAL) == "round 3 of this shoe is not closed; only a closed round can be corrected"
    corrected(table.play("!close_shoe"), 1, "9s Kd Th 9c")
    table.play("!open_shoe")
    for number in (1, 18):
        assert refused(table, number, NATURAL) == f"round {number} of this shoe is not closed; {ended}"
    table.play("2s 5c 5d 9s")
    assert refused(table, 1, NATURAL) == "round 1 of this shoe is not closed; only a closed round can be corrected"
    assert refused(table, 18, NATURAL).endswith(ended)
