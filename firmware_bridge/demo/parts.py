"""Cuts a deal script into its shoes, so that each can be played by itself."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from select import select
from typing import Final, NamedTuple

from firmware_bridge.demo.script import NewShoe, Step, parse_line
from firmware_bridge.errors import ScriptError

CHUNK: Final = 1 << 16
"""Bytes read at once at most: what a pipe holds."""

QUIET_S: Final = 0.1
"""A pipe that is empty for so long waits for somebody who writes."""

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


def parts(source: BufferedReader) -> Iterator[Part | None]:
    """The parts of a script in their order; None where its next line is not there yet.

    A line that makes no sense stays whole.
    """
    end = number = 0
    for line in _lines(source):
        if line is None:
            yield None
            continue
        number, end = number + 1, end + len(line)
        text = line.decode("utf-8", "replace")
        for n, begins in enumerate(_beginnings(text, number) if any(word in line for word in _MAY_BEGIN) else [False]):
            yield Part(number, n, begins, end, text)


def steps(part: Part) -> list[Step]:
    """The steps of a part. Raises ScriptError that names the line and the word."""
    return _cut(parse_line(part.text, part.number))[part.n]


def _lines(source: BufferedReader) -> Iterator[bytes | None]:
    """The lines of a file or a pipe, and None after those of a pipe that is empty."""
    begun: list[bytes] = []
    while chunk := source.read1(CHUNK):
        *whole, rest = chunk.split(b"\n")
        for each in whole:
            yield b"".join([*begun, each, b"\n"])
            begun.clear()
        begun.append(rest)
        if not select([source], [], [], QUIET_S)[0]:
            yield None
    if last := b"".join(begun):
        yield last


def _beginnings(text: str, number: int) -> list[bool]:
    """For each part of a line, whether it begins with `shoe`."""
    try:
        return [bool(part) and isinstance(part[0], NewShoe) for part in _cut(parse_line(text, number))]
    except ScriptError:
        return [False]


def _cut(steps: list[Step]) -> list[list[Step]]:
    places = [place for place, step in enumerate(steps) if isinstance(step, NewShoe) and place]
    return [steps[begin:end] for begin, end in zip([0, *places], [*places, len(steps)], strict=True)]
