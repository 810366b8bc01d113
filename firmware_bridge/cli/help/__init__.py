"""`shoe help`: the shipped documents by topic; also manual pages and shell completion."""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Final

from rich.text import Text

from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG
from firmware_bridge.cli.help.reading import readable, row_lines
from firmware_bridge.cli.watch.language import alarm_help, language, language_option
from firmware_bridge.config.documents import Chapter, Row, chapters_of, rows_of, shipped
from firmware_bridge.config.layout import labelled, page
from firmware_bridge.errors import UsageError
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.topics.texts import Language

MANUALS: Final = ("shoe.1", "bridge.toml.5")

DOCUMENTS: Final = {
    "technician": "the technician's book: installing, wiring, calibrating, what to do at 3 a.m.",
    "first-round": "from the box to the first round, for the technician",
    "readers": "what each reader does when something is wrong: the card, the lamp, the check",
    "tables": "a table is renamed, moves, is retired, gets another Pi",
    "operators": "for dealer and pit: what the lamps say, NEXT and REVEAL",
    "walkthrough": "a round of each game, by the lamps and by the dealer's screen",
    "releases": "verify what is installed: the first time, an update, an older one",
    "keys": "the key that signs the record: lost, copied, changed, in an image, in a TPM",
    "audit": "the signed record: what is proved, what is not, how to check it",
    "incidents": "what the back office finds in a record: what it means, what to do",
    "witness": "witnesses of the record: running one, who should, what a quorum is worth",
    "irregularities": "every alarm: what it means, who does what, what the pit may choose",
    "houses": "what a house chooses",
    "payouts": "what each bet pays and returns, in every game, and what cannot be set",
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
    "capacity": "how much disk a floor needs",
    "facts": "reports of a house, and what they are made of: shoe-floor report",
    "small-house": "one table, broker and store on one small PC, in twenty lines",
    "api": "tables and rounds over HTTP, for programs",
    "forward": "webhooks of what the store keeps: shoe-floor forward",
    "page": "all tables in a browser: shoe-floor page",
    "screen": "the screen over a table, for guests",
    "metrics": "metrics of all tables for Prometheus, alerts and what to do, a dashboard",
    "doors": "what listens, and the most that each takes",
    "nats": "a floor on a cluster of NATS",
    "fleet": "a thousand simulated tables, and what they were measured at",
    "examples": "rounds, two backends and a config for each kind of house, and where they are on this machine",
    "deal-script": "a table's inputs in words, for shoe replay",
    "architecture": "rooms, a card's way, invariants, threads",
    "contributing": "tests, style, recipes, release",
    "glossary": "one word for each thing",
    "changelog": "what is new, and what to do at an update",
}
FILES: Final = {"changelog": "CHANGELOG.md", "examples": "examples/README.md"}
"""Document -> its file, where it is not called as the document."""
ALARMS: Final = "irregularities"
"""The document that lists the alarms; `alarm_help` says the same in each language."""
NO_ROWS: Final = ("architecture", "contributing", "examples", "glossary")
"""Documents with no tables about alarms, keys, modes or messages."""
SAME: Final = {"payout": "payouts", "payments": "payouts", "bets": "payouts", "odds": "payouts"}
"""Word -> the document that it asks for."""
IN_CHINESE: Final = dict.fromkeys("莊庄閒闲", "baccarat")  # niu-niu has a banker too
ALSO: Final = {
    "3am": "when something is wrong",
    "update": "installing and updating",
    "rollback": "installing and updating",
    "correct": "correcting a closed round",
    "correction": "correcting a closed round",
    "corrections": "correcting a closed round",
}
MOST_ROWS: Final = 8
"""Rows that are shown for a word in them."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe help`."""
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help="a document, chapter, alarm, config key or command")
    language_option(parser)
    parser.add_argument("--man", choices=MANUALS, help="write a manual page")
    parser.add_argument("--completion", choices=("bash",), help="write the completion script for a shell")
    parser.add_argument("--words", choices=("orders", "alarms", "choices", "journals", "dates"), help=argparse.SUPPRESS)
    parser.add_argument("--config", type=Path, default=DEFAULT_CONFIG, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Print the text about a topic, or the list of topics; return 0. Raises NoTopic."""
    if arguments.completion:
        from firmware_bridge.cli.help.man import bash_of_shoe

        sys.stdout.write(bash_of_shoe())
    elif arguments.words:
        from firmware_bridge.cli.help.man import words

        print("\n".join(words(arguments.words, arguments.config, *arguments.topic[:1])))
    elif arguments.man:
        from firmware_bridge.cli.help import man

        sys.stdout.write(man.shoe() if arguments.man == MANUALS[0] else man.bridge_toml())
    else:
        topic = " ".join(arguments.topic)
        lang = language(arguments.lang, DEFAULT_CONFIG)
        lines = alarm_help(topic, lang)
        page(*([*map(Text, lines), *_elsewhere(topic, lang)] if lines else _topic(topic)))
    return 0


class NoTopic(UsageError, LookupError):
    """Topic without a text."""


def _topic(topic: str) -> Iterable[Text]:
    """Return the lines of the text about a topic, or of the list of topics. Raises NoTopic."""
    from firmware_bridge.cli import COMMANDS, parser_of

    if not topic:
        return map(labelled, contents().splitlines())
    if found := exactly(topic):
        return readable(found) if isinstance(found, str) else _of_rows(found)
    if topic in COMMANDS:
        parser_of([topic]).parse_args([topic, "--help"])  # argparse prints and ends
    if text := about(topic, events=False):
        return readable(text)
    if rows := within(topic):
        more = [Text(f".. and {len(rows) - MOST_ROWS} more rows")] if len(rows) > MOST_ROWS else []
        return [*_of_rows(rows[:MOST_ROWS]), *more]
    if text := about(topic):
        return readable(text)
    raise NoTopic(f"there is no help on {topic!r}", near(topic))


def _elsewhere(topic: str, lang: Language) -> Iterator[Text]:
    """Yield in English what documents other than the list of alarms say of an alarm; the documents are English."""
    found = exactly(topic) if lang == "en" else []
    if rows := [row for row in found if isinstance(row, Row) and row.chapter.document != ALARMS]:
        yield Text()
        yield from _of_rows(rows)


def _of_rows(rows: list[Row]) -> Iterator[Text]:
    """Yield rows of tables as lines; the name of a chapter stands once above its rows."""
    before = None
    for row in rows:
        yield from [Text()] * (before is not None)
        if row.chapter != before:
            yield Text(f"{row.chapter.document}, {row.chapter.title}", "bold")
        before = row.chapter
        yield from row_lines(row.cells)


def contents() -> str:
    """Return the list of topics, as text."""
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


def exactly(topic: str) -> str | list[Row]:
    """Return the document of that name, the rows about it, or the chapter of that title; "" if there is none."""
    word = (SAME | IN_CHINESE).get(topic.strip().lower(), topic.strip().lower())
    if word in DOCUMENTS:
        return _document(word)
    if word not in ALSO and (rows := [row for row in _rows() if _same(topic) in map(_same, row.names)]):
        return rows
    title = ALSO.get(word, word)
    return next((chapter.text for chapter in chapters() if chapter.title.lower() == title), "")


def within(topic: str) -> list[Row]:
    """Return the rows with all words of the topic in them.

    Rows of messages are left out: they are found by the name of their field or event.
    """
    words = [re.escape(word) for word in topic.lower().split()]
    return [row for row in _rows() if row.chapter.document != "messages" and _holds(row, words)]


def _holds(row: Row, words: list[str]) -> bool:
    text = " ".join(row.cells.values()).lower()
    return all(re.search(rf"(?<!\w){word}(?!\w)", text) for word in words)


def about(topic: str, events: bool = True) -> str:
    """Return the first chapter with all words of the topic in its title; "" for none. events: also of messages."""
    words = topic.lower().replace("-", " ").split()
    found = (each for each in chapters() if events or each.document != "messages")
    return next((each.text for each in found if all(_begins(word, each.title) for word in words)), "")


def _begins(word: str, title: str) -> bool:
    """Return whether a word of a title begins so; `CommandAnswered` has two."""
    return re.search(rf"(?<!\w){re.escape(word)}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title).lower()) is not None


def near(topic: str) -> str:
    """Return a hint for an unknown topic."""
    found = get_close_matches(topic, topics(), 1)
    return f"did you mean {found[0]}?" if found else "see shoe help"


@cache
def topics() -> tuple[str, ...]:
    """Return all words that are topics by themselves."""
    named = [name for row in _rows() for name in row.names if re.fullmatch(r"[\w-]+", name)]
    return tuple(dict.fromkeys((*DOCUMENTS, *ALSO, *named)))


@cache
def chapters() -> tuple[Chapter, ...]:
    """Return all chapters of all documents, in order."""
    return tuple(chapter for name in DOCUMENTS for chapter in chapters_of(name, _document(name)))


def _document(name: str) -> str:
    path = shipped(FILES.get(name, f"{name}.md"))
    if not path.exists():
        return ""
    place = f"\n\nHere they are in {path.parent}." if name == "examples" else ""
    return text_in(path).strip() + place


@cache
def _rows() -> tuple[Row, ...]:
    return tuple(row for chapter in chapters() if chapter.document not in NO_ROWS for row in rows_of(chapter))


def _same(name: str) -> str:
    return name.strip().lower().replace("-", "_")
