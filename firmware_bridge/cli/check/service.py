"""Checks of the installation: systemd service, versions of packages, and rights of the service's user."""

import re
import stat
import sys
from collections.abc import Iterator
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Final

from firmware_bridge import __build__, __version__
from firmware_bridge.cli.check.finding import UNIT, USER, Machine
from firmware_bridge.config.findings import Finding
from firmware_bridge.daemon.devices.wires import wires
from firmware_bridge.facts.book.roles import GROUPS as GROUP_OF
from firmware_bridge.facts.rights import roles_for
from hardware.connections import SOCKET

PROPERTIES: Final = "UnitFileState,ActiveState,Result,NRestarts,ExecStart,LoadState,ExecMainStatus,NeedDaemonReload"
SHOE: Final = "/opt/firmware-bridge/bin/shoe"
DOES_NOT_HEAL: Final = "78"

INSTALLED: Final = f"version {__version__}, build {__build__}"
PACKAGE: Final = "firmware-bridge"

LIBRARY: Final = {"lgpio": "lgpio", "rpigpio": "RPi.GPIO"}
"""Pin factory -> its package, needed only with it."""

_NEEDS: Final = re.compile(r"([A-Za-z0-9._-]+)\s*\(?([^;)]*)\)?")
_LIMIT: Final = re.compile(r"(>=|<=|==|!=|~=|<|>)\s*([\w.]+)")
TWO_LOGINS: Final = '[rights] two_people = "login"'
PEOPLE: Final = 2
CHIPS: Final = "gpiochip*"


def service(machine: Machine) -> Iterator[Finding]:
    """Check whether the service starts at boot and runs as it should."""
    output = machine.output_of("systemctl", "show", UNIT, f"--property={PROPERTIES}")
    unit = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
    if unit.get("LoadState") != "loaded":
        yield Finding(
            "WARN", "service", f"{UNIT} is not installed: the daemon will not start by itself", "run scripts/install"
        )
        return
    faults = [*_state(unit), *_config(machine, unit["ExecStart"]), *_version(machine)]
    yield from faults or [Finding("OK", "service", f"enabled, {unit['ActiveState']}, {INSTALLED}")]


def _state(unit: dict[str, str]) -> Iterator[Finding]:
    if unit.get("UnitFileState") != "enabled":
        what = f"{UNIT} is {unit.get('UnitFileState') or 'not enabled'}: it does not start at boot"
        yield Finding("FAIL", "service", what, f"sudo systemctl enable --now {UNIT}")
    if unit.get("ActiveState") == "failed":
        yield Finding("FAIL", "service", f"{UNIT} failed ({_why(unit)})", f"see: journalctl -u {UNIT} -n 50")
    elif unit.get("ActiveState") != "active":
        yield Finding("FAIL", "service", f"{UNIT} does not run ({unit['ActiveState']})", f"sudo systemctl start {UNIT}")
    if unit.get("NeedDaemonReload") == "yes":
        yield Finding(
            "WARN", "service", "the unit file has changed since systemd read it", "sudo systemctl daemon-reload"
        )
    if (restarts := unit.get("NRestarts", "0")) != "0":
        why = ", the last time by the watchdog" if unit.get("Result") == "watchdog" else ""
        what = f"systemd restarted it {restarts} times{why} since boot"
        yield Finding("WARN", "service", what, f"see: journalctl -u {UNIT} -p warning; report it with `shoe support`")


def _why(unit: dict[str, str]) -> str:
    if unit.get("ExecMainStatus") == DOES_NOT_HEAL:
        return "a wrong config, or a damaged journal"
    return unit.get("Result", "no reason")


def _config(machine: Machine, start: str) -> Iterator[Finding]:
    words = pairwise(start.replace(";", " ").split())
    given = next((Path(after) for word, after in words if word == "--config"), None)
    if given and given.absolute() != machine.path.absolute():
        what = f"the service uses {given}, this check {machine.path}"
        yield Finding("WARN", "service", what, f"shoe check --config {given}")


def _version(machine: Machine) -> Iterator[Finding]:
    daemon = machine.daemon
    runs = f"version {daemon['version']}, build {daemon.get('build', 'unknown')}" if daemon else INSTALLED
    if runs != INSTALLED:
        what = f"the daemon runs {runs}; installed is {INSTALLED}"
        yield Finding("WARN", "service", what, f"restart it between two shoes: sudo systemctl restart {UNIT}")
    elif machine.at(SHOE).exists() and (version := machine.output_of(SHOE, "--version").strip().removeprefix("shoe ")):
        if f"version {version}" == INSTALLED:
            return
        what = f"the service has version {version}; this command is {INSTALLED}"
        yield Finding("WARN", "service", what, "run scripts/install of the newer version, and use its `shoe`")


def versions(machine: Machine) -> Iterator[Finding]:
    """Check whether the installed packages have versions this one was tested with."""
    wanted = LIBRARY.get(machine.config.pins.factory)
    faults, there = [], []
    for name, limits in _needed():
        if limits.endswith("extra") and name != wanted:
            continue
        version = machine.installed(name)
        if version is None:
            faults.append(Finding("FAIL", "versions", f"{name} is not installed", _install(name)))
        elif not within(version, limits):
            what = f"{name} {version} is not tested: use {limits.removesuffix('extra')}"
            faults.append(Finding("WARN", "versions", what, _install(name)))
        else:
            there.append(f"{name} {version}")
    yield from faults
    python = ".".join(map(str, sys.version_info[:3]))
    if not there:
        what = f"not checked: {PACKAGE} is not installed as a package, so its limits are unknown"
        yield Finding("WARN", "versions", what, "run scripts/install")
    elif not faults:
        yield Finding("OK", "versions", f"{__version__}, Python {python}, {', '.join(there)}")


def within(version: str, limits: str) -> bool:
    """Return whether a version satisfies `>=`, `<` and the like; other operators are ignored."""
    mine = _numbers(version)
    judged = {">=": mine.__ge__, "<": mine.__lt__, "<=": mine.__le__, ">": mine.__gt__, "==": mine.__eq__}
    return all(judged[how](_numbers(limit)) for how, limit in _LIMIT.findall(limits) if how in judged)


def _needed() -> Iterator[tuple[str, str]]:
    """Yield each required package and its limits; those of an extra end in `extra`."""
    try:
        lines = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return
    for line in lines:
        if found := _NEEDS.match(line):
            optional = "extra" in line.partition(";")[2]
            if not optional or found[1] in LIBRARY.values():
                yield found[1], found[2].strip() + ("extra" if optional else "")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def _install(name: str) -> str:
    if name == "lgpio":
        return "sudo apt install python3-lgpio on Python 3.13, else pip install '.[pi]'"
    return "run scripts/install again: it installs the versions of requirements/pi.lock"


def access(machine: Machine) -> Iterator[Finding]:
    """Check whether the service's user exists, and may open its devices by its own group, as udev gives them to it."""
    if not _ids(machine, "/etc/passwd", USER):
        remedy = "run scripts/install, or run the daemon as a user that may open reader and pins"
        yield Finding("WARN", "access", f"there is no user {USER}: the service is not installed", remedy)
        return
    faults = [*_readable(machine), *_journals(machine), *_devices(machine)]
    yield from faults
    if not faults:
        port = machine.config.reader.port
        is_untried = not port.startswith(SOCKET) and not machine.at(port).exists()
        untried = f"; not tried: {port}, which is missing" if is_untried else ""
        yield Finding("OK", "access", f"{USER} can use reader and pins{untried}")


def people(machine: Machine) -> Iterator[Finding]:
    """Check whether two people are two logins, and whether there are two who can be."""
    if machine.config.rights.two_people == "names":
        what = "two people are two names, which one person may type"
        yield Finding("WARN", "people", what, f"give each a login, then {TWO_LOGINS} (shoe help technician)")
        return
    both = {name for role in roles_for("confirm") for name in _members(machine, GROUP_OF[role]) if name}
    if len(both) < PEOPLE:
        groups = " and ".join(GROUP_OF[role] for role in roles_for("confirm"))
        what = f"[rights] asks for two logins, and {groups} have {len(both)} members: nobody can confirm an order"
        yield Finding("FAIL", "people", what, f"sudo adduser NAME {GROUP_OF['pit']}")
    else:
        yield Finding("OK", "people", "two people are two logins")


def _readable(machine: Machine) -> Iterator[Finding]:
    """Yield a failure for a config that the service's user cannot read, though root can."""
    try:
        found = machine.path.stat()
    except OSError:
        return
    owner, group = _name(machine, "/etc/passwd", found.st_uid), _name(machine, "/etc/group", found.st_gid)
    if not (found.st_mode & 0o004 or owner == USER or (group == USER and found.st_mode & 0o040)):
        mode = f"{stat.S_IMODE(found.st_mode):04o}"
        what = f"{machine.path} belongs to {owner}:{group}, mode {mode}: {USER} cannot read it"
        yield Finding("FAIL", "access", what, f"sudo chmod 0644 {machine.path}")


def _journals(machine: Machine) -> Iterator[Finding]:
    """Yield a failure for a journal that the service's user cannot write: one that root's own `shoe run` made."""
    directory = Path(machine.config.journal.dir)
    if machine.daemon:
        return  # it writes there
    try:
        owners = [(path, path.lstat().st_uid) for path in (directory, *sorted(directory.iterdir()))]
    except OSError:
        return  # reported by the check of the disk
    for path, owner in owners:
        if (name := _name(machine, "/etc/passwd", owner)) != USER:
            what = f"{path} belongs to {name}: {USER} cannot write it, so the service would not start"
            yield Finding("FAIL", "access", what, f"sudo chown -R {USER}: {directory}")
            return


def _devices(machine: Machine) -> Iterator[Finding]:
    port = machine.config.reader.port
    if not port.startswith(SOCKET):
        yield from _device(machine, machine.at(port))
    if machine.config.pins.factory == "lgpio" and wires(machine.config):
        for chip in sorted(machine.at("/dev").glob(CHIPS)):
            yield from _device(machine, chip)


def _device(machine: Machine, path: Path) -> Iterator[Finding]:
    try:
        found = path.stat()
    except OSError:
        return  # reported by the check of the reader
    mode, owner = stat.S_IMODE(found.st_mode), _name(machine, "/etc/passwd", found.st_uid)
    group = _name(machine, "/etc/group", found.st_gid)
    if mode & 0o006 == 0o006 or (group == USER and mode & 0o060 == 0o060) or (owner == USER and mode & 0o600 == 0o600):
        return
    shown = f"/{path.relative_to(machine.root)}"
    what = f"{shown} belongs to {owner}:{group}, mode {mode:04o}: {USER} cannot open it"
    rule = "copy systemd/90-shoe-reader.rules to /etc/udev/rules.d, then sudo udevadm trigger"
    yield Finding("FAIL", "access", what, rule)


def _rows(machine: Machine, file: str) -> list[list[str]]:
    return [row for line in machine.text(file).splitlines() if len(row := line.split(":")) > 3]


def _ids(machine: Machine, file: str, name: str) -> list[list[str]]:
    return [row for row in _rows(machine, file) if row[0] == name]


def _members(machine: Machine, group: str) -> set[str]:
    """Return the members of a group, not counting users with it as primary group."""
    return {name for row in _ids(machine, "/etc/group", group) for name in row[3].split(",")}


def _name(machine: Machine, file: str, number: int) -> str:
    return next((row[0] for row in _rows(machine, file) if row[2] == str(number)), str(number))
