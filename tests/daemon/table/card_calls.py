"""Counts the Python calls that a card costs: no machine, load or cache moves them, so a cost that comes in shows.

`python -m tests.daemon.table.card_calls` prints them beside the committed ones; with --write it writes those of this
Python into card_calls.json.
"""

from __future__ import annotations

import asyncio
import cProfile
import gc
import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count, repeat
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import CodeType
from typing import Any, Final, NamedTuple, TypeVar

import pytest
from msgspec import convert

from firmware_bridge.config.sections import RecordConfig
from firmware_bridge.daemon.table import clock, journal_writer
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.demo.memory_table import counted
from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import house_of, usual
from scripts.bench.growth import MEMORY, bench_table
from tests.kit.guests import Hand

TABLES: Final[dict[str, dict[str, Any]]] = {
    "baccarat": {"game": "baccarat", "decks": 8},
    "baccarat, six cards": {"game": "baccarat", "decks": 8, "procedure": "six-card", "close": "next"},
    "baccarat, sealed": {"game": "baccarat", "decks": 8, "disclose": "sealed"},
    "blackjack": {"game": "blackjack"},
    "niuniu": {"game": "niuniu"},
    "zhajinhua": {"game": "zhajinhua"},
    "erbagang": {"game": "erbagang"},
}
"""The tables that are counted, each with its settings over the usual ones of its game."""

COUNTED: Final = range(31, 61)
"""The cards of a shoe that are counted."""

FIGURES: Final = Path(__file__).with_suffix(".json")
"""Python -> table -> calls."""

BOUND: Final = 0.05
"""The part by which a figure may differ from the committed one."""

PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
WRITE: Final = f"python{PYTHON} -m tests.daemon.table.card_calls --write"

BEGUN_MS: Final = 1_800_000_000_000

KINDS: Final = {orders.tag_of(each): each for each in orders.ORDERS}

Figures = dict[str, float]
Made = TypeVar("Made")


class StillLoop(asyncio.SelectorEventLoop):
    """A loop on which no time passes: no timer gets in between."""

    def time(self) -> float:
        return 0.0


def calls(table: str, cards: range = COUNTED) -> Figures:
    """Python calls of `Table.handle` and of the flush behind it, for a plain card and for what closes a round.

    The same cards are dealt before, uncounted: what is cached is there, whatever ran before.
    """
    house = house_of(**{"burn": "none", "new_shoe": "auto", **usual(TABLES[table]["game"]), **TABLES[table]})
    with undisturbed():
        dealt(house, range(cards.stop, cards.stop))
        counts = dealt(house, cards)
    figures = {}
    for closes, kind in enumerate(("plain", "closing")):
        for step in ("handle", "flush"):
            each = [getattr(count, step) for count in counts if count.closes is bool(closes)]
            figures[f"{step}, {kind}"] = round(sum(each) / len(each), 2)
    return figures


class Count(NamedTuple):
    """Python calls for one input."""

    closes: bool
    handle: int
    flush: int


@contextmanager
def undisturbed() -> Iterator[None]:
    """Nothing that the machine does, or has, is counted: its files, its disk, the collector."""
    collects = gc.isenabled()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "SYNCHRONISED", Path("there/is/none"))
        patch.setattr(journal_writer, "PATIENCE_S", 600.0)
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


def dealt(house: House, cards: range) -> list[Count]:
    """Deal these cards, and those before, and count the calls for each; also for an order that closes a round."""
    clock._nonces.clear()
    with (
        TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder,
        asyncio.Runner(loop_factory=StillLoop) as runner,
    ):
        return runner.run(_dealt(house, cards, Path(folder)))


async def _dealt(house: House, cards: range, folder: Path) -> list[Count]:
    counts: list[Count] = []
    clock.wall.set(repeat(BEGUN_MS * 1_000_000).__next__)
    async with bench_table(folder, house, RecordConfig(), looks_ahead=False) as bench:
        come, card = came(bench.table, house, Random(0)), 0
        while card < cards.stop - 1:
            fact = next(come)
            card += isinstance(fact, inputs.CardRead)
            if card in cards:
                handle, produced = python_calls(partial(bench.table.handle, fact))
                flush, _ = python_calls(bench.uplink.states.flush)
                closes = any(isinstance(event, events.RoundClosed) for event in produced)
                if closes or isinstance(fact, inputs.CardRead):
                    counts.append(Count(closes, handle, flush))
            else:
                produced = bench.table.handle(fact)
                bench.uplink.states.flush()
            assert not bench.table.shoe.device.irregular
            assert not any(isinstance(event, events.CommandAnswered) and not event.answer.ok for event in produced)
            await bench.rest()
    return counts


def came(table: Table, house: House, random: Random) -> Iterator[inputs.AnyInput]:
    """The cards of shuffled packs, and the orders that the table waits for between them."""
    hand, nonces = Hand(GAMES[house.game], house.decks, random), counted("card")
    for n in count(1):
        stamp: dict[str, Any] = {
            "at": BEGUN_MS + 1_000 * n,
            "mono": (1 << 42) + 1_000 * n,  # in the future: no deadline is past
            "salt": next(nonces),
            "utc_offset": 0,
            "nonce": next(nonces),
        }
        what = hand.next(table.shoe)
        if isinstance(what, Card):
            yield inputs.CardRead(card=what, **stamp)
        else:
            yield inputs.Ordered(order=convert(what, KINDS[what["do"]]), by="floor", **stamp)


def python_calls(work: Callable[[], Made]) -> tuple[int, Made]:
    """How many Python functions are called, and what they make; those written in C have no file, and do not count."""
    profile = cProfile.Profile(builtins=False)
    profile.enable()
    made = work()
    profile.disable()
    return sum(each.callcount for each in profile.getstats() if isinstance(each.code, CodeType)), made


def differences(found: Figures, committed: Figures) -> list[str]:
    """What is beyond the bound, each in a line with what to do."""
    said = []
    for name, value in found.items():
        known = committed[name]
        if value > known * (1 + BOUND):
            said.append(f"{name}: {value:.1f} calls, {known:.1f} before: find what is called more, or say why: {WRITE}")
        elif value < known * (1 - BOUND):
            said.append(f"{name}: {value:.1f} calls, {known:.1f} before: cheaper; renew the figures: {WRITE}")
    return said


def main(words: list[str]) -> None:
    """Print the calls of each table beside the committed ones; or write them."""
    logging.disable()  # the record is not signed
    committed = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    found = {table: calls(table) for table in TABLES}
    for table, figures in found.items():
        for name, value in figures.items():
            print(f"{table:<22}{name:<18}{value:>9.2f}{committed.get(PYTHON, {}).get(table, {}).get(name, '-'):>9}")
    if "--write" in words:
        committed[PYTHON] = found
        FIGURES.write_text(json.dumps(dict(sorted(committed.items())), indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
