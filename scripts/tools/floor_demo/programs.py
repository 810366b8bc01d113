"""The programs of a simulated floor: each a process with a log of its own, ended together."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped
from scripts.tools.fleet.child import Child

END_S: Final = 15.0
"""How long a program may take to end in order."""

SERVICE: Final = ("RUNTIME_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC")
"""Variables that systemd sets for a service; a floor started inside a service is none."""


class FloorError(BridgeError, RuntimeError):
    """The floor cannot go on."""


class Programs:
    """Python modules that run beside each other, logging into `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[Child] = []
        self._mortal = set[str]()

    async def start(self, name: str, module: str, *words: str, may_end: bool = False) -> None:
        """Start a module. may_end: the floor goes on without it."""
        self._mortal |= {name} if may_end else set()
        environment = {key: value for key, value in os.environ.items() if key not in SERVICE}
        command = [sys.executable, "-m", module, *words]
        self._running.append(Child(name, command, self._folder / f"{name}.log", env=environment))
        await self._running[-1].start()

    async def watch(self) -> None:
        """Wait until one of them ends. Raises FloorError with the reason."""
        needed = [each for each in self._running if each.name not in self._mortal]
        waiting = {asyncio.ensure_future(each.gone()): each for each in needed}
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        child = waiting[done.pop()]
        raise FloorError(
            f"{child.name} has ended: {escaped(child.tail(1)) or 'it says nothing'}", "start the floor again"
        )

    async def end(self) -> None:
        """End them one after the other, the last one first."""
        while self._running:
            await self._running.pop().end(signal.SIGTERM, END_S)
