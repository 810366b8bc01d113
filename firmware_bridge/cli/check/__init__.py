"""`shoe check`: all faults of this machine, each with its remedy."""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli import CONFIG, FAILED, FINE
from firmware_bridge.cli.check import board, broker, disk, reader, service
from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.cli.daemon_socket import NoDaemon, NotRunning, ask, config_option, socket_path
from firmware_bridge.config.load import load
from firmware_bridge.config.reference import unnamed
from firmware_bridge.config.sections import Config
from firmware_bridge.config.validate import contradictions
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped

SHOWN: Final = 3
"""Keys shown, at most, of those a config does not mention."""

Check = Callable[[Machine], Iterator[Finding]]


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe check`."""
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Checks everything; 0 if nothing failed, 1 if something did, 78 if the config is wrong. Changes nothing."""
    found = []
    for finding in findings(arguments.config):
        found.append(finding)
        if not arguments.json:
            print(text(finding), flush=True)
    failed = [finding.name for finding in found if finding.level == "FAIL"]
    if arguments.json:
        print(json.dumps({"ok": not failed, "checks": [finding._asdict() for finding in found]}))
    elif failed:
        print(f"\n{len(failed)} failed: {', '.join(dict.fromkeys(failed))}")
    return (CONFIG if "config" in failed else FAILED) if failed else FINE


def findings(path: Path, root: Path = Path("/")) -> Iterator[Finding]:
    """Findings about this machine, as they are found. root: root of the system's files."""
    try:
        config = load(path)
    except ConfigError as error:
        for mistake in error.what.splitlines():
            yield Finding("FAIL", "config", mistake, error.hint)
        yield Finding("WARN", "others", "not checked", "correct the config first")
        return
    yield Finding("OK", "config", f"{path}, table {config.table.id}{_unnamed(path, config)}")
    daemon, finding = _daemon(path, config)
    yield finding
    for check in CHECKS:
        try:
            yield from check(Machine(config, daemon, path, root))
        except OSError as error:
            yield Finding("FAIL", check.__name__, str(error), "put sudo before the command")


def mode(machine: Machine) -> Iterator[Finding]:
    """Whether other keys contradict the service's mode."""
    for what, remedy in contradictions(machine.config):
        yield Finding("WARN", "mode", what, remedy)
    config = machine.config
    if config.house.disclose == "sealed" and config.pins.reveal is None and "reveal" not in config.mqtt.commands:
        what = f"cards are sealed and cannot be opened by hand: each round waits {config.house.reveal_timeout} s"
        yield Finding("WARN", "mode", what, 'wire a key, [pins] reveal, or write [mqtt] commands = [.., "reveal"]')


def terms(machine: Machine) -> Iterator[Finding]:
    """What is unusual in the game's own settings."""
    for what in machine.config.rules.unusual_terms(machine.config.terms):
        yield Finding("WARN", "game", what, "if that is not meant, correct [game]")


CHECKS: Final[tuple[Check, ...]] = (
    mode,
    terms,
    service.service,
    service.versions,
    service.access,
    reader.reader,
    reader.code_book,
    reader.calibrated,
    board.board,
    board.pins,
    reader.keypads,
    broker.broker,
    broker.stranger,
    broker.store,
    disk.mount,
    disk.disk,
    disk.journal,
    board.clock,
    board.pi,
)


def _unnamed(path: Path, config: Config) -> str:
    """Keys that a config does not mention, shortened: new keys after an update are among them."""
    keys = unnamed(path.read_text("utf-8"), config.rules)
    if not keys:
        return ""
    some = ", ".join(keys[:SHOWN]) + (f" and {len(keys) - SHOWN} more (shoe config --unnamed)" if keys[SHOWN:] else "")
    return f"; missing, so at their defaults: {some}"


def _daemon(path: Path, config: Config) -> tuple[dict[str, Any] | None, Finding]:
    """The running daemon's status (None: not running), and the finding about the daemon itself."""
    try:
        status = ask(socket_path(path), {"do": "status"})
    except NotRunning:
        return None, Finding("OK", "daemon", "not running: its devices are tested directly")
    except NoDaemon as error:
        return None, Finding("FAIL", "daemon", error.what, error.hint)
    if status["table_id"] != config.table.id:
        what = f"it runs as table {status['table_id']}: it has not read this config yet"
        remedy = "restart it between two shoes: systemctl restart firmware-bridge"
        return status, Finding("WARN", "daemon", what, remedy)
    if status["mode"] == "NO_JOURNAL":
        (lost,) = [each for each in status["alarm"]["open"] if each["detail"] == status["disk"]]
        return status, Finding("FAIL", "daemon", f"runs, but cannot deal: {lost['detail']}", lost["todo"])
    software = f"version {status['version']}, build {status.get('build', 'unknown')}"
    return status, Finding("OK", "daemon", f"runs, {software}, {status['mode']}")


def text(finding: Finding) -> str:
    """A finding as text, its remedy on a line of its own."""
    remedy = f"\n                 -> {escaped(finding.remedy)}" if finding.remedy else ""
    return f"{finding.level:<5} {finding.name:<10} {escaped(finding.text)}{remedy}"
