"""A simulated reader for each protocol."""

from collections.abc import Callable

from hardware.sim.angel_eye import AngelEyeShoe
from hardware.sim.board import NativeBoard
from hardware.sim.code_boards import GrowBoard, Rdm6300Board, SsiBoard
from hardware.sim.line_board import LineBoard

CodeBoard = LineBoard | GrowBoard | SsiBoard | Rdm6300Board | AngelEyeShoe
"""Boards whose `pull` takes a text."""

BOARDS: dict[str, Callable[[], NativeBoard | CodeBoard]] = {
    "native": NativeBoard,
    "angel-eye": AngelEyeShoe,
    "grow": GrowBoard,
    "ssi": SsiBoard,
    "rdm6300": Rdm6300Board,
    "line": LineBoard,
}
