"""`shoe help`: the shipped documents by topic; also manual pages and shell completion."""

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import firmware_bridge
from firmware_bridge.errors import BridgeError

MANUALS: Final = ("shoe.1", "bridge.toml.5")

DOCUMENTS: Final = {
    "technician": "the technician's book: installing, wiring, calibrating, what to do at 3 a.m.",
    "operators": "for dealer and pit: what the lamps say, NEXT and REVEAL",
    "walkthrough": "a round of each game, by the lamps and by the dealer's screen",
    "irregularities": "every alarm: what it means, who does what, what the pit may choose",
    "houses": "what a house chooses",
    "config": "every key of bridge.toml",
    "baccarat": "who draws a third card and why, and what a house chooses",
    "blackjack": "a round step by step, marks, messages, odds, and what a house chooses",
    "niuniu": "niu-niu: a game step by step, hands, messages, and what a house chooses",
    "zhajinhua": "zha jin hua: a round step by step, hands, messages, and what a house chooses",
    "erbagang": "er ba gang: a game step by step, tiles, messages, and what a house chooses",
    "roads": "the roads, and what the topic `roads` holds",
    "mqtt": "for backends: subscribe, settle, give orders",
    "messages": "every topic and message: who sends it, when, its fields, an example",
    "backend": "what a backend keeps, and what it asks for again",
    "broker": "users and rights of the broker, to copy",
    "floor": "the store of all tables: shoe-floor",
    "small-house": "one table, broker and store on one small PC, in twenty lines",
    "page": "all tables in a browser: shoe-floor page",
    "screen": "the screen over a table, for guests",
    "metrics": "metrics of all tables for Prometheus, alerts and what to do, a dashboard",
    "nats": "a floor on a cluster of NATS",
    "fleet": "a thousand simulated tables, and what they were measured at",
    "deal-script": "a table's inputs in words, for shoe replay",
    "architecture": "rooms, a card's way, invariants, threads",
    "contributing": "tests, style, recipes, release",
    "glossary": "one word for each thing",
    "changelog": "what is new, and what to do at an update",
}
NO_ROWS: Final = ("architecture", "contributing", "glossary")
"""Documents with no tables about alarms, keys, modes or messages."""
ALSO: Final = {
    "3am": "when something is wrong",
    "update": "installing and updating",
    "rollback": "installing and updating",
}
_CELL: Final = re.compile(r"(?<!\\)\|")
_CODE: Final = re.compile(r"`([^`]+)`")


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe help`."""
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help="a document, chapter, alarm, config key or command")
    parser.add_argument("--man", choices=MANUALS, help="write a manual page")
    parser.add_argument("--completion", choices=("bash",), help="write the completion script for a shell")


def run(arguments: argparse.Namespace) -> int:
    """Prints the text about a topic, or the list of topics; 0. Raises NoTopic."""
    if arguments.completion:
        from firmware_bridge.cli.help.man import bash

        sys.stdout.write(bash())
    elif arguments.man:
        from firmware_bridge.cli.help import man

        sys.stdout.write(man.shoe() if arguments.man == MANUALS[0] else man.bridge_toml())
    else:
        print("\n".join(_folded(_topic_text(" ".join(arguments.topic)).splitlines())))
    return 0


class NoTopic(BridgeError, LookupError):
    """Topic without a text."""


def _folded(lines: list[str]) -> Iterator[str]:
    """Lines folded to the width of the terminal; unchanged if the output is none."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
        yield from textwrap.wrap(line, width, subsequent_indent=indent) if 0 < width < len(line) else [line]


def _topic_text(topic: str) -> str:
    from firmware_bridge.cli import COMMANDS, parser_of

    if not topic:
        return contents()
    if text := exactly(topic):
        return text
    if topic in COMMANDS:
        return parser_of([topic]).parse_args([topic, "--help"])  # type: ignore[return-value]  # argparse prints and ends
    if text := about(topic):
        return text
    raise NoTopic(f"there is no help on {topic!r}", near(topic))


class Chapter(NamedTuple):
    """Heading of a document with the text below it, smaller headings included."""

    document: str
    title: str
    text: str


class Row(NamedTuple):
    """Row of a table: label -> cell, and its chapter."""

    chapter: Chapter
    cells: dict[str, str]


def contents() -> str:
    """List of topics, as text."""
    lines = [f"  {name:<16}{text}" for name, text in DOCUMENTS.items()]
    titles = [chapter.title.lower() for chapter in chapters() if chapter.document == "technician"]
    return "\n".join(
        (
            "shoe help TOPIC; a topic is a document:",
            *lines,
            "or a chapter of the technician's book:",
            *(f"  {title}" for title in titles),
            "or 3am, an alarm (reader_gap), a mode (NO_BROKER), a key of bridge.toml (keep_days), a command (check)",
        )
    )


def exactly(topic: str) -> str:
    """The document of that name, the rows about it, or the chapter of that title; "" if there is none."""
    word = topic.strip().lower()
    if word in DOCUMENTS:
        return _document(word)
    if rows := [row for row in _rows() if _same(topic) in map(_same, _names(row))]:
        return "\n\n".join(map(_shown, rows))
    title = ALSO.get(word, word)
    return next((chapter.text for chapter in chapters() if chapter.title.lower() == title), "")


def about(topic: str) -> str:
    """The first chapter with all words of the topic in its title; "" if there is none."""
    words = topic.lower().replace("-", " ").split()
    return next((each.text for each in chapters() if all(word in each.title.lower() for word in words)), "")


def near(topic: str) -> str:
    """Hint for an unknown topic."""
    found = get_close_matches(topic, topics(), 1)
    return f"did you mean {found[0]}?" if found else "see shoe help"


@cache
def topics() -> tuple[str, ...]:
    """All words that are topics by themselves."""
    named = [name for row in _rows() for name in _names(row) if re.fullmatch(r"[\w-]+", name)]
    return tuple(dict.fromkeys((*DOCUMENTS, *ALSO, *named)))


@cache
def chapters() -> tuple[Chapter, ...]:
    """All chapters of all documents, in order."""
    return tuple(chapter for name in DOCUMENTS for chapter in _chapters(name, _document(name)))


def _chapters(document: str, text: str) -> Iterator[Chapter]:
    heads = [(match.start(), len(match[1]), match[2]) for match in re.finditer(r"^(##+) (.+)$", text, re.M)]
    for n, (start, depth, title) in enumerate(heads):
        end = next((at for at, other, _ in heads[n + 1 :] if other <= depth), len(text))
        yield Chapter(document, title.replace("`", ""), text[start:end].strip())


def shipped(file: str) -> Path:
    """Path of a document: beside the installed package, or in the source tree."""
    package = Path(firmware_bridge.__file__).parent
    places = [folder / file for folder in (package / "docs", package.parent / "docs", package.parent)]
    return next((path for path in places if path.exists()), places[0])


def _document(name: str) -> str:
    path = shipped(f"{name.upper() if name == 'changelog' else name}.md")
    return path.read_text("utf-8").strip() if path.exists() else ""


@cache
def _rows() -> tuple[Row, ...]:
    return tuple(row for chapter in chapters() if chapter.document not in NO_ROWS for row in _table(chapter))


def _table(chapter: Chapter) -> Iterator[Row]:
    """Rows of a chapter itself, without those of smaller chapters in it."""
    own = re.split(r"^###* ", chapter.text.split("\n", 1)[-1], maxsplit=1, flags=re.M)[0]
    labels: list[str] = []
    for line in own.splitlines():
        if not line.startswith("|"):
            labels = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip("|"))]
        if not labels:
            labels = cells
        elif not set(line) <= set("|- :"):
            yield Row(chapter, dict(zip(labels, cells, strict=False)))


def _names(row: Row) -> list[str]:
    """Topics of a row: the words in backticks in its first cell."""
    return _CODE.findall(next(iter(row.cells.values())))


def _shown(row: Row) -> str:
    """A row as text, one label and cell a line."""
    width = max(map(len, row.cells)) + 2
    lines = [f"  {label + ':':<{width}}{cell.replace('`', '')}" for label, cell in row.cells.items()]
    return "\n".join((f"{row.chapter.document}, {row.chapter.title}", *lines))


def _same(name: str) -> str:
    return name.strip().lower().replace("-", "_")
