"""What an auditor tried on games with marks: none of it blocks a table, loses a stake, or shows a sealed face."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from firmware_bridge.facts import events, orders
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game, Play, Result, Script, Start, Terms
from firmware_bridge.games.prompts import CardDue, MarkDue, Nothing, Question
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.round import asked
from firmware_bridge.shoe.state import disclosed
from tests.kit import refusals
from tests.kit.table import RESTART, Table
from tests.war.rules import GAME


class Nobody(Struct, frozen=True):
    """No own part."""


def register(round: Any, **fields: Any) -> None:
    """A game called `one`, of this script."""
    GAMES["one"] = Game(
        name="one",
        terms=Terms,
        pack=GAME.pack,
        packs=range(1, 9),
        slots=("S1", "D"),
        areas={},
        play=Play(round=round, **fields),
    )


@pytest.fixture(autouse=True)
def games() -> Iterator[None]:
    GAMES["war"] = GAME
    yield
    for name in ("war", "one"):
        GAMES.pop(name, None)


def over(outcome: str = "over") -> Result:
    return Result(hands={}, outcome=outcome, bets={}, own=Nobody())


def answer(table: Table, order: orders.Order) -> orders.Answer:
    table.take(table.order(order))
    last = table.lines[-1].entry
    assert last
    return next(event.answer for event in last.events if isinstance(event, events.CommandAnswered))


def said(table: Table, kind: type[Any]) -> list[Any]:
    return [event for line in table.lines if line.entry for event in line.entry.events if isinstance(event, kind)]


def war(**settings: Any) -> Table:
    return Table(**{"game": "war", "betting": "required", "burn": "none"} | settings).play("shoe")


def test_a_round_that_cannot_go_on_can_be_voided() -> None:
    def round(terms: Any, start: Start) -> Script:
        yield CardDue("S1", "S1")
        if any(each.outcome == "A" for each in start.before):
            yield MarkDue({"S1": {"go": Nothing()}})
        card = yield CardDue("D", "D")
        return over(start.before[0].outcome or "" if start.before else card.rank if card else "")

    register(lambda terms, start: _first_rank(terms, start), words=("go",))
    table = Table(game="one", burn="none", close="next").play("shoe 5s 4h next 6s 7s")
    assert answer(table, orders.Correct(1, ("As", "4h"), "camera")).ok
    assert [each.id for each in table.shoe.device.irregular] == ["internal_error"]
    assert answer(table, orders.Void("stuck")).ok
    assert phase(table.shoe) is Phase.READY


def _first_rank(terms: Any, start: Start) -> Script:
    first = yield CardDue("S1", "S1")
    if any(each.outcome == "A" for each in start.before):
        yield MarkDue({"S1": {"go": Nothing()}})
    yield CardDue("D", "D")
    return over(first.rank)


def test_bets_that_were_taken_back_are_not_given_back_twice() -> None:
    table = war()
    assert answer(table, orders.BetsClosed(bets={"1": "500"})).ok
    assert answer(table, orders.BetsOpen()).ok
    table.play("Ks")
    answer(table, orders.Void("misdeal"))
    assert [event.stakes for event in said(table, events.RoundVoided)] == [{}]


def test_betting_opens_also_where_the_exposed_card_burns_no_other() -> None:
    table = war(burn="first-card").play("8h")
    assert phase(table.shoe) is Phase.BETTING


@pytest.mark.parametrize(
    "bets",
    [
        {},
        {"x": "1"},
        {"1": "abc"},
        {"1": "nan"},
        {"1": "Infinity"},
        {"1": "-5"},
        {"1": "1e9"},
        {"01": "5"},
        {"1\n": "5"},
        {"1": "5\n"},
        {"1": "1" * 32},
    ],
)
def test_bets_that_are_none_are_refused_and_betting_stays_open(bets: dict[str, str]) -> None:
    table = war()
    refused = answer(table, orders.BetsClosed(bets=bets))
    assert not refused.ok
    assert refusals.said(refused).hint
    assert phase(table.shoe) is Phase.BETTING


@pytest.mark.parametrize("bets", [{"": "5"}, {"1": ""}, {"1": "9" * 33}, {"1": "\u0665"}])
def test_words_that_do_not_print_never_reach_the_shoe(bets: dict[str, str]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"do": "bets_closed", "bets": bets}, orders.BetsClosed)


def test_a_game_without_stakes_takes_none() -> None:
    table = Table(betting="required", burn="none").play("shoe")
    assert refusals.said(answer(table, orders.BetsClosed(bets={"1": "5"}))).error == "baccarat takes no bets"


def test_what_happens_to_bets_is_said_once_they_are_final() -> None:
    table = war()
    for bets in ({"7": "5", "1": "1"}, {"8": "5", "1": "1"}):
        assert answer(table, orders.BetsClosed(bets=bets)).ok
        if bets != {"8": "5", "1": "1"}:
            assert answer(table, orders.BetsOpen()).ok
    refused_bets = [words for event in said(table, events.Happened) for words in event.did if words[0] == "bet_refused"]
    assert refused_bets[-1] == ("bet_refused", "S8", "no_such_seat")


def test_a_card_that_no_rule_opens_stays_sealed_until_the_shoe_has_ended() -> None:
    def round(terms: Any, start: Start) -> Script:
        yield CardDue("S1", "S1")
        yield CardDue("D", "D", down=True)
        yield MarkDue({"S1": {"go": Nothing()}})
        return over()

    register(round, words=("go",))
    table = Table(game="one", burn="none").play("shoe 5s 4h !mark 1:go")
    assert [card.value for card in disclosed(table.shoe)] == ["5s"]
    answer(table, orders.CloseShoe())
    assert [event.card.value for event in said(table, events.CardRevealed)] == ["4h"]


def test_a_carried_card_that_lies_face_down_now_is_not_named() -> None:
    def round(terms: Any, start: Start) -> Script:
        yield CardDue("S1", "S1")
        yield CardDue("D", "D", down=True)
        yield MarkDue({"S1": {"go": Nothing()}})
        return over()

    register(round, words=("go",), carries=2)
    table = Table(game="one", burn="none", betting="required", close="next").play(
        "shoe bets-closed 5s 4h !mark 1:go 7s 8h next"
    )
    answer(table, orders.BetsClosed())
    assert [event.card.value for event in said(table, events.CardRevealed)] == ["7s"]


def test_the_clock_to_open_cards_runs_also_after_a_mark() -> None:
    table = Table(game="war", burn="none", disclose="sealed").play("shoe lot=1 5s 4h 1:stand")
    assert table.shoe.reveal_by is not None


def test_a_card_too_many_is_reported_where_none_may_wait() -> None:
    table = Table(game="war", burn="none", close="next").play("shoe lot=1 5s 4h 1:stand Qc")
    assert "overdrawn" in [each.id for each in table.shoe.device.irregular]


def test_a_second_card_before_a_mark_is_reported_when_the_first_is_removed() -> None:
    table = war().play("bets=1:5 Ks Qs")
    answer(table, orders.Resolve("drawn_before_mark", "remove"))
    assert [each.id for each in table.shoe.device.irregular] == ["drawn_before_mark"]
    assert len(table.shoe.held) == 1


def test_a_lot_without_a_card_can_be_voided() -> None:
    table = war().play("bets=1:5,2:5 lot=2")
    assert answer(table, orders.Void("wrong seat")).ok
    assert phase(table.shoe) is Phase.BETTING


def test_a_restart_while_a_mark_is_due_is_reported_as_such_and_ends_with_the_mark() -> None:
    table = war().play("bets=1:5 lot=1 5s 4h")
    table.take(RESTART)
    now = (phrase("asks", slot="S1", words=("stand", "raise", "look")),)
    assert [each.values for each in table.shoe.device.irregular] == [{"round": 1, "now": now}]
    table.play("1:stand")
    assert not table.shoe.device.irregular


def test_questions_for_ever_do_not_stop_the_daemon() -> None:
    def round(terms: Any, start: Start) -> Script:
        yield CardDue("S1", "S1")
        while True:
            yield Question("why", ("yes",))

    register(round, answer=lambda question, faces, layout: "yes")
    table = Table(game="one", burn="none").play("shoe 5s")
    assert isinstance(asked(table.shoe), Question)
    assert [each.values for each in table.shoe.device.irregular] == [{"why": phrase("endless_questions")}]
    assert answer(table, orders.Void("stuck")).ok


def test_two_questions_in_a_row_are_answered_in_a_correction_too() -> None:
    def round(terms: Any, start: Start) -> Script:
        card = yield CardDue("S1", "S1")
        yield Question("a", ("yes",))
        yield Question("b", ("yes",))
        return over(card.rank)

    register(round, answer=lambda question, faces, layout: "yes")
    table = Table(game="one", burn="none").play("shoe 5s")
    assert answer(table, orders.Correct(1, ("6s",), "camera")).ok
