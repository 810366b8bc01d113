"""The schema of the messages: a change of the wire is a change of docs/asyncapi.json, and seen in review."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from jsonschema import Draft202012Validator

from firmware_bridge.cli import main
from firmware_bridge.cli.schema import HOUSE_ONLY, schema
from scripts.tools.messages.document import in_draft_7
from tests.kit import wire
from tests.kit.nightly import some
from tests.kit.table import Table

Json = dict[str, Any]

ASYNCAPI: Final = Path(__file__).parents[2] / "docs/asyncapi.json"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

UNSIGNED: Final = {"key": None, "origin": None, "signed": False, "size": 0, "witnessed": 0}
BESIDE: Final[dict[tuple[str, str], Json]] = {
    ("command.open_shoe", "pack"): {"default": {}},
    ("status", "record"): {"default": UNSIGNED},
}
"""(message, key) -> what stands beside a reference. AsyncAPI has nothing there."""


def test_the_wire_is_as_it_was(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """To renew it: `scripts/docs --write`."""
    assert main(["schema"]) == 0
    printed = capfdbinary.readouterr().out
    document = json.loads(printed)
    assert printed == msgspec.json.format(msgspec.json.encode(document, order="sorted")) + b"\n"
    described = json.loads(ASYNCAPI.read_bytes())["components"]
    assert document["$schema"] == DIALECT
    assert set(document) == {"$schema", "$defs"}
    for name in ("event", "round", "command"):
        of = [each["$ref"] for each in document["$defs"].pop(name)["anyOf"]]
        assert sorted(of) == sorted(f"#/$defs/{each}" for each in described["messages"] if each.startswith(f"{name}."))
    assert dict(beside_references(document["$defs"])) == BESIDE
    assert {name: in_draft_7(each) for name, each in document["$defs"].items()} == described["schemas"]


def beside_references(definitions: Json) -> Iterator[tuple[tuple[str, str], Json]]:
    """What stands beside the reference of a key, wherever there is something."""
    for name, definition in definitions.items():
        for key, described in definition.get("properties", {}).items():
            if "$ref" in described and len(described) > 1:
                yield (name, key), {what: each for what, each in described.items() if what != "$ref"}


def test_it_is_a_schema() -> None:
    document = schema()
    Draft202012Validator.check_schema(document | {"$defs": dict(some(document["$defs"].items(), 4))})


def test_nothing_sealed_is_in_it() -> None:
    for name, definition in schema()["$defs"].items():
        if name.startswith("event."):
            assert not set(HOUSE_ONLY) & set(definition["properties"]["event"]["properties"]), name


ROUND: dict[str, Any] = Table(burn="none").play("shoe 9s Kd Th Kc").rounds[0]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"shoe": "1"}, "not of type 'integer'"),
        ({"outcome": None}, "not of type 'string'"),
        ({"stakes": {"tie": [1]}}, "too short"),
        ({"unit": "money"}, "'stake' was expected"),
        ({"secret": {}}, "were unexpected|was unexpected"),
        ({"status": "voided"}, "unexpected|required"),
    ],
)
def test_what_is_no_round_is_found(change: dict[str, Any], why: str) -> None:
    assert wire.fault("shoe/T07/round", ROUND) is None
    found = wire.fault("shoe/T07/round", ROUND | change)
    assert found
    assert any(each in found for each in why.split("|")), found


def test_a_key_that_is_there_twice_is_found() -> None:
    with pytest.raises(ValueError, match="a key is there twice"):
        json.loads(b'{"journal":"1-a","journal":"2-b"}', object_pairs_hook=wire.once)


def test_a_kind_that_nobody_sent_is_named(tmp_path: Path) -> None:
    for name in wire.kinds() - {"event.Flown"}:
        (tmp_path / name).touch()
    assert list(wire.missing(tmp_path)) == ["no test sends event.Flown: write one, or take it out of the types"]
