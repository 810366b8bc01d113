"""A table with the board a test wants at its port, and the hand that pulls cards by their codes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.sim.board import NativeBoard
from hardware.sim.pty import PtyBoard
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable

LINE = {"protocol": "line", "baud": 9600, "hold": 0.3}


class Wired(BridgeTable):
    """A table with this board at its port, from its first byte on."""

    def __init__(self, folder: Path, board: Any, **sections: Any) -> None:
        self._own = board
        super().__init__(folder, free_port(), **sections)

    async def _plugged(self) -> PtyBoard:
        self.board = self._own or self.board
        return await super()._plugged()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., BridgeTable]]:
    made: list[BridgeTable] = []

    def make(board: Any = None, **sections: Any) -> BridgeTable:
        table = Wired(tmp_path, board, **sections)
        made.append(table)
        return table

    yield make
    for each in made:
        each.close()


def pull(table: BridgeTable, codes_: list[Any], pause_s: float = 0.0) -> None:
    for code in codes_:
        if isinstance(table.board, NativeBoard):
            table.until(lambda: table.board.waiting < 20)
        table.board.pull(code)
        table.pty.tick()
        table.pause(pause_s)
