"""A simulated table of a floor, as a process: the real daemon, a dealer at it, and guests where the game has seats.

`python -m scripts.tools.floor_demo.table T01 baccarat native mosquitto 1883 1.0 FOLDER`
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from pathlib import Path
from typing import Final

from firmware_bridge.demo.broker import PROTOCOL, EmbeddedBroker
from firmware_bridge.demo.fixtures import Play
from firmware_bridge.demo.harness import Harness
from firmware_bridge.errors import BridgeError
from hardware.sim.dealer import Puzzled
from scripts.tools.floor_demo.first import first

STORED: Final = "floor"
"""Receiver with the decisive `stored`: the default name of `shoe-floor ingest`."""


class SharedBroker(EmbeddedBroker):
    """A broker of this machine that another process starts and ends; its kind is one of `PROTOCOL`."""

    def __init__(self, kind: str, port: int) -> None:
        self.kind, self.port, self.protocol = kind, port, PROTOCOL[kind]

    async def start(self) -> None:
        """Do nothing: the broker runs already."""

    async def stop(self) -> None:
        """Do nothing: the owner ends it."""


async def deal(play: Play, broker: SharedBroker, folder: Path, stop: asyncio.Event) -> None:
    """Deal shoe after shoe until `stop` is set. Raises Puzzled, BridgeError."""
    harness = Harness(play, folder, _nothing, _nothing, broker)
    try:
        await harness.open()
        await first(harness.dealer().work(), stop.wait(), harness.failed)
    finally:
        await harness.close()


def _nothing(*_: object) -> None:
    """Ignore the message: this table has no screen."""


async def _run(play: Play, broker: SharedBroker, folder: Path) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await deal(play, broker, folder, stop)


def main(words: list[str]) -> int:
    """Run one table; return 1 where it cannot go on, with the reason on stderr."""
    name, game, reader, broker, port, speed, folder = words
    logging.basicConfig(level=logging.INFO)
    play = Play(table=name, game=game, reader=reader, speed=float(speed), seed=sum(name.encode()), stored=STORED)
    try:
        asyncio.run(_run(play, SharedBroker(broker, int(port)), Path(folder)))
    except (BridgeError, Puzzled) as error:
        print(f"table {name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
