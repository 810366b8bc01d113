"""Connects a simulated board to a pseudo-terminal, a serial device for the daemon, over a cable that may fail."""

import asyncio
import contextlib
import fcntl
import os
import struct
import termios
import tty
from pathlib import Path
from typing import Literal, Protocol

TICK = 0.01  # seconds
STEP_MS = 50  # longest step of the board's clock: less than the raw signal that a board keeps
_TIOCGEXCL = 0x80045440  # asm-generic/ioctls.h; Python 3.11 does not name it

Papers = Literal["lots", "names", "labels", "tags"]
"""What a card carries: number of face and pack lot; its name; a label to look up in a code book; its own tag."""


class Cable:
    """One direction of a cable."""

    def __init__(self) -> None:
        self.stalled = False
        self._held = bytearray()

    def carry(self, chunk: bytes) -> bytes:
        """Return the bytes that arrive for `chunk`; a stalled cable delivers them later, in order."""
        self._held += chunk
        if self.stalled:
            return b""
        out, self._held = self._held, bytearray()
        return bytes(out)


class Board(Protocol):
    """A board that `PtyBoard` can drive."""

    def receive(self, chunk: bytes) -> None:
        """Handle bytes from the host."""

    def tick(self, now_ms: int) -> bytes:
        """Return the bytes for the host up to `now_ms`."""


class PtyBoard:
    """Owns a pty with a board from construction to `close`, on the running loop; it can be unplugged and replugged.

    link: a stable name for the device, as udev would give it; without it, `path` changes at each replug. up, down:
    the cable from and to the board. The board keeps its power while unplugged. speed: the board's clock relative to
    real time; above 1 it waits while the line is full, and for a machine that cannot keep up with it.
    """

    def __init__(self, board: Board, link: Path | None = None, speed: float = 1.0) -> None:
        self.board = board
        self.up, self.down = Cable(), Cable()
        self.speed = speed
        self.clock_ms = 0.0
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._looked = self._loop.time()
        self._master = self._slave = -1
        self._unsent = b""
        self._timer: asyncio.TimerHandle | None = None
        self.replug()
        self._run()

    @property
    def path(self) -> str:
        """The path a daemon opens."""
        return str(self._link) if self._link else os.ttyname(self._slave)

    @property
    def plugged(self) -> bool:
        return self._master >= 0

    def replug(self) -> None:
        """Make the device appear (again), under the same link."""
        if self.plugged:
            return
        # The slave stays open here too, so that a daemon's exit does not look like an unplugged cable to us.
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._loop.add_reader(self._master, self._readable)
        if self._link:
            _point(self._link, os.ttyname(self._slave))

    def unplug(self) -> None:
        """Make the device vanish; a program with the device open notices at once."""
        if not self.plugged:
            return
        if self._link:
            self._link.unlink(missing_ok=True)
        self._loop.remove_reader(self._master)
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self._unsent = b""

    def close(self) -> None:
        """Unplug and stop the board."""
        if self._timer:
            self._timer.cancel()
        self.unplug()

    def tick(self) -> None:
        """Run the board now instead of within 10 ms, as after a `board.pull(..)`."""
        now = self._loop.time()
        left, self._looked = 1000 * self.speed * (now - self._looked), now
        if self.speed > 1.0:
            left = min(
                left, self.speed * STEP_MS
            )  # else each tick is longer than the last, and no byte is read between
        if self.plugged:
            _forget_dead_owner(self._slave)
        while True:
            step = min(left, STEP_MS)
            left -= step
            self._step(step)
            if left <= 0.0 or self._waits:
                return

    @property
    def _waits(self) -> bool:
        """Whether the board's clock is stopped until its last bytes are written."""
        return self.speed > 1.0 and bool(self._unsent)

    def _step(self, step_ms: float) -> None:
        if self._waits:
            self._unsent = self._written(self._unsent)
            return
        self.clock_ms += step_ms
        sent = self.up.carry(self.board.tick(int(self.clock_ms)))
        if self.plugged:
            # A full line drops whole outputs, never parts: the board repeats its reports.
            self._unsent = self._written(self._unsent or sent)

    def _run(self) -> None:
        self.tick()
        self._timer = self._loop.call_later(TICK, self._run)

    def _readable(self) -> None:
        with contextlib.suppress(BlockingIOError):
            received = os.read(self._master, 4096)
            self.board.receive(self.down.carry(received))
        self.tick()

    def _written(self, chunk: bytes) -> bytes:
        try:
            return chunk[os.write(self._master, chunk) :] if chunk else b""
        except BlockingIOError:
            # Nothing was written: a waiting board keeps it all, another one only a begun output.
            return chunk if self.speed > 1.0 else self._unsent


def _point(link: Path, device: str) -> None:
    temporary = link.with_name(f".{link.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(device)
    temporary.replace(link)


def _forget_dead_owner(slave: int) -> None:
    """Clear TIOCEXCL once its owner is gone, as a real port does at its last close."""
    (exclusive,) = struct.unpack("i", fcntl.ioctl(slave, _TIOCGEXCL, bytes(4)))
    if not exclusive:
        return
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(slave, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.ioctl(slave, termios.TIOCNXCL)
        fcntl.flock(slave, fcntl.LOCK_UN)
