"""A card that was judged before it came has the very events that it would have had."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from pytest_mock import MockerFixture

from firmware_bridge.daemon.table import judge as judging
from firmware_bridge.daemon.table.judge import Judge
from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.inputs import AnyInput, CardRead, ReportNo
from firmware_bridge.shoe import Shoe, advance, decide, entry_of, foretell, observe
from tests.ahead import at_rest
from tests.core import golden_table
from tests.core.golden import Tape
from tests.core.golden_play import scenarios
from tests.core.table import Table

SCENARIOS = tuple(name for n, name in enumerate(scenarios()) if n % 6 == 0)
DRAWN_FOR_IT = "b" * 32
"""The nonce of a card that was judged ahead."""


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_foretold_of_a_card_is_what_is_decided(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def both(shoe: Shoe, fact: AnyInput) -> tuple[AnyEvent, ...]:
        decided = decide(shoe, fact)
        if isinstance(fact, CardRead):
            foretold = foretell(shoe, replace(fact, at=0, mono=0, salt="", quality=None))
            assert foretold in (None, decided)
        return decided

    monkeypatch.setattr(golden_table, "decide", both)
    scenarios()[name](Tape())


def judged(
    monkeypatch: pytest.MonkeyPatch,
    shoe: Shoe,
    last: CardRead,
    card: CardRead,
    then: Callable[[Judge], Any] = lambda _: None,
    observing: bool = False,
    meets: Shoe | None = None,
) -> tuple[AnyInput, tuple[AnyEvent, ...]]:
    """What a judge that had time to look ahead says of a card: the input to be journaled, and its events."""

    async def play() -> tuple[AnyInput, tuple[AnyEvent, ...]]:
        judge = Judge(asyncio.get_running_loop())
        judge.look_ahead(shoe, last)
        await at_rest(judge)
        then(judge)
        return judge.judged(meets or shoe, card, observing)

    monkeypatch.setattr(judging, "nonce", lambda: DRAWN_FOR_IT)
    return asyncio.run(play())


def read(face: str, seq: int, **more: Any) -> CardRead:
    return CardRead(
        at=5_000, mono=70, salt="c" * 32, card=Card(face), nonce="a" * 32, report=ReportNo(7, seq % 256), **more
    )


def dealt(faces: str, **settings: Any) -> tuple[Shoe, CardRead]:
    """A shoe after these cards, reports 0 and up, and the last of them."""
    table = Table(**{"burn": "none"} | settings).play("shoe")
    cards = [read(face, n) for n, face in enumerate(faces.split())]
    for card in cards:
        table.take(card)
    return table.shoe, cards[-1]


SEALED, SIX = {"disclose": "sealed"}, {"procedure": "six-card"}


@pytest.mark.parametrize(
    ("faces", "settings"),
    [
        *[(faces, {}) for faces in ("9s", "9s Kd", "9s Kd Th", "2s 2d 2h 2c", "9s Kd Th Kc")],
        *[(faces, SEALED) for faces in ("9s", "9s Kd", "9s Kd Th Kc")],
        *[(faces, SIX) for faces in ("9s", "9s Kd Th Kc", "9s Kd Th Kc 2c", "9s Kd Th Kc 2c 3c")],
    ],
)
def test_a_card_that_was_waited_for_takes_the_nonce_drawn_for_it(
    monkeypatch: pytest.MonkeyPatch, faces: str, settings: dict[str, Any]
) -> None:
    shoe, last = dealt(faces, **settings)
    card = read("5c", len(faces.split()), quality=200)
    told, events = judged(monkeypatch, shoe, last, card)
    assert told == replace(card, nonce=DRAWN_FOR_IT)
    assert events == decide(shoe, told)
    assert events


def test_a_card_that_closes_a_round_is_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd Th")
    _, events = judged(monkeypatch, shoe, last, read("Kc", 3))
    assert [type(event).__name__ for event in events] == ["CardDealt", "RoundClosed"]


def test_the_shoe_goes_on_with_its_own_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd Th")
    for face, seq in (("Kc", 3), ("5c", 4)):
        told, events = judged(monkeypatch, shoe, last, read(face, seq))
        after = advance(shoe, entry_of(shoe, told, events, "T07", "boot"))
        assert after.seen.begins_with(shoe.seen)
        assert after.rounds.begins_with(shoe.rounds)
        shoe, last = after, read(face, seq)


def test_reports_go_on_after_255(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd")
    shoe = replace(shoe, device=replace(shoe.device, reader=ReportNo(7, 255)))
    told, _ = judged(monkeypatch, shoe, replace(last, report=ReportNo(7, 255)), read("Kc", 256))
    assert told == replace(read("Kc", 0), nonce=DRAWN_FOR_IT)


def test_a_reader_without_reports_is_waited_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd")
    told, events = judged(monkeypatch, shoe, replace(last, report=None), replace(read("Kc", 0), report=None))
    assert told == replace(read("Kc", 0), nonce=DRAWN_FOR_IT, report=None)
    assert events == decide(shoe, told)


@pytest.mark.parametrize(
    "card",
    [
        read("Kc", 4),
        read("Kc", 1),
        read("Kc", 2, gap=True),
        read("Kc", 2, flags=("face_up",)),
        read("Kc", 2, lot=99),
        read("Kc", 2, slot="P3"),
        replace(read("Kc", 2), report=ReportNo(8, 2)),
    ],
    ids=["later", "repeated", "gap", "face up", "lot", "slot", "session"],
)
def test_another_card_than_that_is_judged_as_it_comes(monkeypatch: pytest.MonkeyPatch, card: CardRead) -> None:
    shoe, last = dealt("9s Kd")
    assert judged(monkeypatch, shoe, last, card) == (card, decide(shoe, card))


def test_a_reader_that_knows_slots_is_expected_to_name_the_one_that_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd")
    card = read("Kc", 2, slot="P2")
    told, events = judged(monkeypatch, shoe, replace(last, slot="B1"), card)
    assert (told, events) == (replace(card, nonce=DRAWN_FOR_IT), decide(shoe, told))


def test_a_usual_card_is_expected_after_an_odd_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd")
    card = read("Kc", 2)
    told, events = judged(monkeypatch, shoe, replace(last, gap=True, flags=("face_up",)), card)
    assert (told, events) == (replace(card, nonce=DRAWN_FOR_IT), decide(shoe, told))


def test_cards_with_numbers_of_their_own_are_not_expected(
    monkeypatch: pytest.MonkeyPatch, mocker: MockerFixture
) -> None:
    shoe, last = dealt("9s Kd")
    guess = mocker.patch.object(judging, "foretell")
    card = read("Kc", 2, serial=Serial("E200"))
    assert judged(monkeypatch, shoe, replace(last, serial=Serial("E100")), card) == (card, decide(shoe, card))
    guess.assert_not_called()


def test_a_shoe_that_changed_meanwhile_is_judged_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd")
    other, card = replace(shoe, turn=shoe.turn + 1), read("Kc", 2)
    assert judged(monkeypatch, shoe, last, card, meets=other) == (card, decide(other, card))


def test_what_was_stopped_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd")
    card = read("Kc", 2)
    assert judged(monkeypatch, shoe, last, card, lambda judge: judge.stop()) == (card, decide(shoe, card))


def test_who_only_observes_makes_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd")
    card = read("Kc", 2)
    assert judged(monkeypatch, shoe, last, card, observing=True) == (card, observe(shoe, card))


def test_where_the_time_plays_a_part_the_card_is_judged_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    shoe, last = dealt("9s Kd Th", disclose="sealed", reveal_timeout=30)
    card = read("Kc", 3)
    told, events = judged(monkeypatch, shoe, last, card)
    assert (told, events) == (card, decide(shoe, card))
    assert Counter(type(event).__name__ for event in events)["RevealClockStarted"] == 1


def test_a_rule_that_fails_is_left_to_the_card_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    shoe, last = dealt("9s Kd")
    card = read("Kc", 2)
    monkeypatch.setattr(judging, "foretell", failing)
    assert judged(monkeypatch, shoe, last, card) == (card, decide(shoe, card))
