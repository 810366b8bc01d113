"""The shoes of a deal script, played one after the other or on several cores: the same bytes either way."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from io import BufferedReader
from typing import Final, NamedTuple

from firmware_bridge.cli.replay.told import told
from firmware_bridge.cli.workers import Workers
from firmware_bridge.demo.memory_table import Retained
from firmware_bridge.demo.replay import Replay
from firmware_bridge.demo.script import Part, parts, steps
from firmware_bridge.journal.line import Line

NewReplay = Callable[[Callable[[str], None]], Replay]
"""Makes a table to play at, given what takes its warnings."""

LONGEST: Final = 16 * 1024
"""Letters of a shoe that another process plays, at most: what it says is held in memory until its turn comes."""


class Warned(NamedTuple):
    """A step made no sense: why."""

    text: str


class Reached(NamedTuple):
    """The script was played up to this byte."""

    end: int


Said = bytes | Warned | Reached


def said(source: BufferedReader, new: NewReplay, jobs: int) -> Generator[Said, None, None]:
    """What the shoes say, in order, as JSON lines. Raises ScriptError, WorkerError.

    The first shoe is played here; where another follows, `jobs` processes play a shoe each. One that is long, or waits
    for its cards, is played here line by line.
    """
    table, is_here = _Table(new), True
    unplayed: list[Part] = []
    letters = 0
    with Workers(jobs) as workers:
        for part in parts(source):
            if part and part.begins:
                if is_here:
                    yield from table.end()
                else:
                    yield from workers.start(partial(_played, new, unplayed))
                is_here, unplayed, letters = jobs == 1 or not table.is_used, [], 0
            if part:
                unplayed.append(part)
                letters += len(part.text)
            if not is_here and (part is None or letters > LONGEST):
                is_here = True
                yield from workers.finish()
            if is_here:
                for each in unplayed:
                    yield from table.play(each)
                unplayed.clear()
        if not is_here:
            yield from workers.start(partial(_played, new, unplayed, is_last=True))
        yield from workers.finish()


class _Table:
    """Plays shoe after shoe, part by part."""

    def __init__(self, new: NewReplay) -> None:
        self._warned = warned = list[Warned]()
        self._replay = new(lambda text: warned.append(Warned(text)))  # no cycle: a shoe's memory is free at its end
        self._retained = Retained()

    @property
    def is_used(self) -> bool:
        """Whether a shoe was opened here."""
        return self._replay.shoe.status != "empty"

    def play(self, part: Part) -> Iterator[Said]:
        """What the steps of a part say."""
        yield from self._told(self._replay.play(steps(part)))
        yield Reached(part.end)

    def end(self) -> Iterator[Said]:
        """What ends a shoe, as another begins; that one says all its states."""
        yield from self._told(self._replay.end())
        self._retained = Retained()

    def _told(self, lines: Iterator[Line]) -> Iterator[Said]:
        for line in lines:
            if self._warned:
                yield from self._warnings()
            yield b"".join(told(line, self._replay.shoe, self._retained))
        yield from self._warnings()

    def _warnings(self) -> Iterator[Said]:
        yield from self._warned
        self._warned.clear()


def _played(new: NewReplay, parts: list[Part], is_last: bool = False) -> Iterator[Said]:
    """What a whole shoe says."""
    table = _Table(new)
    for part in parts:
        yield from table.play(part)
    if not is_last:
        yield from table.end()
