"""Lays lines out for people: wrapped at the terminal's width below their labels, in colour where it has colours."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from firmware_bridge.config.streams import SHOWN

RED, YELLOW, GREEN = "bold red", "yellow", "green"

NARROWEST: Final = 3
"""A label wider than this part of the line stands on a line of its own."""

NO_PAGER: Final = (126, 127)
"""How a shell says that a program is not there, or cannot be run."""

_LABEL: Final = re.compile(r" *(?:[-*] |\d+\. |\S+(?: \S+){0,3}? {2,})?")
"""The bullet of an item, or a few words with two blanks behind them."""


def columns() -> int:
    """Return the width to wrap at: COLUMNS, else the terminal's; 0 if the output is no terminal: lines stay whole."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def show(*lines: Text, label: int | None = None) -> None:
    """Print lines, each wrapped below its label; see `hanging`."""
    sys.stdout.write(_drawn(lines, label))
    sys.stdout.flush()


def show_columns(lines: Iterable[str]) -> None:
    """Print lines of a table; one that is too wide loses the blanks between its cells, and goes on below."""
    width = columns() or sys.maxsize
    for line in lines:
        show_as_is(Text(line if cell_len(line) <= width else _closed_up(line)))


def show_as_is(line: Text) -> None:
    """Print a line that may be part of a picture: it is wrapped only if it does not fit."""
    show(line, label=0 if line.cell_len <= (columns() or sys.maxsize) else None)


def _closed_up(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())][:2]
    return indent + " ".join(line.split())


def page(*lines: Text) -> None:
    """Print lines, through $PAGER (less) if stdout is a terminal that they do not fit in."""
    text, pager = _drawn(lines), os.environ.get("PAGER", "less").strip()
    fits = text.count("\n") < shutil.get_terminal_size().lines
    if fits or not sys.stdout.isatty() or pager in ("", "cat") or os.environ.get("TERM", "dumb") == "dumb":
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    done = subprocess.run(  # a command line of the user's own, as git and man run it
        pager,
        shell=True,
        input=text.encode(sys.stdout.encoding, sys.stdout.errors or SHOWN),
        env={"LESS": "FRX", "LESSSECURE": "1"} | os.environ,
        check=False,
    )
    if done.returncode in NO_PAGER:
        sys.stdout.write(text)


def _drawn(lines: Iterable[Text], label: int | None = None) -> str:
    console, width = _console(), columns()
    parts = [part for line in lines for part in hanging(line, width, label)]
    with console.capture() as drawn:
        if parts:
            console.print(Text("\n").join(parts), soft_wrap=True)  # one by one takes twice as long
    return drawn.get()


def hanging(line: Text, width: int, label: int | None = None) -> list[Text]:
    """Return the line in lines of at most `width` columns (0: as it is); further ones stand below the text after its
    label.

    label: length of the label in characters; by default a bullet, or the first words if two blanks follow.
    """
    if label is None:
        found = _LABEL.match(line.plain)
        label = found.end() if found else 0
    head, body = line[:label] if label else Text(), line[label:]
    indent = head.cell_len
    is_narrow = indent > width // NARROWEST
    if not width or (line.cell_len <= width and not is_narrow):
        return [line]
    first: list[Text] = []
    if is_narrow:
        indent = min(2, width - 1)
        head.rstrip()
        first, head = (list(_wrapped(head, width)) if head.plain else []), Text(" " * indent)
    parts = list(_wrapped(body, max(1, width - indent)))
    below = Text(" " * indent)
    return [*first, *[Text.assemble(below if n else head, part) for n, part in enumerate(parts)]]


def labelled(line: str, style: str = "dim") -> Text:
    """Return a line with its label in a style."""
    text = Text(line)
    found = _LABEL.match(line)
    if found and found[0].strip():
        text.stylize(style, 0, found.end())
    return text


def _wrapped(text: Text, width: int) -> Iterator[Text]:
    for part in text.wrap(_console(), width, overflow="fold"):
        part.rstrip()
        yield part


def _console() -> Console:
    """Return where lines are printed; without colours for a pipe, a dumb terminal and NO_COLOR."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") == "dumb"
    return Console(file=sys.stdout, color_system=None if plain else "standard", highlight=False, markup=False)
