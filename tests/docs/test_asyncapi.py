"""The AsyncAPI document: its examples are messages, and everything a table says is in it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from firmware_bridge.cli import main
from firmware_bridge.cli.schema import HOUSE_ONLY, STATES, TEXTS, schema
from firmware_bridge.daemon.table.command import parse
from firmware_bridge.daemon.table.order_service import order_of
from firmware_bridge.facts import wire
from firmware_bridge.facts.book.refusals import REFUSALS
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.orders import ALL, ORDERS, BetsClosed, CloseShoe, Malformed, OpenShoe, Order, tag_of
from firmware_bridge.games import GAMES
from firmware_bridge.record.verify import parse_note, verified_checkpoint
from firmware_bridge.shoe import Phase
from firmware_bridge.topics.texts import known
from scripts.tools.messages.document import document
from scripts.tools.messages.examples import examples
from scripts.tools.messages.played import KEY, played
from scripts.tools.messages.scenes import Scene
from scripts.tools.messages.topics import ERRORS, PHASES, topics
from tests.kit.rows import each_row

PAGE = Path(__file__).parents[2] / "docs/messages.md"
BODIES = STATES | {topic.name: topic.body for game in GAMES.values() for topic in game.topics}


def named() -> list[tuple[str, str]]:
    """The kind and the name of every example."""
    return [(kind, name) for kind, of in examples().items() for name in of]


@cache
def definitions() -> dict[str, Any]:
    return schema()["$defs"]


@cache
def spec() -> dict[str, Any]:
    return document()


def test_every_kind_of_message_has_an_example() -> None:
    kinds = {name for name in definitions() if "." in name or name in BODIES} | {*TEXTS, "stored"}
    assert set(examples()) == kinds
    assert set(spec()["components"]["messages"]) == kinds
    assert all(each["examples"] for each in spec()["components"]["messages"].values())


@each_row(("kind", "name"), named)
def test_an_example_is_as_both_schemas_say(kind: str, name: str) -> None:
    example = examples()[kind][name]
    Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": definitions()}).validate(example)
    parts = spec()["components"]["schemas"]
    whole = {"$ref": f"#/components/schemas/{kind}", "components": {"schemas": parts}}
    Draft7Validator(whole).validate(example)


@each_row(("kind", "name"), named)
def test_an_example_is_decoded_by_its_struct(kind: str, name: str) -> None:
    example = examples()[kind][name]
    topic, _, rest = kind.partition(".")
    if topic == "event":
        assert decoded(example, wire.EventMessage).event["type"] == rest
        decoded(example["event"], AnyEvent)
    elif topic == "round":
        game, status = rest.split(".")
        message = decoded(example, wire.RoundMessage)
        assert (message.game, tag(type(message))) == (game, status)
        if not isinstance(message, wire.VoidedRound):
            decoded(example, GAMES[game].own)
            decoded(example["hands"], dict[str, GAMES[game].hand])  # type: ignore[misc]  # the game's own type
    elif topic == "command":
        assert tag_of(decoded({key: each for key, each in example.items() if key != "id"}, Order)) == rest
    elif topic == "stored":
        assert decoded(example, wire.Stored).by
    elif topic in TEXTS:
        assert verified_checkpoint(parse_note(example), [KEY.key]).origin == KEY.key.name
    else:
        decoded(example, wire.StateHead)
        decoded(example, BODIES[kind])


def decoded(example: Any, into: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(example), type=into)


def tag(message: type[msgspec.Struct]) -> str:
    return str(message.__struct_config__.tag)


def test_the_examples_are_the_same_every_time() -> None:
    before = msgspec.json.encode(examples())
    examples.cache_clear()
    assert msgspec.json.encode(examples()) == before


def test_nothing_sealed_is_in_the_examples() -> None:
    for name, of in examples().items():
        if name.startswith("event."):
            assert not any(set(HOUSE_ONLY) & set(each["event"]) for each in of.values()), name


def test_every_topic_is_there() -> None:
    names = [topic.name for topic in topics()]
    assert len(set(names)) == len(names)
    assert {name.split(".")[0] for name in definitions() if "." in name or name in (*BODIES, *TEXTS, "stored")} == set(
        names
    )


def test_every_phase_has_a_meaning() -> None:
    assert list(PHASES) == [phase.value for phase in Phase]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_these_phases(game: str) -> None:
    card = next(iter(GAMES[game].pack)).value
    scene = Scene(game, {"burn": 1, "betting": "required"}, (OpenShoe(), card, BetsClosed(), CloseShoe("the end")))
    phases = [moment.phase for moment in played(scene)]
    assert phases[:3] == ["empty", "burning", "betting"]
    assert phases[-1] == "ended"


def test_every_event_and_order_is_in_it() -> None:
    messages = spec()["components"]["messages"]
    assert {f"event.{event.__name__}" for event in get_args(AnyEvent)} <= set(messages)
    assert {f"command.{tag_of(order)}" for order in ORDERS} <= set(messages)


def test_the_command_writes_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["schema", "--asyncapi"]) == 0
    assert capfdbinary.readouterr().out == msgspec.json.format(msgspec.json.encode(spec(), order="sorted")) + b"\n"


def test_the_page_is_what_the_types_say(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """To renew it and docs/asyncapi.json: `python -m scripts.tools.messages`."""
    assert main(["schema", "--reference"]) == 0
    assert capfdbinary.readouterr().out == PAGE.read_bytes()


def test_every_refusal_in_one_word_has_a_meaning() -> None:
    texts = {code: str(known("en", f"refusal.{code}")) for code in REFUSALS}
    assert set(ERRORS) == {code for code, text in texts.items() if " " not in text and "{" not in text}


def test_an_order_shown_is_taken_from_the_wire() -> None:
    for kind, of in examples().items():
        for example in of.values():
            if kind.startswith("command."):
                assert not isinstance(order_of(parse(msgspec.json.encode(example)), ALL), Malformed), kind
