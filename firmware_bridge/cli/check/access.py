"""Checks of permissions: whether the service's user may use reader and pins."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.cli.check.finding import USER, Finding, Machine
from firmware_bridge.daemon.devices.wires import wires
from hardware.ports import SOCKET

GROUPS: Final = {"dialout": "the reader", "gpio": "the pins"}
CHIPS: Final = "gpiochip*"


def access(machine: Machine) -> Iterator[Finding]:
    """Whether the service's user exists, is in its groups, and may open its devices."""
    if not _ids(machine, "/etc/passwd", USER):
        remedy = "install it with scripts/install (or run the daemon as a user of the groups dialout and gpio)"
        yield Finding("WARN", "access", f"there is no user {USER}: the service is not installed here", remedy)
        return
    mine = {group for group in GROUPS if USER in _members(machine, group)}
    missing = [group for group in GROUPS if group not in mine]
    for group in missing:
        what = f"{USER} is not in the group {group}: it may not use {GROUPS[group]}"
        yield Finding("FAIL", "access", what, f"sudo usermod -aG {group} {USER}, then restart the service")
    faults = [*_config(machine), *_devices(machine, mine | {USER})]
    yield from faults
    if not missing and not faults:
        yield Finding("OK", "access", f"{USER} may use reader and pins")


def _config(machine: Machine) -> Iterator[Finding]:
    """A config that root alone may read stops the service, though not this command."""
    try:
        found = machine.path.stat()
    except OSError:
        return
    owner, group = _name(machine, "/etc/passwd", found.st_uid), _name(machine, "/etc/group", found.st_gid)
    if not (found.st_mode & 0o004 or owner == USER or (group == USER and found.st_mode & 0o040)):
        mode = f"{stat.S_IMODE(found.st_mode):04o}"
        what = f"{machine.path} belongs to {owner}:{group}, mode {mode}: {USER} cannot read it"
        yield Finding("FAIL", "access", what, f"sudo chmod 0644 {machine.path}")


def _devices(machine: Machine, mine: set[str]) -> Iterator[Finding]:
    port = machine.config.reader.port
    if not port.startswith(SOCKET):
        yield from _device(machine, machine.at(port), mine)
    if machine.config.pins.factory == "lgpio" and wires(machine.config):
        for chip in sorted(machine.at("/dev").glob(CHIPS)):
            yield from _device(machine, chip, mine)


def _device(machine: Machine, path: Path, mine: set[str]) -> Iterator[Finding]:
    try:
        found = path.stat()
    except OSError:
        return  # a missing reader is another check's
    mode, owner = stat.S_IMODE(found.st_mode), _name(machine, "/etc/passwd", found.st_uid)
    group = _name(machine, "/etc/group", found.st_gid)
    if mode & 0o006 == 0o006 or (group in mine and mode & 0o060 == 0o060) or (owner == USER and mode & 0o600 == 0o600):
        return
    shown = f"/{path.relative_to(machine.root)}"
    what = f"{shown} belongs to {owner}:{group}, mode {mode:04o}: {USER} may not open it"
    rule = "put systemd/90-shoe-reader.rules into /etc/udev/rules.d, then sudo udevadm trigger"
    yield Finding("FAIL", "access", what, rule)


def _rows(machine: Machine, file: str) -> list[list[str]]:
    return [row for line in machine.text(file).splitlines() if len(row := line.split(":")) > 3]


def _ids(machine: Machine, file: str, name: str) -> list[list[str]]:
    return [row for row in _rows(machine, file) if row[0] == name]


def _members(machine: Machine, group: str) -> set[str]:
    """Who is in a group, those whose own group it is left out."""
    return {name for row in _ids(machine, "/etc/group", group) for name in row[3].split(",")}


def _name(machine: Machine, file: str, number: int) -> str:
    return next((row[0] for row in _rows(machine, file) if row[2] == str(number)), str(number))
