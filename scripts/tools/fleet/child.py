"""A process of a fleet: it gets lines, is killed, and is started again with the same command."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from firmware_bridge.errors import BridgeError

END_S: Final = 180.0
"""Longest orderly end of a process: a whole fleet disconnects."""


class FleetError(BridgeError, RuntimeError):
    """The fleet cannot be played."""


class Child:
    """A process with its output in `log`. on_line: gets its lines instead. how: arguments of `subprocess.Popen`."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        on_line: Callable[[bytes], None] | None = None,
        **how: Any,
    ) -> None:
        self.name, self._command, self._log, self._on_line, self._how = name, command, log, on_line, how
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self, *lines: bytes) -> None:
        """Start it and send it lines."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE if self._on_line else log,
                stderr=log,
                start_new_session=True,  # Ctrl-C must reach only the fleet, which ends all in order
                **self._how,
            )
        if self._on_line:
            self._reading = asyncio.create_task(self._listen(self._process, self._on_line))
        for line in lines:
            self.send(line)

    def send(self, line: bytes) -> None:
        """Send it a line."""
        if self._process and self._process.stdin and self.is_running:
            self._process.stdin.write(line + b"\n")

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        """Its process id; 0 if it does not run."""
        return self._process.pid if self._process and self.is_running else 0

    async def end(self, number: signal.Signals = signal.SIGKILL, limit_s: float = END_S) -> int:
        """Send a signal and wait for the end, which is forced after `limit_s`; return the exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(ProcessLookupError):
            process.send_signal(number)
        code = await self._ended(process, limit_s)
        if self._reading:
            await self._reading
        return code

    async def finished(self) -> int:
        """Wait for its own end; return the exit code. Kill it after `END_S`."""
        process, self._process = self._process, None
        return await self._ended(process, END_S) if process else 0

    async def gone(self) -> None:
        """Wait until it does not run, for as long as it takes."""
        if self._process:
            await self._process.wait()

    def tail(self, count: int = 3) -> str:
        """Return the last lines of its log."""
        lines = self._log.read_text(errors="replace").strip().splitlines() if self._log.exists() else []
        return " | ".join(lines[-count:])

    async def _ended(self, process: asyncio.subprocess.Process, limit_s: float) -> int:
        try:
            return await asyncio.wait_for(process.wait(), limit_s)
        except TimeoutError:
            process.kill()
            return await process.wait()

    async def _listen(self, process: asyncio.subprocess.Process, on_line: Callable[[bytes], None]) -> None:
        assert process.stdout
        async for line in process.stdout:
            on_line(line)
