"""A board on a pty whose clock runs faster than ours."""

import asyncio
import errno
import os
import time
from itertools import cycle, pairwise
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from hardware import framing
from hardware.ports import close_tty, open_tty
from hardware.readers.messages import Beat, Sample
from hardware.readers.native import NativeDecoder, Raw, pack
from hardware.sim.board import BEAT_MS, RAW_AT_ONCE, RAW_US, NativeBoard
from hardware.sim.optics import Optics
from hardware.sim.pty import STEP_MS, PtyBoard
from tests.kit.patience import comes as until


def test_it_beats_each_second_of_its_own_clock(tmp_path: Path) -> None:
    async def main() -> tuple[float, float, list[Beat]]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        pty = PtyBoard(NativeBoard(), tmp_path / "reader", speed=20.0)
        await until(lambda: pty.clock_ms > 3 * BEAT_MS)
        port, took = open_tty(pty.path, 115_200), loop.time() - began
        said = NativeDecoder().feed(port.read(4096))
        close_tty(port)
        pty.close()
        return pty.clock_ms / 1000, took, [each for each in said if isinstance(each, Beat)]

    clock, took, beats = asyncio.run(main())
    assert clock <= 20.0 * took
    assert len(beats) >= 2
    gaps = [later.uptime_ms - earlier.uptime_ms for earlier, later in pairwise(beats)]
    assert all(BEAT_MS <= gap <= BEAT_MS + STEP_MS for gap in gaps)


@pytest.mark.parametrize("refused", ["the rest of a chunk", "whole chunks too"])
def test_it_waits_for_a_full_line_and_loses_nothing(tmp_path: Path, mocker: MockerFixture, refused: str) -> None:
    if refused == "whole chunks too":
        full = cycle([False, True])
        write = os.write

        def written(fd: int, chunk: bytes) -> int:
            if next(full):
                raise BlockingIOError(errno.EAGAIN, "full")
            return write(fd, chunk)

        mocker.patch("hardware.sim.pty.os.write", written)

    async def main() -> list[int]:
        pty = PtyBoard(NativeBoard(optics=Optics()), tmp_path / "reader", speed=10.0)
        port, decoder = open_tty(pty.path, 115_200), NativeDecoder()
        port.write(framing.encode(pack(Raw(1))))
        stood = -1.0
        while pty.clock_ms > stood:  # nobody reads
            stood = pty.clock_ms
            await asyncio.sleep(0.1)
        stamps: list[int] = []
        while pty.clock_ms < stood + 2_000:
            stamps += [said.stamp_ms for said in decoder.feed(port.read(4096)) if isinstance(said, Sample)]
            await asyncio.sleep(0.001)
        close_tty(port)
        pty.close()
        return stamps

    stamps = asyncio.run(main())
    assert len(stamps) > 300
    assert {later - earlier for earlier, later in pairwise(stamps)} == {RAW_US * RAW_AT_ONCE // 1000}


class DearBoard:
    """A board that takes this machine twice as long as its clock runs."""

    def __init__(self, speed: float) -> None:
        self._step_s, self.steps = 2 * STEP_MS / 1000 / speed, 0

    def receive(self, _: bytes) -> None:
        """Hears nothing."""

    def tick(self, _: int) -> bytes:
        time.sleep(self._step_s)
        self.steps += 1
        return b""


def test_it_goes_no_further_at_once_where_the_machine_cannot_keep_up(tmp_path: Path) -> None:
    speed = 20

    async def main() -> list[int]:
        """The steps between two turns of the loop, in which bytes are read."""
        board = DearBoard(speed)
        pty = PtyBoard(board, tmp_path / "reader", speed=speed)
        counts = [0]
        while len(counts) < 9 and counts[-1] < 200:
            await asyncio.sleep(0.011)
            counts.append(board.steps)
        pty.close()
        return [later - earlier for earlier, later in pairwise(counts)]

    assert max(asyncio.run(main())) <= 3 * speed
