"""Checks of the Raspberry Pi itself: its supply and its heat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firmware_bridge.cli.check.finding import Finding, Machine
from hardware import pi as board

HOT_C: Final = 70.0
"""Degrees Celsius; it slows down at 80."""

TOO_HOT_C: Final = 80.0
NOW: Final = 1
SINCE_BOOT: Final = 1 << 16
SLOWED: Final = 1 << 1 | 1 << 2 | 1 << 3
"""Bits of the firmware's flags for capped, throttled and too hot, now."""

SUPPLY: Final = "use the Pi's own power supply and a short cable; feed reader and lamps from a supply of their own"


def pi(machine: Machine) -> Iterator[Finding]:
    """Whether the supply is strong enough and the processor cool; nothing on other machines."""
    if board.model(machine.root) is None and not machine.said("vcgencmd", "version"):
        return
    flags = _flags(machine)
    if flags is not None and flags & NOW:
        yield Finding("FAIL", "pi", "under-voltage now: it may stop or spoil its card at any moment", SUPPLY)
    elif (flags is not None and flags & SINCE_BOOT) or board.under_voltage(machine.root):
        yield Finding("WARN", "pi", "under-voltage since the boot", SUPPLY)
    elif flags is None and board.under_voltage(machine.root) is None:
        what = "nothing here says whether the supply is strong enough"
        yield Finding("WARN", "pi", what, "see: vcgencmd get_throttled")
    else:
        yield Finding("OK", "pi", "the supply is strong enough")
    yield from _heat(board.temperature(machine.root), flags or 0)


def _heat(celsius: float | None, flags: int) -> Iterator[Finding]:
    shown = f"{celsius:.0f} °C" if celsius is not None else "heat unknown"
    remedy = "give it air: open the casing, or fit a heat sink or a fan"
    if (celsius is not None and celsius >= TOO_HOT_C) or flags & SLOWED:
        yield Finding("FAIL", "pi", f"{shown}: it slows down to save itself", remedy)
    elif celsius is not None and celsius >= HOT_C:
        yield Finding("WARN", "pi", f"{shown}, near the {TOO_HOT_C:.0f} °C at which it slows down", remedy)
    elif celsius is not None:
        yield Finding("OK", "pi", shown)


def _flags(machine: Machine) -> int | None:
    """The firmware's flags, by the kernel or by the firmware's own program."""
    told = board.throttled(machine.root)
    if told is None and (found := re.search(r"throttled=0x([0-9a-fA-F]+)", machine.said("vcgencmd", "get_throttled"))):
        return int(found[1], 16)
    return told
