"""Many simulated tables in one process, each the daemon without reader and pins; some of them have a trouble.

`python -m scripts.tools.floor_demo.many mosquitto 1883 2.0 FOLDER T04=niuniu: T05=baccarat:lid ..`
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

from msgspec.structs import replace

from firmware_bridge.config.load import broker_settings
from firmware_bridge.demo.broker import HOST, PROTOCOL
from firmware_bridge.errors import BridgeError
from firmware_bridge.shoe import Phase, phase
from scripts.tools.fleet.table import FleetTable, table_config
from scripts.tools.floor_demo.first import first
from scripts.tools.floor_demo.people import bridge_toml
from scripts.tools.floor_demo.table import STORED
from scripts.tools.floor_demo.trouble import NAMED, Trouble

ACT_S: Final = 1.5
"""Seconds between two acts of a dealer, at speed 1: a round of 40 in a minute."""

SOON_S: Final = 0.1
"""Seconds between two acts before a trouble: nobody waits a minute for it."""

SENT_S: Final = 0.1


class TroubledTable:
    """A table that is played for a round, has its trouble inside the next one, and goes on where it can."""

    def __init__(self, words: str, broker: tuple[str, int], speed: float, folder: Path) -> None:
        self.name, _, rest = words.partition("=")
        game, _, trouble = rest.partition(":")
        self.trouble: Trouble = NAMED[trouble]
        self._act_s, self._random = ACT_S / speed, Random(self.name)
        config = table_config(
            self.name,
            game,
            folder / self.name,
            HOST,
            broker[1],
            STORED,
            more=bridge_toml(folder, self.trouble.asks_two),
        )
        if self.trouble.is_unsigned:
            Path(config.record.key_file or "").unlink()
        settings = replace(broker_settings(config), protocol=PROTOCOL[broker[0]])
        self._table = FleetTable(config, settings, self._random)
        self._had = False

    async def play(self) -> None:
        """Deal until cancelled, or for as long as the trouble lets."""
        await self._table.open()
        if not self.trouble.name:
            await asyncio.sleep(self._random.uniform(0, 10 * self._act_s))
        while self.trouble.plays_on or not self._had:
            self._table.dealer.act()
            pause_s = min(self._act_s, SOON_S) if self.trouble.name and not self._had else self._act_s
            await asyncio.sleep(pause_s * self._random.uniform(0.5, 1.5))
            if not self._had and self._table.rounds and phase(self._table.table.shoe) is Phase.DEALING:
                self._had = True
                if self.trouble.happens:
                    self._table.table.handle(self.trouble.happens())
        if self.trouble.stops:
            self._table.stop()
            await self._table.close()

    async def sent(self) -> None:
        """Wait until the trouble has come and the store has everything up to it."""
        while not self._had or not self._table.has_sent(self._table.head):
            await asyncio.sleep(SENT_S)

    async def close(self) -> None:
        """End in order; nothing where it has ended."""
        if not (self._had and self.trouble.stops):
            self._table.stop()
            await self._table.close()


async def _run(tables: list[TroubledTable]) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    failed: asyncio.Future[None] = loop.create_future()

    def fail(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not failed.done():
            failed.set_exception(context.get("exception") or RuntimeError(str(context.get("message"))))

    loop.set_exception_handler(fail)
    playing = asyncio.gather(*(each.play() for each in tables))
    try:
        if all(each.trouble.is_lost for each in tables):
            await first(_sent(tables, playing), stop.wait(), failed)
            if not stop.is_set():
                os.kill(os.getpid(), signal.SIGKILL)  # as a Pi without power: no last word
        await first(_forever(playing), stop.wait(), failed)
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        for each in tables:
            await each.close()


async def _sent(tables: list[TroubledTable], playing: asyncio.Future[Any]) -> None:
    await asyncio.gather(*(each.sent() for each in tables), playing)


async def _forever(playing: asyncio.Future[Any]) -> None:
    """Wait for a failure: tables that are blocked have ended, and stay as they are."""
    await asyncio.shield(playing)
    await asyncio.Event().wait()


def main(words: list[str]) -> int:
    """Play the tables; return 1 where one cannot go on, with the reason on stderr."""
    kind, port, speed, folder, *named = words
    logging.basicConfig(level=logging.WARNING)

    async def play() -> None:
        await _run([TroubledTable(each, (kind, int(port)), float(speed), Path(folder)) for each in named])

    try:
        asyncio.run(play())
    except (BridgeError, OSError) as error:
        print(f"tables: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
