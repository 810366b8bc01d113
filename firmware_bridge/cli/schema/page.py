"""The messages of a table as a page in Markdown: `docs/messages.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.cli.schema.course import course
from firmware_bridge.cli.schema.document import ABOUT, PREFIX, described, document, plain
from firmware_bridge.cli.schema.fields import HEADS, fields, in_words
from firmware_bridge.cli.schema.shown import shown
from firmware_bridge.cli.schema.topics import ERRORS, PHASES, RESERVED, Topic, topics
from firmware_bridge.facts.wire import EntryHead, Head, StateHead, StreamMessage
from firmware_bridge.games import GAMES

Json = dict[str, Any]

_WRITTEN: Final = """\
Written by `shoe schema --reference`, from the types that the shoe encodes and a backend decodes. The examples are what
simulated tables say; `..` stands where a long value is cut. For programs: `shoe schema --asyncapi` (AsyncAPI 3.0, with
whole examples) and `shoe schema` (JSON Schema)."""


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    told = document()
    yield "# Every message of a table"
    yield f"\n{_WRITTEN}\n"
    yield ABOUT
    yield from _overview()
    yield from _phases()
    yield from _heads(told)
    for topic in topics():
        yield from _topic(topic, told)
    yield from _errors()
    yield from _parts(told)
    yield "\n## Rounds step by step"
    yield from course()


def _overview() -> Iterator[str]:
    yield "\n## Topics\n"
    yield "| topic | from | to | QoS | retained | games | what | when |"
    yield "|---|---|---|--:|---|---|---|---|"
    for topic in topics():
        games = "all" if len(topic.games) == len(GAMES) else ", ".join(topic.games)
        address = f"`{PREFIX.format(table='T07')}/{topic.name}`"
        to = (
            topic.sender,
            topic.receivers,
            topic.qos,
            "yes" if topic.retained else "no",
            games,
            topic.says,
            topic.when,
        )
        yield f"| {address} | {' | '.join(map(str, to))} |"
    yield "\nKept free, for topics and for keys of messages:\n"
    yield from (f"- **{name}**: {says}" for name, says in RESERVED.items())


def _phases() -> Iterator[str]:
    yield "\n## Phases\n"
    yield "What the topic `table` has as `phase`, the same in all games:\n"
    yield from (f"- **{phase}**: {says}" for phase, says in PHASES.items())


def _heads(told: Json) -> Iterator[str]:
    schemas = told["components"]["schemas"]
    yield "\n## Heads\n\nEvery message of `event` and `round` begins with these fields.\n"
    yield from (f"{plain(each.__doc__ or '')}\n" for each in (Head, EntryHead, StreamMessage))
    yield from _of_head(schemas["event.Noted"])
    yield f"\nEvery state and every answer begins with these.\n\n{plain(StateHead.__doc__ or '')}\n"
    yield from _of_head(schemas["status"])


def _of_head(schema: Json) -> list[str]:
    own = tuple(name for name in schema["properties"] if name not in HEADS)
    return fields(schema, without=own)


def _topic(topic: Topic, told: Json) -> Iterator[str]:
    messages, schemas = told["components"]["messages"], told["components"]["schemas"]
    yield f"\n## Topic {topic.name}\n"
    names = told["channels"][topic.name]["messages"]
    if len(names) > 1:
        yield f"{topic.says[0].upper()}{topic.says[1:]}."
    for name in names:
        if part := name.partition(".")[2]:
            yield f"\n### {part.replace('.', ', ')}\n"
        schema = schemas[name]["properties"]["event"] if topic.name == "event" else schemas[name]
        yield f"{described(name, schemas[name])}\n"
        yield from fields(schema, without=() if topic.name in ("event", "command", "stored") else HEADS)
        for example in messages[name]["examples"]:
            payload = example["payload"]
            yield f"\n```json\n{shown(payload['event'] if topic.name == 'event' else payload)}\n```"


def _errors() -> Iterator[str]:
    yield "\n## Errors\n\nAn answer with `ok` false has `error`, why an order was refused, and `hint`, what to do next."
    yield "For marks and bets the error is one word for programs; all other errors are sentences for people.\n"
    yield from (f"- **{code}**: {says}" for code, says in ERRORS.items())


def _parts(told: Json) -> Iterator[str]:
    """What messages refer to by name."""
    yield "\n## Parts\n\nWhat several messages have in them."
    for name, schema in told["components"]["schemas"].items():
        if name not in told["components"]["messages"]:
            yield f"\n### {name}\n\n{plain(schema.get('description', ''))}\n"
            yield from fields(schema) or [in_words(schema)]
