"""Injects faults into the parts of a simulated table: cables, sensors, disk, clock, broker, store."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from firmware_bridge.demo.fixtures import CUT_CARD, LID
from firmware_bridge.journal.files import SUFFIX
from firmware_bridge.journal.preallocate import NAME as SPARE
from hardware.sim.angel_eye import AngelEyeShoe
from hardware.sim.board import NativeBoard
from hardware.sim.code_boards import CodeBoard, GrowBoard
from hardware.sim.pins import MockPins
from hardware.sim.pty import PtyBoard

LOOK_S: Final = 0.05
"""Seconds between two looks whether the table has noticed a fault."""

FULL: Final = Path("/dev/full")
FILES: Final = Path("/proc/self/fd")


class WallClock:
    """A wall clock that can be set: `ahead_s` ahead of this machine's; calling it returns ns since 1970."""

    def __init__(self) -> None:
        self.ahead_s = 0

    def __call__(self) -> int:
        return time.time_ns() + self.ahead_s * 1_000_000_000


class FullDisk:
    """Makes the open files of a directory refuse each write for lack of space, until `free`: they are /dev/full."""

    def __init__(self, directory: Path) -> None:
        full = os.open(FULL, os.O_RDWR | os.O_CLOEXEC)
        self._kept = {fd: os.dup(fd) for fd in _open_files(directory)}
        for fd in self._kept:
            os.dup2(full, fd, inheritable=False)
        os.close(full)

    def free(self) -> None:
        """Restore the files, as space is free again."""
        for fd, kept in self._kept.items():
            if _path(fd) == FULL:  # else the daemon has closed it, and its number may be another file's by now
                os.dup2(kept, fd, inheritable=False)
            os.close(kept)
        self._kept.clear()


def _open_files(directory: Path) -> list[int]:
    """Return the descriptors of this process for journals in a directory, and for the file prepared for the next."""
    open_now = [(int(each.name), path) for each in FILES.iterdir() if (path := _path(int(each.name)))]
    return [fd for fd, path in open_now if path.parent == directory and (path.name == SPARE or path.suffix == SUFFIX)]


def _path(fd: int) -> Path | None:
    """Return the file of a descriptor; None where it is closed."""
    try:
        return (FILES / str(fd)).readlink()
    except OSError:
        return None


class FaultInjection:
    """Injects faults into the parts of a table; those that last end by themselves, or with `close`.

    One that lasts is over after its seconds, on a busy machine only once the table has noticed it: until `is_noticed`.

    keypad: None where the table has none. journal: the directory. stop_broker(seconds): the broker returns by itself.
    restart_daemon(): ends the daemon in order and starts it again. silence_store(is_silent): the receiver of `stored`.
    """

    def __init__(
        self,
        board: NativeBoard | CodeBoard,
        pty: PtyBoard,
        pins: MockPins,
        clock: WallClock,
        keypad: PtyBoard | None,
        journal: Path,
        stop_broker: Callable[[float], Awaitable[None]],
        restart_daemon: Callable[[], Awaitable[None]],
        silence_store: Callable[[bool], None],
        is_noticed: Callable[[], bool],
    ) -> None:
        self._board, self._pty, self._pins, self._clock = board, pty, pins, clock
        self._keypad, self._journal, self._silence_store = keypad, journal, silence_store
        self.stop_broker, self.restart_daemon = stop_broker, restart_daemon
        self._is_noticed = is_noticed
        self._ends: list[tuple[asyncio.TimerHandle, Callable[[], None]]] = []

    def close(self) -> None:
        """End what still lasts."""
        for timer, end in self._ends:
            timer.cancel()
            end()
        self._ends.clear()

    async def last(self, seconds: float) -> None:
        """Wait until a fault of so many seconds is over."""
        await asyncio.sleep(seconds)
        while not self._is_noticed():
            await asyncio.sleep(LOOK_S)

    def _lasts(self, seconds: float, end: Callable[[], None]) -> None:
        loop, place = asyncio.get_running_loop(), len(self._ends)

        def look() -> None:
            if self._is_noticed():
                end()
            else:
                self._ends[place] = (loop.call_later(LOOK_S, look), end)

        self._ends.append((loop.call_later(seconds, look), end))

    def set_clock(self, seconds: int) -> None:
        """Set the wall clock forwards."""
        self._clock.ahead_s += seconds

    def unplug_keypad(self, seconds: float) -> None:
        assert self._keypad
        self._keypad.unplug()
        self._lasts(seconds, self._keypad.replug)

    def fill_disk(self, seconds: float) -> None:
        """Let no write to the journal succeed, as on a full disk."""
        self._lasts(seconds, FullDisk(self._journal).free)

    def silence_store(self, seconds: float) -> None:
        """Let the receiver of `[mqtt] stored` acknowledge nothing."""
        self._silence_store(True)
        self._lasts(seconds, lambda: self._silence_store(False))

    async def unplug(self, seconds: float) -> None:
        self._pty.unplug()
        await self.last(seconds)
        self._pty.replug()

    def reset_board(self) -> None:
        assert isinstance(self._board, NativeBoard)
        self._board.reset()

    def jam(self) -> None:
        assert isinstance(self._board, NativeBoard)
        self._board.fault("jam")

    def mislay(self) -> None:
        """Make a shoe that judges the game report the next card on the other side."""
        assert isinstance(self._board, AngelEyeShoe)
        self._board.mislay()

    def read_again(self) -> None:
        """Make a module read the card that lies before it once more."""
        assert isinstance(self._board, GrowBoard)
        self._board.read_again()

    async def open_lid(self, seconds: float) -> None:
        self._pins.drive(LID, False)
        await asyncio.sleep(seconds)
        self._pins.drive(LID, True)

    async def dirty_sensor(self, seconds: float) -> None:
        self._pins.drive(CUT_CARD, True)
        await asyncio.sleep(seconds)
        self._pins.drive(CUT_CARD, False)
