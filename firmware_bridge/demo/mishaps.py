"""What can happen to a simulated table besides its dealer's mistakes: the `Accidents` of the faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from firmware_bridge.demo import props
from hardware.sim.angel_eye import AngelEyeShoe
from hardware.sim.board import NativeBoard
from hardware.sim.boards import CodeBoard
from hardware.sim.pins import MockPins
from hardware.sim.pty import PtyBoard


class Mishaps:
    """Breaks the parts of a table for a while. stop_broker, restart_daemon: as in `Accidents`."""

    def __init__(
        self,
        board: NativeBoard | CodeBoard,
        pty: PtyBoard,
        pins: MockPins,
        stop_broker: Callable[[float], Awaitable[None]],
        restart_daemon: Callable[[], Awaitable[None]],
    ) -> None:
        self._board, self._pty, self._pins = board, pty, pins
        self._stop_broker, self._restart_daemon = stop_broker, restart_daemon

    async def unplug(self, seconds: float) -> None:
        """Pull the reader's cable for a while."""
        self._pty.unplug()
        await asyncio.sleep(seconds)
        self._pty.replug()

    def reset_board(self) -> None:
        """Let the reader board boot again."""
        assert isinstance(self._board, NativeBoard)
        self._board.reset()

    async def stop_broker(self, seconds: float) -> None:
        """Stop the broker; it comes back by itself while play goes on."""
        await self._stop_broker(seconds)

    async def restart_daemon(self) -> None:
        """End the daemon in order and start it again from its journal."""
        await self._restart_daemon()

    def jam(self) -> None:
        """Let the reader report a jam."""
        assert isinstance(self._board, NativeBoard)
        self._board.fault("jam")

    def mislay(self) -> None:
        """Let a shoe that judges the game say the next card on the other side."""
        assert isinstance(self._board, AngelEyeShoe)
        self._board.mislay()

    async def open_lid(self, seconds: float) -> None:
        """Open the shoe's lid for a while."""
        self._pins.drive(props.LID, False)
        await asyncio.sleep(seconds)
        self._pins.drive(props.LID, True)

    async def dirty_sensor(self, seconds: float) -> None:
        """Let something lie on the cut card's sensor for a while."""
        self._pins.drive(props.CUT_CARD, True)
        await asyncio.sleep(seconds)
        self._pins.drive(props.CUT_CARD, False)
