"""A card that was judged before it came has the very events that it would have had."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from firmware_bridge.daemon.table import look_ahead
from firmware_bridge.daemon.table.look_ahead import EARLIEST, LATEST, LookAhead
from firmware_bridge.facts.cards import Card, Serial
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.inputs import AnyInput, CardRead, ReportNo
from firmware_bridge.shoe import Shoe, decide
from tests.daemon.table.ahead import at_rest
from tests.golden import golden_table
from tests.golden.digests import Tape
from tests.golden.play import scenarios
from tests.kit.rows import each_row
from tests.kit.table import Table

SCENARIOS = tuple(name for n, name in enumerate(scenarios()) if n % 6 == 0)


def kind(name: str) -> str:
    """The kind of a scenario, by its name; shoes and sequences by the hundred."""
    return re.split(r"\d\d$|-[a-z]", name)[0]


@each_row("name", SCENARIOS, by=kind)
def test_what_is_the_same_at_both_ends_of_time_is_what_is_decided(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def both(shoe: Shoe, fact: AnyInput) -> tuple[AnyEvent, ...]:
        decided = decide(shoe, fact)
        if isinstance(fact, CardRead) and shoe.status == "open":
            early, late = (decide(shoe, replace(fact, salt="", quality=None, **end)) for end in (EARLIEST, LATEST))
            assert early == decided or early != late
        return decided

    monkeypatch.setattr(golden_table, "decide", both)
    scenarios()[name](Tape())


def known(
    shoe: Shoe,
    last: CardRead,
    card: CardRead,
    then: Callable[[LookAhead], Any] = lambda _: None,
    meets: Shoe | None = None,
) -> tuple[AnyEvent, ...] | None:
    """What a table that had time to look ahead knows of a card."""

    async def play() -> tuple[AnyEvent, ...] | None:
        ahead = LookAhead(asyncio.get_running_loop())
        ahead.begin(shoe, last)
        await at_rest(ahead)
        then(ahead)
        return ahead.events(meets or shoe, card)

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


SIX = {"procedure": "six-card"}
SEALED = {"disclose": "sealed"}


@pytest.mark.parametrize(
    ("faces", "settings"),
    [
        *[(faces, {}) for faces in ("9s", "9s Kd", "9s Kd Th", "2s 2d 2h 2c", "9s Kd Th Kc")],
        *[(faces, SIX) for faces in ("9s", "9s Kd Th", "9s Kd Th Kc 2c 3c")],
    ],
)
def test_a_card_that_was_waited_for_is_known(faces: str, settings: dict[str, Any]) -> None:
    shoe, last = dealt(faces, **settings)
    card = read("5c", len(faces.split()), quality=200)
    assert decide(shoe, card)
    assert known(shoe, last, card) == decide(shoe, card)


def test_a_card_that_closes_a_round_is_one_of_them() -> None:
    shoe, last = dealt("9s Kd Th")
    events = known(shoe, last, read("Kc", 3))
    assert [type(event).__name__ for event in events or ()] == ["CardDealt", "RoundClosed"]


@pytest.mark.parametrize(
    ("faces", "settings"),
    [
        *[(faces, SEALED) for faces in ("9s", "9s Kd", "9s Kd Th Kc")],
        *[(faces, SIX) for faces in ("9s Kd Th Kc", "9s Kd Th Kc 2c")],
    ],
)
def test_a_sealed_card_is_judged_with_its_own_nonce(faces: str, settings: dict[str, Any]) -> None:
    shoe, last = dealt(faces, **settings)
    assert known(shoe, last, read("5c", len(faces.split()))) is None


def test_where_the_time_plays_a_part_the_card_is_judged_as_it_comes() -> None:
    shoe, last = dealt("9s Kd Th", disclose="sealed", reveal_timeout=30)
    assert known(shoe, last, read("Kc", 3)) is None


def test_reports_go_on_after_255() -> None:
    shoe, last = dealt("9s Kd")
    shoe = replace(shoe, device=replace(shoe.device, reader=ReportNo(7, 255)))
    card = read("Kc", 256)
    assert known(shoe, replace(last, report=ReportNo(7, 255)), card) == decide(shoe, card)


def test_a_reader_without_reports_is_waited_for_too() -> None:
    shoe, last = dealt("9s Kd")
    card = replace(read("Kc", 0), report=None)
    assert known(shoe, replace(last, report=None), card) == decide(shoe, card)


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
        read("Kc", 2, serial=Serial("E200")),
    ],
    ids=["later", "repeated", "gap", "face up", "lot", "slot", "session", "serial"],
)
def test_another_card_than_that_is_judged_as_it_comes(card: CardRead) -> None:
    shoe, last = dealt("9s Kd")
    assert known(shoe, last, card) is None


def test_a_reader_that_knows_slots_is_expected_to_name_the_one_that_is_due() -> None:
    shoe, last = dealt("9s Kd")
    card = read("Kc", 2, slot="P2")
    assert known(shoe, replace(last, slot="B1"), card) == decide(shoe, card)


def test_a_usual_card_is_expected_after_an_odd_one() -> None:
    shoe, last = dealt("9s Kd")
    card = read("Kc", 2)
    assert known(shoe, replace(last, gap=True, flags=("face_up",)), card) == decide(shoe, card)


def test_cards_with_serials_are_not_expected() -> None:
    shoe, last = dealt("9s Kd")
    assert known(shoe, replace(last, serial=Serial("E100")), read("Kc", 2)) is None


def test_nothing_is_known_of_another_shoe() -> None:
    shoe, last = dealt("9s Kd")
    assert known(shoe, last, read("Kc", 2), meets=replace(shoe, turn=shoe.turn + 1)) is None


def test_what_was_stopped_is_forgotten() -> None:
    shoe, last = dealt("9s Kd")
    assert known(shoe, last, read("Kc", 2), lambda ahead: ahead.stop()) is None


def test_a_rule_that_fails_is_left_to_the_card_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    shoe, last = dealt("9s Kd")
    monkeypatch.setattr(look_ahead, "decide", failing)
    assert known(shoe, last, read("Kc", 2)) is None


MINUTE_MS = 60_000


@pytest.mark.parametrize(
    ("begins", "later", "is_known"),
    [
        ("00:15", 0, True),
        ("00:15", look_ahead.AHEAD_MS, True),
        ("00:15", look_ahead.AHEAD_MS + 1, False),
        ("00:15", -1, False),
        ("00:10", 0, False),
        ("00:05", 6 * MINUTE_MS, False),
        ("00:00", 0, True),
    ],
)
def test_a_closing_card_is_judged_ahead_but_near_a_new_shift(begins: str, later: int, is_known: bool) -> None:
    shoe, last = dealt("9s Kd Th", shifts={"night": "12:00", "day": begins})
    closing = replace(read("Kc", 3), at=last.at + later)
    found = known(shoe, last, closing)
    assert (found is not None) is is_known
    assert found in (None, decide(shoe, closing))
