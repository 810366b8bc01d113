"""A simulated reader for technicians: `python -m hardware.sim --link PATH`, then one command per line on stdin."""

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

from hardware.readers.messages import REASONS
from hardware.sim.angel_eye import AngelEyeShoe
from hardware.sim.board import NativeBoard
from hardware.sim.boards import BOARDS
from hardware.sim.code_boards import CodeBoard
from hardware.sim.optics import Optics
from hardware.sim.pty import Papers, PtyBoard

PACE_S = 0.25
PACK = 52  # codes 0..51: the faces, of pack lot 0
CODES: Final[dict[Papers, str]] = {
    "lots": "0 to 51, 0 for As",
    "names": "As or Td",
    "labels": "one of the code book",
    "tags": "one of the code book",
}
"""What the cards of a reader carry -> how a code is written."""


def words(papers: Papers) -> str:
    """Return the commands on stdin for a board that reads `papers`."""
    native = (
        f" deal N pulls N cards, starting with As; {', '.join(REASONS)}: a fault; reset," if papers == "lots" else ""
    )
    return f"a code ({CODES[papers]}) pulls that card;{native} stall, flow, unplug, plug; quit"


def main(arguments: list[str] | None = None) -> int:
    """Run until `quit` or the end of stdin; return 0."""
    parser = argparse.ArgumentParser(prog="python -m hardware.sim", description=f"On stdin: {words('lots')}.")
    parser.add_argument("--link", type=Path, required=True, help="name of the device, a symlink to a pty")
    parser.add_argument("--protocol", choices=tuple(BOARDS), default="native")
    parser.add_argument("--optics", action="store_true", help="native: read through simulated optics, to calibrate")
    options = parser.parse_args(arguments)
    board = NativeBoard(optics=Optics()) if options.optics else BOARDS[options.protocol]()
    asyncio.run(_serve(board, options.link))
    return 0


async def _serve(board: NativeBoard | CodeBoard, link: Path) -> None:
    pty = PtyBoard(board, link)
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(each, _end, pty)
    print(f"a reader is at {link}; {words(board.papers)}", flush=True)
    try:
        await _read_stdin(pty, board, loop)
    finally:
        pty.close()


def _end(pty: PtyBoard) -> None:
    """End the process at once: the thread that waits for stdin cannot be stopped."""
    pty.close()
    os._exit(0)


async def _read_stdin(pty: PtyBoard, board: NativeBoard | CodeBoard, loop: asyncio.AbstractEventLoop) -> None:
    while (line := await loop.run_in_executor(None, sys.stdin.readline)) and line.strip() != "quit":
        try:
            if line.startswith("deal ") and isinstance(board, NativeBoard):
                await _deal(pty, board, int(line.removeprefix("deal ")))
            else:
                _run_command(pty, board, line.strip())
        except ValueError:
            print(f"{line.strip()!r} is not understood; {words(board.papers)}", flush=True)


async def _deal(pty: PtyBoard, board: NativeBoard, cards: int) -> None:
    """Pull `cards` cards of a pack at a dealer's pace."""
    for n in range(cards):
        board.pull(n % PACK)
        pty.tick()
        await asyncio.sleep(PACE_S)


def _run_command(pty: PtyBoard, board: NativeBoard | CodeBoard, word: str) -> None:
    match word, board:
        case "", _:
            pass
        case "unplug", _:
            pty.unplug()
        case "plug", _:
            pty.replug()
        case "stall" | "flow", _:
            pty.up.stalled = word == "stall"
        case "reset", NativeBoard():
            board.reset()
        case _, NativeBoard() if word in REASONS:
            board.fault(word)
        case _, NativeBoard():
            board.pull(int(word, 0))
        case "cut", AngelEyeShoe():
            board.cut_card()
        case _, _:
            board.pull(word)
    pty.tick()


if __name__ == "__main__":
    sys.exit(main())
