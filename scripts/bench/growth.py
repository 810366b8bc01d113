"""What a card costs early and late in a shoe: CPU of `Table.handle` and of the flush of the retained topics behind it.

    PYTHONPATH=. .venv/bin/python scripts/bench/growth.py [--shoes 8] [--repeat 10] [--limit 1.15]

Real parts but for the broker: a table, its journal in memory where there is such a disk, its outbox and its retained
topics. CPU time of the thread, in a tight loop; of each card the best of the repeats, since others may use this
machine. Each row is the median over the shoes of the median over its rounds; `spread` is the largest of them by the
smallest. Exit 1 if one is above the limit.
"""

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from firmware_bridge.cli import COLLECT_AFTER
from firmware_bridge.config.sections import RecordConfig
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.opening import open_journal
from firmware_bridge.daemon.table.order_service import OrderService
from firmware_bridge.daemon.table.recorder import Recorder
from firmware_bridge.daemon.table.signed_orders import SignedOrders
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.uplink import Uplink
from firmware_bridge.facts import events, inputs
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.journal.journal import Journal
from firmware_bridge.mqtt.settings import BrokerSettings

SPANS = ((1, 10), (36, 45), (71, 80))
"""Rounds compared."""

DECKS = 8
MEMORY = Path("/dev/shm")


class Cost(NamedTuple):
    """CPU of one card, in microseconds."""

    round: int
    closes: bool
    take: float
    flush: float


class Lightless:
    """Lamps without pins."""

    def show(self, lit: dict[str, str]) -> None:
        """Light nothing."""


class Nowhere:
    """A broker that takes everything at once."""

    up, protocol, shared_name, number = True, 5, None, 1
    fault, is_doubtful = None, False

    def __init__(self) -> None:
        self.mid = self._done = 0

    def publish(self, *_: Any, **__: Any) -> int:
        """Return the id of a message."""
        self.mid += 1
        return self.mid

    def sent(self) -> range:
        """Return the ids of the messages since the last call."""
        ids, self._done = range(self._done + 1, self.mid + 1), self.mid
        return ids


class BenchTable(NamedTuple):
    """A table with all that a card meets on its way, up to the broker."""

    table: Table
    uplink: Uplink
    broker: Nowhere

    def handle(self, fact: inputs.AnyInput) -> Cost:
        """Return what an input costs."""
        round = max(self.table.shoe.round, 1)
        begun = time.thread_time_ns()
        produced = self.table.handle(fact)
        handled = time.thread_time_ns()
        self.uplink.states.flush()
        flushed = time.thread_time_ns()
        closes = any(isinstance(event, events.RoundClosed) for event in produced)
        return Cost(round, closes, (handled - begun) / 1000, (flushed - handled) / 1000)

    async def rest(self) -> None:
        """Let the broker take what was sent, and give the loop a turn."""
        for mid in self.broker.sent():
            self.uplink.outbox.delivered(mid)
        await asyncio.sleep(0)


@asynccontextmanager
async def bench_table(
    folder: Path, house: House, record: RecordConfig, looks_ahead: bool = True
) -> AsyncIterator[BenchTable]:
    """Yield a table that has begun, with its journal in a folder."""
    loop = asyncio.get_running_loop()
    uplink: Any = None
    table = Table(
        Journal(folder),
        "bench",
        Lightless(),
        lambda _: None,
        lambda line: uplink.publishing(line),
        lambda: uplink.changed(),
        loop,
        looks_ahead,
    )
    order_service = OrderService(table, lambda _: None, lambda: False)
    recorder = Recorder(table, record, "bench")
    signed = SignedOrders((), 60, table, "shoe/bench", ())
    uplink = Uplink(table, "shoe/bench", BrokerSettings(client_id="bench"), order_service, (), signed, recorder, loop)
    uplink.link = broker = Nowhere()
    opened = await open_journal(table, lambda: asyncio.sleep(0))
    uplink.begin(opened)
    table.start(house, record=recorder.begin())
    uplink.outbox.up()
    uplink.states.up()
    yield BenchTable(table, uplink, broker)
    uplink.states.close()
    await uplink.acknowledged.close()
    opened.cursor.close()
    table.close()
    table.journal.close()


async def dealt(cards: list[Card], rounds: int, folder: Path) -> list[Cost]:
    """Deal a shoe up to the end of a round and measure each card."""
    costs: list[Cost] = []
    async with bench_table(folder, House(decks=DECKS, burn="none", new_shoe="auto"), RecordConfig()) as bench:
        for card in cards:
            costs.append(bench.handle(inputs.CardRead(**now(), card=card, nonce=nonce())))
            if costs[-1].closes and costs[-1].round == rounds:
                break
            await bench.rest()
    return costs


def shoe(number: int, repeat: int) -> list[Cost]:
    """Return the costs of a shuffled shoe, of each card the best."""
    cards = list(GAMES["baccarat"].pack) * DECKS
    Random(number).shuffle(cards)
    runs = []
    for _ in range(repeat):
        with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            runs.append(asyncio.run(dealt(cards, SPANS[-1][1], Path(folder))))
    return [
        Cost(each[0].round, each[0].closes, min(cost.take for cost in each), min(cost.flush for cost in each))
        for each in zip(*runs, strict=True)
    ]


def rows(shoes: list[list[Cost]]) -> Iterator[tuple[str, list[float]]]:
    """Yield what is measured, with its microseconds in each span."""
    for closes in (False, True):
        for step in ("take", "flush"):
            spans = [
                median(
                    median(
                        getattr(cost, step) for cost in costs if first <= cost.round <= last and cost.closes is closes
                    )
                    for costs in shoes
                )
                for first, last in SPANS
            ]
            yield f"{step}, {'closing card' if closes else 'card'}", spans


def main() -> int:
    """Measure, print, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shoes", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=1.15)
    asked = parser.parse_args()
    gc.freeze()  # as `shoe run` does
    gc.set_threshold(COLLECT_AFTER)
    shoes = [shoe(asked.seed + number, asked.repeat) for number in range(asked.shoes)]
    print(f"{'us of CPU, rounds':<22}" + "".join(f"{f'{first}-{last}':>9}" for first, last in SPANS) + "   spread")
    spreads = []
    for name, spans in rows(shoes):
        spreads.append(max(spans) / min(spans))
        print(f"{name:<22}" + "".join(f"{each:9.1f}" for each in spans) + f"{spreads[-1]:9.2f}")
    return int(max(spreads) > asked.limit)


if __name__ == "__main__":
    sys.exit(main())
