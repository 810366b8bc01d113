"""The table says which orders it refuses now: what `decide` on a copy says, and of no sealed card."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

import pytest
from msgspec import convert
from msgspec.structs import fields, replace

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.refusals import REFUSALS
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.events import CommandAnswered
from firmware_bridge.games.house import usual
from firmware_bridge.shoe import Shoe, decide
from firmware_bridge.shoe.standing import refused, standing
from firmware_bridge.shoe.state import HeldCard, Laid
from firmware_bridge.topics.state import alarms
from firmware_bridge.topics.state import table as state_of
from scripts.tools.messages.scenes import GAMES, Scene
from tests.golden.digests import Tape
from tests.golden.golden_table import GoldenTable
from tests.golden.play import scenarios
from tests.kit.table import BACK, LOST, Table

LATER_MS: Final = 1 << 40
"""No press is right behind another one."""


def each_order(shoe: Shoe) -> Iterator[tuple[str, orders.Order]]:
    """Each order as two people give it who leave nothing out that they can know."""
    opened = next((each.id for each in shoe.device.irregular), "jam")
    given: dict[str, Any] = {
        "why": "misdeal",
        "second": "Bo",
        "dealer": "Li",
        "confirmed_by": "Bo",
        "word": "S",
        "card": Card("As"),
    }
    given |= {"irregularity": opened, "choice": "continue", "cards": ("9s", "Td", "Ts", "9c")}
    for do, kind in orders.TYPES.items():
        named = [each.name for each in fields(kind) if each.required or each.name in given]
        yield do, kind(**{name: given.get(name, 1) for name in named})


def answer(shoe: Shoe, order: orders.Order) -> orders.Answer:
    given = inputs.Ordered(at=1, mono=LATER_MS, order=order, by="Ann", nonce="f" * 32)
    return next(each.answer for each in decide(shoe, given) if isinstance(each, CommandAnswered))


def verify_said(shoe: Shoe) -> None:
    """What the table says of each order is what `decide` on a copy says."""
    said = refused(shoe)
    assert dict(state_of(shoe).orders) == said
    for do, order in each_order(shoe):
        found = answer(shoe, order)
        if do in said:
            assert (do, found.ok, found.code) == (do, False, said[do])
            assert set(found.values) == set(REFUSALS[said[do]]), do
        else:
            assert found.ok or found.code in ORDERS[do].said, (do, found.code, standing(shoe))


def verify_decisions_said(shoe: Shoe) -> None:
    """So it is with each decision about an alarm that is open."""
    for alarm in alarms(shoe):
        for choice in alarm.choices:
            given = {"irregularity": alarm.id, "choice": choice, "why": "misdeal", "second": "Bo"}
            found = answer(shoe, convert(given, orders.Resolve))
            if code := alarm.refused.get(choice):
                assert (found.ok, found.code) == (False, code), (alarm.id, choice)
                assert set(found.values) == set(REFUSALS[code]), (alarm.id, choice)
            else:
                assert found.ok or found.code == "card_gone", (alarm.id, choice, found.code)


def turned(card: Card | None) -> Card | None:
    """Another face, for one that is sealed."""
    return card and FACES[(FACES.index(card) + 17) % len(FACES)] if card in FACES else card


def with_other_faces(shoe: Shoe) -> Shoe:
    """The shoe with another face for each card that is sealed or held."""

    def other(laid: Laid) -> Laid:
        return laid if laid.shown else replace(laid, card=turned(laid.card))

    return replace(
        shoe,
        laid=tuple(map(other, shoe.laid)),
        overdrawn=tuple(map(other, shoe.overdrawn)),
        aside=tuple(map(other, shoe.aside)),
        held=tuple(replace(each, card=turned(each.card)) if isinstance(each, HeldCard) else each for each in shoe.held),
    )


def verify_hidden(shoe: Shoe) -> None:
    """No sealed face changes what the table says."""
    other = with_other_faces(shoe)
    assert (standing(other), refused(other), alarms(other)) == (standing(shoe), refused(shoe), alarms(shoe))


def verify(shoe: Shoe) -> None:
    verify_said(shoe)
    verify_decisions_said(shoe)
    verify_hidden(shoe)


def each_shoe(monkeypatch: pytest.MonkeyPatch, check: Callable[[Shoe], None], name: str) -> int:
    """Play a golden scenario, and check the shoe after each input; how many there were."""
    seen: list[Shoe] = []

    def record(table: GoldenTable) -> None:
        if not table.observing and (not seen or seen[-1] is not table.shoe):
            seen.append(table.shoe)
            check(table.shoe)
        recorded(table)

    recorded = GoldenTable.record_states
    monkeypatch.setattr(GoldenTable, "record_states", record)
    scenarios()[name](Tape())
    return len(seen)


PLAYED: Final = [name for name in scenarios() if not name.startswith("command-")]
VIP: Final = {"burn": "none", "mode": "vip", "betting": "required", "disclose": "sealed", "close": "next"}
OF_NOW: Final = list(islice(PLAYED, 5, None, 61))


@pytest.mark.parametrize("name", OF_NOW)
def test_the_table_says_of_each_order_what_decide_says(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert each_shoe(monkeypatch, verify, name)


@pytest.mark.story
@pytest.mark.parametrize("part", range(8))
def test_in_each_held_scenario_the_table_says_what_decide_says(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    for name in PLAYED[part::8]:
        with monkeypatch.context() as patch:
            each_shoe(patch, verify, name)


PLAYS: Final[list[Scene]] = [
    *GAMES,
    Scene("baccarat", {}, ("shoe ?? !void x", LOST, BACK)),
    Scene("baccarat", {"burn": "none", "disclose": "sealed"}, ("shoe 9sKdThKc reveal reveal",)),
    Scene("baccarat", {"burn": "none", "close": "next"}, ("shoe 9sKdThKc", LOST, "next", BACK, "next")),
    Scene("baccarat", VIP, ("shoe !fly 9s Kd Th Kc reveal reveal next",)),
    Scene("baccarat", {"burn": "none"}, ("shoe lid-open 9s !resolve lid_opened end-shoe",)),
    Scene("baccarat", {"burn": "none", "second_person": ("void", "resolve", "correct")}, ("shoe 9s Td next !void x",)),
    Scene("blackjack", {}, ("shoe bets=1:100,3:50 8h As Tc 8d 9s 3h 1:S unmark 1:H 5c unmark",)),
]


@pytest.mark.parametrize("scene", PLAYS, ids=range(len(PLAYS)))
def test_in_each_game_the_table_says_so_too(scene: Scene) -> None:
    table = Table(**{"game": scene.game, **usual(scene.game), **scene.settings})
    for step in scene.steps:
        assert isinstance(step, str | inputs.CardRead | inputs.DeviceLost | inputs.DeviceBack)
        for given in table._inputs(step):
            table.take(given)
            verify(table.shoe)


def test_a_refusal_of_the_table_is_a_row_of_the_book() -> None:
    for do, row in ORDERS.items():
        assert set(row.codes) | set(row.said) <= set(REFUSALS), do
        assert not set(row.when) & set(row.behind), do


def test_what_the_table_says_is_made_again_only_when_something_changed() -> None:
    table = Table(burn="none").play("shoe 9s")
    said = refused(table.shoe)
    assert refused(table.play("Kd").shoe) is said
    assert refused(table.play("Th Kc").shoe) is not said
