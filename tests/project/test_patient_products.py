"""A product under test waits as long as a busy machine takes; at a table, and where a test asks for it, as ever."""

import json
import os
from importlib import import_module

import pytest

from tests.kit.patient_products import OWN, PATIENT
from tests.kit.process import ran

SAYS = f"""
import json
from importlib import import_module
names = {[(module, name) for module, names in PATIENT.items() for name in names]}
print(json.dumps([vars(import_module(module))[name] for module, name in names]))
"""

AS_AT_A_TABLE = [0.25, 1.0, 3.5, 3.5, 0.5, 10.0, 3.0, 6.0, 5.0, 1.0, 20.0, 30.0, 60.0, 30.0]
"""What the product itself says, in the order of `PATIENT`."""

LONG = [seconds for names in PATIENT.values() for seconds in names.values()]


@pytest.mark.parametrize("execute", [False, True], ids=["forked", "executed"])
@pytest.mark.parametrize(("more", "waits"), [({}, LONG), ({OWN: "yes"}, AS_AT_A_TABLE)], ids=["patient", "own"])
def test_it_waits_so_long(execute: bool, more: dict[str, str], waits: list[float]) -> None:
    done = ran("-c", SAYS, execute=execute, env=os.environ | more)
    assert json.loads(done.stdout or "[]") == waits, done.stderr


def test_the_tests_own_process_waits_so_long() -> None:
    assert [vars(import_module(module))[name] for module, names in PATIENT.items() for name in names] == LONG
