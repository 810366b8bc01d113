"""Every act of the dealer in words: each verb, each game, each language; and what a screen makes of refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, get_args

import msgspec
import pytest

from firmware_bridge.facts.book.standing import MARK_TAKEN_BACK
from firmware_bridge.facts.wire_states import Act, Alarms, Lamps, Table, Verb
from firmware_bridge.games import GAMES
from firmware_bridge.shoe.last_mark import FOLLOWS
from firmware_bridge.topics.texts import LANGUAGES, Language, known
from firmware_bridge.topics.texts.acts import Payment, Sayer
from firmware_bridge.topics.texts.dealer import Known, Screen, screen
from firmware_bridge.topics.texts.done import ACTS, Done, followed
from tests.floor.guests import STAGES
from tests.kit.rows import each_row
from tests.topics.dealer_screens import moments

each_language = pytest.mark.parametrize("lang", LANGUAGES)

ACTS_DUE: Final[dict[str, tuple[Act, ...]]] = {
    "draw": (Act("draw", slot="burn"), Act("draw", slot="burn", amount="5")),
    "turn": (),
    "take": (Act("take", what="rake", amount="1.5"),),
    "pay": (),
    "move": (Act("move", slot="R1", to="P1"), Act("move", slot="S3", to="S3.2")),
    "collect": (),
    "compare": (Act("compare", key="next"),),
    "ask": (Act("ask", slot="lot", slots=("S1", "S3")),),
    "press": (Act("press", key="next"), Act("press", key="reveal", slots=("P1", "P2"))),
    "wait": tuple(Act("wait", what=what) for what in ("pit", "shoe", "bets", "result")),
}
"""Verb -> acts that concern no hand."""

AT_A_HAND: Final[tuple[Verb, ...]] = ("draw", "turn", "take", "pay", "collect", "ask")


def acts_of(verb: Verb, game: str) -> Iterator[Act]:
    """All acts of a verb at the slots, seats and hands of a game."""
    yield from ACTS_DUE[verb]
    if verb in AT_A_HAND:
        slots = [*GAMES[game].slots, *(f"{seat}.2" for seat in GAMES[game].seats)]
        yield from (Act(verb, slot=slot.partition(".")[0], hand=slot, amount="12.5") for slot in slots)


@each_language
@each_row("game", GAMES)
@each_row("verb", get_args(Verb))
def test_every_act_is_a_sentence_of_its_own(verb: Verb, game: str, lang: Language) -> None:
    sayer = Sayer(lang)
    said = {act: sayer.sentence(act) for act in acts_of(verb, game)}
    assert len(set(said.values())) == len(said), said
    for act, words in said.items():
        assert "{" not in words
        assert (act.amount in words) if verb in ("pay", "take") or act.slot == "burn" else True
        named = act.hand or act.to or (act.slots[0] if act.slots else "")
        assert sayer.place(named) in words
        assert not named or sayer.place(named) != named, "a place without words"


@each_language
def test_the_languages_differ(lang: Language) -> None:
    if lang != "en":
        for verb in get_args(Verb):
            for act in acts_of(verb, "blackjack"):
                assert Sayer(lang).sentence(act) != Sayer("en").sentence(act)


def test_a_hand_is_named_where_its_seat_has_two() -> None:
    assert Sayer("en").place("S3.1") == "Seat 3"
    assert Sayer("en", ["S3"]).place("S3.1") == "Seat 3, hand 1"
    assert Sayer("zh-Hant").place("S3.2") == "3 號位第 2 手"


def test_acts_of_one_kind_are_one_sentence_and_payments_keep_their_order() -> None:
    acts = [
        Act("take", slot="S1", hand="S1.1", amount="10"),
        Act("collect", slot="S1", hand="S1.1"),
        Act("pay", slot="S2", hand="S2.1", amount="15"),
        Act("collect", slot="S2", hand="S2.1"),
        Act("press", key="next"),
    ]
    sayer = Sayer("en")
    assert [line.text for line in sayer.lines(acts)] == ["Collect the cards: Seat 1, Seat 2", "Press NEXT"]
    assert list(sayer.payments(acts)) == [Payment("take", "Seat 1", "10"), Payment("pay", "Seat 2", "15")]


def test_many_hands_are_named_as_their_lamps() -> None:
    hands = [f"S{seat}.{hand}" for seat in (1, 2, 3) for hand in (1, 2)]
    assert Sayer("en", ["S1", "S2", "S3"]).places(hands) == "S1.1/2, S2.1/2, S3.1/2"
    assert Sayer("en").places([f"S{seat}.1" for seat in range(1, 6)]) == "S1, S2, S3, S4, S5"


def test_seats_with_the_same_choice_are_named_together() -> None:
    asked: dict[str, Any] = {"S1": {"grab": [0, 1]}, "S2": {"grab": [0, 1]}, "S3": {"raise": {"min": "3", "max": "10"}}}
    assert list(Sayer("en").offers(asked)) == ["Seat 1, Seat 2: grab 0/1", "Seat 3: raise 3–10"]


# ---------------------------------------------------------------- screens of whole evenings


@pytest.mark.parametrize("name", STAGES)
def test_every_act_that_is_due_is_on_the_screen(name: str) -> None:
    for moment in moments(name):
        table, shown, chinese = moment.table, moment.screen(), moment.screen("zh-Hans")
        if table is None or shown.state == "lost":
            continue
        assert len(chinese.due) == len(shown.due)
        assert bool(shown.due or shown.pays) == bool(table.expected)
        amounts = [act.amount for act in table.expected if act.verb in ("pay", "take") and act.hand]
        assert [each.amount for each in shown.pays] == amounts
        assert (shown.compare is not None) == any(act.verb == "compare" for act in table.expected)
        assert len(shown.acts) <= 8


@pytest.mark.parametrize("name", STAGES)
def test_cards_to_compare_are_those_of_the_topic_table(name: str) -> None:
    for moment in moments(name):
        table, shown = moment.table, moment.screen()
        if table is None or shown.compare is None:
            continue
        open_cards = [face for pile in shown.compare for face in pile.cards]
        hands = table.hands if isinstance(table.hands, dict) and table.hands else None
        if hands:
            assert open_cards == [face for cards in hands.values() for face in cards]
        else:
            assert sorted(map(str, open_cards)) == sorted(
                str(each.card if isinstance(each.card, str) else None) for each in table.slots
            )


# ---------------------------------------------------------------- refusals


def refused(by: str, code: str, do: str = "mark") -> dict[str, Any]:
    return {"type": "CommandAnswered", "answer": {"ok": False, "do": do, "code": code}, "by": by}


DUE = {"S2": {"H": True, "S": True}}


def shown_after(*events: dict[str, Any], lang: Language = "en", orders: dict[str, str] | None = None) -> Screen:
    done = Done()
    for each in events:
        done = followed(done, each)
    said = next(each for each in STAGES["blackjack"]().said if each.topic == "table")
    body = json.loads(said.payload) | {"act": DUE, "expected": [{"verb": "ask", "slot": "S2", "hand": "S2.1"}]}
    body["orders"] = {} if orders is None else orders
    return screen(
        Known("T07", 1, msgspec.json.decode(json.dumps(body), type=Table), Lamps({}, (), ()), Alarms(()), done), lang
    )


@pytest.mark.parametrize("by", ["keypad 3", "key S3.H"])
def test_a_wrong_mark_is_said_at_once_with_its_seat_and_what_to_do(by: str) -> None:
    wrong = shown_after(refused(by, "not_your_turn")).refused
    assert wrong is not None
    assert wrong.what == "This mark is not accepted: Seat 3"
    assert wrong.why == "It is the turn of another seat"
    assert "Seat 2: hit (H), stand (S)" in wrong.todo


def test_a_refused_key_says_so() -> None:
    wrong = shown_after({"type": "KeyRefused", "key": "next", "code": "slot_due", "values": {"slot": "P2"}}).refused
    assert wrong is not None
    assert wrong.what == "NEXT does nothing now"
    assert wrong.why == "P2 is due"


def test_a_refusal_is_gone_after_the_next_act() -> None:
    given = {"type": "MarkGiven", "round": 1, "turn": 3, "seat": "2", "word": "H", "by": "keypad 2"}
    shown = shown_after(refused("keypad 3", "late"), given)
    assert shown.refused is None
    assert shown.acts == ("Seat 2: hit (H)", "Refused: Seat 3")


def test_a_refusal_is_gone_once_the_table_says_so_no_more() -> None:
    of_key = {"type": "KeyRefused", "key": "next", "code": "blocked"}
    for orders, is_said in (({"next": "blocked"}, True), ({"next": "slot_due"}, False), ({"fly": "round_open"}, False)):
        assert (shown_after(of_key, orders=orders).refused is not None) == is_said
    other = {"type": "KeyRefused", "key": "next", "code": "same_press", "values": {"seconds": 2}}
    assert shown_after(other, orders={"fly": "round_open"}).refused


def test_an_order_that_is_no_key_of_the_table_is_not_shown() -> None:
    assert shown_after(refused("ANNABEL", "no shoe is open", "enter")).refused is None


@each_language
def test_every_refusal_of_a_mark_has_words(lang: Language) -> None:
    codes = (
        "late not_your_turn not_possible bad_amount bad_target not_enough_money not_in_lot already_marked over unknown"
    )
    for code in [*codes.split(), "no_mark_due"]:
        wrong = shown_after(refused("keypad 1", code), lang=lang).refused
        assert wrong is not None
        assert wrong.why
        assert wrong.why != code


OF_UNMARK: Final = sorted(
    {"no_mark_to_take_back", *FOLLOWS.values(), MARK_TAKEN_BACK, "mark_stands_paid", "mark_stands_seen"}
)


@each_language
@each_row("code", OF_UNMARK)
def test_a_refused_unmark_says_why_and_what_to_do_in_each_language(code: str, lang: Language) -> None:
    of_key = {"type": "KeyRefused", "key": "unmark", "code": code}
    for wrong in (
        shown_after(of_key, lang=lang).refused,
        shown_after(refused("BO", code, "unmark"), lang=lang).refused,
    ):
        assert wrong is not None
        assert wrong.why == known(lang, f"refused.{code}")
        stands = "stands" in code
        assert (wrong.todo == known(lang, "instead.stands")) == stands


@pytest.mark.parametrize("lang", ["zh-Hant", "zh-Hans"])
@pytest.mark.parametrize("code", ["slot_due", "blocked", "mark_of_other_seat"])
def test_a_refusal_without_a_text_is_not_said_in_english(code: str, lang: Language) -> None:
    wrong = shown_after({"type": "KeyRefused", "key": "next", "code": code}, lang=lang).refused
    assert wrong is not None
    assert wrong.why == known(lang, "refused.blocked" if code == "blocked" else "refused.other")


@pytest.mark.parametrize("lang", ["zh-Hant", "zh-Hans"])
def test_a_table_before_codes_is_not_said_in_english(lang: Language) -> None:
    wrong = shown_after({"type": "KeyRefused", "key": "next", "why": "P2 is due"}, lang=lang).refused
    assert wrong is not None
    assert wrong.why == known(lang, "refused.other")


@each_language
def test_no_person_is_named(lang: Language) -> None:
    assert "ANNABEL" not in str(shown_after(refused("ANNABEL", "late"), lang=lang))


@each_language
def test_every_kept_event_has_words(lang: Language) -> None:
    for kind in ACTS:
        done = followed(Done(), {"type": kind, "round": 1, "number": 2, "slot": "P1", "word": "H", "id": "jam"})
        assert all("{" not in words and words for words in done.in_words(Sayer(lang)))
        assert done.in_words(Sayer(lang))


# ---------------------------------------------------------------- what must not be followed


def test_a_lost_table_shows_nothing_that_might_be_followed() -> None:
    table = next(each.table for each in moments("blackjack") if each.table)
    lost = screen(Known("T07", 1, table, Lamps({}, (), ()), Alarms(()), Done(), lost=True), "en")
    assert lost.state == "lost"
    assert len(lost.due) == 1
    assert "lamps" in lost.due[0].text
    assert (lost.pays, lost.why, lost.compare, lost.acts) == ((), (), None, ())


def test_a_shoe_that_does_not_guide_shows_no_act() -> None:
    table = next(each.table for each in moments("blackjack") if each.screen().due[0].verb == "draw")
    shown = screen(Known("T07", 1, table, Lamps({"fault": "blocked"}, ("x",), ()), Alarms(()), Done()), "en")
    assert [line.verb for line in shown.due] == ["wait"]
    assert shown.state == "blocked"
    assert not shown.pays
