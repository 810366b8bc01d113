"""A check of the backend's store, which lets journals go only once it has them."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.cli.watch.words import far

REMEDY = "start the receiver, or see its log; until it has them, no journal is deleted"


def store(machine: Machine) -> Iterator[Finding]:
    """Whether the receiver of `[mqtt] stored` has what was sent, as the daemon knows it; nothing where none counts."""
    link = machine.daemon["broker"] if machine.daemon else {}
    told = link.get("store")
    if not told:
        return
    alarms = machine.daemon["alarm"]["open"] if machine.daemon else []
    if any(each["id"] == "store_silent" for each in alarms):
        yield Finding("FAIL", "store", far(told), REMEDY)
    elif told["refused"]:
        yield Finding("WARN", "store", far(told), "one receiver counts, and says only what it committed")
    else:
        yield Finding("OK", "store", far(told))
