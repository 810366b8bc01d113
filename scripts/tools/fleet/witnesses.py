"""The witnesses of a fleet: processes of `shoe-floor witness` that are killed and started again."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from firmware_bridge.demo.broker import HOST
from firmware_bridge.record.signer import read_seed, signer, write_seed
from firmware_bridge.record.verify import COSIGNATURE, key_of
from scripts.tools.fleet.child import Child, FleetError
from scripts.tools.fleet.engines import answers, free_ports

START_S: Final = 60.0
"""Longest start of a witness."""

LOOK_S: Final = 0.1


class Witnesses:
    """Witnesses of all tables of a fleet, of which more than half are a quorum.

    vkeys: their public keys. below: since when fewer than a quorum were there, and until when, in seconds since 1970;
    the first time ends with `begin`.
    """

    def __init__(self, folder: Path, count: int, every_s: int) -> None:
        self.quorum, self._every_s = count // 2 + 1, every_s
        self.below: list[tuple[float, float]] = []
        self._since: float | None = 0.0
        self._folder, self._ports = folder, free_ports(count) if count else []
        self._up = [False] * count
        names = [f"w{number}" for number in range(1, count + 1)]
        self.children = [Child(f"witness {name}", self._command(name), folder / f"{name}.log") for name in names]
        self.vkeys = [self._key(name) for name in names]

    def toml(self) -> str:
        """Write the policy; return the sections [record] and [[witness]] of floor.toml that name it, "" for none."""
        if not self.children:
            return ""
        policy = self._folder / "policy.txt"
        names = [f"w{number}" for number in range(1, len(self.vkeys) + 1)]
        lines = [f"witness {name} {vkey}" for name, vkey in zip(names, self.vkeys, strict=True)]
        policy.write_text("\n".join([*lines, f"group most {self.quorum} {' '.join(names)}", "quorum most", ""]))
        rows = "".join(
            f'[[witness]]\nvkey = "{vkey}"\nurl = "http://{HOST}:{port}"\n'
            for vkey, port in zip(self.vkeys, self._ports, strict=True)
        )
        return f'[record]\nevery = {self._every_s}\npolicy = "{policy}"\n{rows}'

    async def start(self, logs: Iterable[str]) -> None:
        """Start all of them. logs: the public keys of the tables."""
        rows = "".join(f"[[log]]\nvkey = {json.dumps(vkey)}\n" for vkey in logs)
        for number, port in enumerate(self._ports, 1):
            where = self._folder / f"w{number}"
            (where.with_suffix(".toml")).write_text(
                f'[witness]\nname = "w{number}.example/1"\nlisten = "{HOST}:{port}"\n'
                f'key_file = "{where}.key"\npath = "{where}.db"\n{rows}'
            )
            await self.revive(number - 1)

    def begin(self) -> None:
        """Note that a quorum is there from now on: it runs, and knows all tables."""
        self._note(is_there=True)

    async def kill(self, number: int) -> None:
        """Kill one, counted from 0."""
        self._up[number] = False
        if sum(self._up) < self.quorum:
            self._note(is_there=False)
        await self.children[number].end()

    async def revive(self, number: int) -> None:
        """Start one again, with what it has kept; returns once it answers."""
        child, give_up = self.children[number], time.monotonic() + START_S
        await child.start()
        while not await asyncio.to_thread(answers, self._ports[number]):
            if time.monotonic() > give_up or not child.is_running:
                raise FleetError(f"{child.name} does not start: {child.tail()}", "see its log")
            await asyncio.sleep(LOOK_S)
        self._up[number] = True
        if sum(self._up) >= self.quorum and self.below:
            self._note(is_there=True)

    def _note(self, *, is_there: bool) -> None:
        """Note the time at which a quorum comes or goes."""
        if is_there and self._since is not None:
            self.below.append((self._since, time.time()))
            self._since = None
        elif not is_there and self._since is None:
            self._since = time.time()

    def _key(self, name: str) -> str:
        """Make the key of a witness; returns the public one."""
        path = self._folder / f"{name}.key"
        write_seed(path)
        seed = read_seed(path)
        assert seed
        own = f"{name}.example/1"
        return key_of(own, COSIGNATURE, signer(own, seed).key.public).vkey

    def _command(self, name: str) -> list[str]:
        config = str(self._folder / f"{name}.toml")
        return [sys.executable, "-m", "firmware_bridge.floor", "witness", "--config", config]
