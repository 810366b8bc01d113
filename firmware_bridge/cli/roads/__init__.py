"""`shoe roads`: the roads of a shoe, drawn or as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG
from firmware_bridge.cli.roads.input import NoShoe, beads, configured, running, settings
from firmware_bridge.games.baccarat.drawn.sheet import Heading
from firmware_bridge.games.baccarat.drawn.words import Kind, Language
from firmware_bridge.games.baccarat.roads import Board, LeadingTies, RoadSettings, Row1Limit, board, roads_of

USAGE: Final = 2
STDIN: Final = "-"
LONGEST: Final = 3840
"""Pixels a side of a board may have: a picture of more takes too much memory."""

FINEST: Final = 0.4
"""Pixels a unit of a board must have: with fewer its letters cannot be read."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe roads`."""
    shoe = "OUTCOMES [BANKER_PAIRS PLAYER_PAIRS [NATURALS]]: BPTB.. and a 0 or 1 each; . is a shoe without rounds"
    text = f"{shoe}; - reads a shoe per line and writes JSON (default: the running shoe)"
    parser.add_argument("shoe", nargs="*", metavar="OUTCOMES", help=text)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw into a file")
    parser.add_argument("--png", type=Path, metavar="FILE", help="draw into a file (needs Pillow)")
    parser.add_argument("--road", choices=get_args(Kind), help="draw this one alone")
    parser.add_argument("--theme", choices=("light", "dark"), default="dark", help="of pictures (default dark)")
    parser.add_argument("--lang", choices=get_args(Language), default="en", help="labels (default en)")
    parser.add_argument(
        "--size", type=_size, metavar="WxH", help="pixels of a board (default 1920x1080); may be upright"
    )
    parser.add_argument("--title", type=_title, default="", help="of the picture (default: table and shoe)")
    parser.add_argument("--pair-dots", action="store_true", help="pairs in the big road too, as on the bead plate")
    parser.add_argument("--leading-ties", choices=get_args(LeadingTies), help="over the table's")
    parser.add_argument("--row1-limit", choices=get_args(Row1Limit), help="over the table's")
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"the table's (default {DEFAULT_CONFIG})")


def run(arguments: argparse.Namespace) -> int:
    """Draw or write; 0, or 2 for text that is no shoe. Raises ConfigError, NoDaemon, JournalError, PictureError."""
    own = {"leading_ties": arguments.leading_ties, "row1_limit": arguments.row1_limit}
    sources = [configured(arguments.config) if arguments.config else {}, own]
    try:
        if arguments.shoe == [STDIN]:
            return _stream(arguments, settings(sources))
        if arguments.size and arguments.road:
            raise NoShoe("--size is for a whole board", "leave out --size, or --road")
        if arguments.shoe:
            rounds, heading = beads(" ".join(arguments.shoe)), Heading()
        else:
            rounds, house, heading = running(arguments.config or DEFAULT_CONFIG)
            sources.insert(1, house)
    except NoShoe as error:
        print(f"shoe roads: {error}", file=sys.stderr)
        return USAGE
    heading = heading._replace(title=arguments.title)
    _show(arguments, board(roads_of(rounds, settings(sources))), settings(sources), heading)
    return 0


def _size(text: str) -> tuple[int, int]:
    """Width and height of a board, `1280x720`."""
    try:
        width, height = map(int, text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write WIDTHxHEIGHT, 1280x720") from None
    from firmware_bridge.games.baccarat.drawn.places import unit

    if max(width, height) > LONGEST or unit(width, height) < FINEST:
        limits = f"at least 768x432 or 432x768 pixels, and no side over {LONGEST}"
        raise argparse.ArgumentTypeError(f"{text}: a board has {limits}")
    return width, height


def _title(text: str) -> str:
    """A title without what cannot be drawn."""
    return "".join(filter(str.isprintable, text))


def _stream(arguments: argparse.Namespace, chosen: RoadSettings) -> int:
    """A JSON line for each line of stdin."""
    if arguments.svg or arguments.png or arguments.road:
        raise NoShoe("- writes JSON only", "draw one shoe at a time: shoe roads OUTCOMES --svg FILE")
    for number, line in enumerate(_lines(), 1):
        rounds = beads(line.rstrip("\n"), f"line {number}, ")
        _write_json(board(roads_of(rounds, chosen)))
    return 0


def _lines() -> Iterable[str]:
    return (line.decode("utf-8", "replace") for line in sys.stdin.buffer)


def _show(arguments: argparse.Namespace, now: Board, chosen: RoadSettings, heading: Heading) -> None:
    if arguments.json:
        _write_json(now)
    if arguments.svg or arguments.png:
        _draw(arguments, now, chosen, heading)
    elif not arguments.json:
        from firmware_bridge.cli.roads.terminal import screen

        print(screen(now, arguments.lang, arguments.road, heading=heading))


def _draw(arguments: argparse.Namespace, now: Board, chosen: RoadSettings, heading: Heading) -> None:
    from firmware_bridge.games.baccarat.drawn.sheet import SIZE, Look, sheet

    size, dots = arguments.size or SIZE, arguments.pair_dots
    drawn = sheet(now, Look(arguments.theme, arguments.lang, arguments.road, chosen.good, size, dots), heading)
    if arguments.svg:
        from firmware_bridge.games.baccarat.drawn.formats import write_svg

        write_svg(drawn, arguments.svg)
    if arguments.png:
        from firmware_bridge.games.baccarat.drawn.formats import write_png

        write_png(drawn, arguments.png)


def _write_json(value: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
