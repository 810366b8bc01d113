"""The messages of a table as a page in Markdown: `docs/messages.md`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from firmware_bridge.cli.schema import TEXTS
from firmware_bridge.facts.book.orders import ORDERS, People, Price
from firmware_bridge.facts.book.refusals import REFUSALS
from firmware_bridge.facts.bounds import PERSON
from firmware_bridge.facts.orders import TYPES, reason
from firmware_bridge.facts.wire import EntryHead, EventMessage, Head, StateHead, StreamMessage
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import known
from scripts.tools.messages.course import course
from scripts.tools.messages.document import ABOUT, PREFIX, described, document, plain
from scripts.tools.messages.topics import ERRORS, PHASES, Topic, topics

HEADS: Final = ("v", "table", "shoe", "journal", "seq", "as_of", "at", "boot", "head", "n", "of")
"""Fields of the heads of messages, described once in their own chapter."""

_PLAIN: Final = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
    "array": "list",
}


def fields(schema: Json, without: tuple[str, ...] = ()) -> list[str]:
    """Return the fields of an object as a list in Markdown, with optional ones marked."""
    required = schema.get("required", ())
    return [
        f"- **{name}**{'' if name in required else ', may be missing'}: {in_words(each)}{_says(each)}"
        for name, each in schema.get("properties", {}).items()
        if name not in without
    ]


def _says(schema: Json) -> str:
    """Return the description of a field that has one."""
    return f". {schema['description']}" if "description" in schema else ""


def in_words(schema: Json) -> str:
    """Return the type of a value in words."""
    if ref := schema.get("$ref"):
        name = str(ref).rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f'always "{schema["const"]}"'
    if "enum" in schema:
        return " or ".join(f'"{each}"' for each in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(in_words, schema["anyOf"])))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_PLAIN[each] for each in kind)
    if kind == "array":
        return _list(schema)
    if kind == "object" and (inside := schema.get("properties")):
        return f"object with {', '.join(f'{name} ({in_words(each)})' for name, each in inside.items())}"
    if kind == "object" and isinstance(more := schema.get("additionalProperties"), dict):
        return f"object, each value {in_words(more)}" if more else "object"
    person = " that names a person" if schema.get("x-of") == PERSON else ""
    return f"{_PLAIN.get(str(kind), 'anything')}{_limits(schema)}{person}"


def _list(schema: Json) -> str:
    items = schema.get("items")
    if isinstance(items, list):
        return f"[{', '.join(map(in_words, items))}]"
    return f"list of {in_words(items)}" if items else "list"


def _limits(schema: Json) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None and high < 2**53:
        return f" from {low} to {high}"
    if low is not None and low > -(2**53):
        return f" from {low} on"
    return f" of at most {schema['maxLength']} characters" if "maxLength" in schema else ""


WIDTH: Final = 120
MOST: Final = {str: 160, list: 4, dict: 8}
"""Limits of a value in an example: characters, items, keys."""

CUT: Final = ".."


def shown(example: dict[str, Any]) -> str:
    """Return a JSON object over as many lines as it needs; `..` stands for what is left out."""
    parts = [f"{_text(name)}: {_text(_cut(value))}" for name, value in example.items()]
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > WIDTH:
            lines.append("")
        lines[-1] += f"{part}, "
    return "{" + "\n ".join(lines)[:-2].replace(" \n", "\n") + "}"


def _cut(value: Any) -> Any:
    match value:
        case str() if len(value) > MOST[str]:
            return value[:12] + CUT
        case list():
            cut = [_cut(each) for each in value]
            return [*cut[: MOST[list]], CUT] if len(cut) > MOST[list] + 1 else cut
        case dict():
            kept = {name: _cut(each) for name, each in value.items()}
            return dict(list(kept.items())[: MOST[dict]]) | {CUT: CUT} if len(kept) > MOST[dict] + 1 else kept
    return value


def _text(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


Json = dict[str, Any]

_WRITTEN: Final = """\
Made from the types that the shoe encodes and a backend decodes; `shoe schema --reference` prints it. The examples
are what simulated tables say; `..` stands where a long value is cut. For programs: `shoe schema --asyncapi`
(AsyncAPI 3.0, with whole examples) and `shoe schema` (JSON Schema)."""


def page() -> str:
    """Return the whole page, its prose wrapped."""
    folded: list[str] = []
    is_code = False
    for line in "\n".join(_lines()).split("\n"):
        is_code ^= line.startswith("```")
        folded += [line] if is_code or line.startswith(("|", "```", "#")) else _folded(line)
    return "\n".join(folded) + "\n"


def _folded(line: str) -> list[str]:
    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]


def _lines() -> Iterator[str]:
    made = document()
    yield "# Every message of a table"
    yield f"\n{_WRITTEN}\n"
    yield ABOUT
    yield from _overview()
    yield from _phases()
    yield from _heads(made)
    for topic in topics():
        yield from _topic(topic, made)
    yield from _orders()
    yield from _errors()
    yield from _parts(made)
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


def _phases() -> Iterator[str]:
    yield "\n## Phases\n"
    yield "What the topic `table` has as `phase`, the same in all games:\n"
    yield from (f"- **{phase}**: {says}" for phase, says in PHASES.items())


def _heads(made: Json) -> Iterator[str]:
    schemas = made["components"]["schemas"]
    yield "\n## Heads\n\nEvery message of `event` and `round` begins with these fields.\n"
    yield from (f"{plain(each.__doc__ or '')}\n" for each in (Head, EntryHead, StreamMessage))
    yield from _of_head(noted := schemas["event.Noted"])
    yield f"\nOn `event` these may follow.\n\n{plain(EventMessage.__doc__ or '')}\n"
    yield from fields(noted, without=(*HEADS, "event"))
    yield f"\nEvery state and every answer begins with these.\n\n{plain(StateHead.__doc__ or '')}\n"
    yield from _of_head(schemas["status"])


def _of_head(schema: Json) -> list[str]:
    own = tuple(name for name in schema["properties"] if name not in HEADS)
    return fields(schema, without=own)


def _topic(topic: Topic, made: Json) -> Iterator[str]:
    messages, schemas = made["components"]["messages"], made["components"]["schemas"]
    yield f"\n## Topic {topic.name}\n"
    names = made["channels"][topic.name]["messages"]
    if len(names) > 1:
        yield f"{topic.says[0].upper()}{topic.says[1:]}."
    for name in names:
        if part := name.partition(".")[2]:
            yield f"\n### {part.replace('.', ', ')}\n"
        schema = schemas[name]["properties"]["event"] if topic.name == "event" else schemas[name]
        yield f"{described(name, schemas[name])}\n"
        if topic.name not in TEXTS:
            yield from fields(schema, without=() if topic.name in ("event", "command", "stored") else HEADS)
        for example in messages[name]["examples"]:
            payload = example["payload"]
            if topic.name in TEXTS:
                yield f"\n```text\n{payload}```"
                continue
            yield f"\n```json\n{shown(payload['event'] if topic.name == 'event' else payload)}\n```"


PEOPLE: Final[dict[People, str]] = {
    "one": "one",
    "house": "two where the house asks",
    "logins": "two where the house asks, or two people are two logins",
    "two": "two",
}
PRICES: Final[dict[Price, str]] = {
    "free": "nothing",
    "entry": "its entry",
    "half": "half its entry",
    "twice": "its entry twice",
    "back": "its entry, and what was ordered since the last card",
    "purses": "the same, if purses were given since",
    "again": "its entry, if the round was corrected before",
}


GIVEN_BY: Final = (
    "At the table the groups in `who` (`shoe-pit`, ..) give them with `shoe do`; by MQTT those that `[mqtt] commands` "
    "allows, or `allows` of a key. Steps back are charged to [a budget](mqtt.md#what-holds-for-all-orders)."
)
REFUSED_NOW: Final = (
    "`orders` in the topic `table` has the code of each order that the table refuses as it stands, whatever its "
    "arguments are: the first of these that holds."
)


def _orders() -> Iterator[str]:
    yield f"\n## Orders\n\n{GIVEN_BY}\n"
    yield "| order | who | `command` | people | reason (`why`) | page of all tables | shown first | charged |"
    yield "|---|---|---|---|---|---|---|---|"
    for do, row in ORDERS.items():
        wire = "by default" if row.usual else "may be allowed" if row.by_wire else "never"
        has = {"none": "-", "may": "may have one", "must": "must have one"}[reason(TYPES[do])]
        marks = ("yes" if each else "-" for each in (row.page, row.asks))
        who = ", ".join(row.who)
        yield f"| `{do}` | {who} | {wire} | {PEOPLE[row.people]} | {has} | {' | '.join(marks)} | {PRICES[row.price]} |"
    yield f"\n{REFUSED_NOW}\n"
    yield from (f"- **{do}**: {', '.join(row.codes) or 'none'}" for do, row in ORDERS.items())


KINDS: Final = """
A value is, by its kind:

- **word**, **number**, **person**: as it is; a person is a name, and a pseudonym where a store has them
- **phrase**, **phrases**, **clauses**: a [phrase](#phrase), one or several: a code, with values of its own
- **failure**, **failures**: what happened to the broker, the disk, a port, a reader or a keypad, one or several: a code
  of [the table of failures](irregularities.md#codes-of-failures), with its values
- **remedy**: a refusal, for what to do about it
- **field**: a field of an order
- **list**, **either**, **all**: several words, as a list
- **todo**: the id of an alarm, for what to do about it
- **prompt**: English
"""
"""What the kinds of values are, which facts/book/refusals.py has."""


def _errors() -> Iterator[str]:
    yield "\n## Refusals\n\nAn answer with `ok` false has the `code` of its refusal, and the `values` in its text."
    yield "`error` and `hint` are that text in English, for people; a program does not read them."
    yield KINDS
    for code in sorted(REFUSALS):
        says = ERRORS.get(code) or "; ".join(
            filter(None, (known("en", f"refusal.{code}{end}") for end in ("", ".todo")))
        )
        yield f"- **{code}**: {says}"


def _parts(made: Json) -> Iterator[str]:
    """Yield the schemas that messages refer to by name."""
    yield "\n## Parts\n\nWhat several messages have in them."
    for name, schema in made["components"]["schemas"].items():
        if name not in made["components"]["messages"]:
            yield f"\n### {name}\n\n{plain(schema.get('description', ''))}\n"
            yield from fields(schema) or [in_words(schema)]
