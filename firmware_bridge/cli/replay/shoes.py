"""The shoes of a deal script, played one after the other or on several cores: the same bytes either way."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import chain, cycle, groupby
from typing import NamedTuple

from firmware_bridge.cli.lengthy.turns import Crew, Ear, Voice, Work, in_turns
from firmware_bridge.cli.replay.told import told
from firmware_bridge.demo.memory_table import Replay, Retained
from firmware_bridge.demo.script import Part, steps
from firmware_bridge.journal.line import Line

NewReplay = Callable[[Callable[[str], None]], Replay]
"""Makes a table to play at, given what takes its warnings."""


class Warned(NamedTuple):
    """A step made no sense: why."""

    text: str


class Reached(NamedTuple):
    """The script was played up to this byte."""

    end: int


Said = bytes | Warned | Reached


def said(parts: Iterator[Part], new: NewReplay, jobs: int) -> Generator[Said, None, None]:
    """What the shoes say, in order, as JSON lines. Raises ScriptError, TurnError.

    The first shoe is played here; where another follows, `jobs` processes play a shoe each.
    """
    table = _Table(new)
    for part in parts:
        if part.begins and table.is_used and jobs > 1:
            yield from table.end()
            yield from _by_many(chain([part], parts), new, jobs)
            return
        yield from table.play(part)


class _Table:
    """Plays shoe after shoe, part by part."""

    def __init__(self, new: NewReplay) -> None:
        self._warned: list[Warned] = []
        self._replay = new(lambda text: self._warned.append(Warned(text)))
        self._retained = Retained()

    @property
    def is_used(self) -> bool:
        """Whether a shoe was opened here."""
        return self._replay.shoe.status != "empty"

    def play(self, part: Part) -> Iterator[Said]:
        """What the steps of a part say."""
        if part.begins:
            yield from self.end()
        yield from self._told(self._replay.play(steps(part)))
        yield Reached(part.end)

    def end(self) -> Iterator[Said]:
        """What ends a shoe, as another begins; that one says all anew."""
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


def _by_many(parts: Iterator[Part], new: NewReplay, jobs: int) -> Iterator[Said]:
    """The same where a process reads, and `jobs` others play in turns."""
    with Crew() as crew:
        pipes = [crew.pipe() for _ in range(jobs)]
        players = [crew.hire(_player(Ear(ear), new), ear) for ear, _ in pipes]
        crew.fork(lambda: _give_out(parts, [Voice(mouth) for _, mouth in pipes]), *[mouth for _, mouth in pipes])
        yield from in_turns(players)


def _give_out(parts: Iterator[Part], players: Sequence[Voice]) -> None:
    """Give each shoe to the next player, line by line as it is read."""
    turns = cycle(players)
    player = next(turns)
    for n, part in enumerate(parts):
        if part.begins and n:
            player.end_turn()
            player = next(turns)
        player.say(part)
    player.end()


def _player(ear: Ear, new: NewReplay) -> Work:
    def play(voice: Voice) -> None:
        table = _Table(new)
        while not ear.is_over:
            for part in ear.turn():
                for each in _joined(table.play(part)):
                    voice.say(each)
            if not ear.is_over:
                for each in table.end():
                    voice.say(each)
                voice.end_turn()

    return play


def _joined(said: Iterator[Said]) -> Iterator[Said]:
    """The same in fewer pieces."""
    for is_json, group in groupby(said, lambda each: isinstance(each, bytes)):
        if is_json:
            yield b"".join(group)  # type: ignore[arg-type]  # bytes all of them
        else:
            yield from group
