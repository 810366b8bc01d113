"""`shoe replay`: a deal script or a journal as the MQTT messages it would send, offline."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, get_args

from firmware_bridge.cli import workers
from firmware_bridge.cli.lengthy.bar import Bar
from firmware_bridge.cli.replay.shoes import Reached, Said, Warned, said
from firmware_bridge.cli.replay.told import told
from firmware_bridge.demo.memory_table import Retained
from firmware_bridge.demo.replay import Close, Replay
from firmware_bridge.errors import ScriptError
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import choices, cut_place, house_of, terms_of, usual, with_terms
from firmware_bridge.journal.line import FORMAT_LENGTH, format_of
from firmware_bridge.journal.walk import Walk
from firmware_bridge.shoe import Shoe, advance

NAMELESS: Final = "replay"
"""The table where no config names one."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe replay`."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="deal script or journal (default: stdin)")
    parser.add_argument("--game", choices=tuple(GAMES), help="over the config's (default baccarat)")
    parser.add_argument("--procedure", choices=choices("procedure"), help="over the config's")
    parser.add_argument("--no-burn", action="store_true", help="skip the burn of each new shoe")
    parser.add_argument("--close", choices=get_args(Close), default="auto", help="how rounds end (default auto)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="deal by this table's settings")
    workers.option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the messages as JSON lines; 0. Raises ConfigError, ScriptError, JournalError."""
    house, table = _table(arguments)
    with _opened(arguments.file) as source, Bar("replayed", _size(source), not sys.stdout.isatty()) as bar:
        if format_of(source.peek(FORMAT_LENGTH)) is not None:
            _write(_journal(source, arguments.file), bar)
        else:
            new = partial(Replay, house, table, burn=not arguments.no_burn, close=arguments.close)
            with closing(said(source, new, arguments.jobs)) as all_said:
                _write(all_said, bar)
    return 0


def _table(arguments: argparse.Namespace) -> tuple[House, str]:
    """The settings to deal by, and the table's name."""
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
    """The same house, dealing so. Raises ScriptError where its game is dealt in one way."""
    if not hasattr(terms_of(house), "procedure"):
        raise ScriptError(f"{house.game} is dealt in one way only", "leave --procedure out")
    return with_terms(house, procedure=procedure)


def _opened(name: str) -> io.BufferedReader:
    try:
        return open(0, "rb", closefd=False) if name == "-" else Path(name).open("rb")
    except OSError as error:
        raise ScriptError(f"{name}: {error.strerror}", "name a deal script, a journal, or - for stdin") from None


def _journal(source: BinaryIO, name: str) -> Iterator[Said]:
    """What a journal says, as JSON lines; no states where sealed parts are left out."""
    shoe: Shoe | None = Shoe()
    walk, retained, end = Walk(name), Retained(), 0
    for line in walk.lines(source):
        if line.entry is None and shoe is not None:
            yield Warned("the sealed parts are left out: no states, only events and rounds")
        shoe = advance(shoe, line.entry) if shoe is not None and line.entry is not None else None
        yield from told(line, shoe, retained)
        end += len(line.data)
        yield Reached(end)
    if walk.torn:
        yield Warned(f"an unfinished line of {walk.torn} bytes at the end is left out")


def _size(source: BinaryIO) -> int:
    """Bytes of a file; 0 where it is none."""
    return os.fstat(source.fileno()).st_size


def _write(all_said: Iterable[Said], bar: Bar) -> None:
    """JSON lines to stdout, warnings to stderr."""
    out = sys.stdout.buffer
    for each in all_said:
        match each:
            case bytes():
                out.write(each)
            case Reached(end):
                bar.reach(end)
            case Warned(text):
                bar.clear()
                print(f"shoe replay: {text}", file=sys.stderr)
