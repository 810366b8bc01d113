"""Full-screen terminal and its keys; the reason if it cannot be drawn on."""

import os
import sys
import termios
import tty
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Self

from firmware_bridge.cli.long_commands import CANNOT_MOVE
from firmware_bridge.config.streams import is_utf

if TYPE_CHECKING:
    from rich.text import Text

QUIT: Final = "q"
PAUSE: Final = " "
KEYS: Final = "Ctrl-C or q: end; SPACE: pause"
PAUSED: Final = "PAUSED. SPACE: go on; Ctrl-C or q: end"
ENDS: Final = "Ctrl-C: end"


def cannot_draw() -> str | None:
    """Return why stdout gets lines and no picture: text on a terminal, "" otherwise; None if it gets a picture."""
    if not sys.stdout.isatty():
        return ""
    if (term := os.environ.get("TERM", "")) in CANNOT_MOVE:
        return f"this terminal cannot move its cursor (TERM={term}); showing lines"
    if not is_utf():
        return f"this terminal cannot show the picture's characters ({sys.stdout.encoding}); showing lines"
    return None if find_spec("rich") else "the picture needs rich (pip install rich); showing lines"


def size() -> tuple[int, int]:
    """Return the columns and lines of the terminal."""
    from rich.console import Console

    return Console().size


class Terminal:
    """Draws on the whole terminal while entered, and reads single keys; restores it afterwards."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console()
        self._live = Live(console=self._console, screen=True, auto_refresh=False, redirect_stderr=False)
        self._left = ExitStack()
        self._drawn: object = None
        self.fd = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
        """File descriptor of the keyboard; None if there is none."""

    def __enter__(self) -> Self:
        self._left.enter_context(self._live)
        if self.fd is not None:
            self._left.callback(termios.tcsetattr, self.fd, termios.TCSADRAIN, termios.tcgetattr(self.fd))
            tty.setcbreak(self.fd)
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def draw(self, lines: "Callable[[int, int], Sequence[Text]]") -> None:
        """Draw `lines(width, height)`; write nothing if they are unchanged."""
        from rich.console import Group

        width, height = self._console.size
        shown = lines(width, height)
        now = width, height, tuple([(line.plain, tuple(line.spans), line.style) for line in shown])
        if now != self._drawn:
            self._drawn = now
            self._live.update(Group(*shown), refresh=True)

    def leave(self, lines: "Callable[[int, int], Sequence[Text]]") -> None:
        """Print `lines(width, height)` on the restored terminal, without blank lines at the end."""
        shown = list(lines(*self._console.size))
        while shown and not shown[-1].plain.strip():
            shown.pop()
        for line in shown:
            self._console.print(line, no_wrap=True, highlight=False)

    def pressed(self) -> str:
        """Return the keys pressed, in small letters; call when `fd` is readable."""
        assert self.fd is not None
        pressed = os.read(self.fd, 64)
        if not pressed:  # the terminal is closed
            return QUIT
        return pressed.decode("ascii", "replace").lower()
