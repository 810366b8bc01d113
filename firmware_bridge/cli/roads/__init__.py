"""`shoe roads`: the roads of a shoe, drawn or as JSON."""

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import msgspec

from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG, NotRunning, ask, daemons_alone, journal_dir, socket_path
from firmware_bridge.config.arguments import Exit, file_to_write
from firmware_bridge.config.plain import warn
from firmware_bridge.config.streams import as_utf8, legible
from firmware_bridge.errors import BridgeError, ConfigError, JournalError
from firmware_bridge.facts.decoding import Undecodable, from_json, text_in, toml
from firmware_bridge.facts.events import RoundClosed, RoundCorrected
from firmware_bridge.facts.languages import Whole
from firmware_bridge.games.baccarat import roads
from firmware_bridge.games.baccarat.drawn.sheet import Heading
from firmware_bridge.games.baccarat.drawn.words import Kind
from firmware_bridge.games.baccarat.roads_topic import bead_of

if TYPE_CHECKING:
    from firmware_bridge.journal.line import Public

STDIN: Final = "-"
LONGEST: Final = 3840
"""Maximum pixels of a board's side: a larger picture takes too much memory."""

FINEST: Final = 0.4
"""Minimum pixels of a board's unit: with fewer, letters cannot be read."""

EMPTY: Final = "."
"""Notation for a shoe without rounds."""

FIELDS: Final = ("outcomes", "banker pairs", "player pairs", "naturals")
ALLOWED: Final = {"outcomes": "BPTbpt", "banker pairs": "01", "player pairs": "01", "naturals": "01"}
OUTCOMES: Final[dict[str, roads.Outcome]] = {"B": "B", "P": "P", "T": "T"}


class ShoeRounds(NamedTuple):
    """Rounds of a shoe, the terms of its game, and the heading of the board."""

    rounds: list[roads.Bead]
    terms: dict[str, Any]
    heading: Heading


class NoShoe(BridgeError, ValueError):
    """Text that is not a shoe; the message has line and column."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe roads`."""
    shoe = "OUTCOMES [BANKER_PAIRS PLAYER_PAIRS [NATURALS]]: BPTB.. and a 0 or 1 each; . for a shoe without rounds"
    text = f"{shoe}; - reads a shoe per line from stdin and prints JSON (default: the running shoe)"
    parser.add_argument("shoe", nargs="*", metavar="OUTCOMES", help=text)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    parser.add_argument("--svg", type=file_to_write, metavar="FILE", help="draw into this file; - for stdout")
    parser.add_argument(
        "--png", type=file_to_write, metavar="FILE", help="draw into a file; - for stdout (needs Pillow)"
    )
    parser.add_argument("--road", choices=get_args(Kind), help="draw only this road")
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="dark", help="colours of the picture (default dark)"
    )
    parser.add_argument("--lang", choices=get_args(Whole), default="en", help="language of the labels (default en)")
    parser.add_argument("--size", type=_size, metavar="WxH", help="pixels of a board (default 1920x1080)")
    parser.add_argument("--title", type=_title, default="", help="title of the picture (default: table and shoe)")
    parser.add_argument("--pair-dots", action="store_true", help="show pairs in the big road too")
    parser.add_argument("--leading-ties", choices=get_args(roads.LeadingTies), help="instead of the table's setting")
    parser.add_argument("--row1-limit", choices=get_args(roads.Row1Limit), help="instead of the table's setting")
    parser.add_argument("--config", type=Path, metavar="FILE", help=f"the table's (default {DEFAULT_CONFIG})")


def run(arguments: argparse.Namespace) -> int:
    """Draw or print; return 0, 2 for text that is no shoe. Raises ConfigError, NoDaemon, JournalError, PictureError."""
    own = {"leading_ties": arguments.leading_ties, "row1_limit": arguments.row1_limit}
    sources = [configured(arguments.config) if arguments.config else {}, own]
    try:
        if arguments.shoe == [STDIN]:
            return _stream(arguments, settings(sources))
        _suffixes(arguments)
        if arguments.size and arguments.road:
            raise NoShoe("--size is for a whole board", "leave out --size or --road")
        if arguments.shoe:
            rounds, heading = beads(" ".join(arguments.shoe)), Heading()
        else:
            rounds, house, heading = running(arguments.config or DEFAULT_CONFIG)
            sources.insert(1, house)
    except NoShoe as error:
        warn(f"shoe roads: {error}")
        return Exit.USAGE
    heading = heading._replace(title=arguments.title)
    _show(arguments, roads.board(roads.roads_of(rounds, settings(sources))), settings(sources), heading)
    return 0


def beads(text: str, where: str = "") -> list[roads.Bead]:
    """Return the rounds of "BPTB 0100 0001 0000": outcomes, pairs, naturals. where: begins an error. Raises NoShoe."""
    words = _words(text, where)
    outcomes, *more = ("" if word == EMPTY else word for _, word in words)
    for field, (column, word) in zip(FIELDS[1:], words[1:], strict=False):
        if len("" if word == EMPTY else word) != len(outcomes):
            what = f"{where}column {column}: {len(word)} {field} for {len(outcomes)} outcomes"
            raise NoShoe(what, "write a 0 or a 1 for every outcome")
    more += ["0" * len(outcomes)] * (len(FIELDS) - 1 - len(more))
    columns = [[each == "1" for each in word] for word in more]
    return [roads.Bead(OUTCOMES[outcome], *each) for outcome, *each in zip(outcomes.upper(), *columns, strict=True)]


def running(config: Path) -> ShoeRounds:
    """Return the rounds of the present shoe: from the daemon; from the newest journal if it does not run or has none.

    Raises ConfigError, NoDaemon, JournalError.
    """
    try:
        status = ask(socket_path(config), {"do": "status"})
    except NotRunning:
        return _recorded(config)
    if not (state := status.get("roads")):
        return _recorded(config)
    naturals = state.get("naturals") or "0" * len(state["outcomes"])  # missing in a daemon from before an update
    cells = zip(state["outcomes"], state["bead"], naturals, strict=True)
    rounds = [roads.Bead(outcome, cell[3], cell[4], natural == "1") for outcome, cell, natural in cells]
    counted = [each for each in status.get("rounds", ()) if each["outcome"]]
    table = status["table"]
    points = counted[-1]["points"] if counted else {}
    heading = Heading(status.get("table_id", ""), status.get("shoe", 0), "", limits(table.get("limits", {})), points)
    return ShoeRounds(rounds, table["settings"]["terms"], heading)


def limits(of_table: Mapping[str, Any]) -> dict[str, str]:
    """Return the limits of a table as text, those with a maximum."""
    pairs = {bet: limit if isinstance(limit, dict) else {"high": limit} for bet, limit in of_table.items()}
    return {
        bet: f"{limit['low']}–{limit['high']}" if "low" in limit else f"≤ {limit['high']}"
        for bet, limit in pairs.items()
        if "high" in limit
    }


def configured(config: Path) -> dict[str, Any]:
    """Return the settings of roads in a config. Raises ConfigError if it cannot be read."""
    try:
        sections = toml(text_in(config))
    except OSError as error:
        raise ConfigError(f"{config}: {error.strerror}", "name the file with --config") from None
    except Undecodable as error:
        raise ConfigError(f"{config}: not TOML: {error}", "`shoe check` lists every mistake") from None
    return {**sections.get("game", {}), **sections.get("roads", {})}


def settings(sources: Iterable[dict[str, Any]]) -> roads.RoadSettings:
    """Return the road settings from these sources, later ones first. Raises ConfigError for a wrong value."""
    names: Sequence[str] = roads.RoadSettings.__struct_fields__
    merged = {name: source[name] for source in sources for name in names if source.get(name) is not None}
    try:
        return msgspec.convert(merged, roads.RoadSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"wrong road settings: {error}", "see [game] and [roads] in the config") from None


def _size(text: str) -> tuple[int, int]:
    """Return the width and height of a board, `1280x720`."""
    try:
        width, height = map(int, text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: write WIDTHxHEIGHT, 1280x720") from None
    from firmware_bridge.games.baccarat.drawn.places import unit

    if max(width, height) > LONGEST or unit(width, height) < FINEST:
        limits = f"at least 768x432 or 432x768 pixels, and no side over {LONGEST}"
        raise argparse.ArgumentTypeError(f"{text}: a board has {limits}")
    return width, height


def _title(text: str) -> str:
    """Return a title without unprintable characters."""
    return "".join(filter(str.isprintable, text))


def _suffixes(arguments: argparse.Namespace) -> None:
    """Raise NoShoe for a PNG in a file named .svg, or the other way round."""
    for kind, other in (("svg", "png"), ("png", "svg")):
        path = getattr(arguments, kind)
        if path and path.suffix.lower() == f".{other}":
            raise NoShoe(f"--{kind} {path}: the name says {other.upper()}", f"write --{other} {path}")


def _stream(arguments: argparse.Namespace, chosen: roads.RoadSettings) -> int:
    """Print a JSON line for each line of stdin."""
    if arguments.svg or arguments.png or arguments.road:
        raise NoShoe("- prints JSON only", "draw one shoe at a time: shoe roads OUTCOMES --svg FILE")
    for number, line in enumerate(sys.stdin.buffer, 1):
        rounds = beads(line.decode("utf-8", "replace").rstrip("\n"), f"line {number}, ")
        _write_json(roads.board(roads.roads_of(rounds, chosen)))
    return 0


def _show(arguments: argparse.Namespace, now: roads.Board, chosen: roads.RoadSettings, heading: Heading) -> None:
    if arguments.json:
        _write_json(now)
    if arguments.svg or arguments.png:
        _draw(arguments, now, chosen, heading)
    elif not arguments.json:
        from firmware_bridge.cli.roads.terminal import screen

        print(screen(now, legible(arguments.lang), arguments.road, heading=heading))


def _draw(arguments: argparse.Namespace, now: roads.Board, chosen: roads.RoadSettings, heading: Heading) -> None:
    from firmware_bridge.games.baccarat.drawn.formats import svg, write_png, write_svg
    from firmware_bridge.games.baccarat.drawn.sheet import SIZE, Look, sheet

    size, dots = arguments.size or SIZE, arguments.pair_dots
    drawn = sheet(now, Look(arguments.theme, arguments.lang, arguments.road, chosen.good, size, dots), heading)
    if arguments.svg == Path("-"):
        as_utf8().write(svg(drawn))
    elif arguments.svg:
        write_svg(svg(drawn), arguments.svg)
    if arguments.png:
        write_png(drawn, sys.stdout.buffer if arguments.png == Path("-") else arguments.png)


def _write_json(value: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")


def _words(text: str, where: str) -> list[tuple[int, str]]:
    """Return the words with the columns they begin in."""
    words: list[tuple[int, str]] = []
    for word in text.split():
        words.append((text.index(word, words[-1][0] - 1 + len(words[-1][1]) if words else 0) + 1, word))
    if len(words) not in (1, 3, 4):
        column = words[1][0] if words else 1
        what = f"{where}column {column}: {len(words)} words, but a shoe has one, three or four"
        raise NoShoe(what, f"write OUTCOMES [BANKER_PAIRS PLAYER_PAIRS [NATURALS]]; a shoe without rounds is {EMPTY}")
    for field, (column, word) in zip(FIELDS, words, strict=False):
        _check_letters(word, ALLOWED[field], f"{where}column ", column)
    return words


def _check_letters(word: str, allowed: str, where: str, column: int) -> None:
    wrong = word.lstrip(allowed) if word != EMPTY else ""
    if wrong:
        place = column + len(word) - len(wrong)
        raise NoShoe(
            f"{where}{place}: {wrong[0]!r} is not one of {', '.join(dict.fromkeys(allowed.upper()))}",
            "correct it and try again",
        )


def _recorded(config: Path) -> ShoeRounds:
    """Return the rounds in the newest journal; a correction replaces a round, a void removes it."""
    from firmware_bridge.journal.files import chosen
    from firmware_bridge.journal.reader import Walk

    directory = journal_dir(config)
    if directory.is_dir() and not os.access(directory, os.R_OK | os.X_OK):
        raise JournalError(*daemons_alone(directory))
    path = chosen(directory)[-1]
    rounds: dict[int, roads.Bead] = {}
    head: Public | None = None
    events: list[Any] = []
    terms: dict[str, Any] = {}
    with path.open("rb") as file:
        for public, raw in ((line.public, raw) for line in Walk(path.name).lines(file) for raw in line.public.events):
            event = from_json(raw)
            head = public
            events.append(event)
            if event["type"] == "ShoeOpened":
                terms = event["house"]["terms"]
            elif event["type"] in ("RoundClosed", "RoundCorrected"):
                counts = from_json(raw, RoundClosed | RoundCorrected)
                rounds[counts.round] = bead_of(counts.outcome, counts.own)
            elif event["type"] == "RoundVoided":
                rounds.pop(event["round"], None)
    return ShoeRounds([rounds[number] for number in sorted(rounds)], terms, _heading(head, events))


def _heading(head: "Public | None", events: list[Any]) -> Heading:
    """Return the heading for the rounds of a journal, from its last head and its events."""
    if head is None:
        return Heading()
    held: dict[str, Any] = next(
        (event["house"].get("limits", {}) for event in events if event["type"] == "ShoeOpened"), {}
    )
    ended = {event["round"]: event.get("hands", {}) for event in events if event["type"].startswith("Round")}
    counted = [hands for _, hands in sorted(ended.items()) if hands]
    points = {side: hand["points"] for side, hand in counted[-1].items()} if counted else {}
    return Heading(head.table, head.shoe, "", limits(held), points)
