"""Tables are complete: every (phase x input) has one judge, every irregularity one row per policy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from msgspec.structs import replace

import firmware_bridge.shoe
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs as i
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import Choice
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.journal.line import seal
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Phase, Shoe, evolve, step
from firmware_bridge.shoe.decide import HANDLERS, kind
from firmware_bridge.shoe.evolve import CHANGES
from firmware_bridge.shoe.handlers.disclosure import waits_for_reveal
from firmware_bridge.shoe.handlers.pit import _CHOICES
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.shoe.state import blockers, oldest_held
from firmware_bridge.topics.state import snapshots
from tests.kit.nightly import EVERY
from tests.kit.table import LOST, Table, faces

TIE = i.ReaderJudged(at=0, result=i.ReaderResult(("tie",)))
SPOILED = (["??"], ["??", "As", "cut", "2d"], ["??", TIE, "2d"], [LOST, "As", "cut", "2d"], [LOST, "!enter As"])
SOURCES = [*Path(firmware_bridge.shoe.__file__).parent.rglob("*.py")]
REASONS = ("unreadable", "unknown code", "double_feed", "jam", "backwards", "lamp_weak", "saturated")
FLAGS = get_args(i.Flag)


def kinds() -> set[str]:
    """The kinds of input, derived from the types: a new type or order adds one."""
    return set(_kinds())


def _kinds() -> Iterator[str]:
    for input_type in get_args(i.AnyInput):
        if input_type is i.Ordered:
            yield from (
                "reveal_order" if order is orders.Reveal else orders.tag_of(order) for order in get_args(orders.Order)
            )
        elif input_type is i.Pressed:
            yield from ("next", "reveal", "result_key")
        elif input_type in (i.DeviceLost, i.DeviceBack):
            yield from (
                f"{device}_{'lost' if input_type is i.DeviceLost else 'back'}" for device in ("reader", "broker")
            )
        else:
            yield input_type.__name__


def test_every_input_has_a_judge_in_every_phase() -> None:
    assert set(HANDLERS) == kinds()
    assert {name: set(row) for name, row in HANDLERS.items()} == {name: set(Phase) for name in HANDLERS}


def test_every_event_changes_the_shoe_in_one_way() -> None:
    assert set(CHANGES) == set(get_args(e.AnyEvent))


NEVER_OPENED = {"relabelled_third"}
"""Nothing is wrong: the next card is the banker's third. The row is there for people who look it up."""


def opened() -> set[str]:
    """The irregularities the core can open or note: names spelled in calls, what is wrong with cards, the disk's."""
    names = (
        set(FLAGS)
        | {"foreign", "unreadable", "duplicate", "jam", "wrong_slot", "read_again"}
        | {"disk_full", "disk_error"}
    )
    names |= {f"{device}_lost" for device in ("reader", "broker")}
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text())):
            called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if isinstance(node, ast.Call) and called in ("open_irregularity", "note"):
                names |= {each.value for each in node.args[:1] if isinstance(each, ast.Constant)}
    return names


@pytest.mark.parametrize("policy", POLICIES)
def test_every_irregularity_has_a_row(policy: str) -> None:
    assert set(POLICIES[policy]) == opened() | NEVER_OPENED


@pytest.mark.parametrize("policy", POLICIES)
def test_every_blocking_irregularity_has_a_way_out(policy: str) -> None:
    for name, row in POLICIES[policy].items():
        assert not row.blocks or row.confirm or row.choices or name == "reader_lost", name


def test_every_choice_is_carried_out() -> None:
    assert set(_CHOICES) == set(get_args(Choice))


# ---------------------------------------------------------------- every reachable cell

SEALED: dict[str, Any] = {"burn": "none", "disclose": "sealed"}


@cache
def shoes() -> dict[Phase, list[Table]]:
    """Phase -> tables in it."""
    return {
        Phase.EMPTY: [Table()],
        Phase.ENDED: [Table(burn="none").play("shoe 9s Kd Th cut Kc")],
        Phase.BURNING: [Table().play("shoe"), Table().play("shoe 3c Ks"), Table(burn=3).play("shoe")],
        Phase.BETTING: [
            Table(burn="none", betting="required").play("shoe"),
            Table(burn=1, betting="required").play("shoe 3c"),
            Table(burn=1, betting="required").play("shoe 3c 4c"),
            Table(burn="none", betting="required", procedure="six-card").play("shoe bets-closed 9sKdThKc 8h2c next 4h"),
            Table(**SEALED, betting="required", mode="vip").play("shoe"),
        ],
        Phase.READY: [
            Table(burn="none").play("shoe"),
            Table(burn="none", procedure="six-card", close="next").play("shoe 9sKdThKc 8h2c 7d next"),
            Table(**SEALED, betting="required", mode="vip").play("shoe !fly"),
        ],
        Phase.DEALING: [
            Table(burn="none", virtual_cut=410).play("shoe 9sKdTh"),
            Table(burn="none").play("shoe 9sKdTh cut", "next"),
            Table(burn="none", procedure="six-card").play("shoe 9sKdThKc 8h"),
            Table(**SEALED).play("shoe 9sKdThKc"),
            Table(**SEALED).play("shoe 2s2d3hAc reveal reveal 9s"),
            Table(**SEALED, procedure="six-card").play("shoe 2s2d3hAc9s8s reveal reveal reveal"),
        ],
        Phase.COMPLETE: [
            Table(burn="none", close="next").play("shoe 9sKdThKc"),
            Table(burn="none", close="next", procedure="six-card").play("shoe 9sKdThKc 8h2c 4d"),
            Table(burn="none", close="next").play("shoe 9sKdThKc 8h2c4d5d"),
            Table(**SEALED, close="next").play("shoe 9sKdThKc reveal reveal"),
        ],
    }


SHARE: Final = 1, 2, 4
"""Of so many inputs one, by the number of troubles: by day each input meets one trouble under two of the four policies,
two troubles under one; at night all under all."""


def troubled(table: Table) -> Iterator[tuple[Shoe, int]]:
    """The shoe as it is, with each irregularity open, and with a lost reader and cards; the number of troubles."""
    yield table.shoe, 0
    named = [code for code in POLICIES["keep-order"] if code not in {each.id for each in table.shoe.device.irregular}]
    for name in named:
        yield evolve(table.shoe, e.Irregular(id=name, since=0)), 1
    if table.shoe.status == "open":
        for spoiled in SPOILED:
            after = Table()
            after.house = table.house
            after.shoe, after.memory.chain = table.shoe, table.memory.chain
            after.play(*spoiled)
            yield after.shoe, 1
            for name in named:
                yield evolve(after.shoe, e.Irregular(id=name, since=0)), 2


def inputs(table: Table) -> Iterator[i.AnyInput]:
    """One input of every kind but `resolve`, and all that differ in what they ask."""
    yield i.Started(at=1, version="test", house=table.house, nonce="f" * 32)
    record = i.NewRecord("shoe.invalid/1/0000000b", "key", i.Follows("shoe.invalid/1/0000000a", 9, "0" * 64, 5))
    yield i.Started(at=1, version="test", house=table.house, nonce="f" * 32, record=record)
    yield i.RecordRenewed(at=1, record=record, why="another card", by="Ann", second="Bo")
    yield from (i.KeyRotated(at=1, old=old, new="new", by="Ann", second="Bo") for old in ("old", ""))
    yield i.CodeChecked(at=1, changed=("firmware_bridge/shoe/decide.py",))
    for gap, report in ((False, None), (False, i.ReportNo(7, 3)), (True, i.ReportNo(7, 4))):
        yield table.card("As", gap=gap, report=report)
        yield i.CutCardSeen(at=1, by="sensor", report=report, gap=gap)
        for reason in REASONS:
            yield i.CardUnread(at=1, reason=reason, nonce="a" * 32, report=report, gap=gap)
    yield table.card("1p")
    yield table.card("As", lot=12)
    for flag in FLAGS:
        yield table.card("As", flags=(flag,))
    yield from (table.card(face, again=True) for face in ("As", "1p"))
    yield from (table.card("As", slot=slot) for slot in ("B2", "burn"))
    outcomes, both = ("player", "banker", "tie", "forced"), ("player pair", "banker pair")
    for outcome, pairs in product(outcomes, ((), both[:1], both)):
        yield i.ReaderJudged(at=1, result=i.ReaderResult((outcome, *pairs)))
    yield from (i.ReaderSaid(at=1, what="locked", gap=gap) for gap in (False, True))
    yield from (i.Pressed(at=1, key=key) for key in ("next", "reveal", *GAME.play.keys, "S"))
    yield from (i.ReaderBooted(at=1, session=9), i.TimePassed(at=1), i.TimePassed(at=1, mono=2**40))
    yield i.ClockJumped(at=1, by=-3_600_000)
    for is_so in (True, False):
        yield i.SlotFilled(at=1, slot="P1" if is_so else "B3")
        yield from (i.LidMoved(at=1, open=is_so), i.SensorStuck(at=1, sensor="cut", stuck=is_so))
    for device, resumes in product(("reader", "broker"), (False, True)):
        yield i.DeviceLost(at=1, device=device, why="gone")  # type: ignore[arg-type]  # both are devices
        yield i.DeviceBack(at=1, device=device, resumes=resumes)  # type: ignore[arg-type]  # both are devices
    for report in (None, i.ReportNo(7, 3), i.ReportNo(8, 0)):
        yield i.ReaderFaulted(at=1, why="more than 10 reports a second for 10 s")
        yield i.ReaderBorrowed(at=1, by="Ann", taken=report)
        yield from (i.TestCardsPassed(at=1, count=3, by="Ann", taken=report, lent=lent) for lent in (False, True))
    yield from (i.DiskFailed(at=1, irregularity=disk, why="", until=2) for disk in ("disk_full", "disk_error"))
    yield i.RefusalsCounted(at=1, why={"bad_signature": 3}, counts={"cage": 7})
    yield from (
        table.order(order)
        for order in (orders.OpenShoe(), orders.OpenShoe(orders.Pack(decks=13)), orders.CloseShoe(), orders.Next())
    )
    yield from (
        table.order(order) for order in (orders.BetsOpen(), orders.BetsClosed(), orders.Void("v"), orders.Resend())
    )
    yield from (
        table.order(order)
        for order in (orders.Enter(Card("As"), "b"), orders.Enter(Card("As"), "floor"), orders.Malformed("x", "y", ""))
    )
    yield from (table.order(order) for order in (orders.Reveal(), orders.Reveal(("P1",)), orders.Reveal(("B3", "P3"))))
    yield from (
        table.order(order)
        for order in (orders.Fly(), orders.RequestShoeChange(), orders.RequestDealerChange(), orders.CloseTable())
    )
    yield from (table.order(orders.DealerIn(name)) for name in ("", "Li"))
    yield from (table.order(orders.Mark("S", seat)) for seat in (None, 3))
    yield from (table.order(order) for order in (orders.Unmark(), orders.Unmark(seat=3), orders.Unmark(turn=9)))
    yield from (table.order(orders.Correct(1, faces(text), "w")) for text in ("", "9s8dThKc", "9s"))


def decisions(table: Table, shoe: Shoe) -> Iterator[i.AnyInput]:
    """Every choice for every irregularity that is open."""
    for name, choice in product([each.id for each in shoe.device.irregular] or ["jam"], get_args(Choice)):
        yield table.order(orders.Resolve(name, choice))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("now", Phase)
def test_every_reachable_cell_is_judged(now: Phase, policy: str) -> None:
    """No exception, and each line survives its bytes."""
    missed = kinds() - {"resolve"}
    for table in shoes()[now]:
        assert table.phase == now.value
        ever = [*inputs(table)]
        missed -= {kind(fact) for fact in ever}
        for shoe, troubles in under(policy, table):
            step_by = 1 if EVERY else SHARE[troubles]
            first = list(POLICIES).index(policy) % step_by
            for fact in islice(chain(ever, decisions(table, shoe)), first, None, step_by):
                if made := step(shoe, fact, "T", "b"):
                    after = made.shoe
                    if shoe.device.irregular == table.shoe.device.irregular:
                        messages(seal(made.entry, "0" * 64))
                        snapshots(after)
                    goes_on = not blockers(after) and not waits_for_reveal(after)
                    assert not (after.held and goes_on and oldest_held(after) is None)
    assert not missed


def under(policy: str, table: Table) -> Iterator[tuple[Shoe, int]]:
    """The troubled shoes of a table, as if they had been opened under a policy; the number of troubles."""
    for shoe, troubles in troubled(table):
        house = replace(shoe.house, policy=policy)
        yield replace(shoe, house=house, policy=POLICIES[policy] if shoe.policy else {}), troubles
