"""A broker, simulated tables, the ingest and the page, from `open` to `close`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.demo.broker import HOST, BrokerError, EmbeddedBroker, free_port
from firmware_bridge.floor.page.addresses import Addresses, path_of
from scripts.tools.floor_demo.first import first
from scripts.tools.floor_demo.people import floor_toml
from scripts.tools.floor_demo.programs import FloorError, Programs
from scripts.tools.floor_demo.trouble import NONE, TROUBLES, Trouble

UP_S: Final = 60.0
"""The longest wait for the page."""


class SimulatedTable(NamedTuple):
    """A table by its id, its game and the protocol of its reader."""

    id: str
    game: str
    reader: str


TABLES: Final = (
    SimulatedTable("T01", "baccarat", "native"),
    SimulatedTable("T02", "blackjack", "ssi"),
    SimulatedTable("T03", "zhajinhua", "rdm6300"),
)

GAMES: Final = ("baccarat", "baccarat", "niuniu", "baccarat", "blackjack", "baccarat", "erbagang", "zhajinhua")
"""Games of the tables after the first ones, in turn."""


class PlainTable(NamedTuple):
    """A table without reader and pins, that shares a process with others of its kind."""

    id: str
    game: str
    trouble: Trouble

    @property
    def words(self) -> str:
        """How its process is told."""
        return f"{self.id}={self.game}:{self.trouble.name}"


def plain_tables(count: int, trouble: bool) -> tuple[PlainTable, ...]:
    """Return the tables after the first ones on a floor of `count`; with trouble the first of them have one each."""
    numbers = range(len(TABLES) + 1, count + 1)
    troubles = (*(TROUBLES if trouble else ()), *(NONE for _ in numbers))
    return tuple(
        PlainTable(f"T{number:02d}", game, each)
        for number, game, each in zip(numbers, cycle(GAMES), troubles, strict=False)
    )


CONFIG: Final = """\
[mqtt]
port = {broker}

[store]
path = "{store}"

[screen]
secrets = "{screens}"

"""


ALONE: Final = '[page]\nsign_in = "off"\n'
"""What the floor says of the page where nobody signs in."""


class SimulatedFloor:
    """Everything in `folder`. port, broker_port: of page and broker; another is taken where one is in use.

    broker: a kind of `EmbeddedBroker`. speed: of the dealers, 1 is human. plain: tables beside `TABLES`.
    people: whether they sign in, and give orders at the plain tables.
    Raises BrokerError.
    """

    def __init__(
        self,
        folder: Path,
        port: int,
        broker_port: int,
        broker: str,
        speed: float,
        plain: Sequence[PlainTable] = (),
        people: bool = False,
    ) -> None:
        self._folder, self._speed, self._plain, self._people = folder, speed, plain, people
        self.config, self.store = folder / "floor.toml", folder / "floor.db"
        self._screens = folder / "screens.json"
        self.broker = EmbeddedBroker(broker, folder, _port(broker_port))
        self.port = _port(port)
        self._programs = Programs(folder)

    @property
    def address(self) -> str:
        """Of the page."""
        return f"http://{HOST}:{self.port}/"

    @property
    def guests(self) -> str:
        """The address of the first table's guest screen."""
        table = TABLES[0].id
        return self.address.rstrip("/") + path_of(table, Addresses(self._screens).complete([table])[table])

    async def open(self) -> None:
        """Start everything; the page answers then. Raises BrokerError, FloorError."""
        await self.broker.start()
        page = floor_toml(self._folder) if self._people else ALONE
        config = CONFIG.format(broker=self.broker.port, store=self.store, screens=self._screens)
        self.config.write_text(config + page.replace("[page]\n", f"[page]\nport = {self.port}\n"))
        floor = "firmware_bridge.floor", "--config", str(self.config)
        await self._programs.start("ingest", *floor, "ingest")
        await self._programs.start("page", *floor, "page")
        for table in TABLES:
            folder = self._folder / table.id
            folder.mkdir()
            broker = self.broker.kind, str(self.broker.port)
            words = *table, *broker, str(self._speed), str(folder)
            await self._programs.start(table.id, "scripts.tools.floor_demo.table", *words)
        await self._start_plain()
        await self._until("the page does not answer", self._answers)

    async def _start_plain(self) -> None:
        """Start the plain tables: those that will be lost in a process of their own, and who speaks in their names."""
        broker = self.broker.kind, str(self.broker.port)
        told = [f"{each.id}={each.trouble.told}" for each in self._plain if each.trouble.told]
        if told:
            listens = self._folder / "stranger.listens"
            await self._programs.start("stranger", "scripts.tools.floor_demo.stranger", *broker, str(listens), *told)
            # A table that is lost before has sent nothing that a stranger could repeat; an ingest that subscribes later
            # has heard nothing of what he told.
            await self._until("the stranger does not listen", partial(_is_there, listens))
        for name, is_lost in (("tables", False), ("lost", True)):
            words = [each.words for each in self._plain if each.trouble.is_lost == is_lost]
            if words:
                where = *broker, str(self._speed), str(self._folder)
                await self._programs.start(name, "scripts.tools.floor_demo.many", *where, *words, may_end=is_lost)

    async def go_on(self, stop: asyncio.Event) -> None:
        """Wait until `stop` is set. Raises FloorError if a program ends before."""
        await first(stop.wait(), self._programs.watch())

    async def close(self) -> None:
        """End everything: tables first, the broker last."""
        await self._programs.end()
        await self.broker.stop()

    async def _until(self, otherwise: str, is_so: Callable[[], Awaitable[bool]]) -> None:
        """Wait until something is so. Raises FloorError if a program ends before, or with `otherwise` after a while."""

        async def so() -> None:
            give_up = time.monotonic() + UP_S
            while not await is_so():
                if time.monotonic() > give_up:
                    raise FloorError(f"{otherwise} within {UP_S:.0f} s", "start the floor again")
                await asyncio.sleep(0.1)

        await first(so(), self._programs.watch())

    async def _answers(self) -> bool:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(HOST, self.port)
            writer.write(f"GET / HTTP/1.1\r\nHost: {HOST}:{self.port}\r\nConnection: close\r\n\r\n".encode())
            line = await reader.readline()
            writer.close()
            return b" 200 " in line or b" 303 " in line  # to the form to sign in
        return False


async def _is_there(path: Path) -> bool:
    return path.exists()


def _port(wanted: int) -> int:
    """Return the wanted port, another one where it is in use."""
    try:
        return free_port(wanted)
    except BrokerError:
        return free_port(0)
