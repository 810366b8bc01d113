"""What a key adds to a card, in CPU of `Table.handle`: the same shoes, card by card at tables that differ in signing.

    PYTHONPATH=. .venv/bin/python scripts/bench/signing.py [--shoes 3] [--repeat 10] [--p50 1020]

The tables of growth.py, in random order with each card. Sealed cards are opened as soon as they may be, so a round
there closes with an opening. Of each card the best of the repeats, since others may use this machine; then the median.
`share` is what the median grew by, of `--p50` us: of a card on a quiet machine, byte in to message out (README.md).
"""

import argparse
import asyncio
import gc
import logging
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Final, NamedTuple

from firmware_bridge.cli import COLLECT_AFTER
from firmware_bridge.config.sections import RecordConfig
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.prompts import OpeningDue
from firmware_bridge.record.signer import write_seed
from firmware_bridge.shoe.round import asked
from scripts.bench.growth import DECKS, MEMORY, BenchTable, bench_table

ROUNDS: Final = 70
"""Rounds of a shoe."""


class Variant(NamedTuple):
    """A table. base: the name of the one that it is compared with."""

    name: str
    base: str
    is_sealed: bool = False
    has_key: bool = False
    sign_sealed: bool = False


VARIANTS: Final = (
    Variant("open, no key", ""),
    Variant("open, key", "open, no key", has_key=True),
    Variant("sealed, no key", "", is_sealed=True),
    Variant("sealed, key", "sealed, no key", is_sealed=True, has_key=True),
    Variant("sealed, sign_sealed", "sealed, no key", is_sealed=True, has_key=True, sign_sealed=True),
)


class Step(NamedTuple):
    """An input at a table: its kind, its CPU in microseconds, and the flushes that it waited for."""

    kind: str
    us: float
    flushes: int


class Flushes:
    """Counts the calls of fdatasync on the loop: those that an entry waits for."""

    def __init__(self) -> None:
        self.count, self._fdatasync = 0, os.fdatasync
        os.fdatasync = self._counted  # type: ignore[assignment]

    def _counted(self, fd: int) -> None:
        self.count += current_thread() is main_thread()
        self._fdatasync(fd)


def steps_of(bench: BenchTable, card: Card, flushes: Flushes) -> list[Step]:
    """Return a card, and the openings that it makes possible."""

    def step(kind: str, fact: inputs.AnyInput) -> Step:
        before = flushes.count
        cost = bench.handle(fact)
        return Step(f"closing {kind}" if cost.closes else kind, cost.take, flushes.count - before)

    steps = [step("card", inputs.CardRead(**now(), card=card, nonce=nonce()))]
    while isinstance(due := asked(bench.table.shoe), OpeningDue) and due.step:
        steps.append(step("opening", inputs.Ordered(**now(), order=orders.Reveal(), by="bench", nonce=nonce())))
    return steps


async def dealt(cards: list[Card], folder: Path, flushes: Flushes, order: Random) -> dict[str, list[Step]]:
    """Return a shoe at all tables, each card in an order of its own: what was before a table is in the caches."""
    write_seed(key := folder / "key")
    steps: dict[str, list[Step]] = {each.name: [] for each in VARIANTS}
    async with AsyncExitStack() as stack:
        tables = []
        for name, _, is_sealed, has_key, sign_sealed in VARIANTS:
            house = House(decks=DECKS, burn="none", new_shoe="auto", disclose="sealed" if is_sealed else "dealt")
            record = RecordConfig(key_file=str(key) if has_key else None, sign_sealed=sign_sealed)
            tables.append((name, await stack.enter_async_context(bench_table(folder / name, house, record))))
        for card in cards:
            order.shuffle(tables)
            for name, bench in tables:
                steps[name] += steps_of(bench, card, flushes)
                await bench.rest()
            if tables[0][1].table.shoe.round > ROUNDS:
                break
    return steps


def shoe(number: int, repeat: int, flushes: Flushes) -> dict[str, list[Step]]:
    """Return the steps of a shuffled shoe at each table, of each the best."""
    cards = list(GAMES["baccarat"].pack) * DECKS
    Random(number).shuffle(cards)
    runs = []
    for each in range(repeat):
        with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            runs.append(asyncio.run(dealt(cards, Path(folder), flushes, Random(each))))
    return {
        name: [min(each, key=lambda step: step.us) for each in zip(*(run[name] for run in runs), strict=True)]
        for name in runs[0]
    }


def main() -> int:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shoes", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--p50", type=float, default=1020, metavar="US")
    given = parser.parse_args()
    logging.disable(logging.WARNING)  # two tables have no key, and say so
    gc.freeze()  # as `shoe run` does
    gc.set_threshold(COLLECT_AFTER)
    flushes = Flushes()
    shoes = [shoe(number, given.repeat, flushes) for number in range(given.shoes)]
    costs: dict[tuple[str, str], float] = {}
    print(f"load {os.getloadavg()[0]:.1f}")
    print(f"{'us of CPU':<37} {'count':>6} {'p50':>6} {'more':>6} {'share':>7} flushes")
    for name, base, *_ in VARIANTS:
        steps = [step for each in shoes for step in each[name]]
        for kind in sorted({step.kind for step in steps}):
            found = [step for step in steps if step.kind == kind]
            costs[name, kind] = here = median(step.us for step in found)
            more = (
                f"{here - costs[base, kind]:6.1f} {(here - costs[base, kind]) / given.p50:7.1%}" if base else " " * 14
            )
            count = sum(step.flushes for step in found) / len(found)
            print(f"{name:<20} {kind:<16} {len(found):6} {here:6.1f} {more} {count:7.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
