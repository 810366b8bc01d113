"""The back office of a fleet, by its own command: this room must not import it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.tools.fleet.child import Child, FleetError
from tests.tools.fleet.compare import Compared, compare, count_lines

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
        command = Child(words[0], self._command(*words), self._folder / f"{words[0]}.log")
        await command.start()
        if await command.finished():
            raise FleetError(f"shoe-floor {' '.join(words)} failed: {command.tail()}", f"see {self._folder}")

    async def rows(self, what: str) -> int:
        """How many rows an export has."""
        return await asyncio.to_thread(count_lines, await self._exported(what))

    async def compared(self, journals: Path) -> Compared:
        """The store beside the journals below a folder, as they are now."""
        compared = await asyncio.to_thread(compare, journals, await self._exported("messages"))
        made, stored = f"{compared.made} messages made", f"{compared.stored} stored"
        self._show(f"{made}, {stored}, {compared.missing} missing, {compared.unmade} unmade")
        return compared

    async def _exported(self, what: str) -> Path:
        path = self._folder / f"{what}.jsonl"
        await self.run("export", what, "-o", str(path))
        return path

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "firmware_bridge.floor", "--config", str(self._folder / "floor.toml"), *words]
