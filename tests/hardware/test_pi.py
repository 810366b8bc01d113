"""What a Pi says of itself, on a fake tree."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hardware import pi
from tests.kit.rows import each_row

FILES = {
    "proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0",
    "sys/class/thermal/thermal_zone0/temp": "48312\n",
    "proc/sys/kernel/osrelease": "6.12.25+rpt-rpi-2712\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Callable[..., Any]:
    def write(**more: str) -> Path:
        for name, text in (FILES | more).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path

    return write


def test_it_says_what_it_is(root: Callable[..., Any]) -> None:
    assert pi.model(root()) == "Raspberry Pi 5 Model B Rev 1.0"
    assert pi.kernel(root()) == (6, 12)
    assert pi.temperature(root()) == 48.312


@pytest.mark.parametrize(
    ("flags", "low"), [("0x0", False), ("0x50005", True), ("0x10000", True), ("0x40000", False), ("junk", None)]
)
def test_under_voltage_by_the_firmware(root: Callable[..., Any], flags: str, low: bool | None) -> None:
    assert pi.under_voltage(root(**{pi.THROTTLED: flags + "\n"})) is low


@pytest.mark.parametrize(
    ("name", "alarm", "low"), [("rpi_volt", "1", True), ("rpi_volt", "0", False), ("other", "1", None)]
)
def test_under_voltage_by_the_kernel(root: Callable[..., Any], name: str, alarm: str, low: bool | None) -> None:
    tree = root(**{"sys/class/hwmon/hwmon2/name": name, "sys/class/hwmon/hwmon2/in0_lcrit_alarm": alarm})
    assert pi.under_voltage(tree) is low


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    for ask in (pi.model, pi.kernel, pi.temperature, pi.throttled, pi.under_voltage):
        assert ask(tmp_path) is None


@each_row(
    ("release", "version"),
    [("6.12.25+rpt-rpi-2712", (6, 12)), ("6.1", (6, 1)), ("7", None), ("next", None), ("", None)],
)
def test_a_kernel_has_two_numbers_or_is_unknown(
    root: Callable[..., Any], release: str, version: tuple[int, int] | None
) -> None:
    assert pi.kernel(root(**{"proc/sys/kernel/osrelease": release})) == version
