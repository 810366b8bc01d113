"""The AsyncAPI document before the parser that other people's tools use; `scripts/asyncapi` installs it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scripts.tools.messages.document import document
from tests.kit.patience import run

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / ".asyncapi"
PROGRAM = ROOT / "scripts/tools/messages/asyncapi.mjs"

pytestmark = [
    pytest.mark.skipif(not shutil.which("node"), reason="there is no node here"),
    pytest.mark.skipif(
        not (PACKAGES / "node_modules/@asyncapi/parser").is_dir(),
        reason="@asyncapi/parser is not installed: scripts/asyncapi does it",
    ),
]


def parsed(spec: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    words = ["node", str(PROGRAM), str(PACKAGES)]
    return run(words, text=msgspec.json.encode(spec).decode())


def test_the_parser_finds_no_error_and_no_warning() -> None:
    spec = document()
    done = parsed(spec)
    assert (done.returncode, done.stderr) == (0, "")
    *findings, count = done.stdout.splitlines()
    assert count == f"{len(spec['components']['messages'])} messages, 0 errors"
    assert [line for line in findings if "asyncapi-latest-version" not in line] == []


def misspell(spec: dict[str, Any]) -> None:
    spec["operations"]["send.round"]["action"] = "sned"


def misroute(spec: dict[str, Any]) -> None:
    spec["operations"]["send.round"]["channel"] = {"$ref": "#/channels/rounds"}


def overdo(spec: dict[str, Any]) -> None:
    spec["operations"]["send.round"]["bindings"]["mqtt"]["qos"] = 7


@pytest.mark.parametrize(("damage", "where"), [(misspell, "action"), (misroute, "channel"), (overdo, "qos")])
def test_the_parser_finds_what_is_wrong(damage: Callable[[dict[str, Any]], None], where: str) -> None:
    spec = deepcopy(document())
    damage(spec)
    done = parsed(spec)
    assert done.returncode == 1
    assert f"error: operations/send.round/{where}" in done.stdout.replace("bindings/mqtt/", "")
