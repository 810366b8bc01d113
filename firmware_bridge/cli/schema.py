"""`shoe schema`: every message, as JSON Schema, as an AsyncAPI document with examples, or as a page."""

import argparse
import inspect
import sys
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from firmware_bridge.config.documents import shipped
from firmware_bridge.facts import events_of_rounds, orders, wire, wire_states
from firmware_bridge.facts.book.measures import Health
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.printable import PATTERN
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe schema`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--asyncapi", action="store_true", help="AsyncAPI 3.0: topics, messages and examples, as JSON")
    what.add_argument("--reference", action="store_true", help="every topic and message, as Markdown")


def run(arguments: argparse.Namespace) -> int:
    """Print one document; return 0."""
    if arguments.reference:
        sys.stdout.buffer.write(shipped("messages.md").read_bytes())
    elif arguments.asyncapi:
        sys.stdout.buffer.write(shipped("asyncapi.json").read_bytes())
    else:
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(schema(), order="sorted")) + b"\n")
    return 0


Schema = dict[str, Any]

STATES: Final[dict[str, type[Struct]]] = {
    "status": wire_states.Status,
    "table": wire_states.Table,
    "lamps": wire_states.Lamps,
    "alarm": wire_states.Alarms,
    "health": Health,
    "odds": wire_states.Odds,
    "reply": orders.Answer,
}
"""Topic -> the body beside its StateHead, without the games' own topics."""

TEXTS: Final = {
    "checkpoint": "The newest checkpoint of the record, as text: a signed note (C2SP tlog-checkpoint). Empty where "
    "nothing is signed.",
    "witnessed": "A checkpoint of the record that a quorum of witnesses has cosigned, as text: a signed note, the "
    "signature of the table before those of the witnesses.",
}
"""Topics with text in place of JSON -> what it is."""

ROUNDS: Final = (wire.ClosedRound, wire.CorrectedRound, wire.VoidedRound)

AMOUNTS: Final[dict[events_of_rounds.Unit, str]] = {"stake": "number", "money": "string"}
"""Unit of a game's amounts -> their type in JSON. Money is an exact decimal text."""

HOUSE_ONLY: Final = ("secret", "serial", "device", "result")
"""Fields of events that are journaled sealed and never published."""


def schema() -> Schema:
    """Return JSON Schema 2020-12: `$defs` has each topic, `event.<type>`, `round.<game>.<status>`; others may come."""
    events = {each.__name__: _published(each) for each in get_args(AnyEvent)}
    states = STATES | {topic.name: topic.body for game in GAMES.values() for topic in game.topics}
    games = [part for game in GAMES.values() for part in (game.hand, game.own, game.terms)]
    heads = [wire.EventMessage, wire.StateHead, wire.Stored, wire.SignedMessage]
    types = [*heads, *ROUNDS, *states.values(), *games, *events.values(), *orders.ORDERS]
    built, parts = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    of: dict[Any, Schema] = {each: _own(parts, ref) for each, ref in zip(types, built, strict=True)}
    definitions = {topic: _both(of[wire.StateHead], of[body]) for topic, body in states.items()}
    definitions |= {f"event.{name}": _with(of[wire.EventMessage], event=of[each]) for name, each in events.items()}
    for game in GAMES.values():
        definitions |= {f"round.{game.name}.{each.status}": _round(of, each, game) for each in ROUNDS}
    definitions |= {f"command.{orders.tag_of(each)}": _with(of[each], id=_ID) for each in orders.ORDERS}
    definitions |= {"stored": of[wire.Stored], "signed": of[wire.SignedMessage]}
    definitions |= {topic: {"type": "string", "description": says} for topic, says in TEXTS.items()}
    definitions = {name: each | {"title": _title(name)} for name, each in definitions.items()}
    definitions |= {name: _one_of(definitions, name) for name in ("event", "round", "command")}
    definitions |= {_hand(game): of[game.hand] | {"title": _hand(game)} for game in GAMES.values()}
    definitions |= _referenced(parts, definitions)
    defs = {name: _exact(each, _amount(name)) for name, each in definitions.items()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs}


def _title(message: str) -> str:
    """Return the name of a message's type, and of no part: `round.baccarat.closed` is `RoundBaccaratClosedMessage`."""
    words = message.replace(".", "_").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words) + "Message"


def _hand(game: Game) -> str:
    return f"{game.name.capitalize()}Hand"


_ID: Final = {"type": "string", "minLength": 1, "maxLength": 64, "pattern": PATTERN}


def _published(event: type[Struct]) -> type[Struct]:
    """Return the type of an event as published."""
    hints = get_type_hints(event, include_extras=True)
    public = [_field(each, hints) for each in fields(event) if each.name not in HOUSE_ONLY]
    return msgspec.defstruct(f"{event.__name__}Event", public, tag=event.__name__, kw_only=True)


def _field(each: FieldInfo, hints: dict[str, Any]) -> Any:
    name = (each.encode_name, hints[each.name])
    if each.default is not NODEFAULT:
        return *name, each.default
    return name if each.default_factory is NODEFAULT else (*name, msgspec.field(default_factory=each.default_factory))


def _own(parts: dict[str, Schema], built: Schema) -> Schema:
    """Return the definition behind a reference."""
    return parts[built["$ref"].removeprefix("#/$defs/")]


def _with(described: Schema, **more: Schema) -> Schema:
    """Return the object with some properties replaced."""
    return described | {"properties": described["properties"] | more}


def _both(head: Schema, body: Schema) -> Schema:
    """Return an object with the keys of both."""
    joined = _with(head, **body["properties"])
    return joined | {"required": [*head.get("required", ()), *body.get("required", ())]}


def _round(of: dict[Any, Schema], message: type[Struct], game: Game) -> Schema:
    """Return a round with its game's own fields."""
    named = _with(of[message], game={"const": game.name}, unit={"const": game.money.unit})
    if message is wire.VoidedRound:
        return named
    hands = {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{_hand(game)}"}}
    return _with(_both(named, of[game.own]), hands=hands)


def _one_of(definitions: dict[str, Schema], name: str) -> Schema:
    return {"anyOf": [{"$ref": f"#/$defs/{each}"} for each in definitions if each.startswith(f"{name}.")]}


def _referenced(parts: dict[str, Schema], definitions: Any) -> dict[str, Schema]:
    """Return the parts that `definitions` refer to, directly or through other parts."""
    found: dict[str, Schema] = {}
    text = msgspec.json.encode(definitions).decode()
    while more := {name: parts[name] for name in parts if name not in found and f'"#/$defs/{name}"' in text}:
        found |= more
        text += msgspec.json.encode(more).decode()
    return found


_NET: Final = [{"type": "integer"}, {"type": "number"}, {"type": "string"}]
"""`events.Net`, of an event that any game may send."""


def _amount(definition: str) -> str | list[str]:
    """Return the type of its amounts: one in a round of a game, two in an event, which any game may send."""
    topic, _, rest = definition.partition(".")
    return AMOUNTS[GAMES[rest.partition(".")[0]].money.unit] if topic == "round" and rest else [*AMOUNTS.values()]


def _exact(value: Any, amount: str | list[str]) -> Any:
    """Return the schema with amounts of this type, descriptions without indentation, and one value as a constant."""
    if isinstance(value, dict):
        if value.get("anyOf") == _NET:
            return {"format": "decimal", "type": amount}
        if len(value.get("enum", ())) == 1:
            value = {name: each for name, each in value.items() if name != "enum"} | {"const": value["enum"][0]}
        exact = {name: _exact(each, amount) for name, each in value.items()}
        if isinstance(text := exact.get("description"), str):
            exact["description"] = inspect.cleandoc(text)
        return exact | {"type": amount} if exact.get("format") == "decimal" else exact
    return [_exact(each, amount) for each in value] if isinstance(value, list) else value
