"""A terminal that is drawn again at each change and each new size, and where q quits."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Lines = Callable[[int, int], list[str]]


@contextmanager
def live(lines: Lines) -> Iterator[Callable[[], None]]:
    """Give what draws `lines(width, height)` on a screen of its own; the terminal is as before afterwards."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console()
    with Live(console=console, screen=True, auto_refresh=False) as drawn, _keys():

        def draw(*_: object) -> None:
            width, height = console.size
            drawn.update(Text("\n".join(lines(width, height)), no_wrap=True), refresh=True)

        before = signal.signal(signal.SIGWINCH, draw)
        try:
            yield draw
        finally:
            signal.signal(signal.SIGWINCH, before)


@contextmanager
def _keys() -> Iterator[None]:
    """Take single keys: q is Ctrl-C."""
    if not sys.stdin.isatty():
        yield
        return
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    tty.setcbreak(fd)
    threading.Thread(target=_listen, args=(fd,), daemon=True).start()
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _listen(fd: int) -> None:
    with contextlib.suppress(OSError):
        while key := os.read(fd, 1):
            if key in b"qQ":
                os.kill(os.getpid(), signal.SIGINT)  # wakes the main thread wherever it waits
                return
