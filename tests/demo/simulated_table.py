"""The demo's dealer and guests at a table in memory, on a clock that jumps: how long a round takes is counted."""

import asyncio
from collections.abc import Collection
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from firmware_bridge.cli import parser_of
from firmware_bridge.cli.demo.options import play
from firmware_bridge.demo import fixtures
from firmware_bridge.demo.memory_table import MemoryTable
from firmware_bridge.demo.seats import asks_guests, pack_number, play_seats, waits
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import Device
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.state import cards_left
from firmware_bridge.topics.lamps import lamps
from hardware.pins.lamps import LampPanel
from hardware.pins.pin import Pin, pin_factory
from hardware.sim.dealer import Dealer, Paper
from tests.kit.virtual import run

STARTED_S = 0.3
"""Seconds that broker, daemon and reader take to start."""

BROKER_S = 0.02
"""Seconds that an order takes to the table: no broker is here."""


class SimulatedTable:
    """Implements the `Hands` of the dealer by the rules alone. ended: the time of the first round's result."""

    def __init__(self, words: str, seed: int, folder: Path) -> None:
        self._play = play(parser_of(["demo"]).parse_args(["demo", "--seed", str(seed), *words.split()]))
        self._config = fixtures.config(self._play, {}, folder, 1883)
        self._game, self._loop = self._config.rules, asyncio.get_running_loop()
        shoe = Shoe(journal="0-demo", device=Device(self._config.house))
        self._memory = MemoryTable(shoe, "DEMO", "boot", "demo")
        self._faces = fixtures.faces(self._play.reader, self._game, self._config.table.decks)
        wires = fixtures.lamps(self._game)
        pins = {slot: Pin(wires[slot.partition(".")[0]]) for slot in (*self._game.slots, *self._game.seats)}
        self._lamps = {name: Pin(wires[name]) for name in (*wires,)}
        self._factory = pin_factory("mock")
        self._panel = LampPanel({**self._lamps, **pins}, self._factory, self._loop)
        self.slots: Collection[str] = fixtures.places(self._game.slots)
        self.ended: asyncio.Future[float] = self._loop.create_future()

    @property
    def shoe(self) -> Shoe:
        return self._memory.shoe

    async def first_result(self) -> float:
        """Seconds to the first result."""
        await asyncio.sleep(STARTED_S)
        cut = self._game.play.cut_from_end
        papers = fixtures.packs(self._play.reader, self._game, self._config.table)
        dealer = Dealer(self, papers, Random(self._play.seed), self._play.speed, None, cut)
        tasks: list[asyncio.Future[Any]] = [asyncio.create_task(dealer.work())]
        if asks_guests(self._config.house):
            guests = play_seats(
                lambda: self.shoe, self._give, Random(self._play.seed), self._play.speed, self._play.seats
            )
            tasks.append(asyncio.create_task(guests))
        await asyncio.wait([self.ended, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()
        self._panel.close()
        self._factory.close()
        return self.ended.result()

    def _handle(self, fact: inputs.AnyInput) -> None:
        at = round(1000 * self._loop.time())
        salt = self._memory.nonce()
        line = self._memory.handle(replace(fact, salt=salt, at=at, mono=at))
        self._panel.show(lamps(self.shoe).lit)
        if line and not self.ended.done() and any(each.topic == "round" for each in messages(line)):
            self.ended.set_result(self._loop.time())

    def _give(self, order: dict[str, Any]) -> None:
        given = {name: value for name, value in order.items() if name != "id"}
        fact = inputs.Ordered(at=0, order=msgspec.convert(given, orders.Order), by="guest", nonce=self._memory.nonce())
        self._loop.call_later(BROKER_S, self._handle, replace(fact, id=order["id"]))

    # ------------------------------------------------------------ the dealer's hands

    def waits(self) -> str:
        return waits(self.shoe)

    def pack(self) -> int:
        return pack_number(self.shoe)

    def left(self) -> int | None:
        return cards_left(self.shoe)

    def lit(self) -> set[str]:
        return {*self._lamps} - self._panel.dark()

    def draw(self, paper: Paper, how: str = "") -> None:
        assert not how
        self._handle(inputs.CardRead(at=0, card=self._faces[paper.code], nonce=self._memory.nonce()))

    async def cut_card(self) -> None:
        self._handle(inputs.CutCardSeen(at=0, by="sensor"))

    async def press_next(self) -> None:
        self._handle(inputs.Pressed(at=0, key="next", nonce=self._memory.nonce()))

    async def ask_for_shoe(self) -> None:
        order = orders.OpenShoe(dealer="Dora", confirmed_by="Ines")
        self._handle(inputs.Ordered(at=0, order=order, by="Ines", nonce=self._memory.nonce()))

    async def call_floor(self, last: Paper | None) -> None:
        raise AssertionError("nothing goes wrong here")


def first_result(words: str, seed: int, folder: Path) -> float:
    """Seconds of play from the demo's start to its first result."""

    async def played() -> float:
        return await SimulatedTable(words, seed, folder).first_result()

    return run(played())
