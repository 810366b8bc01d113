"""`shoe play`: plays rounds through the real shoe, read by a person or, with `--json`, by a program."""

import argparse
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from rich.text import Text

from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.layout import show
from firmware_bridge.config.plain import warn
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.read_round import RoundReader, waiting
from firmware_bridge.demo.round_player import LineError, answer, line_of
from firmware_bridge.demo.script import parse
from firmware_bridge.errors import ScriptError
from firmware_bridge.facts.decoding import Undecodable, from_json, text_of
from firmware_bridge.facts.printable import escaped
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import cut_place, house_of, usual

STDIN: Final = "-"
HINT: Final = "give a deal script, a file with a JSON object a line, or - for standard input"


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe play`."""
    parser.add_argument("game", choices=tuple(GAMES), help="the game")
    file = "a deal script, or a JSON object a line; - for standard input (default: a round that is shipped)"
    parser.add_argument("file", nargs="?", help=file)
    parser.add_argument("--json", action="store_true", help="for programs: a JSON object out for each round")


def run(arguments: argparse.Namespace) -> int:
    """Play every round; return 1 if something was no round of the game (its line is printed), 2 without a round."""
    from firmware_bridge.config.documents import shipped

    try:
        file = arguments.file or str(shipped(f"examples/{arguments.game}.deal"))
        with sys.stdin.buffer if file == STDIN else Path(file).open("rb") as source:
            return _play(arguments.game, file, source, arguments.json)
    except OSError as error:
        warn(escaped(f"play: {file}: {error.strerror}; {HINT}"))
        return Exit.FAILED


def _play(game: str, file: str, source: BinaryIO, as_json: bool) -> int:
    """Play a file. A deal script is read to its end; of JSON each line is answered before the next is read."""
    numbered = enumerate(source, 1)
    number, first = next(((n, line) for n, line in numbered if line.removeprefix(BOM_UTF8).strip()), (1, b""))
    is_json = first.removeprefix(BOM_UTF8).lstrip().startswith((b"{", b"["))
    if file.endswith(".deal") or not (is_json or as_json):
        script = b"\n" * (number - 1) + b"".join([first, *(line for _, line in numbered)])
        return _script(game, file, script, as_json)
    return _lines(game, chain([(number, first)], numbered), as_json)


def _lines(game: str, numbered: Iterable[tuple[int, bytes]], as_json: bool) -> int:
    code = Exit.FINE
    for number, read in numbered:
        line = read.removeprefix(BOM_UTF8) if number == 1 else read
        if not line.strip():
            continue
        try:
            _answer(game, line, as_json)
        except LineError as error:
            warn(escaped(f"play: line {number}: {error}"))
            code = Exit.FAILED
    return code


def _answer(game: str, line: bytes, as_json: bool) -> None:
    """Print the answer to a line. Raises LineError."""
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(answer(game, line)) + b"\n")
        sys.stdout.buffer.flush()
        return
    reader, shown = RoundReader(), list[tuple[str, str]]()
    answered = answer(game, line, lambda each: shown.extend(reader.lines(each)))
    given = from_json(line)
    named = (str(given[key]) for key in ("id", "title") if given.get(key))
    _show([("", ": ".join(named)), *shown, *reader.end()])
    if "steps" not in answered:
        _show(("result", f"{key} {value}") for key, value in answered.items() if key != "id")
    for move, step in zip(given.get("moves", ()), answered.get("steps", ())[1:], strict=False):
        if "error" in step:
            _show([("refused", f"{move}: {step['error']}")])
    print()


def _script(game: str, file: str, script: bytes, as_json: bool) -> int:
    """Play a deal script. Raises ScriptError."""
    try:
        text = text_of(script, "utf-8-sig")
    except Undecodable:
        raise ScriptError(f"{file} is not text", HINT) from None
    steps = parse(text)
    if not steps:
        raise ScriptError(f"{file} has no card", HINT)
    if as_json:
        _answer(game, msgspec.json.encode(line_of(game, steps)), as_json=True)
        return Exit.FINE
    show(Text(f"{GAMES[game].name}: {file}"))
    house = house_of(game, **usual(game), virtual_cut=cut_place(game))
    refused, code = list[str](), Exit.FINE
    reader = RoundReader()
    replay = Replay(house, "play", refused.append)
    for line in replay.play(steps):
        _show(reader.lines(line))
        _show(("refused", each) for each in refused)
        code = Exit.FAILED if refused else code
        refused.clear()
    _show(reader.end())
    if why := waiting(replay.shoe):
        _show([("waits", why)])
    return code


def _show(lines: Iterable[tuple[str, str]]) -> None:
    """Print lines, each with its word before it, folded where the terminal is narrow."""
    texts = (f"{word:<9} {text}".rstrip() for word, text in lines)
    show(*(Text(each) for each in texts if each), label=10)
