"""Checks of the pins against the board: library and kernel, twin packages, lines with another purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.daemon.devices.wires import wires

NO_EDGES: Final = (6, 6)
"""RPi.GPIO sees no edges from this kernel on."""

CONFIG_TXT: Final = ("/boot/firmware/config.txt", "/boot/config.txt")
HAT: Final = {0: "ID_SD", 1: "ID_SC"}
SERIAL: Final = {14: "TXD", 15: "RXD"}
UARTS: Final = ("/dev/ttyAMA", "/dev/ttyS", "/dev/serial0", "/dev/serial1")
BUSES: Final = {"i2c_arm": {2: "SDA", 3: "SCL"}, "spi": {7: "CE1", 8: "CE0", 9: "MISO", 10: "MOSI", 11: "SCLK"}}
"""Parameter of config.txt that is on -> lines taken by it."""


def board(machine: Machine) -> Iterator[Finding]:
    """Whether the pin library works with this board and kernel, and each line is free for us."""
    yield from _twins(machine)
    if not wires(machine.config):
        return
    yield from _library(machine)
    taken = _taken(machine)
    for key, pin in wires(machine.config).items():
        if pin.number in taken:
            what = f"{key} on GPIO {pin.number}, which is {taken[pin.number]}"
            yield _verdict(pin.number, what)


def _twins(machine: Machine) -> Iterator[Finding]:
    if machine.installed("RPi.GPIO") and machine.installed("rpi-lgpio"):
        what = "RPi.GPIO and rpi-lgpio are both installed: each overwrites the other's module RPi"
        remedy = "pip uninstall RPi.GPIO rpi-lgpio, then install the one you use again; lgpio needs neither"
        yield Finding("FAIL", "board", what, remedy)


def _library(machine: Machine) -> Iterator[Finding]:
    factory, model = machine.config.pins.factory, machine.text("/proc/device-tree/model")
    kernel = machine.text("/proc/sys/kernel/osrelease")
    remedy = 'write [pins] factory = "lgpio"'
    if factory == "rpigpio" and "Raspberry Pi 5" in model:
        yield Finding("FAIL", "board", f"rpigpio does not work on a {model}", remedy)
    elif factory == "rpigpio" and _version(kernel) >= NO_EDGES:
        what = f"rpigpio sees no key and no cut card on kernel {kernel}: it has no edges from 6.6 on"
        yield Finding("FAIL", "board", what, remedy)
    elif factory == "lgpio" and not any(machine.at("/dev").glob("gpiochip*")):
        what = "there is no /dev/gpiochip: this is no Raspberry Pi, or its kernel drives no pins"
        yield Finding("FAIL", "board", what, 'run it on the Pi, or write [pins] factory = "mock" for a trial')
    elif model:
        yield Finding("OK", "board", f"{model}, kernel {kernel}, pins by {factory}")


def _taken(machine: Machine) -> dict[int, str]:
    """Line -> what else it is for."""
    taken = {line: f"{name}, read at boot from an add-on board" for line, name in HAT.items()}
    if machine.config.reader.port.startswith(UARTS):
        taken |= {line: f"{name} of the serial port the reader is on" for line, name in SERIAL.items()}
    boot = "\n".join(map(machine.text, CONFIG_TXT))
    for parameter, lines in BUSES.items():
        if re.search(rf"^\s*dtparam=(?:\S*,)?{parameter}=on\b", boot, re.MULTILINE):
            taken |= {line: f"{name} of {parameter}=on in config.txt" for line, name in lines.items()}
    return taken


def _verdict(line: int, what: str) -> Finding:
    if line in SERIAL:
        return Finding("FAIL", "board", what, "move the wire to another GPIO: the reader's bytes go over this one")
    return Finding("WARN", "board", what, "move the wire to another GPIO, or switch the other purpose off")


def _version(kernel: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", kernel)[:2]))
