"""Checks of versions: Python, and each package within the range this program was tested with."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Final

from firmware_bridge import __version__
from firmware_bridge.cli.check.finding import Finding, Machine

PACKAGE: Final = "firmware-bridge"
LIBRARY: Final = {"lgpio": "lgpio", "rpigpio": "RPi.GPIO"}
"""Pin factory -> its package, which is only needed with it."""

_NEEDS: Final = re.compile(r"([A-Za-z0-9._-]+)\s*\(?([^;)]*)\)?")
_LIMIT: Final = re.compile(r"(>=|<=|==|!=|~=|<|>)\s*([\w.]+)")


def versions(machine: Machine) -> Iterator[Finding]:
    """Whether what is installed is what this version was tested with."""
    wanted = LIBRARY.get(machine.config.pins.factory)
    faults, there = [], []
    for name, limits in _needed():
        if limits.endswith("extra") and name != wanted:
            continue
        version = machine.installed(name)
        if version is None:
            faults.append(Finding("FAIL", "versions", f"{name} is not installed", _remedy(name)))
        elif not within(version, limits):
            what = f"{name} {version} is not within {limits.removesuffix('extra')}"
            faults.append(Finding("WARN", "versions", what, _remedy(name)))
        else:
            there.append(f"{name} {version}")
    yield from faults
    python = ".".join(map(str, sys.version_info[:3]))
    if not faults:
        yield Finding("OK", "versions", f"{__version__}, Python {python}, {', '.join(there)}")


def within(version: str, limits: str) -> bool:
    """Whether a version keeps to `>=`, `<` and the like; other words of packaging are not judged."""
    mine = _numbers(version)
    judged = {">=": mine.__ge__, "<": mine.__lt__, "<=": mine.__le__, ">": mine.__gt__, "==": mine.__eq__}
    return all(judged[how](_numbers(limit)) for how, limit in _LIMIT.findall(limits) if how in judged)


def _needed() -> Iterator[tuple[str, str]]:
    """Each package and its limits; those of an extra end in `extra`."""
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


def _remedy(name: str) -> str:
    if name == "lgpio":
        return "sudo apt install python3-lgpio on Python 3.13, else pip install 'firmware-bridge[pi]'"
    return "run scripts/install again: it installs what requirements/pi.lock names"
