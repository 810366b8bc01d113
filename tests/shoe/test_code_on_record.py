"""Which code ran is on record, and when it changed."""

from typing import Any

from msgspec.structs import replace

from firmware_bridge.facts import inputs
from firmware_bridge.facts.events import BridgeStarted, SoftwareChanged
from tests.kit.table import Table

CODE = inputs.Code("ab", "cd", "CPython 3.11.2", "ef")


def started(table: Any, code: inputs.Code, by: str = "") -> list[Any]:
    house = table.shoe.device.next_house
    fact = inputs.Started(at=0, version="1", house=house, nonce="0" * 32, code=code, installed_by=by)
    before = len(table.events)
    table.play(fact)
    return [each for each in table.events[before:] if isinstance(each, BridgeStarted | SoftwareChanged)]


def test_the_start_names_the_code_and_another_one_who_installed_it() -> None:
    table = Table(burn="none")
    (first,) = started(table, CODE)
    assert first.code == CODE
    (again,) = started(table, replace(CODE, config="00"))
    assert again.code.config == "00"
    newer = replace(CODE, software="ff")
    _, changed = started(table, newer, by="tech")
    assert changed == SoftwareChanged(old=replace(CODE, config="00"), new=newer, by="tech")
