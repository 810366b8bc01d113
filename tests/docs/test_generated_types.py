"""Types that generators for TypeScript and Python make of docs/asyncapi.json: one a message; wrong sums are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.games import GAMES
from tests.docs.pages import DOCS, ROOT
from tests.kit.patience import run

ASYNCAPI: Final = DOCS / "asyncapi.json"
PACKAGES: Final = ROOT / ".asyncapi"
NODE: Final = PACKAGES / "node_modules/.bin"
PYTHON: Final = PACKAGES / "python/bin"
DOCUMENT: Final = json.loads(ASYNCAPI.read_bytes())["components"]
TITLES: Final = {name: DOCUMENT["schemas"][name]["title"] for name in DOCUMENT["messages"]}
IN_MONEY: Final = [name.capitalize() for name, game in GAMES.items() if game.money.unit == "money"]

installed = pytest.mark.skipif(
    not (PYTHON / "datamodel-codegen").exists() or not (NODE / "tsc").exists(),
    reason="the generators are not installed: scripts/asyncapi does it",
)


def is_numbered(name: str) -> bool:
    """Whether a generator had to tell it from another type of its name."""
    return bool(re.search(r"Message_?\d+$", name))


def test_each_schema_has_a_title_of_its_own() -> None:
    titles = [each["title"] for each in DOCUMENT["schemas"].values() if "title" in each]
    assert len(set(map(str.lower, titles))) == len(titles)
    assert len({title.lower() for title in TITLES.values()}) == len(DOCUMENT["messages"])
    inner = [event["title"] for event in (each["properties"]["event"] for each in events())]
    assert not set(inner) & set(titles)


def events() -> list[dict[str, Any]]:
    """The schemas of the topic `event`."""
    return [each for name, each in DOCUMENT["schemas"].items() if name.startswith("event.")]


@pytest.fixture
def types(tmp_path: Path) -> str:
    """The types for TypeScript, which are in types.ts there too."""
    definitions = json.loads(json.dumps(DOCUMENT["schemas"]).replace("#/components/schemas/", "#/definitions/"))
    union = {"definitions": definitions, "anyOf": [{"$ref": f"#/definitions/{name}"} for name in TITLES]}
    (tmp_path / "all.json").write_text(json.dumps(union))
    run([NODE / "json2ts", "--no-format", "-i", tmp_path / "all.json", "-o", tmp_path / "types.ts"], check=True)
    return (tmp_path / "types.ts").read_text("utf-8")


def refused(folder: Path, program: str) -> list[int]:
    """The lines of a program that tsc refuses; it begins with the import of the types that it names."""
    named = ", ".join(sorted(set(re.findall(r"\b\w+Message\b", program))))
    (folder / "program.ts").write_text(f'import type {{ {named} }} from "./types";{program}')
    done = run([NODE / "tsc", "--noEmit", "--strict", "--target", "es2022", "--ignoreConfig", folder / "program.ts"])
    return [int(line) for line in re.findall(r"program\.ts\((\d+),\d+\): error", done.stdout)]


@installed
def test_typescript_has_one_type_a_message_and_refuses_wrong_sums(types: str, tmp_path: Path) -> None:
    names = re.findall(r"^export (?:interface|type) (\w+)", types, re.M)
    assert sorted(name for name in names if name in TITLES.values()) == sorted(TITLES.values())
    assert [name for name in names if name[-1].isdigit()] == []
    closed = [f"Round{game}ClosedMessage" for game in IN_MONEY]
    voided = [f"Round{game}VoidedMessage" for game in IN_MONEY]
    wrong = [f"((r: {name}): number => r.stakes.S1[0] + r.stakes.S1[1]);" for name in (*closed, *voided)]
    wrong += [f"((r: {name}): number => 1 + r.bets.S1);" for name in closed]
    wrong += [f"((r: {name}): number => r.bets.S1 * 2);" for name in closed]
    wrong += ["((r: EventRoundClosedMessage) => r.event.bets.S1 + r.event.bets.S2);"]
    assert refused(tmp_path, "\n".join(["", *wrong])) == list(range(2, len(wrong) + 2))
    right = [f"((r: {name}): bigint => BigInt(r.stakes.S1[0]) + BigInt(r.stakes.S1[1]));" for name in closed]
    right += ["((r: RoundBaccaratClosedMessage): number => 1 + r.bets.banker);"]
    assert refused(tmp_path, "\n".join(["", *right])) == []


@installed
def test_python_has_one_type_a_message_that_takes_the_examples(tmp_path: Path) -> None:
    words = ["--input-file-type", "asyncapi", "--use-title-as-name", "--output-model-type", "pydantic_v2.BaseModel"]
    run(
        [PYTHON / "datamodel-codegen", "--input", ASYNCAPI, *words, "--output", tmp_path / "types_of_messages.py"],
        check=True,
    )
    names = re.findall(r"^class (\w+)", (tmp_path / "types_of_messages.py").read_text("utf-8"), re.M)
    assert sorted(name for name in names if name in TITLES.values()) == sorted(TITLES.values())
    assert [name for name in names if is_numbered(name)] == []
    examples = [
        [TITLES[name], each["payload"]]
        for name, message in DOCUMENT["messages"].items()
        for each in message["examples"]
    ]
    program = (
        "import json, sys, types_of_messages as types\n"
        "for title, payload in json.load(sys.stdin):\n"
        "    getattr(types, title).model_validate(payload)\n"
    )
    run([PYTHON / "python", "-c", program], text=json.dumps(examples), cwd=tmp_path, check=True)
