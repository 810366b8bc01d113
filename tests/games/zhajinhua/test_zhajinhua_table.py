"""Zha jin hua at the table: what is asked, answered and opened, an unread card, a void, a correction, late marks."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from firmware_bridge.facts import events, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.shoe.state import disclosed
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import table as topic
from tests.kit.rows import each_row
from tests.kit.table import RESTART, Table

MONEY = "money=1:100,2:100,3:100"
CARDS = "Ks 9h 4c Kh 9d 5c 7d 2s Ad"
DEALT = f"{MONEY} {CARDS} lot=1"
SHOWDOWN = "1:call 2:call 3:fold 1:compare=2"


def table(text: str = "", **settings: Any) -> Table:
    house = {"game": "zhajinhua", "betting": "required", "burn": "none", "decks": 1, "new_shoe": "auto"} | settings
    return Table(**house).play(f"shoe {text}")


def answer(table: Table, order: orders.Order, **given: Any) -> orders.Answer:
    table.take(table.order(order, **given))
    return table.answer


def enter(table: Table, card: str) -> orders.Answer:
    return answer(table, orders.Enter(Card(card), "BO"), by="ANNA")


def said(table: Table, kind: type[Any]) -> list[Any]:
    return [event for event in table.events if isinstance(event, kind)]


def did(table: Table) -> list[tuple[Any, ...]]:
    return [words for event in said(table, events.Happened) for words in event.did]


def test_cards_lie_face_down_and_lamps_guide_them() -> None:
    after = table(f"{MONEY} Ks 9h")
    assert after.due == "S3"
    assert disclosed(after.shoe) == ()
    assert topic(after.shoe).hands == {"S1": (None,), "S2": (None,)}
    assert topic(after.shoe).shows == {"round": 0, "stake": "1", "pot": "3"}


def test_who_must_and_who_may_is_published_without_a_face() -> None:
    now = topic(table(f"{DEALT} 1:look 1:raise=4").shoe)
    assert list(now.act) == ["S2"]  # type: ignore[arg-type]
    assert now.anytime == {"S1": {"fold": True}, "S2": {"look": True, "fold": True}, "S3": {"look": True, "fold": True}}
    assert now.shows == {"round": 1, "stake": "2", "pot": "7"}
    assert now.hands == dict.fromkeys(("S1", "S2", "S3"), (None, None, None))


def test_the_lamp_of_the_seat_whose_turn_it_is_blinks() -> None:
    assert lamps(table(DEALT).shoe).lit["S1"] == "confirm"
    assert {lamps(table(f"{MONEY} {CARDS}").shoe).lit[slot] for slot in ("S1", "S2", "S3")} == {"candidate"}


@pytest.mark.parametrize("disclose", ["dealt", "sealed"])
def test_a_compare_says_who_is_out_and_all_hands_open_with_the_result(disclose: str) -> None:
    played = table(f"{DEALT} 1:call 2:call 3:fold 1:look", disclose=disclose)
    assert disclosed(played.shoe) == ()
    played.play("1:compare=2")
    assert did(played)[-4:] == [
        ("put", "S1", "2"), ("compare", "S1", "S2", "S1"), ("out", "S2", "compare"), ("win", "S1", "7"),
    ]  # fmt: skip
    assert len(said(played, events.CardRevealed)) == 9
    message = played.rounds[-1]
    assert message["hands"]["S3"]["cards"] == ["4c", "5c", "Ad"]
    assert (message["winner"], message["won_by"], message["bets"]) == (
        "S1",
        "compare",
        {"S1": "3", "S2": "-2", "S3": "-1"},
    )


def test_a_look_out_of_turn_leaves_the_number_of_the_question_and_one_in_turn_changes_it() -> None:
    played = table(DEALT)
    turn = played.shoe.turn
    played.play("3:look 2:fold")
    assert played.shoe.turn == turn
    played.play("1:look")
    assert played.shoe.turn == turn + 1
    assert answer(played, orders.Mark("call", 1, None, 1, turn)).error == "late"
    assert answer(played, orders.Mark("call", 1, None, 1, turn + 1)).ok


def test_every_refusal_says_what_may_be_done_instead() -> None:
    played = table(DEALT)
    hints = {
        "2:call": "S1 may look, call for 1, raise for 2 to 10 in steps of 1, fold",
        "1:raise=11": "from 2 to 10 in steps of 1",
        "1:compare=2": "from round 2 on",
        "7:call": "seat 7 is not in this round",
        "lot=2": "the starting seat is already drawn",
    }
    for word, hint in hints.items():
        played.play(word)
        assert hint in (played.answer.hint or ""), word


@each_row("value", ["", "=0", "=x", "=-1", "=4.5", "=6", "=7", "=12", "=1000"])
@each_row(
    ("money", "before", "why"),
    [
        ("1:50,2:6,3:50", "1:raise=5", "the purse has 5, too little for a raise"),
        ("1:50,2:11.5,3:50", "1:raise=5 2:look", "the purse has 10.5, too little for a raise"),
        ("1:50,2:50,3:50", "1:raise=10", "the stake is already at the top, 10"),
        ("1:50,2:5,3:50", "1:raise=5", "a call costs 5"),
    ],
)
def test_a_raise_that_is_not_offered_is_not_allowed_whatever_its_value(
    money: str, before: str, why: str, value: str
) -> None:
    played = table(f"money={money} Ks 9h 4c Kh 9d 5c 7d 2s Ad lot=1 {before} 2:raise{value}")
    assert played.answer.error == "not_allowed"
    assert (played.answer.hint or "").startswith(why)
    assert " raise " not in (played.answer.hint or "").partition("may")[2]


def test_a_raise_with_less_than_a_step_to_the_top_is_not_allowed() -> None:
    played = table(f"{DEALT} 1:raise=3 2:raise=5", top=Decimal("4.5"), step=Decimal(2))
    assert played.answer.error == "not_allowed"
    assert (played.answer.hint or "").startswith("no full step is left below the top stake")


def test_bets_closed_says_who_takes_no_part_and_too_few_make_no_round() -> None:
    played = table()
    reply = answer(played, orders.BetsClosed(money={"1": "0.5", "2": "5", "3": "5", "9": "5"}))
    assert (reply.ok, reply.error) == (False, "no_round")
    assert reply.hint == "S1 takes no part: money_below_ante, S9 takes no part: no_such_seat"
    reply = answer(played, orders.BetsClosed(money={"1": "0.5", "2": "5", "3": "5", "4": "5"}))
    assert (reply.ok, reply.hint) == (True, "S1 takes no part: money_below_ante")
    assert reply.left_out == {"1": "money_below_ante"}


def test_an_unread_card_is_asked_for_by_the_first_compare_that_needs_it() -> None:
    played = table(f"{MONEY} Ks 9h ?? Kh ?? 5c 7d 2s Ad lot=1 1:call 2:call 3:call")
    assert played.open == ()
    assert topic(played.shoe).hands == dict.fromkeys(("S1", "S2", "S3"), (None, None, None))
    played.play("1:compare=2")
    assert played.open == ("unreadable",)
    assert played.about("unreadable") == "reason: not read · slot: seat 2"
    assert enter(played, "9d").ok
    assert did(played)[-1] == ("out", "S2", "compare")
    assert played.open == ()
    played.play("3:fold")
    assert played.about("unreadable") == "reason: not read · slot: seat 3"
    assert enter(played, "4c").ok
    message = played.rounds[-1]
    assert message["hands"]["S2"]["cards"] == ["9h", "9d", "2s"]
    assert "manual" in message["flags"]
    assert {each["card"]: each["from"] for each in message["cards"]}["4c"] == "manual"


def test_who_entered_an_unread_card_is_on_record_and_its_commitment_opens() -> None:
    played = table(f"{MONEY} Ks 9h ?? Kh 9d 5c 7d 2s Ad lot=1 1:fold 2:fold")
    assert enter(played, "4c").ok
    entered = said(played, events.CardLookedAt)[-1]
    revealed = [event for event in said(played, events.CardRevealed) if event.card is Card("4c")][-1]
    line = next(line for line in played.lines if line.entry and entered in line.entry.events)
    assert (entered.by, entered.second) == ("ANNA", "BO")
    assert (revealed.seq, revealed.n) == (line.public.seq, line.entry.events.index(entered) + 1)


def test_the_floor_may_void_a_round_with_an_unread_card() -> None:
    played = table(f"{MONEY} Ks 9h ?? Kh 9d 5c 7d 2s Ad lot=1 1:raise=3 2:fold 3:fold")
    assert played.open == ("unreadable",)
    assert answer(played, orders.Resolve("unreadable", "void")).ok
    message = played.rounds[-1]
    assert (message["status"], message["stakes"]) == ("voided", {"S1": ["4", "0"], "S2": ["1", "0"], "S3": ["1", "0"]})
    assert played.phase in ("ended", "betting")


def test_a_void_says_what_each_seat_had_put_in() -> None:
    played = table(f"{DEALT} 1:look 1:raise=4 2:call")
    assert answer(played, orders.Void("misdeal")).ok
    message = played.rounds[-1]
    assert message["stakes"] == {"S1": ["5", "0"], "S2": ["3", "0"], "S3": ["1", "0"]}
    assert message["cards"] == []


def test_a_correction_is_the_whole_round_anew() -> None:
    played = table(f"{DEALT} {SHOWDOWN}")
    moves = f"{CARDS} lot=1 1:call 2:call 3:fold 2:fold".split()
    refused = answer(played, orders.Correct(1, tuple(moves), "camera"))
    assert refused.ok
    message = played.rounds[-1]
    assert (message["status"], message["winner"], message["won_by"], message["by"]) == (
        "corrected",
        "S1",
        "fold",
        "floor",
    )
    wrong = f"{CARDS} lot=1 1:call 2:compare=1".split()
    assert not answer(played, orders.Correct(1, tuple(wrong), "camera")).ok


def test_a_restart_asks_the_same_question() -> None:
    played = table(f"{DEALT} 1:look")
    before = topic(played.shoe)
    played.take(RESTART)
    after = topic(played.shoe)
    assert (after.turn, after.act, after.anytime, after.shows) == (
        before.turn,
        before.act,
        before.anytime,
        before.shows,
    )


def test_the_next_pack_opens_with_the_purses_of_the_next_round() -> None:
    played = table(f"{DEALT} {SHOWDOWN} {DEALT} {SHOWDOWN}")
    assert [message["shoe"] for message in played.rounds] == [1, 2]
    assert [message["prev"] is None for message in played.rounds] == [True, False]


FACES = [None, None, None]


def shown(played: Table) -> dict[str, Any]:
    """The hands in the topic `table` of a round that is complete and not closed."""
    assert played.phase == "complete"
    assert [each.card for each in topic(played.shoe).slots].count(UNSET) == str(topic(played.shoe).hands).count("None")
    return {slot: list(hand) for slot, hand in (topic(played.shoe).hands or {}).items()}


def test_a_showdown_shows_its_winner_and_a_fold_nobody() -> None:
    assert shown(table(f"{DEALT} {SHOWDOWN}", close="next")) == {"S1": ["Ks", "Kh", "7d"], "S2": FACES, "S3": FACES}
    assert shown(table(f"{DEALT} 1:fold 2:fold", close="next")) == {"S1": FACES, "S2": FACES, "S3": FACES}


def test_a_hand_that_earns_a_bonus_is_shown_though_it_lost() -> None:
    played = table(f"{MONEY} Qs 2h 4c Qh 3d 5c Qd 5s Ad lot=1 1:call 2:call 3:fold 1:compare=2", close="next")
    assert shown(played) == {"S1": ["Qs", "Qh", "Qd"], "S2": ["2h", "3d", "5s"], "S3": FACES}
    assert played.play("next").rounds[-1]["shown"] == ["S1", "S2"]


def test_a_house_may_show_all() -> None:
    played = table(f"{DEALT} 1:fold 2:fold", close="next", show="all")
    assert None not in [card for hand in shown(played).values() for card in hand]


BEFORE = f"{DEALT} 1:look 2:raise=5 1:call 1:fold=1 2:call 3:raise=3 2:look 1:call 2:call 3:call 1:raise=11 1:compare=2"
"""Everything up to a comparison, refused marks too; nothing is opened by it."""


def test_no_face_is_published_before_the_result() -> None:
    faces = "Ks 9h 4s Kh 9s 5h 7h 2s Ah"  # none of them can stand in a digest
    played = table(BEFORE.replace(CARDS, faces))
    assert any(words[0] == "compare" for words in did(played))
    assert played.rounds == []
    emitted = "\n".join([*played.shown, *[line.data.split(b"\t")[3].decode() for line in played.lines]])
    assert [face for face in faces.split() if face in emitted] == []


def test_rounds_that_differ_only_face_down_look_alike_until_something_opens() -> None:
    first, second = (table(BEFORE.replace(CARDS, cards)) for cards in (CARDS, "As 9s 4h Ac 9c 5h Td 3s Kd"))

    def outside(played: Table) -> str:
        text = "\n".join(message.payload.decode() for message in played.messages)
        text += msgspec.json.encode([topic(played.shoe), lamps(played.shoe)]).decode()
        return re.sub(r'"(commit|head|sealed)":"[0-9a-f]{64}"', "", text)

    assert outside(first) == outside(second)
