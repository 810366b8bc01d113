"""Check of the installed software: no file of it was changed."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.code import changed_files, stated_files
from firmware_bridge.config.findings import Finding

SHOWN: Final = 3
"""Changed files that are named."""


def software(machine: Machine) -> Iterator[Finding]:
    """One finding: whether the files are those that were installed. None in a clone, which states none."""
    if not stated_files():
        return
    if changed := changed_files():
        more = f" and {len(changed) - SHOWN} more" if changed[SHOWN:] else ""
        what = f"changed since it was installed: {', '.join(changed[:SHOWN])}{more}"
        yield Finding("FAIL", "software", what, "install it again (scripts/install), and find out who changed it")
