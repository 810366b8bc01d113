"""Waits of products under test that are no subject of their test: as long as a busy machine takes.

A product that is starved of its core for a second takes its disk for broken, and says so: right at a table, and no
verdict of a test. What waits otherwise is `PATIENT`; a program that is given `own` waits as at a table, and a test in
this process patches what it looks at. Forked programs and pytest's own processes call `wait_long`, those that are
executed by `executed/sitecustomize.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

PATIENT: Final[dict[str, dict[str, float]]] = {
    # The threads that write the journal, and read it at the start, need a core, too.
    "firmware_bridge.daemon.table.journal_writer": {"PATIENCE_S": 10.0},
    "firmware_bridge.daemon.table.opening": {"PATIENCE_S": 10.0},
    # Many tables have no broker, and their tests do not end within three seconds.
    "firmware_bridge.daemon.table.broker_outage": {"LOST_AFTER_S": 60.0},
    # A broker needs a core before it answers, and so does the client that hears it.
    "firmware_bridge.mqtt.connection": {"CONNECT_S": 30.0},
    "firmware_bridge.mqtt.link": {"FAREWELL_S": 5.0},
    "firmware_bridge.daemon.delivery.outbox": {"WAIT_S": 60.0},
    # Boards and keypads live in the test, and beat in its loop alone: not while it waits for a command.
    "firmware_bridge.daemon.devices.reader": {"SILENT_AFTER_S": 20.0},
    "firmware_bridge.daemon.devices.keypads": {"SILENT_AFTER_S": 20.0},
    "hardware.calibrate.bench": {"ANSWER_S": 20.0},
    # A daemon that waits so long for its disk answers no command.
    "firmware_bridge.cli.daemon_socket": {"ANSWER_S": 30.0},
    "firmware_bridge.cli.check.orders": {"ANSWER_S": 30.0},
    "firmware_bridge.cli.check.reader": {"ANSWER_S": 60.0},
    "firmware_bridge.floor.check": {"ANSWER_S": 60.0},
    "firmware_bridge.floor.store.sqlite": {"READER_BUSY_S": 30.0},
    # A demo is a broker, guests, a dealer and a daemon, and some are played at once.
    "firmware_bridge.demo.broker": {"START_S": 200.0},
    "firmware_bridge.demo.harness": {"UP_S": 300.0},
    "firmware_bridge.cli.demo": {"STALLED_S": 600.0},
    "hardware.sim.dealer": {"ANSWER_S": 120.0},
    "scripts.tools.floor_demo.floor": {"UP_S": 300.0},
}
"""Module -> seconds by the name that it gives them; what imports a name before it is changed waits as ever."""

OWN: Final = "WAITS_OF_ITS_OWN"
"""Variable with the last names of the modules that wait as at a table."""

EXECUTED: Final = str(Path(__file__).with_name("executed"))
"""The directory whose `sitecustomize` Python imports as it starts."""


def own(*modules: str) -> dict[str, str]:
    """What to add to the environment of a program where modules, by their last names, wait as at a table."""
    return {OWN: " ".join(modules)}


def wait_long() -> None:
    """Let this process wait so long, whatever of it has been imported."""
    if any(isinstance(each, _Patient) for each in sys.meta_path):
        return
    left_out = os.environ.get(OWN, "").split()
    waits = {name: each for name, each in PATIENT.items() if name.rpartition(".")[2] not in left_out}
    sys.meta_path.insert(0, _Patient(waits))
    for name in waits:
        if name in sys.modules:
            _patch(sys.modules[name])


def executed(env: Mapping[str, str] | None) -> dict[str, str]:
    """The environment of an executed Python, None for ours, that lets it wait so long."""
    given = dict(os.environ if env is None else env)
    return given | {"PYTHONPATH": os.pathsep.join([*filter(None, [given.get("PYTHONPATH")]), EXECUTED])}


class _Patient(MetaPathFinder):
    """Finds these modules of `PATIENT`, and changes each once it was imported."""

    def __init__(self, waits: Collection[str]) -> None:
        self._waits = waits

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name in self._waits else None
        if spec and spec.loader:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                _patch(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # of this one loader
        return spec


def _patch(module: ModuleType) -> None:
    for name, seconds in PATIENT[module.__name__].items():
        assert name in vars(module), f"{module.__name__} has no {name}"
        setattr(module, name, seconds)
