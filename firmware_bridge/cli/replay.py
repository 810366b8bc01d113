"""`shoe replay`: the MQTT messages of a deal script or a journal, offline."""

import argparse
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, get_args

import msgspec

from firmware_bridge.cli.long_commands import Bar, Workers, jobs_option
from firmware_bridge.config.plain import warn
from firmware_bridge.demo.memory_table import Close, Replay, Retained
from firmware_bridge.demo.script import Part, parts, steps
from firmware_bridge.errors import ScriptError, UsageError
from firmware_bridge.facts.house import House
from firmware_bridge.facts.printable import did_you_mean
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import choices, cut_place, house_of, terms_of, usual, with_terms
from firmware_bridge.journal.line import FORMAT_LENGTH, Line, format_of
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.reader import Walk
from firmware_bridge.shoe import Shoe, advance
from firmware_bridge.topics.state import snapshots

NAMELESS: Final = "replay"
"""Name of the table without a config."""

NewReplay = Callable[[Callable[[str], None]], Replay]
"""Makes a table, given the receiver of its warnings."""

LONGEST: Final = 16 * 1024
"""Letters of a shoe played in another process, at most: its output is held in memory until its turn."""


class Warned(NamedTuple):
    """Step that made no sense: why."""

    text: str


class Reached(NamedTuple):
    """Byte up to which the script was played."""

    end: int


Output = bytes | Warned | Reached


class Form(NamedTuple):
    """Form of the output. topics: those that are shown, all if it is empty. pretty: indented."""

    topics: frozenset[str]
    pretty: bool

    def shown(self, lines: bytes) -> bytes:
        """Return the messages that are shown, of JSON lines."""
        each = (line for line in lines.splitlines(keepends=True) if not self.topics or _topic(line) in self.topics)
        return b"".join(msgspec.json.format(line, indent=2) + b"\n" if self.pretty else line for line in each)


def _topic(line: bytes) -> str:
    """Return the topic of a message as a JSON line, which begins with it."""
    return line[len(b'{"topic":"') :].partition(b'"')[0].decode("ascii", "replace")


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe replay`."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="deal script or journal (default: stdin)")
    parser.add_argument("--game", choices=tuple(GAMES), help="the game, instead of the config's (default baccarat)")
    parser.add_argument("--procedure", choices=choices("procedure"), help="the procedure, instead of the config's")
    parser.add_argument("--no-burn", action="store_true", help="skip the burn of each new shoe")
    parser.add_argument("--close", choices=get_args(Close), help="how rounds end, instead of the config's (auto)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="deal by this table's settings")
    topics = "only this topic's messages, such as round; several with commas between"
    parser.add_argument("--topic", type=_topics, default=frozenset(), metavar="TOPIC", help=topics)
    parser.add_argument("--pretty", action="store_true", help="indent the JSON for reading")
    jobs_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the messages as JSON lines; return 0. Raises ConfigError, ScriptError, JournalError."""
    house, table = _table(arguments)
    form = Form(arguments.topic, arguments.pretty)
    with _opened(arguments.file) as source, Bar("replayed", _size(source), not sys.stdout.isatty()) as bar:
        if format_of(source.peek(FORMAT_LENGTH)) is not None:
            _write(_journal(source, arguments.file), bar, form)
        else:
            close: Close | None = arguments.close or (None if arguments.config else "auto")
            new = partial(Replay, house, table, burn=not arguments.no_burn, close=close)
            with closing(_shoes(source, new, arguments.jobs)) as outputs:
                _write(outputs, bar, form)
    return 0


def _topics(text: str) -> frozenset[str]:
    """Return the names of topics, also in full: `shoe/T07/round`. Raises ArgumentTypeError for an unknown one."""
    known = {"event", "round", *snapshots(Shoe()), *(topic.name for game in GAMES.values() for topic in game.topics)}
    names = frozenset(name.strip().rpartition("/")[2] for name in text.split(","))
    otherwise = f"known are {', '.join(sorted(known))}"
    for name in sorted(names - known):
        raise argparse.ArgumentTypeError(f"{name!r} is not a topic; {did_you_mean(name, known, otherwise)}")
    return names


def _table(arguments: argparse.Namespace) -> tuple[House, str]:
    """Return the settings to deal by, and the table's name."""
    house, table = House(virtual_cut=cut_place(House().game)), NAMELESS
    if arguments.config:
        from firmware_bridge.config.load import load

        config = load(arguments.config, nameless=NAMELESS)
        house, table = config.house, config.table.id
    if arguments.game and arguments.game != house.game:
        house = house_of(arguments.game, **usual(arguments.game), virtual_cut=cut_place(arguments.game))
    if arguments.procedure:
        house = _dealt(house, arguments.procedure)
    return house, table


def _dealt(house: House, procedure: str) -> House:
    """Return the house with this procedure. Raises UsageError if its game has only one."""
    if not hasattr(terms_of(house), "procedure"):
        raise UsageError(f"{house.game} has only one procedure", "leave --procedure out")
    return with_terms(house, procedure=procedure)


def _opened(name: str) -> BufferedReader:
    try:
        return open(0, "rb", closefd=False) if name == "-" else Path(name).open("rb")
    except OSError as error:
        raise ScriptError(f"{name}: {error.strerror}", "give a deal script, a journal, or - for stdin") from None


def _journal(source: BinaryIO, name: str) -> Iterator[Output]:
    """Yield the messages of a journal as JSON lines; without states where sealed parts are left out."""
    shoe: Shoe | None = Shoe()
    walk, retained, end = Walk(name), Retained(), 0
    for line in walk.lines(source):
        if line.entry is None and shoe is not None:
            yield Warned("sealed parts are missing: only events and rounds, no states")
        shoe = advance(shoe, line.entry) if shoe is not None and line.entry is not None else None
        yield from _json_lines(line, shoe, retained)
        end += len(line.data)
        yield Reached(end)
    if walk.torn:
        yield Warned(f"the unfinished line of {walk.torn} bytes at the end is skipped")


def _json_lines(line: Line, shoe: Shoe | None, retained: Retained) -> Iterator[bytes]:
    """Yield the messages of an entry, and the states it changed; no states if the shoe is unknown."""
    for message in messages(line):
        yield _json_line(message.topic, b"false", message.payload)
    for topic, payload in retained.changed(line, shoe) if shoe else ():
        yield _json_line(topic, b"true", payload)


def _json_line(topic: str, retain: bytes, payload: bytes) -> bytes:
    """Return a message as a JSON line, with the payload's bytes as sent."""
    return b'{"topic":"%b","retain":%b,"payload":%b}\n' % (topic.encode(), retain, payload)


def _shoes(source: BufferedReader, new: NewReplay, jobs: int) -> Generator[Output, None, None]:
    """Yield the messages of all shoes in order, as JSON lines. Raises ScriptError, WorkerError.

    The first shoe is played in this process; if more follow, `jobs` processes play one each. A shoe that is long, or
    waits for its cards, is played here line by line.
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
    """Plays shoes one after another, part by part."""

    def __init__(self, new: NewReplay) -> None:
        self._warned = warned = list[Warned]()
        self._replay = new(
            lambda text: warned.append(Warned(text))
        )  # avoids a cycle: a shoe's memory is freed at its end
        self._retained = Retained()

    @property
    def is_used(self) -> bool:
        """Whether a shoe was opened at this table."""
        return self._replay.shoe.status != "empty"

    def play(self, part: Part) -> Iterator[Output]:
        """Yield the messages of the steps of a part."""
        yield from self._outputs(self._replay.play(steps(part)))
        yield Reached(part.end)

    def end(self) -> Iterator[Output]:
        """Yield the messages at the end of a shoe, as another begins; that one publishes all its states."""
        yield from self._outputs(self._replay.end())
        self._retained = Retained()

    def _outputs(self, lines: Iterator[Line]) -> Iterator[Output]:
        for line in lines:
            if self._warned:
                yield from self._warnings()
            yield b"".join(_json_lines(line, self._replay.shoe, self._retained))
        yield from self._warnings()

    def _warnings(self) -> Iterator[Output]:
        yield from self._warned
        self._warned.clear()


def _played(new: NewReplay, parts: list[Part], is_last: bool = False) -> Iterator[Output]:
    """Yield the messages of a whole shoe."""
    table = _Table(new)
    for part in parts:
        yield from table.play(part)
    if not is_last:
        yield from table.end()


def _size(source: BinaryIO) -> int:
    """Return the size in bytes; 0 for a pipe."""
    return os.fstat(source.fileno()).st_size


def _write(outputs: Iterable[Output], bar: Bar, form: Form) -> None:
    """Write JSON lines to stdout, warnings to stderr."""
    out = sys.stdout.buffer
    for each in outputs:
        match each:
            case bytes():
                out.write(form.shown(each) if form.topics or form.pretty else each)
            case Reached(end):
                bar.reach(end)
            case Warned(text):
                bar.clear()
                warn(f"shoe replay: {text}")
