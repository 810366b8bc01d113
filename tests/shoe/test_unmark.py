"""A wrong key: the last mark is taken back while nothing followed it, on record with the person."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from firmware_bridge.demo.seats import next_order
from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.games import GAMES
from firmware_bridge.shoe import Phase, Shoe, advance, phase
from firmware_bridge.shoe.round import asked, layout
from tests.kit.nightly import share
from tests.kit.refusals import said
from tests.kit.table import RESTART, Table

MARKED: Final = sorted(name for name, game in GAMES.items() if game.play.words)
PLAIN: Final[dict[str, Any]] = {"burn": "none", "new_shoe": "auto"}
ROUND: Final = ("status", "outcome", "hands", "cards", "bets", "stakes", "why", "game", "round", "moved")


def at(game: str, **changes: Any) -> Table:
    of_game = {"decks": 6 if game == "blackjack" else 1}
    betting = {"betting": "required"} if GAMES[game].money.stakes else {}
    return Table(**PLAIN, game=game, **of_game, **betting, **changes)


def unmark(table: Table, **fields: Any) -> orders.Answer:
    table.take(table.order(orders.Unmark(**fields), by="anna"))
    return table.answer


def order_of(given: dict[str, Any]) -> orders.Order:
    if given["do"] == "mark":
        return orders.Mark(given["word"], given.get("seat"), given.get("value"))
    if given["do"] == "reveal":
        return orders.Reveal()
    return orders.BetsClosed(given.get("bets", {}), given.get("money", {}))


def played(game: str, seed: int, unmarks: bool, close: str) -> Table:
    """Two rounds of random marks and cards; where unmarks, some marks are taken back and given again."""
    table, marks, cards, errs = at(game, close=close), Random(seed), Random(seed + 1), Random(seed + 2)
    pack = [card for card, count in GAMES[game].pack.items() for _ in range(count)]
    cards.shuffle(pack)
    if game == "blackjack":
        table.play("shoe")
    for _ in range(150):
        if len(table.rounds) == 2:
            break
        if phase(table.shoe) is Phase.COMPLETE:
            table.play("next")
        elif order := next_order(table.shoe, marks, None if game == "erbagang" else 3):
            ordered = table.order(order_of(order))
            table.take(ordered)
            assert table.answer.ok, table.answer
            last = table.shoe.last_mark
            if unmarks and order["do"] == "mark" and last and not last.followed and errs.random() < 0.5:
                taken_back(table, ordered)
        else:
            table.play(pack.pop().value)
    return table


def taken_back(table: Table, ordered: inputs.Ordered) -> None:
    """Takes the last mark back and gives it again: the question is the one before, by a new number."""
    after, before = layout(table.shoe), table.shoe.turn
    if not unmark(table).ok:
        assert "chips were paid" in (table.answer.error or "")
        return
    assert table.shoe.turn == (before + 1) % 65_536
    table.take(table.order(ordered.order))
    assert table.answer.ok
    assert layout(table.shoe) == after


@given(st.sampled_from(MARKED), st.integers(0, 2**32), st.sampled_from(["auto", "next"]))
@settings(max_examples=share(60, 8), deadline=None)
def test_an_unmark_and_the_same_mark_give_the_same_round(game: str, seed: int, close: str) -> None:
    one, other = played(game, seed, False, close), played(game, seed, True, close)
    assert len(one.rounds) == 2
    assert [{key: r.get(key) for key in ROUND} for r in one.rounds] == [
        {key: r.get(key) for key in ROUND} for r in other.rounds
    ]
    assert sum((other.shoe.device.unmarked or {}).values()) == len(
        [each for each in other.events if isinstance(each, events.MarkTakenBack)]
    )


HANDS = "shoe bets=1:100,2:10 8h 5d 9s 6d Th Kc"  # S1 14, S2 15, dealer 9


def test_the_question_is_asked_again_by_a_new_number_and_the_person_is_on_record() -> None:
    table = at("blackjack").play(HANDS, "1:S")
    assert asked(table.shoe).act.keys() == {"S2.1"}
    turn = table.shoe.turn
    answer = unmark(table)
    assert (answer.ok, answer.hint) == (True, "S1: S is taken back; S1.1: S, H, DD, SU")
    taken = next(each for each in table.events if isinstance(each, events.MarkTakenBack))
    entries = [line.entry for line in table.lines if line.entry]
    given_at = next(each.seq for each in entries if any(isinstance(event, events.MarkGiven) for event in each.events))
    assert (taken.by, taken.seat, taken.word, taken.turn, taken.seq) == ("anna", "1", "S", turn + 1, given_at)
    assert table.shoe.turn == turn + 1
    table.take(table.order(orders.Mark("H", 1, round=1, turn=turn + 1)))
    assert table.due == "S1"


def test_it_is_counted_for_the_dealer_who_dealt_and_over_shoes_and_starts() -> None:
    table = at("blackjack").play("!dealer anna", HANDS, "1:S unmark 1:S", "!dealer bert", "2:S unmark 2:S")
    assert table.shoe.device.unmarked == {"anna": 1}  # bert signed in after the mark of S1, and S2's was hers
    table.play("unmark")
    assert table.shoe.device.unmarked


# what came before, the order, -> error, hint
REFUSED: dict[str, tuple[str, list[Any], dict[str, Any], str, str]] = {
    "no shoe": ("blackjack", [], {}, "no mark to take back", "no mark was given in this round"),
    "no mark": ("blackjack", [HANDS], {}, "no mark to take back", "no mark was given"),
    "a card was drawn": ("blackjack", [HANDS, "1:H 2s"], {}, "the last mark stands: a card was drawn", "call the pit"),
    "a card is held": ("blackjack", [HANDS, "1:S 3s"], {}, "the last mark stands: a card was drawn", "call the pit"),
    "taken back": (
        "blackjack",
        [HANDS, "1:S unmark"],
        {},
        "the one after it was just taken back",
        "give the right mark",
    ),
    "paid": ("blackjack", [HANDS, "1:SU"], {}, "chips were paid or collected", "call the pit"),
    "another seat's": ("blackjack", [HANDS, "1:S"], {"seat": 2}, "the last mark is not of seat 2", "it is of S1: S"),
    "late": ("blackjack", [HANDS, "1:S"], {"turn": 1}, "late", "round 1, turn"),
    "another round": ("blackjack", [HANDS, "1:S"], {"round": 2}, "late", "round 1, turn"),
    "voided": ("blackjack", [HANDS, "1:S !void misdeal"], {}, "its round is over", "correct"),
    "the cut card came": ("blackjack", [HANDS, "1:S cut"], {}, "a card was drawn", "call the pit"),
    "closed": (
        "blackjack",
        ["shoe bets=1:100 Ts 9d 9c Td", "1:S"],
        {},
        "the last mark stands: a card was opened after it",
        "correct",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mark_that_something_followed_stands(case: str) -> None:
    game, steps, fields, error, hint = REFUSED[case]
    table = at(game).play(*steps)
    before = table.shoe
    answer = unmark(table, **fields)
    assert not answer.ok
    assert error in (answer.error or "")
    assert hint in (answer.hint or "")
    assert (table.shoe.replies, table.shoe.turn) == (before.replies, before.turn)
    table.play("unmark") if not fields else None
    assert fields or isinstance(table.events[-1], events.KeyRefused)


HANDED = "money=1:100,2:100,3:100 As Kd 9c 2s 3d 7c 5h 6h 9h lot=1"


def to_act(table: Table) -> str:
    """The seat that is asked."""
    return next(iter(asked(table.shoe).act))[1:]


def test_a_comparison_that_the_shoe_has_answered_stands() -> None:
    table = at("zhajinhua", close="next").play(HANDED)
    for _ in range(3):
        table.play(f"{to_act(table)}:call")
    table.play("1:compare=2")
    assert any(isinstance(each, events.QuestionAnswered) for each in table.events)
    assert "answered it from the cards" in (unmark(table).error or "")


@pytest.mark.parametrize("close", ["next", "auto"])
def test_a_mark_by_which_hands_were_opened_stands(close: str) -> None:
    table = at("zhajinhua", close=close).play(HANDED)
    for _ in range(2):
        table.play(f"{to_act(table)}:fold")
    assert len(table.rounds) == (close == "auto")
    assert unmark(table).error == "the last mark stands: a card was opened after it"


def test_the_pit_alone_takes_a_look_back_since_the_guest_may_have_seen_the_cards() -> None:
    table = at("zhajinhua", close="next").play(HANDED)
    seat = to_act(table)
    table.play(f"{seat}:look", "unmark")
    assert isinstance(refused := table.events[-1], events.KeyRefused)
    assert said(refused).error.startswith("the last mark stands: the guest may have seen the cards")
    table.take(table.order(orders.Unmark(), by=orders.KEYPAD))
    assert "may have seen the cards" in (table.answer.error or "")
    assert unmark(table).ok  # by name


UNREAD: Final = "money=1:50,2:50,3:50 Ks 9h 2h Kh ?? 5c 7d 2s Ad lot=1 1:call 2:call 3:call"


def test_an_unread_card_that_only_the_mark_needed_is_needed_no_longer() -> None:
    table = at("blackjack", close="next").play("shoe bets=1:100 Ts 6d Kd ?? 1:S")
    assert table.open == ("unreadable",)
    table.play("unmark")
    assert table.open == ()
    table.play("1:H 5c")
    assert layout(table.shoe).placed[-1].slot == "S1.1"


def test_an_unread_card_is_asked_for_again_by_the_next_mark_that_needs_it() -> None:
    table = at("zhajinhua", close="next").play(UNREAD, "1:compare=2")
    assert table.open == ("unreadable",)
    table.play("unmark 1:call")
    assert table.open == ()
    assert to_act(table) == "2"
    table.play("2:compare=3")
    assert table.open == ("unreadable",)


def test_a_mark_that_decided_the_round_stands_while_a_card_is_unread() -> None:
    table = at("zhajinhua", close="next").play(UNREAD, "1:fold 2:fold")
    assert table.open == ("unreadable",)
    assert not unmark(table).ok


def test_a_restart_keeps_the_mark_that_can_be_taken_back() -> None:
    table = at("blackjack").play(HANDS, "1:S", RESTART)
    assert unmark(table).ok


def test_the_count_outlives_the_journal_and_the_record_folds_to_the_shoe() -> None:
    table = at("blackjack").play(HANDS, "1:S unmark 1:H 2s unmark 1:S 2:S !close_shoe !void over !close_shoe shoe")
    assert table.shoe.device.unmarked == {"": 1}
    shoe = Shoe()
    for line in table.lines:
        assert line.entry
        shoe = advance(shoe, line.entry)
    assert shoe == table.shoe
