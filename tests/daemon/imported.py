"""Lists the modules that a daemon imports from its start, over a card and a message, to its end.

`python -m tests.daemon.imported` prints what differs from imports.json; with --write it writes that for this Python.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import said
from tests.kit.process import python

LIST: Final = Path(__file__).with_name("imports.json")
"""`modules`: ours and those of other packages; `standard library`: Python -> its packages and modules."""

PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
WRITE: Final = f"python{PYTHON} -m tests.daemon.imported --write"

OF_THE_MACHINE: Final = ("_sysconfigdata_", "__editable__", "__main__", "sitecustomize", "_virtualenv")
"""Beginnings of names that depend on where Python and the project are installed, and how."""

_LISTS = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps([*sys.modules])))
from firmware_bridge.cli import main
sys.exit(main())
"""

Imports = dict[str, list[str]]


def imports(folder: Path) -> Imports:
    """What one daemon imports that deals two cards and is connected: `modules`, and `standard library`."""
    broker = Broker(folder).start()
    table = DaemonTable(folder, broker.port)
    try:
        words = ("-c", _LISTS, "run", "--config", table.config_path)
        with python(*words, execute=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as daemon:
            table.deal("9s Td")
            table.until(lambda: "shoe/T07/round" in broker.log or "shoe/T07/event" in broker.log)
            daemon.send_signal(signal.SIGTERM)
            out, err = said(daemon)
        assert daemon.returncode == 0, err
    finally:
        table.close()
        broker.stop()
    return parted(json.loads(out))


def parted(names: Iterable[str]) -> Imports:
    """The modules by name, those of the standard library by the public name of their package alone."""
    found = {name for name in names if not name.startswith(OF_THE_MACHINE)}
    standard = {name for name in found if name.partition(".")[0] in sys.stdlib_module_names}
    packages = {name.partition(".")[0] for name in standard if not name.startswith("_")}
    return {"modules": sorted(found - standard), "standard library": sorted(packages)}


def differences(found: Imports, committed: Any) -> Iterator[str]:
    """A line for each module that is imported more, or less, than the list says."""
    for part, known in (("modules", committed["modules"]), ("standard library", committed["standard library"][PYTHON])):
        yield from (f"{name} is imported now: is it needed by a daemon?" for name in found[part] if name not in known)
        yield from (f"{name} is imported no longer" for name in known if name not in found[part])


def main(words: list[str]) -> None:
    """Print what differs; or write the list."""
    with TemporaryDirectory() as folder:
        found = imports(Path(folder))
    committed = json.loads(LIST.read_text()) if LIST.exists() else {"modules": [], "standard library": {}}
    committed["standard library"].setdefault(PYTHON, [])
    print(*differences(found, committed), sep="\n")
    if "--write" in words:
        committed["standard library"][PYTHON] = found["standard library"]
        known = {"modules": found["modules"], "standard library": dict(sorted(committed["standard library"].items()))}
        LIST.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
