"""A process of a fleet: many tables on one loop, controlled by JSON lines on its input."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from firmware_bridge.config.load import broker_settings
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.shoe.state import blockers
from scripts.tools.fleet.table import FleetTable, table_config

log = logging.getLogger(__name__)

OPEN_AT_ONCE: Final = 8
"""Journals opened at a time."""

LOOK_S: Final = 0.1
"""Interval of checks for reached marks."""

REPORT_S: Final = 1.0
"""Interval of progress lines."""

ACTS: Final = 60
"""A round's due time is so many pauses between two acts of its table long: the longest games need about 40."""

COLLECT_AFTER: Final = 20_000
"""The daemon's value."""


class Task(Struct, frozen=True, kw_only=True):
    """The task of a process. tables: name -> game. folder: of their journals, a folder each.

    every_s: a round's due time. stored: the receiver with the decisive `stored`, None for the broker's
    acknowledgement. password: the tables'. witnesses: public keys of those that the tables believe.
    """

    tables: dict[str, str]
    folder: str
    host: str
    port: int
    every_s: float
    seed: int
    password: str
    stored: str | None
    witnesses: tuple[str, ...] = ()


class Order(Struct, frozen=True):
    """A line in: `mark` notes every table's last entry and reports when all are kept; `rest` stops dealing; `end`."""

    do: Literal["mark", "rest", "end"]
    name: str = ""


class Progress(Struct, frozen=True):
    """A line out. up, blocked: tables that are connected, or wait for the pit. refused: orders refused. sent: messages.

    lag_ms: the longest that the loop was late since the last line. kept: marks that all tables have reached.
    """

    up: int = 0
    blocked: int = 0
    refused: int = 0
    entries: int = 0
    rounds: int = 0
    sent: int = 0
    lag_ms: float = 0.0
    kept: list[str] = []
    resting: bool = False


class Process:
    """Plays a task until the order `end` or the end of `lines`."""

    def __init__(self, task: Task, lines: FileIO, loop: asyncio.AbstractEventLoop) -> None:
        self._task, self._lines, self._loop = task, lines, loop
        self._random = Random(f"{task.seed} {os.getpid()}")
        self._tables: list[FleetTable] = []
        self._marks: dict[str, list[tuple[FleetTable, Cursor]]] = {}
        self._kept: list[str] = []
        self._resting, self._ended = False, asyncio.Event()
        self._lag_s = 0.0
        self._failed = False
        self._working: set[asyncio.Task[None]] = set()

    async def run(self) -> int:
        """Play; return 1 if a table failed."""
        self._loop.set_exception_handler(self._fail)
        self._loop.add_reader(self._lines, self._read)
        names = iter(self._task.tables.items())
        for work in (self._report_often(), self._look(), *[self._open(names) for _ in range(OPEN_AT_ONCE)]):
            self._begin(work)
        await self._ended.wait()
        for each in list(self._working):
            each.cancel()
        for table in self._tables:
            table.stop("lost" if self._failed else "stopped")
        await asyncio.gather(*(table.close() for table in self._tables))
        return int(self._failed)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work that ends the process if it fails."""
        task = self._loop.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._fail(self._loop, {"message": "a table cannot be played", "exception": error})

    async def _open(self, names: Iterator[tuple[str, str]]) -> None:
        for name, game in names:
            directory = Path(self._task.folder) / name
            directory.mkdir(parents=True, exist_ok=True)
            where = self._task.host, self._task.port, self._task.stored
            config = table_config(name, game, directory, *where, self._task.witnesses)
            broker = msgspec.structs.replace(broker_settings(config), password=self._task.password.encode())
            table = FleetTable(config, broker, Random(self._random.random()))
            await table.open()
            self._tables.append(table)
            self._begin(self._deal(table))

    async def _deal(self, table: FleetTable) -> None:
        """Play a round each time it is due, or at once if the last one took longer."""
        every_s = self._task.every_s
        due = self._loop.time() + self._random.uniform(0, every_s)
        while not self._resting:
            await asyncio.sleep(max(0.0, due - self._loop.time()))
            before = table.rounds
            while table.rounds == before and not self._resting:
                table.dealer.act()
                await asyncio.sleep(self._random.uniform(0.5, 1.5) * every_s / ACTS)
            due = max(due + every_s * self._random.uniform(0.8, 1.2), self._loop.time())

    async def _report_often(self) -> None:
        while True:
            began = self._loop.time()
            await asyncio.sleep(REPORT_S)
            self._lag_s = max(self._lag_s, self._loop.time() - began - REPORT_S)
            self._report()

    def _report(self) -> None:
        tables = self._tables
        progress = Progress(
            up=sum(each.uplink.link.up for each in tables),
            blocked=sum(bool(blockers(each.table.shoe)) for each in tables),
            refused=sum(each.dealer.refused for each in tables),
            entries=sum(each.entries for each in tables),
            rounds=sum(each.rounds for each in tables),
            sent=sum(each.sent for each in tables),
            lag_ms=round(1000 * self._lag_s, 1),
            kept=self._kept,
            resting=self._resting,
        )
        self._lag_s, self._kept = 0.0, []
        _write(progress)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for name, heads in list(self._marks.items()):
                self._marks[name] = left = [(table, head) for table, head in heads if not table.has_sent(head)]
                if not left:
                    del self._marks[name]
                    self._kept.append(name)
                    self._report()

    def _read(self) -> None:
        """Handle a line; the end of the input ends the process."""
        line = self._lines.readline()
        if not line:
            self._ended.set()
            self._loop.remove_reader(self._lines)
            return
        order = msgspec.json.decode(line, type=Order)
        if order.do == "mark":
            self._marks[order.name] = [(each, each.head) for each in self._tables]
        elif order.do == "rest":
            self._resting = True
        else:
            self._ended.set()

    def _fail(self, _: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        log.critical("ending: %s", context.get("message"), exc_info=context.get("exception"))
        self._failed = True
        self._ended.set()


def _write(progress: Progress) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(progress) + b"\n")
    sys.stdout.buffer.flush()


def main() -> int:
    """Write a first line, and play the task in the first line of the input."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    _write(Progress())
    lines = FileIO(sys.stdin.fileno(), closefd=False)  # not buffered: the loop must see every line that waits
    task = msgspec.json.decode(lines.readline(), type=Task)
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)

    async def play() -> int:
        return await Process(task, lines, asyncio.get_running_loop()).run()

    with suppress(KeyboardInterrupt):
        return asyncio.run(play())
    return 1


if __name__ == "__main__":
    sys.exit(main())
