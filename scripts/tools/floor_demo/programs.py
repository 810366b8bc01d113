"""The programs of a simulated floor: each a process with a log of its own, ended together."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped

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
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._mortal = set[str]()

    async def start(self, name: str, module: str, *words: str, may_end: bool = False) -> None:
        """Starts a module, in its own session: Ctrl-C must reach only the floor, which ends all in order.

        may_end: the floor goes on without it.
        """
        self._mortal |= {name} if may_end else set()
        environment = {key: value for key, value in os.environ.items() if key not in SERVICE}
        with self._log(name).open("ab") as log:
            self._running[name] = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", module, *words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )

    async def watch(self) -> None:
        """Waits until one of them ends. Raises FloorError with the reason."""
        needed = {name: process for name, process in self._running.items() if name not in self._mortal}
        waiting = {asyncio.ensure_future(process.wait()): name for name, process in needed.items()}
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        name = waiting[done.pop()]
        last_line = self._log(name).read_text(errors="replace").strip().splitlines()[-1:]
        raise FloorError(
            f"{name} has ended: {escaped(' '.join(last_line)) or 'it says nothing'}", "start the floor again"
        )

    async def end(self) -> None:
        """End them one after the other, the last one first."""
        while self._running:
            _, process = self._running.popitem()
            if process.returncode is None:
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), END_S)
            except TimeoutError:
                process.kill()
                await process.wait()

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"
