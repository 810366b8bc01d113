"""The processes that play the tables of a fleet, and their progress."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from scripts.tools.fleet.child import Child
from scripts.tools.fleet.measure import Use, use_of
from scripts.tools.fleet.process import Order, Progress, Task

KILLED: Final = 0
"""Index of the process that is killed."""

LOOK_S: Final = 0.1


class Team:
    """Owns the processes from `start` to `end`. base: resources of one before its first table."""

    def __init__(self, tasks: list[Task], folder: Path) -> None:
        self._tasks = tasks
        command = [sys.executable, "-m", "scripts.tools.fleet.process"]
        self._last: list[Progress | None] = [None] * len(tasks)
        self.children = [
            Child(f"tables {number}", command, folder / f"tables-{number}.log", partial(self._handle, number))
            for number in range(len(tasks))
        ]
        self.base, self.lag_ms = Use(), 0.0
        self._before_rounds = self._before_entries = self._before_sent = 0
        self._marks: dict[str, tuple[set[int], asyncio.Event]] = {}
        self._away: set[int] = set()
        self._resting = False

    async def start(self) -> None:
        """Start all of them; the first one is measured before it has a table."""
        for number, child in enumerate(self.children):
            await child.start()
            if number == 0:
                while child.is_running and not self._last[0]:
                    await asyncio.sleep(LOOK_S)
                self.base = use_of(child.pid)
            child.send(msgspec.json.encode(self._tasks[number]))

    @property
    def up(self) -> int:
        """Tables that are connected."""
        return sum(each.up for each in self.progress())

    @property
    def rounds(self) -> int:
        """Rounds that ended."""
        return self._before_rounds + sum(each.rounds for each in self.progress())

    @property
    def entries(self) -> int:
        """Entries that were journaled."""
        return self._before_entries + sum(each.entries for each in self.progress())

    @property
    def sent(self) -> int:
        """Messages that were published, those that were published again too."""
        return self._before_sent + sum(each.sent for each in self.progress())

    def progress(self) -> list[Progress]:
        """Return the last line of each process."""
        return [each for each in self._last if each]

    def fallen(self) -> list[str]:
        """Return the processes that ended without a kill, with the end of their logs."""
        there = enumerate(self.children)
        return [f"{each.name} ended: {each.tail()}" for n, each in there if n not in self._away and not each.is_running]

    async def mark(self, name: str) -> None:
        """Wait until every table's journal is kept up to its present end."""
        waiting = set(range(len(self.children)))
        self._marks[name] = waiting, asyncio.Event()
        for number in waiting:
            self._order(number, Order("mark", name))
        await self._marks[name][1].wait()

    def rest(self) -> None:
        """Stop the dealing."""
        self._resting = True
        for number in range(len(self.children)):
            self._order(number, Order("rest"))

    def is_resting(self) -> bool:
        """Return whether all processes have stopped dealing."""
        return all(each and each.resting for each in self._last)

    async def kill_one(self, away_s: float) -> str:
        """Kill a process, restart it on the same journals, and wait until all its tables are connected."""
        child, last = self.children[KILLED], self._last[KILLED]
        self._away.add(KILLED)
        await child.end()
        self._before_rounds += last.rounds if last else 0
        self._before_entries += last.entries if last else 0
        self._before_sent += last.sent if last else 0
        self._last[KILLED] = None
        await asyncio.sleep(away_s)
        await child.start(msgspec.json.encode(self._tasks[KILLED]))
        self._away.discard(KILLED)
        if self._resting:
            self._order(KILLED, Order("rest"))
        tables = len(self._tasks[KILLED].tables)
        while child.is_running and not ((progress := self._last[KILLED]) and progress.up == tables):
            await asyncio.sleep(LOOK_S)
        for name, (waiting, _) in self._marks.items():
            if KILLED in waiting:
                self._order(KILLED, Order("mark", name))
        return f"a process of {tables} tables killed"

    async def end(self) -> list[str]:
        """End all tables in order; return what failed."""
        wrong = self.fallen()
        self._away.update(range(len(self.children)))
        for number in range(len(self.children)):
            self._order(number, Order("end"))
        codes = [await child.finished() for child in self.children]
        return wrong or [
            f"{child.name} ended with {code}: {child.tail()}"
            for child, code in zip(self.children, codes, strict=True)
            if code
        ]

    def _order(self, number: int, order: Order) -> None:
        self.children[number].send(msgspec.json.encode(order))

    def _handle(self, number: int, line: bytes) -> None:
        self._last[number] = progress = msgspec.json.decode(line, type=Progress)
        self.lag_ms = max(self.lag_ms, progress.lag_ms)
        for name in progress.kept:
            waiting, done = self._marks[name]
            waiting.discard(number)
            if not waiting:
                done.set()
