"""`shoe check`: everything that can be wrong with this machine, each with its remedy."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firmware_bridge.cli.checks import CHECKS, Finding, Machine
from firmware_bridge.cli.daemon_socket import NoDaemon, NotRunning, ask, config_option, socket_path
from firmware_bridge.config import load
from firmware_bridge.errors import ConfigError
from firmware_bridge.settings import Config


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe check`."""
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Check everything; 0 if nothing failed, else 1. Nothing is changed, no lamp lights."""
    found = []
    for finding in _findings(arguments.config):
        found.append(finding)
        if not arguments.json:
            print(_text(finding), flush=True)
    failed = any(finding.level == "FAIL" for finding in found)
    if arguments.json:
        print(json.dumps({"ok": not failed, "checks": [finding._asdict() for finding in found]}))
    return 1 if failed else 0


def _findings(path: Path) -> Iterator[Finding]:
    try:
        config = load(path)
    except ConfigError as error:
        for mistake in error.what.splitlines():
            yield Finding("FAIL", "config", mistake, error.hint)
        yield Finding("WARN", "others", "not checked", "correct the config first")
        return
    yield Finding("OK", "config", f"{path}, table {config.table.id}")
    daemon, finding = _daemon(path, config)
    yield finding
    for check in CHECKS:
        try:
            yield from check(Machine(config, daemon))
        except OSError as error:
            yield Finding("FAIL", check.__name__, str(error), "put sudo before the command")


def _daemon(path: Path, config: Config) -> tuple[dict[str, Any] | None, Finding]:
    """The running daemon's status, and what there is to say about the daemon itself."""
    try:
        status = ask(socket_path(path), {"do": "status"})
    except NotRunning:
        return None, Finding("OK", "daemon", "not running: its devices are tried out directly")
    except NoDaemon as error:
        return None, Finding("FAIL", "daemon", error.what, error.hint)
    if status["table_id"] != config.table.id:
        what = f"it runs as table {status['table_id']}: this config was not read yet"
        remedy = "restart it between two shoes: systemctl restart firmware-bridge"
        return status, Finding("WARN", "daemon", what, remedy)
    return status, Finding("OK", "daemon", f"runs, version {status['version']}, {status['mode']}")


def _text(finding: Finding) -> str:
    remedy = f"\n                 -> {finding.remedy}" if finding.remedy else ""
    return f"{finding.level:<5} {finding.name:<10} {finding.text}{remedy}"
