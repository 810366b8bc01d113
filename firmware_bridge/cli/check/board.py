"""Checks of the Raspberry Pi: supply, heat, clock, and pins against board, kernel and library."""

import contextlib
import errno
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.cli.check.finding import Machine, failed, unread
from firmware_bridge.config.findings import Finding
from firmware_bridge.daemon.devices.wires import wires
from firmware_bridge.daemon.table.clock import clock as clock_of
from firmware_bridge.daemon.table.clock import utc_offset
from firmware_bridge.journal.files import journal_files
from firmware_bridge.shoe.shifts import next_shift
from hardware import pi as raspberry
from hardware.errors import PinError
from hardware.pins.pin import pin_factory, try_pin

SIMULATED: Final = ", simulated: no lamp and no key works"
ON_A_PI: Final = 'on a Raspberry Pi write [pins] factory = "lgpio"'

NO_EDGES: Final = (6, 6)
"""First kernel on which RPi.GPIO sees no edges."""

CONFIG_TXT: Final = ("/boot/firmware/config.txt", "/boot/config.txt")
HAT: Final = {0: "ID_SD", 1: "ID_SC"}
SERIAL: Final = {14: "TXD", 15: "RXD"}
UARTS: Final = ("/dev/ttyAMA", "/dev/ttyS", "/dev/serial0", "/dev/serial1")

BUSES: Final = {"i2c_arm": {2: "SDA", 3: "SCL"}, "spi": {7: "CE1", 8: "CE0", 9: "MISO", 10: "MOSI", 11: "SCLK"}}
"""Parameter of config.txt -> lines it takes when it is on."""

HOT_C: Final = 70.0
"""Degrees Celsius of the warning; the processor slows down at 80."""

TOO_HOT_C: Final = 80.0
NOW: Final = 1
SINCE_BOOT: Final = 1 << 16

SLOWED: Final = 1 << 1 | 1 << 2 | 1 << 3
"""Bits of the firmware's flags: capped, throttled or too hot now."""

SUPPLY: Final = "use the Pi's own power supply and a short cable; give reader and lamps their own supply"

SLACK_S: Final = 60.0
"""Seconds that the record may be ahead of the clock."""

ASK: Final = ("timedatectl", "show", "--property=NTPSynchronized", "--value")
SET_CLOCK: Final = (
    "sudo timedatectl set-ntp true; give the Pi access to a time server (UDP 123), or fit a battery clock"
)


def board(machine: Machine) -> Iterator[Finding]:
    """Check whether the pin library works with this board and kernel, and each line is free."""
    yield from _conflicting_packages(machine)
    if not wires(machine.config):
        return
    yield from _library(machine)
    taken = _taken(machine)
    for key, pin in wires(machine.config).items():
        if pin.number in taken:
            what = f"{key} on GPIO {pin.number}, which is {taken[pin.number]}"
            yield _verdict(pin.number, what)


def _conflicting_packages(machine: Machine) -> Iterator[Finding]:
    if machine.installed("RPi.GPIO") and machine.installed("rpi-lgpio"):
        what = "RPi.GPIO and rpi-lgpio are both installed: each overwrites the other's module RPi"
        remedy = "pip uninstall RPi.GPIO rpi-lgpio, then reinstall the one you use; lgpio needs neither"
        yield Finding("FAIL", "board", what, remedy)


def _library(machine: Machine) -> Iterator[Finding]:
    factory, model = machine.config.pins.factory, machine.text("/proc/device-tree/model")
    kernel = machine.text("/proc/sys/kernel/osrelease")
    remedy = 'write [pins] factory = "lgpio"'
    if factory == "rpigpio" and "Raspberry Pi 5" in model:
        yield Finding("FAIL", "board", f"rpigpio does not work on a {model}", remedy)
    elif factory == "rpigpio" and (raspberry.kernel(machine.root) or ()) >= NO_EDGES:
        what = f"rpigpio detects no key and no cut card on kernel {kernel}: edges do not work from 6.6 on"
        yield Finding("FAIL", "board", what, remedy)
    elif factory == "lgpio" and not any(machine.at("/dev").glob("gpiochip*")):
        what = "there is no /dev/gpiochip: this is not a Raspberry Pi, or its kernel has no pin driver"
        yield Finding("FAIL", "board", what, 'run it on the Pi, or write [pins] factory = "mock" for a trial')
    elif model:
        yield Finding("OK", "board", f"{model}, kernel {kernel}, pins by {factory}")


def _taken(machine: Machine) -> dict[int, str]:
    """Return line -> its other purpose."""
    taken = {line: f"{name}, reserved for add-on boards at boot" for line, name in HAT.items()}
    if machine.config.reader.port.startswith(UARTS):
        taken |= {line: f"{name} of the reader's serial port" for line, name in SERIAL.items()}
    boot = "\n".join(map(machine.text, CONFIG_TXT))
    for parameter, lines in BUSES.items():
        if re.search(rf"^\s*dtparam=(?:\S*,)?{parameter}=on\b", boot, re.MULTILINE):
            taken |= {line: f"{name} of {parameter}=on in config.txt" for line, name in lines.items()}
    return taken


def _verdict(line: int, what: str) -> Finding:
    if line in SERIAL:
        return Finding("FAIL", "board", what, "move the wire to another GPIO: the reader's bytes go over this one")
    return Finding("WARN", "board", what, "move the wire to another GPIO, or turn the other use off")


def pins(machine: Machine) -> Iterator[Finding]:
    """Check whether each configured wire can be claimed; not tried while the daemon has them: a lamp would go dark."""
    name, wanted = machine.config.pins.factory, wires(machine.config)
    if not wanted:
        yield Finding("WARN", "pins", "none configured", "no lamp and no key will work: see [pins] and [lamps]")
        return
    if machine.daemon and not machine.has_read("pins", "lamps", "presence", "keys"):
        yield unread("pins", "pins")
        return
    if machine.daemon and name == "mock":
        yield Finding("WARN", "pins", f"{len(wanted)} wires, in use by the daemon{SIMULATED}", ON_A_PI)
        return
    if machine.daemon:
        yield Finding("OK", "pins", f"{len(wanted)} wires, in use by the daemon")
        return
    for chip in machine.at("/dev").glob("gpiochip*") if name == "lgpio" and os.geteuid() else ():
        if not os.access(chip, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(chip))
    # lgpio leaves a pipe in the working directory
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        try:
            factory = pin_factory(name)
        except PinError as error:
            yield failed("pins", str(error))
            return
        with contextlib.closing(factory):
            faults = []
            for key, pin in wanted.items():
                try:
                    try_pin(pin, factory)
                except PinError as error:
                    faults.append(failed("pins", f"{key} on {error}"))
    if name == "mock":
        faults.append(Finding("WARN", "pins", f"{len(wanted)} wires{SIMULATED}", ON_A_PI))
    yield from faults or [Finding("OK", "pins", f"{len(wanted)} wires by {name}, free")]


def pi(machine: Machine) -> Iterator[Finding]:
    """Check whether the supply is strong enough and the processor cool; nothing on other machines."""
    if raspberry.model(machine.root) is None and not machine.output_of("vcgencmd", "version"):
        return
    flags = _flags(machine)
    if flags is not None and flags & NOW:
        yield Finding("FAIL", "pi", "under-voltage now: the Pi may stop or damage its SD card at any moment", SUPPLY)
    elif (flags is not None and flags & SINCE_BOOT) or raspberry.under_voltage(machine.root):
        yield Finding("WARN", "pi", "under-voltage since boot", SUPPLY)
    elif flags is None and raspberry.under_voltage(machine.root) is None:
        what = "cannot tell whether the supply is strong enough"
        yield Finding("WARN", "pi", what, "see: vcgencmd get_throttled")
    else:
        yield Finding("OK", "pi", "the supply is strong enough")
    yield from _heat(raspberry.temperature(machine.root), flags or 0)


def _heat(celsius: float | None, flags: int) -> Iterator[Finding]:
    shown = f"{celsius:.0f} °C" if celsius is not None else "heat unknown"
    remedy = "cool it: open the case, or fit a heat sink or fan"
    if (celsius is not None and celsius >= TOO_HOT_C) or flags & SLOWED:
        yield Finding("FAIL", "pi", f"{shown}: it slows down to cool off", remedy)
    elif celsius is not None and celsius >= HOT_C:
        yield Finding("WARN", "pi", f"{shown}, near the {TOO_HOT_C:.0f} °C at which it slows down", remedy)
    elif celsius is not None:
        yield Finding("OK", "pi", shown)


def _flags(machine: Machine) -> int | None:
    """Return the firmware's flags, from the kernel or the firmware's own program; None if unknown."""
    flags = raspberry.throttled(machine.root)
    if flags is None and (
        found := re.search(r"throttled=0x([0-9a-fA-F]+)", machine.output_of("vcgencmd", "get_throttled"))
    ):
        return int(found[1], 16)
    return flags


def clock(machine: Machine) -> Iterator[Finding]:
    """Check whether the clock is synchronised and agrees with the record. Play never waits for it."""
    newest = max((_written(path) for path in journal_files(Path(machine.config.journal.dir))), default=0.0)
    if newest > machine.now() + SLACK_S:
        behind = f"the clock is {(newest - machine.now()) / 60:.0f} minutes behind the record"
        yield Finding(
            "WARN",
            "clock",
            f"{behind}: new rounds get earlier times than the last ones, and keep their gaming day",
            SET_CLOCK,
        )
    answer = machine.output_of(*ASK).strip()
    if clock_of(machine.root) == "synchronised" or answer == "yes":
        yield Finding("OK", "clock", "synchronised")
    elif answer == "no":
        yield Finding("WARN", "clock", "not synchronised: the times of rounds may be wrong", SET_CLOCK)
    else:
        yield Finding("WARN", "clock", "cannot tell whether the clock is synchronised", SET_CLOCK)
    yield from _shift(machine)


def _shift(machine: Machine) -> Iterator[Finding]:
    """Yield the shift now, with the local time it follows from: a wrong time zone shows here."""
    at = int(machine.now() * 1000)
    offset = utc_offset(at)
    shift, gaming_day = next_shift(machine.config.house.shifts, at // 60_000 + offset)
    if shift:
        local = f"{(at // 60_000 + offset) % 1440 // 60:02}:{(at // 60_000 + offset) % 60:02}"
        yield Finding("OK", "clock", f"{local} local time, UTC {offset / 60:+g} h: shift {shift} of {gaming_day}")


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
