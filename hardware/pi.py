"""Model, temperature, supply and 40-pin header of a Raspberry Pi."""

import re
from pathlib import Path
from typing import Final

ZONE: Final = "sys/class/thermal/thermal_zone0/temp"
THROTTLED: Final = "sys/devices/platform/soc/soc:firmware/get_throttled"

ALARM: Final = "sys/class/hwmon/hwmon*/in0_lcrit_alarm"
"""The firmware's under-voltage alarm since the kernel's last poll (driver raspberrypi-hwmon)."""

MODEL: Final = 0xC03111
"""Revision code of a Pi 4B; the header is the same from the 1B+ to the 5."""


def model(root: Path = Path("/")) -> str | None:
    """Return the name of the board, None if unknown."""
    text = _text(root / "proc/device-tree/model")
    return text.rstrip("\0") if text else None


def temperature(root: Path = Path("/")) -> float | None:
    """Return the processor's temperature in degrees Celsius, None if it is not measured."""
    millis = _number(root / ZONE, 10)
    return None if millis is None else millis / 1000


def throttled(root: Path = Path("/")) -> int | None:
    """Return the firmware's flags: bits 0 under-voltage, 1 capped, 2 throttled, 3 too hot; 16..19: since boot."""
    return _number(root / THROTTLED, 16)


def under_voltage(root: Path = Path("/")) -> bool | None:
    """Return whether the supply is, or was since boot, below 4.63 V; None if it is not measured."""
    flags = throttled(root)
    if flags is not None:
        return bool(flags & (1 | 1 << 16))
    found = [_text(path) for path in sorted(root.glob(ALARM)) if _text(path.with_name("name")) == "rpi_volt"]
    return found[0] == "1" if found else None


def kernel(root: Path = Path("/")) -> tuple[int, int] | None:
    """Return major and minor version of the running kernel, None if unknown."""
    numbers = re.findall(r"\d+", _text(root / "proc/sys/kernel/osrelease") or "")
    return (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 else None


def header_pins() -> list[tuple[int, str]]:
    """Return each pin's number 1..40 and name (`GPIO17`, `3V3`, `GND`), in order."""
    from gpiozero.pins.pi import PiBoardInfo  # here: only one command needs it

    board = PiBoardInfo.from_revision(MODEL)
    return [(number, pin.name) for number, pin in sorted(board.headers["J8"].pins.items())]


def _number(path: Path, base: int) -> int | None:
    try:
        return int(_text(path) or "", base)
    except ValueError:
        return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return None
