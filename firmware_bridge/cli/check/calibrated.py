"""Checks of the calibration: there, whole, not too old, good enough."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.config import calibration
from firmware_bridge.errors import ConfigError
from hardware.readers import READERS

OLD_DAYS: Final = 180
"""Lamps age and dust settles."""

ENOUGH: Final = 0.999
"""Share of cards read in the test pass; a shoe has 416."""

_ORDER: Final = "sudo shoe calibrate {} --by NAME"


def calibrated(machine: Machine) -> Iterator[Finding]:
    """Whether reader and cut-card sensor were calibrated, lately and well."""
    path = Path(machine.config.journal.dir) / calibration.FILE
    try:
        found = calibration.load(path)
    except ConfigError as error:
        yield Finding("FAIL", "calibrated", error.what, error.hint or f"calibrate again: {_ORDER.format('reader')}")
        return
    if READERS[machine.config.reader.protocol].keeps_reports:
        yield _section(machine, "reader", found.reader)
    if machine.config.pins.cut_card is not None:
        yield _section(machine, "cut-card", found.cut_card)


def _section(machine: Machine, name: str, section: calibration.Section | None) -> Finding:
    remedy = _ORDER.format(name)
    if section is None:
        return Finding("WARN", "calibrated", f"{name}: never calibrated", remedy)
    told = f"{name}: {section.at[:10]} by {section.by}"
    measured = getattr(section, "measured", None)
    if isinstance(measured, calibration.Reading) and measured.decode_rate < ENOUGH:
        what = f"{told}, only {measured.decode_rate:.2%} of the test cards were read"
        return Finding("WARN", "calibrated", what, f"clean the optics, then {remedy}")
    if (days := _days(machine, section.at)) > OLD_DAYS:
        return Finding("WARN", "calibrated", f"{told}, {days} days ago", remedy)
    return Finding("OK", "calibrated", told)


def _days(machine: Machine, at: str) -> int:
    """How long ago; 0 where the time makes no sense, as before the clock was set."""
    try:
        then = datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0
    return max(0, int((machine.now() - then) / 86_400))
