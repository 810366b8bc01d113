"""The AsyncAPI 3.0 document of one table, with an example of every message."""

from __future__ import annotations

import inspect
from typing import Any, Final, get_args

import msgspec

from firmware_bridge import __version__
from firmware_bridge.cli.schema import STATES, TEXTS, schema
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.wire import Stored
from firmware_bridge.games import GAMES
from scripts.tools.messages.examples import examples
from scripts.tools.messages.topics import PHASES, Topic, topics

Json = dict[str, Any]

PREFIX: Final = "shoe/{table}"
_JSON_SCHEMA: Final = "#/$defs/"

ABOUT: Final = """\
A card-dealing shoe tells a backend every event and every round of its table over MQTT 5 or 3.1.1.
`event` and `round` are delivered at least once, always with the same bytes: drop repeats by
(topic, journal, seq, n), close gaps by `prev` and the order `resend`. All other topics are states: the latest counts.
Further keys may come in any object, and further messages: a receiver does not look at what it does not know."""


def document() -> Json:
    """Return the whole document, JSON types only; the application of it is the shoe: `send` is what it publishes."""
    defs = schema()["$defs"]
    of = {topic.name: _kinds(topic, defs) for topic in topics()}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "The card shoe of one table",
            "version": __version__,
            "description": ABOUT,
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
            "x-phases": PHASES,
        },
        "defaultContentType": "application/json",
        "servers": {"house": _SERVER},
        "channels": {topic.name: _channel(topic, of[topic.name]) for topic in topics()},
        "operations": {_operation_name(topic): _operation(topic) for topic in topics() if topic.name != "reply"},
        "components": {
            "messages": {name: _message(name, defs[name]) for kinds in of.values() for name in kinds},
            "schemas": {
                name: in_draft_7(each) for name, each in defs.items() if name not in ("event", "round", "command")
            },
        },
    }


def encoded(document: Json) -> bytes:
    """Return the bytes of docs/asyncapi.json: keys sorted, indented."""
    return msgspec.json.format(msgspec.json.encode(document, order="sorted")) + b"\n"


_SERVER: Final = {
    "host": "broker.example:8883",
    "protocol": "secure-mqtt",
    "protocolVersion": "5.0",
    "description": "The broker that a table's config names; MQTT 3.1.1 where it speaks no other.",
    "bindings": {
        "mqtt": {
            "clientId": "shoe-T07",
            "cleanSession": False,
            "lastWill": {"topic": "shoe/T07/status", "qos": 1, "retain": True, "message": "status, with state `lost`"},
            "keepAlive": 20,
            "bindingVersion": "0.2.0",
        }
    },
}


def _kinds(topic: Topic, defs: Json) -> tuple[str, ...]:
    """Return the messages of a topic, as the JSON Schema names them."""
    return tuple(name for name in defs if name.startswith(f"{topic.name}.")) or (topic.name,)


def _channel(topic: Topic, kinds: tuple[str, ...]) -> Json:
    return {
        "address": f"{PREFIX}/{topic.name}",
        "title": topic.name,
        "description": f"{topic.says}; {topic.when}.",
        "parameters": {"table": {"description": "The table: `[table] id` of its config.", "examples": ["T07"]}},
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in kinds},
        "x-retained": topic.retained,
        "x-sender": topic.sender,
        "x-receivers": topic.receivers,
        "x-games": list(topic.games),
    }


def _operation_name(topic: Topic) -> str:
    return f"{'send' if topic.sender == 'shoe' else 'receive'}.{topic.name}"


def _operation(topic: Topic) -> Json:
    operation: Json = {
        "action": "send" if topic.sender == "shoe" else "receive",
        "channel": {"$ref": f"#/channels/{topic.name}"},
        "summary": topic.says,
        "bindings": {"mqtt": {"qos": topic.qos, "retain": topic.retained, "bindingVersion": "0.2.0"}},
    }
    if topic.name == "command":
        operation["reply"] = {"channel": {"$ref": "#/channels/reply"}}
    return operation


def _message(name: str, definition: Json) -> Json:
    answers = {"correlationId": {"location": "$message.payload#/id"}} if name.startswith(("command.", "reply")) else {}
    text = {"contentType": "text/plain; charset=utf-8"} if name in TEXTS else {}
    return (
        answers
        | text
        | {
            "name": name,
            "title": name,
            "summary": described(name, definition).splitlines()[0],
            "payload": {"$ref": f"#/components/schemas/{name}"},
            "examples": [{"name": each, "payload": payload} for each, payload in examples().get(name, {}).items()],
        }
    )


def described(name: str, definition: Json) -> str:
    """Return the description of a message: the docstring of its event, of its body, or of itself."""
    own = _DOCUMENTED.get(name.removeprefix("event."))
    return plain((own.__doc__ if own else definition["description"]) or "")


def plain(description: str) -> str:
    """Return a docstring as paragraphs, without indentation, with the names of JSON."""
    return (
        inspect.cleandoc(description)
        .replace("\n\n", "\0")
        .replace("\n", " ")
        .replace("\0", "\n\n")
        .replace("None", "null")
    )


_DOCUMENTED: Final[dict[str, type]] = {"stored": Stored}
_DOCUMENTED.update(STATES)
_DOCUMENTED.update({each.__name__: each for each in get_args(AnyEvent)})
_DOCUMENTED.update({topic.name: topic.body for game in GAMES.values() for topic in game.topics})


def in_draft_7(value: Any) -> Any:
    """Return a definition of JSON Schema 2020-12 in the dialect of AsyncAPI, which is that of draft 7.

    A tuple's items are named otherwise there, and nothing may stand beside a reference.
    """
    if isinstance(value, list):
        return [in_draft_7(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(ref := value.get("$ref"), str):
        return {"$ref": ref.replace(_JSON_SCHEMA, "#/components/schemas/")}
    converted = {name: in_draft_7(each) for name, each in value.items()}
    if "prefixItems" in converted:
        more = {"additionalItems": converted["items"]} if "items" in converted else {}
        converted = (
            {name: each for name, each in converted.items() if name != "prefixItems"}
            | {"items": converted["prefixItems"]}
            | more
        )
    return converted
