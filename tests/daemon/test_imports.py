"""A daemon imports what the committed list names: no module comes in, with its memory and its start, unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.daemon.imported import LIST, PYTHON, WRITE, differences, imports, parted

COMMITTED = json.loads(LIST.read_text())


def test_a_daemon_imports_what_is_listed(tmp_path: Path) -> None:
    if PYTHON not in COMMITTED["standard library"]:
        pytest.skip(f"no list for Python {PYTHON}; on a tree as committed, run: {WRITE}")
    found = [*differences(imports(tmp_path), COMMITTED)]
    assert not found, "\n".join([*found, f"if that is meant: {WRITE}, with each Python that has a list"])


def test_what_is_more_or_less_than_the_list_is_named() -> None:
    found = parted(["asyncio", "asyncio.events", "_heapq", "paho", "firmware_bridge.x", "_sysconfigdata__linux"])
    assert found == {"modules": ["firmware_bridge.x", "paho"], "standard library": ["asyncio"]}
    known = {"modules": ["firmware_bridge.x", "nacl"], "standard library": {PYTHON: ["asyncio", "ssl"]}}
    assert [*differences(found, known)] == [
        "paho is imported now: is it needed by a daemon?",
        "nacl is imported no longer",
        "ssl is imported no longer",
    ]


def test_every_python_of_the_cards_has_a_list() -> None:
    assert {"3.11", "3.13"} <= COMMITTED["standard library"].keys()
