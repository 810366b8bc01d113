"""A table with real parts: a reader board on a pty, a broker, and the daemon between them."""

import asyncio
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware_bridge.config.load import load
from firmware_bridge.config.sections import Config
from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.daemon.bridge import Bridge
from firmware_bridge.daemon.devices.code_books import NATIVE_CUT_CARD, native_code
from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.orders import ALL
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.reader import Place, read_lines
from hardware.pins.pin import PinFactory
from hardware.sim.board import KEEPS, NativeBoard
from hardware.sim.pty import PtyBoard
from tests.kit.cable import BadCable
from tests.kit.patience import LIMIT_S, PatientSocket, comes
from tests.kit.process import python

ROOM = KEEPS - 6
"""Unacknowledged reports at which the hand at the shoe pauses: a board forgets what is beyond its 32."""

TURN_S = 0.05
"""Of a pause; a machine that is busy may let a loop wait as long."""

COMMANDS = [name for name in ALL if name != "correct"]
"""The orders that a plain table takes by MQTT: those of backend, guests and floor."""

Sections = dict[str, Any]


class Table:
    """A board in its shoe and a config, from making to `close`; time passes only in `until` and `pull`.

    sections: config keys over those of a plain table (`new_shoe` auto, no burn, no early cut, no pins, a reader
    faster than any hand, `COMMANDS`).
    """

    speed = 1.0
    """How many times as fast as ours the board's clock runs."""

    def __init__(self, folder: Path, port: int, **sections: Any) -> None:
        self.folder, self.journal_dir = folder, folder / "journal"
        self.loop = asyncio.new_event_loop()
        self.board = NativeBoard()
        self.config_path, self.key_file = folder / "bridge.toml", folder / "record-key"
        self.key_file.write_bytes(bytes(range(32)))
        self.port = port
        self.configure(**sections)
        self.pty = self.loop.run_until_complete(self._plugged())
        self.pty.up = self.up_cable = BadCable()
        self.pty.down = self.down_cable = BadCable()

    def configure(self, **sections: Any) -> None:
        """Write the config, which the next start reads."""
        plain: Sections = {
            "table": {"id": "T07", "new_shoe": "auto", "burn": "none", "cut_earliest": "none"},
            "reader": {"port": str(self.folder / "reader"), "most_a_second": 1_000},
            "pins": {"factory": "mock"},
            "mqtt": {"port": self.port, "commands": COMMANDS},
            "journal": {"dir": str(self.journal_dir)},
            "record": {"key_file": str(self.key_file)},
        }
        sections = parted(sections)
        lists = {name: many for name, many in sections.items() if isinstance(many, list)}
        if lists.get("orders"):
            del plain["mqtt"]["commands"]
        merged = {
            name: plain.get(name, {}) | sections.get(name, {}) for name in {**plain, **sections} if name not in lists
        }
        self.config_path.write_text(toml(merged | lists))

    def until(self, condition: Callable[[], Any], limit: float = LIMIT_S) -> Any:
        """Let time pass until `condition` is true; its value. AssertionError after `limit` given seconds."""
        return self.loop.run_until_complete(comes(condition, limit, story=self.story, look_s=0.005))

    def pause(self, seconds: float) -> None:
        """Let time pass, in turns of the loop: what it was kept from a core for counts as one of them."""
        turns = max(1, round(seconds / TURN_S))

        async def pass_by() -> None:
            for _ in range(turns):
                await asyncio.sleep(seconds / turns)

        self.loop.run_until_complete(pass_by())

    def pull(self, text: str) -> None:
        """Draw these cards (`cut`: the cut card, coded for the reader), as fast as the board can keep them."""
        for word in text.split():
            codes = [NATIVE_CUT_CARD] if word == "cut" else map(native_code, cards(word))
            self.draw(codes)

    def draw(self, codes: Iterable[int]) -> None:
        """Draw cards by their codes."""
        for code in codes:
            self.until(lambda: self.board.waiting < ROOM)
            self.board.pull(code)
            self.pty.tick()

    def deal(self, text: str) -> None:
        """Draw these cards and let the daemon journal them all."""
        self.pull(text)
        self.until(lambda: not self.board.waiting)

    def lines(self) -> list[Line]:
        """Every whole line of the journal, oldest first. Raises JournalError."""
        return [line for path in journal_files(self.journal_dir) for line, _ in read_lines(Place(path, 0))]

    def last_line(self) -> Line:
        """The last whole line of the newest journal. Raises JournalError."""
        *_, (last, _) = read_lines(Place(journal_files(self.journal_dir)[-1], 0))
        return last

    def close(self) -> None:
        """Put everything away."""
        self.loop.run_until_complete(asyncio.sleep(0))
        self.pty.close()
        self.loop.close()

    async def _plugged(self) -> PtyBoard:
        return PtyBoard(self.board, self.folder / "reader", speed=self.speed)

    def story(self) -> str:
        """What to look at when a test failed."""
        return f"{self.board.waiting} reports wait at the board"


def parted(sections: Sections) -> Sections:
    """The sections with the game's own settings in `[game]`, where the tests name them beside the table's."""
    table = sections.get("table", {})
    own = {key: table[key] for key in table if key in GAME.terms.__struct_fields__}
    rest = {key: value for key, value in table.items() if key not in own}
    return {**sections, "table": rest, "game": own | sections.get("game", {})} if own else sections


SHOWS_DAMAGE_BRIEFLY = (
    "-c",
    """
import sys
from firmware_bridge.cli import main
from firmware_bridge.daemon import bridge
bridge.DAMAGED_SHOWN_S = 0.5
sys.exit(main())
""",
)
"""The `code` of a daemon that shows a damaged journal for half a second, not ten."""

_CLOCK_AHEAD = """
import sys, time
from firmware_bridge.cli import main

ahead, now, now_ns = float(sys.argv[1]) * 86_400, time.time, time.time_ns
time.time = lambda: now() + ahead
time.time_ns = lambda: now_ns() + int(ahead * 1e9)
sys.exit(main(sys.argv[2:]))
"""


def clock_ahead(days: int) -> tuple[str, ...]:
    """The `code` of a daemon whose wall clock is so many days ahead."""
    return ("-c", _CLOCK_AHEAD, str(days))


class DaemonTable(Table):
    """A table whose daemon is a process of its own, to be started, stopped and killed."""

    process: subprocess.Popen[bytes] | None = None
    code: tuple[str, ...] = ("-m", "firmware_bridge")
    """What Python runs, before `run --config`."""
    execute = False
    """Whether it is executed, not forked: its start is the subject, or `code` patches what our modules import."""

    def start(self, **environ: str) -> "DaemonTable":
        """Start the daemon; its stderr is added to `log`."""
        command = (*self.code, "run", "--config", self.config_path)
        with (self.folder / "stderr").open("ab") as log:
            self.process = python(*command, execute=self.execute, stderr=log, env=os.environ | environ)
        return self

    def stop(self) -> int:
        """End it with SIGTERM; its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it with SIGKILL, wherever it is."""
        self._end(signal.SIGKILL)

    def fallen(self) -> int:
        """Wait until it has ended by itself; its exit code."""
        process = self.process
        assert process
        self.until(lambda: process.poll() is not None)
        return int(process.returncode)

    @property
    def log(self) -> str:
        """What the daemons so far wrote to stderr."""
        path = self.folder / "stderr"
        return path.read_text(errors="replace") if path.exists() else ""

    def control(self) -> socket.socket:
        """A connection to the control socket, once somebody listens there."""
        control = PatientSocket(socket.AF_UNIX)
        self.until(lambda: self._is_connected(control))
        return control

    def _is_connected(self, control: socket.socket) -> bool:
        with suppress(OSError), socket_address(self.journal_dir / "control.sock") as address:
            return control.connect_ex(address) == 0
        return False

    def ask(self, **fields: Any) -> dict[str, Any]:
        """A request to the control socket and its answer."""
        with self.control() as control:
            control.sendall(json.dumps(fields).encode() + b"\n")
            answer: dict[str, Any] = json.loads(control.makefile().readline())
            return answer

    def close(self) -> None:
        """Put everything away, the daemon first."""
        self.kill()
        super().close()

    def story(self) -> str:
        """What to look at when a test failed."""
        return f"{super().story()}; the daemon's log ends:\n{self.log[-2000:]}"

    def _end(self, number: signal.Signals) -> int:
        process, self.process = self.process, None
        if process is None:
            return 0
        process.send_signal(number)
        self.until(lambda: process.poll() is not None)
        return int(process.returncode)


class BridgeTable(Table):
    """A table whose bridge runs on the test's own loop, so that its pins and parts can be touched.

    The board lives fast: a reader that was lent is the daemon's again after two beats of it.
    """

    speed = 10.0

    bridge: Bridge
    _running: "asyncio.Task[None] | None" = None

    def __init__(self, folder: Path, port: int, **sections: Any) -> None:
        self.at_close: list[Callable[[], None]] = []
        super().__init__(folder, port, **sections)

    def start(self, pins: PinFactory | None = None) -> "BridgeTable":
        """Start the bridge and wait until it deals, and has the reader."""
        config = load(self.config_path)
        self.loop.run_until_complete(self._start(config, pins))
        self.until(lambda: self.bridge.health.live() and (self.bridge.reader.port.is_open or not self.pty.plugged))
        return self

    def stop(self) -> None:
        """End it in order."""
        running, self._running = self._running, None
        if running:
            self.bridge.stop()
            self.loop.run_until_complete(running)

    def close(self) -> None:
        """Put everything away, `at_close` first, then the bridge."""
        while self.at_close:
            self.at_close.pop()()
        self.stop()
        super().close()

    async def _start(self, config: Config, pins: PinFactory | None) -> None:
        self.bridge = Bridge(config, pins)
        self._running = asyncio.create_task(self.bridge.run())


def toml(sections: Sections) -> str:
    """A TOML document of these sections, one of them a list of tables; a None is left out."""
    rows = [(f"[[{name}]]", each) for name, many in sections.items() if isinstance(many, list) for each in many]
    rows += [(f"[{name}]", keys) for name, keys in sections.items() if isinstance(keys, dict)]
    return "\n".join(
        f"{title}\n" + "".join(f"{key} = {_value(value)}\n" for key, value in keys.items() if value is not None)
        for title, keys in rows
    )


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)
