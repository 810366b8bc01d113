"""A machine as its files and its system's programs tell it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.check import Check
from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import parse

PI4 = {"proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0", "proc/sys/kernel/osrelease": "6.1.21-v8+"}
NOW = 1_781_000_000.0  # June 2026

Make = Callable[..., Machine]


@pytest.fixture
def machine(tmp_path: Path) -> Make:
    """A machine by its files, what its systemctl says, its packages and its config."""

    def make(
        files: dict[str, str] | None = None,
        unit: dict[str, str] | None = None,
        packages: dict[str, str] | None = None,
        timedatectl: str = "",
        vcgencmd: str = "",
        daemon: dict[str, Any] | None = None,
        **sections: Any,
    ) -> Machine:
        root = tmp_path / "root"
        for name, text in (files or {}).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        shown = "\n".join(f"{key}={value}" for key, value in (unit or {}).items())
        outputs = {"systemctl": shown, "timedatectl": timedatectl, "/opt/firmware-bridge/bin/shoe": "shoe 0.0.1"}
        outputs["vcgencmd"] = vcgencmd
        config = parse({"table": {"id": "T07"}, "journal": {"dir": str(tmp_path)}} | sections)
        return Machine(
            config,
            daemon,
            Path("/etc/b.toml"),
            root,
            lambda *words: outputs[words[0]],
            (packages or {}).get,
            lambda: NOW,
        )

    return make


def only(check: Check, machine: Machine) -> Finding:
    (found,) = check(machine)
    return found
