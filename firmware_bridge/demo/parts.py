"""Cuts a deal script into its shoes, so that each can be played by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from firmware_bridge.demo.script import NewShoe, Step, parse_line
from firmware_bridge.errors import ScriptError

_MAY_BEGIN: Final = (b"shoe", b'"', b"'", b"\\")
"""A line without these has no word `shoe`, however it is written."""


class Part(NamedTuple):
    """A line of a deal script, or the part of it up to the next word `shoe`.

    number: the line's; n: which part of it. begins: whether it begins with `shoe`. end: bytes of the script up to
    the line's end.
    """

    number: int
    n: int
    begins: bool
    end: int
    text: str


def parts(lines: Iterable[bytes]) -> Iterator[Part]:
    """The parts of a script in their order. A line that makes no sense stays whole."""
    end = 0
    for number, line in enumerate(lines, 1):
        end += len(line)
        text = line.decode("utf-8", "replace")
        for n, begins in enumerate(_beginnings(text, number) if any(word in line for word in _MAY_BEGIN) else [False]):
            yield Part(number, n, begins, end, text)


def steps(part: Part) -> list[Step]:
    """The steps of a part. Raises ScriptError that names the line and the word."""
    return _cut(parse_line(part.text, part.number))[part.n]


def _beginnings(text: str, number: int) -> list[bool]:
    """For each part of a line, whether it begins with `shoe`."""
    try:
        return [bool(part) and isinstance(part[0], NewShoe) for part in _cut(parse_line(text, number))]
    except ScriptError:
        return [False]


def _cut(steps: list[Step]) -> list[list[Step]]:
    places = [place for place, step in enumerate(steps) if isinstance(step, NewShoe) and place]
    return [steps[begin:end] for begin, end in zip([0, *places], [*places, len(steps)], strict=True)]
