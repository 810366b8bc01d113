"""The faults of a fleet: one part after the other is killed, locked or cut, and returns."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from scripts.tools.fleet.child import Child, FleetError
from scripts.tools.fleet.engines import Engine
from scripts.tools.fleet.office import Office
from scripts.tools.fleet.plan import Plan, Trouble
from scripts.tools.fleet.stores import Store
from scripts.tools.fleet.team import Team
from scripts.tools.fleet.windows import Look
from scripts.tools.fleet.witnesses import Witnesses

BACK_S: Final = 120.0
"""Longest restart of a broker."""

FIRST: Final = 0.4
"""Time of the first fault, as a part of the interval between faults."""

LOOK_S: Final = 0.1


class Faults:
    """Makes each fault once, in order. network: the proxy with the commands `cut` and `mend`. show: prints a line.

    looks: how the records stood below the quorum, each time just before it came back. all_begun: set when the last one
    has begun, or none will.
    """

    def __init__(
        self,
        plan: Plan,
        parts: tuple[Office, Store, Engine, Child, Team, Witnesses],
        show: Callable[[str], None],
    ) -> None:
        self.troubles: list[Trouble] = []
        self.looks: list[Look] = []
        self.all_begun = asyncio.Event()
        self._plan, self._show = plan, show
        self._office, self._store, self._engine, self._network, self._team, self._witnesses = parts
        self._ingest = self._office.ingest
        self._noting: set[asyncio.Task[None]] = set()
        self._began = time.monotonic()
        self._makes: dict[str, Callable[[float], Awaitable[str]]] = {
            "ingest": self._kill_ingest,
            "store": self._stop_store,
            "broker": self._kill_broker,
            "network": self._cut,
            "process": self._team.kill_one,
            "witness": self._kill_witness,
            "quorum": self._stop_quorum,
        }

    async def run(self) -> None:
        """Make all faults; return when the last one is over."""
        self._began = time.monotonic()
        try:
            await self._run([(number, name) for number, name in enumerate(self._plan.troubles) if name])
        finally:
            self.all_begun.set()

    async def _run(self, names: list[tuple[int, str]]) -> None:
        for number, name in names:
            await asyncio.sleep(max(0.0, (number + FIRST) * self._plan.interval_s - self._at()))
            trouble = Trouble(what=name, at_s=round(self._at(), 1))
            self.troubles.append(trouble)
            if len(self.troubles) == len(names):
                self.all_begun.set()
            trouble.what = await self._makes[name](self._plan.away_s(name))
            trouble.away_s = round(self._at() - trouble.at_s, 1)
            self._show(f"{trouble.what} at {trouble.at_s} s, back after {trouble.away_s} s")
            task = asyncio.create_task(self._note(trouble))
            self._noting.add(task)
            task.add_done_callback(self._noting.discard)

    def stop(self) -> None:
        """Cancel the notes that are still waiting."""
        for task in self._noting:
            task.cancel()

    async def _note(self, trouble: Trouble) -> None:
        """Note when everything journaled so far is kept."""
        began = time.monotonic()
        await self._team.mark(trouble.what)
        trouble.whole_s = round(time.monotonic() - began, 1)
        self._show(f"whole again {trouble.whole_s} s after: {trouble.what}")

    async def _kill_ingest(self, away_s: float) -> str:
        await self._ingest.end()
        await asyncio.sleep(away_s)
        await self._ingest.start()
        return "ingest killed"

    async def _stop_store(self, away_s: float) -> str:
        await self._store.restart(away_s, self._ingest)
        return self._store.trouble

    async def _kill_broker(self, away_s: float) -> str:
        victim = await asyncio.to_thread(self._engine.victim)
        await victim.end()
        await asyncio.sleep(away_s)
        await victim.start()
        give_up = time.monotonic() + BACK_S
        while not await asyncio.to_thread(self._engine.is_ready):
            if time.monotonic() > give_up:
                raise FleetError(f"{victim.name} does not come back: {victim.tail()}", "see its log")
            await asyncio.sleep(LOOK_S)
        return f"{victim.name} killed"

    async def _cut(self, away_s: float) -> str:
        self._network.send(b"cut")
        await asyncio.sleep(away_s)
        self._network.send(b"mend")
        return "network cut"

    async def _kill_witness(self, away_s: float) -> str:
        await self._witnesses.kill(0)
        await asyncio.sleep(away_s)
        await self._witnesses.revive(0)
        return "a witness killed"

    async def _stop_quorum(self, away_s: float) -> str:
        """Kill as many witnesses as leave no quorum, and see what is said of it."""
        count = len(self._witnesses.children)
        gone = range(count - self._witnesses.quorum + 1)
        for number in gone:
            await self._witnesses.kill(number)
        await asyncio.sleep(away_s)
        self.looks.append(await self._office.look())
        for number in gone:
            await self._witnesses.revive(number)
        return f"{len(gone)} of {count} witnesses killed"

    def _at(self) -> float:
        return time.monotonic() - self._began
