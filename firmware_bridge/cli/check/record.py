"""Checks of the signed record, its key, name and signatures, and of the software that writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.check.finding import RESTART, Machine
from firmware_bridge.cli.key import CREDENTIAL, fingerprint
from firmware_bridge.config.code import changed_files, stated_files
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.sections import RecordConfig
from firmware_bridge.record.signer import read_seed
from firmware_bridge.topics.texts import alarms

SHOWN: Final = 3
"""Changed files that are named."""

LIBRARY: Final = "PyNaCl"
MAKE: Final = f"make one: sudo shoe key new, then {RESTART}"
NOBODYS: Final = RecordConfig().origin
NAME: Final = "write [record] origin = a domain of the house; a record that has begun keeps its name to its end"

_ALARMS: Final = ("record_rolled_back", "record_other_pi", "record_unsigned")
"""Alarms that say why nothing is signed, the gravest first."""


def record(machine: Machine) -> Iterator[Finding]:
    """Yield one finding: whether the record is signed, or would be, and under which name."""
    if machine.daemon is None:
        yield _by_file(machine)
        return
    if not machine.has_read("record"):
        yield Finding("WARN", "record", "not tried: the daemon has not read this [record] yet", RESTART)
        return
    state = machine.daemon["record"]
    if not state["signed"]:
        yield _unsigned(machine.daemon)
        return
    yield _named(f"{state['origin']}, key {fingerprint(state['key'])}: {state['size']} entries signed", state["origin"])


def _by_file(machine: Machine) -> Finding:
    """Return what the key's file says while no daemon runs. Raises OSError where it cannot be read."""
    named = machine.config.record.key_file
    path = Path(named) if named else machine.at(str(CREDENTIAL))
    if not path.exists():
        return Finding("FAIL", "record", f"there is no key ({path}): nothing will be signed", MAKE)
    if read_seed(path) is None:
        return Finding("FAIL", "record", f"{path} is no key: it has not exactly 32 bytes", f"remove it, and {MAKE}")
    if machine.installed(LIBRARY) is None:
        return Finding("FAIL", "record", f"{LIBRARY} is not installed: nothing will be signed", "run scripts/install")
    return _named(f"{path} will sign", machine.config.record.origin)


def _unsigned(daemon: dict[str, Any]) -> Finding:
    """Return why the running daemon signs nothing, in the words of its alarm."""
    opened = {each["id"]: each for each in daemon["alarm"]["open"]}
    for name in _ALARMS:
        if alarm := opened.get(name):
            words = alarms.what("en", name, alarm["values"]), alarms.todo("en", name, "", alarm["values"])
            return Finding("FAIL", "record", words[0], MAKE if _has_no_key(alarm["values"]) else words[1])
    return Finding("FAIL", "record", "the record is not signed", "see: shoe status")


def _has_no_key(values: dict[str, Any]) -> bool:
    return values.get("why", {}).get("code") in ("no_key", "no_key_at")


def _named(what: str, origin: str) -> Finding:
    """Return the finding about a record that is signed under this name, or will be."""
    if origin.partition("/")[0] == NOBODYS:
        return Finding("WARN", "record", f"{what}; {NOBODYS} names no house", NAME)
    return Finding("OK", "record", what)


def software(machine: Machine) -> Iterator[Finding]:
    """Yield one finding: whether the files are those that were installed. None in a clone, which states none."""
    if not stated_files():
        return
    if changed := changed_files():
        more = f" and {len(changed) - SHOWN} more" if changed[SHOWN:] else ""
        what = f"changed since it was installed: {', '.join(changed[:SHOWN])}{more}"
        yield Finding("FAIL", "software", what, "install it again (scripts/install), and find out who changed it")
