"""Prints lines without colours, wrapped where they go to a terminal."""

import os
import sys
from collections.abc import Iterator
from typing import Final, TextIO
from unicodedata import combining, east_asian_width

from firmware_bridge.facts.printable import escaped

INDENT: Final = 2
"""Columns before the second line of a message, and each one after it."""

NARROWEST: Final = 8
"""Columns that are assumed at least."""

_NEVER_FIRST: Final = "，。；：、？！）」』"
"""Marks that begin no line in Chinese."""


def say(text: str) -> None:
    """Print a message to standard output; see `warn`."""
    _print(text, sys.stdout)


def warn(text: str) -> None:
    """Print a message to standard error: each of its lines escaped, and wrapped at COLUMNS or the terminal's width."""
    _print(text, sys.stderr)


def _print(text: str, stream: TextIO) -> None:
    width = _width(stream)
    for line in text.splitlines():
        shown = escaped(line)
        print("\n".join(wrapped(shown, width)) if width else shown, file=stream)
    stream.flush()


def _width(stream: TextIO) -> int:
    """Return the columns of a stream; 0 where it is no terminal and COLUMNS is not set."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0


def wrapped(line: str, width: int) -> Iterator[str]:
    """Yield a line in lines of at most `width` columns, broken at a blank or a wide character, else anywhere."""
    indent = ""
    rest, width = line, max(width, NARROWEST)
    while cells(rest) > width - len(indent):
        cut = _cut(rest, width - len(indent))
        yield indent + rest[:cut].rstrip()
        rest, indent = rest[cut:].lstrip(), " " * INDENT
    yield indent + rest


def cells(text: str) -> int:
    """Return the columns of a text in a terminal."""
    return sum(map(_cells, text))


def _cells(letter: str) -> int:
    return 0 if combining(letter) else 1 + _is_wide(letter)


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"


def _cut(text: str, width: int) -> int:
    """Return how many characters of a text go into a line that is too narrow for all of it."""
    most, used = 0, 0
    while used + _cells(text[most]) <= width:
        used, most = used + _cells(text[most]), most + 1
    begin = len(text) - len(text.lstrip())
    for n in range(most, begin, -1):
        is_end = text[n] == " " or _is_wide(text[n]) or _is_wide(text[n - 1])
        if is_end and text[n] not in _NEVER_FIRST:
            return n
    return most
