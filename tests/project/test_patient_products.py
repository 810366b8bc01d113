"""A product under test waits as long as a busy machine takes; at a table, and where a test asks for it, as ever."""

import json
import os
from importlib import import_module

import pytest

from tests.kit.patient_products import PATIENT, own
from tests.kit.process import ran

ROWS = [(module, name, seconds) for module, names in PATIENT.items() for name, seconds in names.items()]
LONG = [seconds for _, _, seconds in ROWS]
AS_AT_A_TABLE = [0.25, 1.0, 3.0, 5.0, 1.0, 10.0, 3.5, 3.5, 0.5, 10.0, 3.0, 6.0, 5.0, 1.0, 20.0, 30.0, 60.0, 30.0, 60.0]
"""What the product itself says, in the order of `PATIENT`."""

SAYS = """
import json, sys
from importlib import import_module
print(json.dumps([vars(import_module(module))[name] for module, name, _ in json.loads(sys.argv[1])]))
"""
ALL = own(*(module.rpartition(".")[2] for module in PATIENT))


def says(count: int, execute: bool, **more: str) -> list[float]:
    """How long a program waits by the first rows."""
    done = ran("-c", SAYS, json.dumps(ROWS[:count]), execute=execute, env=os.environ | more)
    found: list[float] = json.loads(done.stdout or "[]")
    assert found, done.stderr
    return found


def test_it_waits_so_long() -> None:
    assert says(2, execute=False) == LONG[:2]
    assert says(len(ROWS), execute=False, **ALL) == AS_AT_A_TABLE
    assert says(2, execute=False, **own("opening")) == [LONG[0], AS_AT_A_TABLE[1]]


@pytest.mark.parametrize(("more", "waits"), [({}, LONG), (ALL, AS_AT_A_TABLE)], ids=["patient", "own"])
def test_an_executed_one_does_too(more: dict[str, str], waits: list[float]) -> None:
    assert says(1, execute=True, **more) == waits[:1]


def test_the_tests_own_process_does_too() -> None:
    waits = [vars(import_module(module))[name] for module, name, _ in ROWS]  # tests/journal/restarted.py waits longer
    assert all(waits[row] >= seconds for row, seconds in enumerate(LONG)), waits
