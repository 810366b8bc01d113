"""Counts of signed orders at a table and its journal: each once by key, none far ahead of a clock, always a way on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.config.sections import OrderKeyConfig
from firmware_bridge.daemon.table.clock import wall
from firmware_bridge.daemon.table.command import NotAnOrder
from firmware_bridge.daemon.table.signed_orders import AHEAD_MS, HIGHEST, Repeated, SignedOrders
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.wire_states import Clock
from firmware_bridge.journal.journal import Journal
from firmware_bridge.topics.texts.refusals import words_of
from tests.kit.delivered_record import NoLamps
from tests.kit.order_keys import OrderKey

NOW = 1_795_409_800_123
LOCKED = "no count is left for this key: make a new one, shoe-floor key new cage, for its place in [[orders]]"
CLOCKS: tuple[Clock, ...] = ("synchronised", "unsynchronised", "unknown")


class Orders:
    """A table on a directory with keys, `knows` them on record, until `close`; clock: the state of its clock."""

    def __init__(self, directory: Path, *keys: OrderKey, clock: Clock = "synchronised", knows: bool = True) -> None:
        self.clock, self._loop = clock, asyncio.new_event_loop()
        self._journal = Journal(directory).open(None)
        nothing = lambda *_: None  # noqa: E731
        self.table = Table(
            self._journal, "T07", NoLamps(), nothing, lambda _: nothing, nothing, self._loop, looks_ahead=False
        )
        rows = [OrderKeyConfig(**each.row) for each in keys]
        self.orders = SignedOrders(rows, 20, self.table, "shoe/T07", (), lambda: self.clock)
        self.table.start(House(burn="none"), **({"order_keys": self.orders.public()} if knows else {}))

    def give(self, key: OrderKey, count: int, **fields: Any) -> tuple[str, int | None, str]:
        """What becomes of an order: the code of its refusal, the count and the hint in it; "" where it is taken."""
        try:
            self.orders.signed(key.order(None, do="resend", count=count, **fields))
        except NotAnOrder as refused:
            answer = refused.answer
            return answer.code or "", answer.count, words_of("en", msgspec.to_builtins(answer))[1]
        return "", None, ""

    def taken(self, key: OrderKey, *counts: int) -> list[int]:
        """Those of the counts that are taken, one after the other."""
        return [count for count in counts if not self.give(key, count)[0]]

    def close(self) -> None:
        self.table.close()
        self._journal.close()
        self._loop.close()


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Any]:
    """Makes tables on one directory, each after the one before is closed; the wall clock stands."""
    made, before = list[Orders](), wall.set(lambda: NOW * 1_000_000)

    def start(*keys: OrderKey, **more: Any) -> Orders:
        for each in made:
            each.close()
        made[:] = [Orders(tmp_path, *keys, **more)]
        return made[0]

    yield start
    made[0].close()
    wall.reset(before)


@pytest.mark.parametrize(
    ("clock", "counts", "taken"),
    [
        ("synchronised", (NOW + AHEAD_MS + 1, NOW + AHEAD_MS, NOW + AHEAD_MS), [NOW + AHEAD_MS]),
        ("synchronised", (MOST, HIGHEST, 5, 4, NOW), [5, NOW]),
        ("unsynchronised", (MOST, HIGHEST + 1, NOW + 2 * AHEAD_MS, NOW), [NOW + 2 * AHEAD_MS]),
        ("unknown", (MOST, HIGHEST + 1, HIGHEST, HIGHEST), [HIGHEST]),
    ],
)
def test_a_count_is_taken_once_unless_it_is_far_ahead(
    at: Any, clock: Clock, counts: tuple[int, ...], taken: list[int]
) -> None:
    cage = OrderKey("cage", "resend")
    assert at(cage, clock=clock).taken(cage, *counts) == taken


@pytest.mark.parametrize("clock", CLOCKS)
def test_each_hint_can_be_followed(at: Any, clock: Clock) -> None:
    cage = OrderKey("cage", "resend")
    orders = at(cage, clock=clock)
    code, last, hint = orders.give(cage, MOST)
    assert (code, last, hint.startswith("go on from 0: ")) == ("count_ahead", 0, True)
    assert orders.taken(cage, 1, NOW) == [1, NOW]
    code, last, hint = orders.give(cage, 7)
    assert (code, last, hint.startswith(f"go on from {NOW}: ")) == ("old_count", NOW, True)
    assert orders.give(cage, last + 1)[0] == ""


def test_a_key_that_went_ahead_while_the_clock_was_not_set_is_replaced(at: Any) -> None:
    cage, new = OrderKey("cage", "resend"), OrderKey("cage", "resend", seed="new")
    orders = at(cage, clock="unsynchronised")
    ahead = NOW + 3 * AHEAD_MS
    assert orders.taken(cage, ahead, ahead + 1) == [ahead, ahead + 1]
    orders.clock = "synchronised"
    assert orders.give(cage, NOW) == ("old_count", ahead + 1, LOCKED)
    assert orders.give(cage, ahead + 2) == ("count_ahead", ahead + 1, LOCKED)
    orders = at(new)
    assert orders.taken(new, NOW, NOW, NOW + 1) == [NOW, NOW + 1]
    orders = at(cage)
    assert orders.give(cage, NOW) == ("old_count", ahead + 1, LOCKED)  # nothing of the old key is forgotten


def test_the_counts_of_a_key_are_kept_under_another_name_and_over_a_restart(at: Any) -> None:
    cage, bank = OrderKey("cage", "resend"), OrderKey("bank", "resend", seed="cage")
    assert at(cage).taken(cage, NOW) == [NOW]
    orders = at(bank)
    assert orders.give(bank, NOW)[:2] == ("old_count", NOW)
    assert orders.taken(bank, NOW + 1) == [NOW + 1]
    assert at(cage).give(cage, NOW + 1)[:2] == ("old_count", NOW + 1)


def test_counts_in_a_journal_of_the_version_before_are_of_the_key_that_has_the_name(at: Any) -> None:
    """Its entries name no public keys. Where it took 2^53, the key is locked, and a new one under its name is not."""
    cage, new = OrderKey("cage", "resend"), OrderKey("cage", "resend", seed="new")
    orders = at(cage, knows=False)
    orders.table.refusals.use("cage", MOST)
    assert at(cage).give(cage, NOW) == ("old_count", MOST, LOCKED)
    assert at(new).taken(new, NOW) == [NOW]


def test_a_repeat_of_an_answered_order_uses_no_count_ahead(at: Any) -> None:
    cage = OrderKey("cage", "resend")
    orders = at(cage)
    signed = orders.orders.signed(cage.order(None, do="resend", count=NOW, id="a"))
    orders.table.refusals._answers["a"] = Answer(ok=False, id="a", digest=signed.digest)
    with pytest.raises(Repeated):
        orders.orders.signed(cage.order(None, do="resend", count=MOST, id="a"))
    assert orders.taken(cage, NOW, NOW + 1) == [NOW + 1]
