"""Every input that the daemon makes has random bytes of its own: the hash of a sealed part tells nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import firmware_bridge
from firmware_bridge.daemon.table.clock import now
from firmware_bridge.facts import inputs
from tests.kit.sources import tree

ROOT = Path(firmware_bridge.__file__).parent
FLEET = Path(__file__).parents[2] / "tools" / "fleet"
DAEMON = [path for room in (ROOT / "daemon", ROOT / "mqtt", FLEET) for path in room.rglob("*.py")]
OFFLINE = {"demo/round_player.py", "demo/memory_table.py", "demo/script.py"}
"""Where else inputs are made: of scripts and given rounds."""
INPUTS = {each.__name__ for each in get_args(inputs.AnyInput)}
CALL = re.compile(rf"\b({'|'.join(INPUTS)})\(")


def made(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The calls in a file that make an input, each with its name."""
    for node in ast.walk(tree(path)) if CALL.search(path.read_text()) else ():
        if isinstance(node, ast.Call):
            room, _, name = ast.unparse(node.func).rpartition(".")
            if name in INPUTS and room in ("", "inputs"):
                yield name, node


def is_salted(call: ast.Call) -> bool:
    """Whether it has `salt=nonce()` or `**now()`."""
    given = [(each.arg, ast.unparse(each.value)) for each in call.keywords]
    return ("salt", "nonce()") in given or (None, "now()") in given


def test_the_daemon_salts_each_input_where_it_is_made() -> None:
    calls = [(path, *each) for path in DAEMON for each in made(path)]
    assert {name for _, name, _ in calls} == INPUTS
    assert [f"{path}:{call.lineno}" for path, _, call in calls if not is_salted(call)] == []


def test_inputs_are_made_in_rooms_of_the_daemon_or_offline() -> None:
    others = [path for path in ROOT.rglob("*.py") if path not in DAEMON and any(made(path))]
    assert {str(path.relative_to(ROOT)) for path in others} <= OFFLINE


def test_each_stamp_is_16_other_bytes() -> None:
    salts = [now()["salt"] for _ in range(1_000)]
    assert len(set(salts)) == len(salts)
    assert {len(bytes.fromhex(salt)) for salt in salts} == {16}
