from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.broker import free_port
from tests.kit.daemon_table import DaemonTable


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., DaemonTable]]:
    made: list[DaemonTable] = []

    def make(**sections: Any) -> DaemonTable:
        made.append(DaemonTable(tmp_path, free_port(), **sections))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize(
    ("sections", "remedy"),
    [
        ({"pins": {"factory": "lgpio", "cut_card": 27}}, "shoe: [pins] factory lgpio"),
        (
            {"reader": {"protocol": "line", "line_end": ""}},
            "reader.line_end is empty: set the characters that end a line",
        ),
        ({"reader": {"protocol": "line", "pattern": "("}}, '[reader] pattern = "(" is not a regular expression'),
    ],
)
def test_hardware_that_cannot_be_had_is_a_mistake_of_the_config(table: Any, sections: Any, remedy: str) -> None:
    bridge = table(**sections).start()
    assert bridge.fallen() == 78
    assert remedy in bridge.log
    assert "Traceback" not in bridge.log


HELD = """
import sys
from gpiozero import InputDevice
from firmware_bridge import cli
from firmware_bridge.daemon import bridge
from hardware.pins.pin import pin_factory

factory = pin_factory("mock")
held = InputDevice(%d, pin_factory=factory)
bridge.pin_factory = lambda name: factory
sys.exit(cli.main())
"""


@pytest.mark.parametrize("number", [27, 5], ids=["a sensor", "a lamp"])
def test_a_pin_in_use_is_no_mistake_of_the_config_and_leaves_no_trace(table: Any, number: int) -> None:
    bridge = table(pins={"factory": "mock", "cut_card": 27}, lamps={"P1": 5})
    bridge.code = ("-c", HELD % number)
    assert bridge.start().fallen() == 1
    assert bridge.log.startswith(f"shoe: GPIO {number} cannot be used (pin GPIO{number} is already in use")
    assert bridge.log.endswith("stop the program that uses it, such as another `shoe calibrate`\n")
    assert bridge.lines() == []
