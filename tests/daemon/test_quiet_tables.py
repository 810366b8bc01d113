"""Tables at which nobody draws a card: a reader that has nothing to say is never an alarm, nor is the silence after."""

from __future__ import annotations

import asyncio
import select
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.cli.check.reader import reader, repeats
from firmware_bridge.cli.daemon_socket import NoDaemon, ask
from firmware_bridge.config.findings import Level
from firmware_bridge.config.load import load
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.daemon.devices.code_books import CodeBook, Known, native_code, save
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.inputs import Ordered
from hardware.readers import READERS
from hardware.sim import pty
from hardware.sim.angel_eye import AngelEyeShoe
from hardware.sim.boards import BOARDS
from hardware.sim.pty import PtyBoard
from tests.kit import broker as real
from tests.kit import virtual
from tests.kit.broker import Broker, free_port
from tests.kit.command import spawn
from tests.kit.daemon_table import toml
from tests.kit.nightly import EVERY
from tests.kit.patience import LIMIT_S, comes, ended, said
from tests.kit.process import python

broker, brokers = real.broker, real.brokers  # fixtures

MINUTE_S, HOUR_S = 60.0, 3_600.0
DECKS: Final = 8
OF_NO_READER: Final = {"broker_lost", "record_unsigned", "clock_jump", "disk_error"}
"""Alarms of a table without a broker and a key, by a clock that jumps."""


def tag(face: Card, deck: int = 0) -> str:
    """The tag in a card of a deck."""
    return f"{deck:02X}{native_code(face):08X}"


def tags() -> CodeBook:
    """The book of packs of which each card has its own tag."""
    return {tag(face, n): Known(face, None, tag(face, n)) for face in FACES for n in range(DECKS)}


def config(folder: Path, protocol: str, port: int) -> Path:
    """The config of a table whose reader is at `folder`/reader, and which has a key."""
    folder.mkdir(exist_ok=True)
    (folder / "record-key").write_bytes(bytes(range(32)))
    sections: dict[str, Any] = {
        "table": {"id": protocol.upper(), "new_shoe": "command", "burn": "none", "cut_earliest": "none"},
        "reader": {"port": str(folder / "reader"), "protocol": protocol},
        "pins": {"factory": "mock"},
        "mqtt": {"port": port},
        "journal": {"dir": str(folder / "journal")},
        "record": {"key_file": str(folder / "record-key")},
    }
    if protocol == "rdm6300":
        save(folder / "codes.csv", tags())
        sections["reader"]["code_book"] = str(folder / "codes.csv")
    path = folder / "bridge.toml"
    path.write_text(toml(sections))
    return path


# ---------------------------------------------------------------- real processes


class Quiet:
    """Tables with a daemon of its own each, and a simulated reader that is only switched on, from `open` to `close`."""

    def __init__(self, folder: Path, port: int, protocols: tuple[str, ...]) -> None:
        self.paths = {each: config(folder / each, each, port) for each in protocols}
        self._boards: list[PtyBoard] = []
        self._daemons: list[subprocess.Popen[Any]] = []

    async def open(self) -> None:
        """Switch all on, wait for each daemon, and open its shoe."""
        for protocol, path in self.paths.items():
            self._boards.append(PtyBoard(BOARDS[protocol](), path.parent / "reader"))
            with (path.parent / "stderr").open("ab") as log:
                self._daemons.append(python("-m", "firmware_bridge", "run", "--config", path, stderr=log))
        for path in self.paths.values():
            await comes(lambda path=path: self._is_ready(path), story=(path.parent / "stderr").read_text)  # type: ignore[misc]  # bound now
            assert self._ask(path, do="open_shoe", by="ANN")["ok"]

    def close(self) -> None:
        """Switch all off, the daemons first."""
        for daemon in self._daemons:
            daemon.terminate()
        for daemon in self._daemons:
            ended(daemon)
        for board in self._boards:
            board.close()

    def alarms(self, path: Path) -> list[str]:
        """Those that are open, and what the log says of the reader; a starved board of ours may be late with beats."""
        found = [each["id"] for each in self._ask(path, do="status")["alarm"]["open"]]
        log = (path.parent / "stderr").read_text().splitlines()
        of_reader = [line for line in log if line.startswith("WARNING") and "reader" in line.rpartition(": ")[0]]
        return found + [line for line in of_reader if "native" not in path.parts and "the reader is lost" in line]

    async def checked(self, path: Path) -> tuple[int, str]:
        """The exit code and the words of the whole `shoe check`, in a process of its own, while the readers go on."""
        with spawn("check", "--config", path) as process:
            out, err = await asyncio.to_thread(said, process)
        return process.returncode, out + err

    @staticmethod
    def _ask(path: Path, **fields: Any) -> dict[str, Any]:
        return ask(path.parent / "journal" / "control.sock", fields)

    def _is_ready(self, path: Path) -> bool:
        with suppress(NoDaemon):
            state = self._ask(path, do="status")
            return bool(state["reader"]["open"] and state["broker"]["up"])
        return False


def test_ten_minutes_after_a_start_nothing_is_said(tmp_path: Path, broker: Broker) -> None:
    """By real processes, all protocols at once; by day two of them, for some seconds."""

    async def main() -> None:
        tables = Quiet(tmp_path, broker.port, tuple(READERS) if EVERY else ("native", "grow"))
        try:
            await tables.open()
            await asyncio.sleep(10 * MINUTE_S if EVERY else 4.0)
            for path in tables.paths.values():
                code, words = await tables.checked(path)
                assert (code, "FAIL" in words, tables.alarms(path)) == (0, False, []), words
        finally:
            tables.close()

    asyncio.run(main())


# ---------------------------------------------------------------- a clock that jumps


class Arriving(PtyBoard):
    """A board whose bytes have arrived before time passes."""

    def _written(self, chunk: bytes) -> bytes:
        left = super()._written(chunk)
        if chunk:
            select.select([self._slave], [], [], LIMIT_S)
        return left

    async def asked(self) -> None:
        """Wait until the host has said something, while no time passes."""
        await asyncio.get_running_loop().run_in_executor(None, select.select, [self._master], [], [], LIMIT_S)


Seen = tuple[set[str], str, list[Level]]
"""Open alarms, what was heard of the reader, and the levels that `shoe check` gives it."""


class Idle:
    """A table by a clock that jumps, with a simulated reader that is looked at once a second."""

    def __init__(self, folder: Path, protocol: str) -> None:
        self.protocol, self.path = protocol, config(folder, protocol, free_port())
        self._config = load(self.path)

    async def open(self) -> None:
        """Start the daemon; the reader settles."""
        self.board: Any = AngelEyeShoe(burns=False) if self.protocol == "angel-eye" else BOARDS[self.protocol]()
        self._pty = Arriving(self.board, self.path.parent / "reader")
        self.bridge = Bridge(self._config)
        await self.bridge.open()
        if self.protocol == "ssi":
            await self._pty.asked()
        await asyncio.sleep(5)

    async def close(self) -> None:
        """End it all."""
        await self.bridge.close()
        self._pty.close()

    async def round(self) -> None:
        """Deal a natural nine."""
        for face in ("9s", "Kd", "Th", "Kc"):
            card = Card(face)
            self.board.pull({"lots": native_code(card), "tags": tag(card)}.get(self.board.papers, face))
            self._pty.tick()
            await asyncio.sleep(3)

    def open_shoe(self) -> None:
        """Load the shoe at the reader, where that is its part, and open it here."""
        if isinstance(self.board, AngelEyeShoe):
            self.board.new_shoe()
            self._pty.tick()
        self.order(orders.OpenShoe())

    def order(self, order: orders.Order) -> None:
        """Give an order."""
        self.bridge.table.order(Ordered(**now(), order=order, by="test", nonce=nonce()))

    def seen(self) -> Seen:
        """What is to be seen now."""
        state = self.bridge.control.status()
        machine = Machine(self._config, state)
        alarms = {each["id"] for each in state["alarm"]["open"]} - OF_NO_READER
        levels = [each.level for each in (*reader(machine), *repeats(machine))]
        return alarms, state["reader"]["heard"]["state"], levels


IN_ORDER: Final[Seen] = (set(), "understood", ["OK"])
RESTS: Final[Seen] = (set(), "silent", ["WARN"])
UNHEARD: Final[Seen] = (set(), "not_heard", ["WARN"])
FIRST: Final = {"native": IN_ORDER, "ssi": RESTS, "angel-eye": RESTS}
"""Protocols whose reader says something before a card passes: it beats, answers, or names its shoe."""


@pytest.mark.parametrize("protocol", READERS)
def test_between_two_shoes_and_over_a_night_nothing_is_said(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour each, and by night nine hours."""
    monkeypatch.setattr(pty, "TICK", 1.0 if protocol == "native" else 10.0)
    monkeypatch.setattr(pty, "STEP_MS", 1_000)
    said: list[Seen] = []

    async def main() -> None:
        at = Idle(tmp_path, protocol)
        await at.open()
        try:
            for hours in (1, 9) if EVERY else (1,):
                at.order(orders.OpenShoe())
                await asyncio.sleep(HOUR_S / 4)
                said.append(at.seen())
                await at.round()
                said.append(at.seen())
                at.order(orders.CloseShoe())
                await asyncio.sleep(HOUR_S * hours)
                said.append(at.seen())
        finally:
            await at.close()

    virtual.run(main())
    rests = IN_ORDER if protocol == "native" else RESTS
    assert said == [FIRST.get(protocol, UNHEARD), IN_ORDER, rests, rests, IN_ORDER, rests][: len(said)]
