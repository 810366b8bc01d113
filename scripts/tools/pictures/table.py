"""A demo without clock, broker or board: the same cards as `shoe demo --seed`, the same picture every time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Final, NamedTuple, cast
from unittest import mock

from msgspec.structs import replace

from firmware_bridge.cli.demo import drawn
from firmware_bridge.daemon.table.order_service import order_of
from firmware_bridge.daemon.table.refusals import BACKEND
from firmware_bridge.demo import fixtures
from firmware_bridge.demo.backend import Backend
from firmware_bridge.demo.fixtures import Play
from firmware_bridge.demo.harness import Harness
from firmware_bridge.demo.memory_table import MemoryTable, Retained
from firmware_bridge.demo.narration import Narration
from firmware_bridge.demo.seats import next_order, pack_number, waits
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games.house import size_of
from firmware_bridge.journal.messages import messages
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming
from firmware_bridge.shoe import Phase, Shoe, phase

BEGAN: Final = 1_795_207_500_000
"""When a demo begins: 2026-11-20T20:45:00Z, in ms since 1970."""

STEP_MS: Final = 1500
MOST: Final = 5000
"""Steps, after which the wanted moment will not come."""


class Scene(NamedTuple):
    """A moment of a demo: so many rounds are over and cards laid, and the slot `due` awaits a card, or must act.

    size: columns and lines of the terminal.
    """

    game: str
    seed: int
    rounds: int
    due: str
    laid: int = 0
    size: tuple[int, int] = (104, 32)


def picture(scene: Scene) -> bytes:
    """Return the terminal at this moment as SVG."""
    with closing(asyncio.new_event_loop()) as loop:
        table = DemoTable(Play(game=scene.game, seed=scene.seed), loop)
        for _ in table.play():
            if table.shows(scene):
                with mock.patch("time.monotonic", return_value=0.0):  # each lamp that blinks is lit
                    return drawn(table.harness, table.narration, scene.size).encode()
    raise RuntimeError(f"{scene} does not come")


class DemoTable:
    """A table in memory with a dealer and guests, and what a subscriber and a viewer know of it."""

    def __init__(self, play: Play, loop: asyncio.AbstractEventLoop) -> None:
        config = fixtures.config(play, {}, Path("/nonexistent"), 1883)
        self._house, self._game, self._play = config.house, config.rules, play
        self._memory, self._retained = MemoryTable(Shoe(), play.table, "5c1e8a02", "picture"), Retained()
        self._topics = f"{config.mqtt.root}/{play.table}"
        self._at, self._orders, self._pack = 0, 0, -1
        self._cards: list[Card] = []
        self._shuffles, self._guests = Random(play.seed), Random(play.seed)
        self.narration = Narration(None)
        self._backend = Backend(
            BrokerSettings(client_id="picture", host="127.0.0.1", port=1883, protocol=5),
            self._topics,
            self.narration.handle,
            _raise,
            loop,
            [each.name for each in self._game.topics],
        )
        status = {"up": True, "protocol": "5", "waiting": 0, "acked": None}
        self.harness = cast(
            Harness,
            SimpleNamespace(
                play=play,
                config=config,
                game=self._game,
                size=size_of(self._house),
                backend=self._backend,
                shoe=lambda: self._memory.shoe,
                broker=SimpleNamespace(kind="mosquitto", protocol=5),
                pty=SimpleNamespace(plugged=True),
                bridge=SimpleNamespace(
                    uplink=SimpleNamespace(status=lambda: status), table=SimpleNamespace(shoe=self._memory.shoe)
                ),
            ),
        )

    def shows(self, scene: Scene) -> bool:
        """Return whether this is the moment of the scene."""
        table = self._backend.states["table"]
        is_due = scene.due in (table.get("due"), *(table.get("act") or ()))
        return self._backend.delivered >= scene.rounds and is_due and len(table["slots"]) >= scene.laid

    def play(self) -> Iterator[None]:
        """Play step by step; what was published is known after each."""
        self._handle(inputs.Started(at=0, version="0.1.0", house=self._house, nonce=self._memory.nonce()))
        for _ in range(MOST):
            self._step()
            yield

    def _step(self) -> None:
        shoe = self._memory.shoe
        if pack_number(shoe) != self._pack:
            self._pack = pack_number(shoe)
            self._shuffle()
        if waits(shoe) and (order := next_order(shoe, self._guests, self._play.seats)):
            self._order(order_of(order, orders.ALL))
        elif phase(shoe) in (Phase.EMPTY, Phase.ENDED):
            self._order(orders.OpenShoe(dealer="Dora", confirmed_by="Ines"))
        elif phase(shoe) is Phase.COMPLETE:
            self._handle(inputs.Pressed(at=0, key="next"))
        else:
            self._handle(inputs.CardRead(at=0, card=self._cards.pop(), nonce=self._memory.nonce()))

    def _shuffle(self) -> None:
        faces = fixtures.faces(self._play.reader, self._game, self.harness.config.table.decks)
        papers = fixtures.packs(self._play.reader, self._game, self.harness.config.table)
        self._shuffles.shuffle(papers)
        self._cards = [faces[paper.code] for paper in papers]

    def _order(self, order: orders.Order) -> None:
        self._orders += 1
        nonce = self._memory.nonce()
        self._handle(inputs.Ordered(at=0, order=order, by=BACKEND, nonce=nonce, id=str(self._orders)))

    def _handle(self, came: inputs.AnyInput) -> None:
        """Handle an input one step later, after the deadlines before it; the subscriber hears of all."""
        end = self._at + STEP_MS
        for moment in self._memory.moments(end):
            self._at = max(self._at, moment)
            self._publish(inputs.TimePassed(at=0))
        self._at = end
        self._publish(came)

    def _publish(self, came: inputs.AnyInput) -> None:
        came = replace(came, at=BEGAN + self._at, mono=self._at, salt=self._memory.nonce())
        if line := self._memory.handle(came):
            said = [(each.topic, each.payload) for each in messages(line)]
            for name, payload in [*said, *self._retained.changed(line, self._memory.shoe)]:
                self._backend.handle(Incoming(f"{self._topics}/{name}", payload, retained=False))


def _raise(error: Exception) -> None:
    raise error
