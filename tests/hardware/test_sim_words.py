"""The simulated reader on stdin says what a code looks like for the reader that it is."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

from hardware.sim import __main__ as sim
from hardware.sim.board import NativeBoard
from hardware.sim.pty import PtyBoard
from tests.kit.process import ran


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("native", "'Kx' is not understood; a code (0 to 51, 0 for As) pulls that card; deal N pulls N cards"),
        ("angel-eye", "'Kx' is not understood; a code (As or Td) pulls that card; stall,"),
    ],
)
def test_what_is_not_understood_shows_a_code(protocol: str, said: str, tmp_path: Path) -> None:
    ended = ran("-m", "hardware.sim", "--protocol", protocol, "--link", tmp_path / "reader", text="Kx\nquit\n")
    assert ended.returncode == 0, ended.stderr
    assert said in ended.stdout


def test_deal_pulls_so_many_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sim, "PACE_S", 0.0)
    monkeypatch.setattr("sys.stdin", io.StringIO("deal 3\nquit\n"))

    async def main() -> int:
        board = NativeBoard()
        pty = PtyBoard(board, tmp_path / "reader")
        await sim._read_stdin(pty, board, asyncio.get_running_loop())
        pty.close()
        return board.waiting

    assert asyncio.run(main()) == 3
