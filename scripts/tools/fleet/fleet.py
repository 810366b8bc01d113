"""A fleet from its first process to the comparison: broker, network, ingest, tables and their faults."""

from __future__ import annotations

import asyncio
import math
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from firmware_bridge.demo.broker import HOST
from scripts.tools.fleet import measure
from scripts.tools.fleet.child import Child, FleetError
from scripts.tools.fleet.compare import Compared
from scripts.tools.fleet.engines import ENGINES, free_ports
from scripts.tools.fleet.faults import Faults
from scripts.tools.fleet.office import NAME, Office
from scripts.tools.fleet.plan import Plan, Report
from scripts.tools.fleet.process import Task
from scripts.tools.fleet.stores import STORES
from scripts.tools.fleet.team import Team
from scripts.tools.fleet.windows import LIMIT_S, Below, Windows, judged
from scripts.tools.fleet.witnesses import Witnesses

READY_S: Final = 120.0
"""Longest start of the broker, and longest wait for the tables to rest."""

CONNECT_S: Final = 600.0
"""Longest time until every table is connected."""

WHOLE_S: Final = 900.0
"""Longest time until the store has everything after the last card."""

AGAIN_S: Final = 3.0
"""Pause between two comparisons of an incomplete store."""

COMPACT_S: Final = 2.0
LOOK_S: Final = 0.1
METER_S: Final = 2.0


class Fleet:
    """Plays a plan in an empty folder. show: prints a line."""

    def __init__(self, plan: Plan, folder: Path, show: Callable[[str], None]) -> None:
        self.plan, self.report, self._show = plan, Report(plan=plan), show
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._journals = Path(tempfile.mkdtemp(prefix="journals-", dir=plan.journals or folder))
        self.report.journals = str(self._journals)
        password, secret = secrets.token_hex(12), folder / "password"
        secret.touch(0o600)
        secret.write_text(password)
        self.engine = ENGINES[plan.engine](folder / plan.engine, plan.names, password)
        self.store = STORES[plan.store](folder)
        ports = free_ports(1 + len(self.engine.floor))
        self.network = Child("network", self._ways(ports), folder / "network.log")
        self.office = Office(folder, show)
        self.witnesses = Witnesses(folder, plan.witnesses, plan.feed_s)
        sections = (
            self.engine.toml(ports[0], ports[1:], secret),
            self.store.toml() + "compact_hours = 0\n",
            self.witnesses.toml(),
        )
        self.office.configure(*sections)
        self.team = Team(self._tasks(ports[0], password), folder)
        self._meter = measure.Meter()
        self._faults: Faults | None = None
        self._rested = 0.0

    async def play(self) -> Report:
        """Play and compare; return the report. Raises FleetError for a part that does not start or return."""
        try:
            await self._begin()
            await self._deal()
            await self._settle()
        finally:
            await self._end()
        return self.report

    async def _begin(self) -> None:
        """Start everything in order: receivers before senders."""
        if wrong := measure.raise_limit(self._descriptors()):
            self._show(wrong)
        await self.store.start()
        for each in self.engine.children:
            await each.start()
        await self._until(self.engine.is_ready, READY_S, "the broker does not answer")
        await self.network.start()
        await self.office.run("prepare")
        await self.office.ingest.start()
        began = time.monotonic()
        await self.team.start()
        self.report.base = self.team.base
        await self._until(lambda: self.team.up == self.plan.tables, CONNECT_S, "not every table connects")
        self.report.connect_s = round(time.monotonic() - began, 1)
        self._show(f"{self.plan.tables} tables connected after {self.report.connect_s} s")
        if self.plan.witnesses:
            await self._enrol()

    async def _enrol(self) -> None:
        """Start the witnesses, and enrol all tables."""
        give_up = time.monotonic() + READY_S
        while len(keys := await self.office.keys()) < self.plan.tables:
            if time.monotonic() > give_up:
                raise FleetError(f"only {len(keys)} tables showed a key", f"see {self._folder}")
            await asyncio.sleep(LOOK_S)
        await self.witnesses.start(keys.values())
        await self.office.keys(enrols=True)
        self.witnesses.begin()
        self._show(f"{len(keys)} tables enrolled; {self.plan.witnesses} witnesses run")

    async def _deal(self) -> None:
        """Let the tables play as long as planned and until the last fault begins; wait for the end of all faults."""
        began = time.monotonic()
        self._meter.begin(self._pids())
        parts = self.office, self.store, self.engine, self.network, self.team, self.witnesses
        faults = self._faults = Faults(self.plan, parts, self._show)
        work, over = [asyncio.create_task(self._measure())], asyncio.Event()
        if self.plan.compact:
            work.append(asyncio.create_task(self._compact(over)))
        if self.plan.faults:
            work.append(asyncio.create_task(faults.run()))
        while (left := began + 60 * self.plan.minutes - time.monotonic()) > 0 and not self._fallen():
            await asyncio.sleep(min(left, 1.0))
        if self.plan.faults:
            await faults.all_begun.wait()
        self.team.rest()
        self._rested = time.monotonic()
        self._show("the dealing ends")
        if self.plan.faults:
            await work[-1]
        self._meter.look(self._pids())
        work[0].cancel()
        over.set()
        await asyncio.gather(*work[1:])
        report = self.report
        report.troubles = faults.troubles
        report.seconds, report.cpu_s = round(time.monotonic() - began, 1), dict(self._meter.cpu_s)
        report.use = {kind: measure.use_of_all(pids) for kind, pids in self._pids().items()}

    async def _compact(self, over: asyncio.Event) -> None:
        """Compress until it is over; a store that is away is tried again."""
        while not over.is_set():
            try:
                self.report.compacted += await self.office.compact()
            except FleetError as error:
                if not self.plan.faults:
                    self.report.failures.append(str(error))
            await asyncio.sleep(COMPACT_S)

    async def _settle(self) -> None:
        """Wait until all is kept and compare; end the tables and compare again."""
        await self._until(self.team.is_resting, READY_S, "the tables do not come to rest")
        try:
            await asyncio.wait_for(self.team.mark("the end"), WHOLE_S)
        except TimeoutError:
            self.report.failures.append(f"not everything is kept after {WHOLE_S:.0f} s")
        kept_s = round(time.monotonic() - self._rested, 1)
        give_up = time.monotonic() + WHOLE_S
        if self.plan.compact:
            self.report.compacted += await self.office.compact()
        if (await self._compared(give_up)).is_whole:
            self.report.whole_s = kept_s if self.plan.stored else round(time.monotonic() - self._rested, 1)
        if self.plan.witnesses:
            self.report.windows = await self._windows()
        self._count()
        self.report.failures += await self.team.end()
        self.report.compared = await self._compared(give_up)
        self.report.conflicts = await self.office.rows("conflicts")
        self.report.quarantined = await self.office.rows("quarantine")

    async def _windows(self) -> Windows:
        """Wait until a quorum has cosigned every round, for so long as it may take; return what came of all."""
        first, *others = self.witnesses.below
        looks = self._faults.looks if self._faults else []
        stretches = [Below(*times, look) for times, look in zip(others, looks, strict=True)]
        give_up = time.monotonic() + LIMIT_S
        while True:
            found = judged(await self.office.look(), Below(*first), stretches)
            if not (found.unwitnessed or found.waiting) or time.monotonic() > give_up:
                return found
            await asyncio.sleep(AGAIN_S)

    async def _compared(self, give_up: float) -> Compared:
        """Compare store and journals until they are equal or `give_up` is reached."""
        while True:
            compared = await self.office.compared(self._journals)
            if compared.is_whole or time.monotonic() > give_up:
                return compared
            await asyncio.sleep(AGAIN_S)

    def _count(self) -> None:
        progress, report = self.team.progress(), self.report
        report.rounds, report.entries, report.lag_ms = self.team.rounds, self.team.entries, self.team.lag_ms
        report.sent = self.team.sent
        report.refused, report.blocked = sum(each.refused for each in progress), sum(each.blocked for each in progress)
        report.failures += self._fallen()

    def _fallen(self) -> list[str]:
        """Return the processes that ended by themselves."""
        children = [] if self.plan.faults else [self.office.ingest, self.network, *self.engine.children]
        children += [] if self.plan.faults else self.witnesses.children
        gone = [f"{each.name} ended: {each.tail()}" for each in children if not each.is_running]
        return [*self.team.fallen(), *gone]

    def _ways(self, ports: list[int]) -> list[str]:
        """Return the network's command: a balancer over all nodes for the tables, one way to each node for the back
        office.
        """
        ways = [f"{ports[0]}={','.join(map(str, self.engine.tables))}"]
        ways += [f"{near}={far}" for near, far in zip(ports[1:], self.engine.floor, strict=True)]
        return [sys.executable, "-m", "scripts.tools.fleet.proxy", *ways]

    def _tasks(self, port: int, password: str) -> list[Task]:
        names = list(self.plan.names.items())
        size = math.ceil(len(names) / self.plan.processes)
        return [
            Task(
                tables=dict(names[first : first + size]),
                folder=str(self._journals),
                host=HOST,
                port=port,
                every_s=self.plan.every_s,
                seed=self.plan.seed,
                password=password,
                stored=NAME if self.plan.stored else None,
                witnesses=tuple(self.witnesses.vkeys),
            )
            for first in range(0, len(names), size)
        ]

    def _descriptors(self) -> int:
        """Return the descriptors needed: two per table in the network, eight per table in its process."""
        return max(2 * self.plan.tables, 8 * self.plan.tables // self.plan.processes) + measure.FREE

    def _pids(self) -> dict[str, list[int]]:
        kinds = {"tables": self.team.children, "broker": self.engine.children, "ingest": [self.office.ingest]}
        kinds |= {"store": self.store.children, "network": [self.network], "witnesses": self.witnesses.children}
        there = {kind: [each.pid for each in children if each.pid] for kind, children in kinds.items() if children}
        return {kind: measure.with_children(pids) for kind, pids in there.items()}

    async def _measure(self) -> None:
        while True:
            await asyncio.sleep(METER_S)
            self._meter.look(self._pids())

    async def _until(self, condition: Callable[[], bool], limit_s: float, otherwise: str) -> None:
        give_up = time.monotonic() + limit_s
        while not await asyncio.to_thread(condition):
            if (fallen := self.team.fallen()) and self.team.progress():
                raise FleetError("; ".join(fallen), f"see {self._folder}")
            if time.monotonic() > give_up:
                raise FleetError(f"{otherwise} within {limit_s:.0f} s", f"see {self._folder}")
            await asyncio.sleep(LOOK_S)

    async def _end(self) -> None:
        if self._faults:
            self._faults.stop()
        served = *self.engine.children, *self.witnesses.children
        for each in (*self.team.children, self.office.ingest, self.network, *served):
            await each.end()
        for each in self.store.children:
            await each.end(signal.SIGTERM)
        self.store.close()


def play(plan: Plan, folder: Path, show: Callable[[str], None]) -> Report:
    """Play a plan in an empty folder and write the report there as JSON too. Raises CancelledError on a signal."""
    report = asyncio.run(_play(plan, folder, show))
    (folder / "report.json").write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    return report


async def _play(plan: Plan, folder: Path, show: Callable[[str], None]) -> Report:
    """Play the plan; a signal cancels the play, which then ends what it started."""
    task = asyncio.current_task()
    assert task
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await Fleet(plan, folder, show).play()
