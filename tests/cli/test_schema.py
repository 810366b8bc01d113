"""The schema of the messages: a change of the wire is a change of this file, and seen in review."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from firmware_bridge.cli import main
from firmware_bridge.cli.schema import HOUSE_ONLY, schema
from tests.kit import wire
from tests.kit.table import Table

GOLDEN = Path(__file__).with_name("schema.json")


def test_the_wire_is_as_it_was(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """To renew it: `shoe schema > tests/cli/schema.json`."""
    assert main(["schema"]) == 0
    assert capfdbinary.readouterr().out == GOLDEN.read_bytes()


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


def test_nothing_sealed_is_in_it() -> None:
    for name, told in schema()["$defs"].items():
        if name.startswith("event."):
            assert not set(HOUSE_ONLY) & set(told["properties"]["event"]["properties"]), name


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
