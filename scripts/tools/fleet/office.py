"""The back office of a fleet, by its own command: this room must not import it."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from scripts.tools.fleet.child import Child, FleetError
from scripts.tools.fleet.compare import Compared, compare, count_lines
from scripts.tools.fleet.windows import Look

NAME: Final = "floor"
"""What the tables know the store by."""


class Office:
    """Runs `shoe-floor` with the floor.toml of a folder, which `configure` writes. ingest: the one that stays."""

    def __init__(self, folder: Path, show: Callable[[str], None]) -> None:
        self._folder, self._show = folder, show
        self.ingest = Child("ingest", self._command("ingest"), folder / "ingest.log")

    def configure(self, *sections: str) -> None:
        """Write floor.toml."""
        (self._folder / "floor.toml").write_text("".join(sections) + f'[ingest]\nname = "{NAME}"\n')

    async def run(self, *words: str) -> None:
        """Run a command to its end. Raises FleetError where it fails."""
        await self._finished(f"shoe-floor {' '.join(words)}", self._command(*words), words[0])

    async def compact(self) -> int:
        """Compress the events of shoes that are over; return for how many. Raises FleetError where it fails."""
        log = self._folder / "compact.log"
        await self.run("compact")
        found = re.findall(r"^(\d+) journals compacted", await asyncio.to_thread(log.read_text), re.M)
        return int(found[-1])

    async def keys(self, *, enrols: bool = False) -> dict[str, str]:
        """Return the key that each table showed. enrols: let all of them count."""
        return msgspec.json.decode(await self._of_records("enrol" if enrols else "keys"), type=dict[str, str])

    async def look(self) -> Look:
        """Return how all records stand."""
        return msgspec.json.decode(await self._of_records("look"), type=Look)

    async def rows(self, what: str) -> int:
        """Return how many rows an export has."""
        return await asyncio.to_thread(count_lines, await self._exported(what))

    async def compared(self, journals: Path) -> Compared:
        """Return the store beside the journals below a folder, as they are now."""
        exports = await self._exported("messages"), await self._exported("pending")
        compared = await asyncio.to_thread(compare, journals, *exports)
        made, stored = f"{compared.made} messages made", f"{compared.stored} stored"
        self._show(f"{made}, {stored}, {compared.missing} missing, {compared.unmade} unmade")
        return compared

    async def _exported(self, what: str) -> Path:
        path = self._folder / f"{what}.jsonl"
        await self.run("export", what, "-o", str(path))
        return path

    async def _of_records(self, what: str) -> bytes:
        out = self._folder / f"{what}.json"
        command = [sys.executable, "-m", "scripts.tools.fleet.record", str(self._folder / "floor.toml"), what, str(out)]
        await self._finished(f"{what} of records", command, "record")
        return await asyncio.to_thread(out.read_bytes)

    async def _finished(self, what: str, command: list[str], log: str) -> None:
        child = Child(what, command, self._folder / f"{log}.log")
        await child.start()
        if await child.finished():
            raise FleetError(f"{what} failed: {child.tail()}", f"see {self._folder}")

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "firmware_bridge.floor", "--config", str(self._folder / "floor.toml"), *words]
