"""What holds for all games at once, whatever their seats do: properties of random rounds."""

from __future__ import annotations

import os
import re
from decimal import Decimal
from typing import Any

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from firmware_bridge.games.prompts import CardDue, MarkDue, OpeningDue
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.round import asked, layout
from tests.games.seated import VARIANTS, Seated, asks, nets

ROUNDS = int(os.environ.get("ROUNDS_OF_EACH_GAME", "6"))
"""Random rounds of each game; by hand once 100,000."""

NAMES = [name for name in GAMES if GAMES[name].play.words]
SHARED = ("hands", "outcome", "bets", "stakes", "why")

WRONG = [
    orders.Mark(word, seat, value)
    for word in ("lot", "grab", "bet", "S", "DD", "call", "raise", "compare", "look", "fold", "Xx")
    for seat in (None, 1, 4, 9)
    for value in (None, "1", "0.3", "999999", "x")
]


def test_each_game_is_played_here() -> None:
    assert set(NAMES) == set(VARIANTS)


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_at_every_step_one_thing_is_asked_and_a_refused_move_changes_nothing(game: str, seed: int) -> None:
    seated = Seated(game, seed)
    table = seated.table
    while not seated.is_over:
        before = asks(table)
        now = layout(table.shoe) if phase(table.shoe) is not Phase.BETTING else None
        assert now is None or isinstance(now.due, CardDue | MarkDue | OpeningDue)
        assert now is None or (now.stuck, now.result, now.no_round) == ("", None, False)
        given = seated.rng.choice(WRONG)
        table.take(table.order(given))
        assert table.answer.ok == (asks(table) != before), (given, table.answer)
        if not table.answer.ok:
            assert re.fullmatch("[a-z_]+", table.answer.error or ""), table.answer
            assert table.answer.hint
        if not seated.is_over:
            seated.do(seated.next())
            assert isinstance(seated.done[-1], Card) or table.answer.ok or table.answer.error == "no_round", (
                table.answer
            )
    assert not table.open


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_nets_add_up_to_nothing_between_seats(game: str, seed: int) -> None:
    for message in Seated(game, seed).play().table.rounds:
        taken = Decimal(message.get("rake", "0")) if game == "zhajinhua" else Decimal(message.get("house", "0"))
        assert nets(message) + taken == 0
        assert set(message["stakes"]) == set(message["bets"])


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_sealed_and_open_play_end_alike(game: str, seed: int) -> None:
    seated = Seated(game, seed).play()
    sealed = Seated(game, seed, disclose="sealed")
    for what in seated.done:
        while isinstance(asked(sealed.table.shoe), OpeningDue):
            sealed.do(orders.Reveal())
        sealed.do(_unnumbered(what))
    while isinstance(asked(sealed.table.shoe), OpeningDue) and not sealed.is_over:
        sealed.do(orders.Reveal())
    assert [_result(each, game) for each in sealed.table.rounds] == [
        _result(each, game) for each in seated.table.rounds
    ]


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_mark_sent_twice_counts_once(game: str, seed: int) -> None:
    seated = Seated(game, seed)
    while not seated.is_over:
        what = seated.next()
        seated.do(what)
        if isinstance(what, orders.Mark):
            before = asks(seated.table)
            seated.table.take(seated.table.order(what))
            assert asks(seated.table) == before, (what, seated.table.answer)
            assert not seated.table.answer.ok


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_its_moves_given_as_a_correction_change_nothing(game: str, seed: int) -> None:
    seated = Seated(game, seed)
    words: list[str] = []
    while not seated.is_over and not seated.table.rounds:
        seated.do(seated.next())
        words += _word(seated.done[-1])
    if not seated.table.rounds or "no_round" in str(seated.table.answer):
        return
    closed = seated.table.rounds[0]
    seated.table.take(seated.table.order(orders.Correct(1, tuple(words), "looked again")))
    assert seated.table.answer.error == "this changes nothing: round 1 is on record so", words
    assert seated.table.rounds == [closed]


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_what_lies_face_down_is_shown_by_nothing_outside(game: str, seed: int) -> None:
    """Two rounds that differ in cards lying face down, with the same answers, look alike until these open."""
    first = Seated(game, seed).play()
    hidden = _hidden_longest(game, seed)
    swaps = [{n: first.deck[-1 - k - shift] for k, n in enumerate(hidden)} for shift in range(5)]
    alike = [_alike_for(game, seed, swapped) for swapped in swaps if hidden]
    assert not hidden or max(alike) > len(hidden)


def _alike_for(game: str, seed: int, swapped: dict[int, Card]) -> int:
    """After how many acts two rounds that differ in these cards still look alike; they must until these open."""
    first, other = Seated(game, seed), Seated(game, seed)
    acts = 0
    while not first.is_over:
        what = first.next()
        came = swapped.get(len(first.table.shoe.seen), what) if isinstance(what, Card) else what
        seen = [len(seated.table.shown) for seated in (first, other)]
        events = [_happened(seated, act) for seated, act in ((first, what), (other, came))]
        if any(_opens(each, swapped) for each in (first, other)) or _answers(events[0]) != _answers(events[1]):
            break
        shown = [map(_plain, seated.table.shown[n:]) for seated, n in zip((first, other), seen, strict=True)]
        assert list(shown[0]) == list(shown[1])
        acts += 1
    return acts


def _hidden_longest(game: str, seed: int) -> list[int]:
    """The cards of the first round, by their numbers, that lie face down the longest."""
    seated = Seated(game, seed)
    since: dict[int, int] = {}
    while not seated.table.shoe.rounds and not seated.is_over:
        seated.do(seated.next())
        laid = [] if seated.table.shoe.rounds else seated.table.shoe.laid
        since |= {n: len(seated.done) for n, each in enumerate(laid) if not each.shown}
    return [n for n, last in since.items() if last == max(since.values())]


def _happened(seated: Seated, what: Any) -> list[e.AnyEvent]:
    before = len(seated.table.events)
    seated.do(what)
    return seated.table.events[before:]


def _opens(seated: Seated, swapped: dict[int, Card]) -> bool:
    shoe = seated.table.shoe
    return bool(shoe.rounds) or any(shoe.laid[n].shown for n in swapped if n < len(shoe.laid))


def _answers(events: list[e.AnyEvent]) -> list[str]:
    return [event.answer for event in events if isinstance(event, e.QuestionAnswered)]


def _plain(text: str) -> str:
    """What is shown without commitments, chain values and nonces, which are made of sealed cards."""
    return re.sub("0x[0-9a-f]+|[0-9a-f]{12,}", "#", text)


def _unnumbered(what: Any) -> Any:
    """A mark without the number of its question: openings of a sealed table do not count, cards do."""
    return orders.Mark(what.word, what.seat, what.value) if isinstance(what, orders.Mark) else what


def _result(message: dict[str, Any], game: str) -> dict[str, Any]:
    own = {name: message[name] for name in GAMES[game].own.__struct_fields__}
    return {name: message[name] for name in SHARED} | own


def _word(what: Any) -> list[str]:
    match what:
        case Card():
            return [what.value]
        case orders.Mark(word=word, seat=seat, value=value):
            return [(f"{seat}:" if seat else "") + word + (f"={value}" if value is not None else "")]
    return []
