"""Checks of the systemd service: started at boot, by this config, of this build, without falling over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from firmware_bridge import __build__, __version__
from firmware_bridge.cli.check.finding import UNIT, Finding, Machine

ASKED: Final = "UnitFileState,ActiveState,Result,NRestarts,ExecStart,LoadState,ExecMainStatus,NeedDaemonReload"
SHOE: Final = "/opt/firmware-bridge/bin/shoe"
DOES_NOT_HEAL: Final = "78"
INSTALLED: Final = f"version {__version__}, build {__build__}"
"""This command's own."""


def service(machine: Machine) -> Iterator[Finding]:
    """Whether the service starts at boot and runs as it should."""
    told = dict(line.split("=", 1) for line in machine.said(*_ask()).splitlines() if "=" in line)
    if told.get("LoadState") != "loaded":
        yield Finding("WARN", "service", f"{UNIT} is not installed: nothing starts the daemon", "run scripts/install")
        return
    faults = [*_state(told), *_config(machine, told["ExecStart"]), *_version(machine)]
    yield from faults or [Finding("OK", "service", f"enabled, {told['ActiveState']}, {INSTALLED}")]


def _ask() -> tuple[str, ...]:
    return "systemctl", "show", UNIT, f"--property={ASKED}"


def _state(told: dict[str, str]) -> Iterator[Finding]:
    if told.get("UnitFileState") != "enabled":
        what = f"{UNIT} is {told.get('UnitFileState') or 'not enabled'}: it does not start at boot"
        yield Finding("FAIL", "service", what, f"sudo systemctl enable --now {UNIT}")
    if told.get("ActiveState") == "failed":
        yield Finding("FAIL", "service", f"{UNIT} failed ({_why(told)})", f"see: journalctl -u {UNIT} -n 50")
    elif told.get("ActiveState") != "active":
        yield Finding("FAIL", "service", f"{UNIT} does not run ({told['ActiveState']})", f"sudo systemctl start {UNIT}")
    if told.get("NeedDaemonReload") == "yes":
        yield Finding("WARN", "service", "the unit changed and was not read yet", "sudo systemctl daemon-reload")
    if (restarts := told.get("NRestarts", "0")) != "0":
        why = " by the watchdog, the last time" if told.get("Result") == "watchdog" else ""
        what = f"systemd had to start it again {restarts} times{why} since the boot"
        yield Finding("WARN", "service", what, f"see: journalctl -u {UNIT} -p warning; report it with `shoe support`")


def _why(told: dict[str, str]) -> str:
    if told.get("ExecMainStatus") == DOES_NOT_HEAL:
        return "a wrong config, or a damaged journal"
    return told.get("Result", "no reason")


def _config(machine: Machine, start: str) -> Iterator[Finding]:
    words = pairwise(start.replace(";", " ").split())
    given = next((Path(after) for word, after in words if word == "--config"), None)
    if given and given.absolute() != machine.path.absolute():
        what = f"the service runs by {given}, this checks {machine.path}"
        yield Finding("WARN", "service", what, f"shoe check --config {given}")


def _version(machine: Machine) -> Iterator[Finding]:
    daemon = machine.daemon
    runs = f"version {daemon['version']}, build {daemon.get('build', 'unknown')}" if daemon else INSTALLED
    if runs != INSTALLED:
        what = f"the daemon runs {runs}; installed is {INSTALLED}"
        yield Finding("WARN", "service", what, f"restart it between two shoes: sudo systemctl restart {UNIT}")
    elif machine.at(SHOE).exists() and (told := machine.said(SHOE, "--version").strip().removeprefix("shoe ")):
        if f"version {told}" == INSTALLED:
            return
        what = f"the service has version {told}; this command is {INSTALLED}"
        yield Finding("WARN", "service", what, "run scripts/install of the newer one, and use its `shoe`")
