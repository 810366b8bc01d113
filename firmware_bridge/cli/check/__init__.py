"""`shoe check`: all faults of this machine, each with its remedy."""

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli import CONFIG, FAILED, FINE
from firmware_bridge.cli.check import board, broker, disk, forgery_probe, orders, reader, record, service, tls
from firmware_bridge.cli.check.finding import RESTART, Machine
from firmware_bridge.cli.daemon_socket import NoDaemon, NotRunning, ask, config_option, socket_path
from firmware_bridge.config.documents import shipped
from firmware_bridge.config.effects import without_effect
from firmware_bridge.config.findings import Finding, report
from firmware_bridge.config.load import digests, load
from firmware_bridge.config.read_section import read_document
from firmware_bridge.config.reference import unnamed
from firmware_bridge.config.sections import Config, orders_by_mqtt
from firmware_bridge.config.validate import contradictions, refused_by_wire
from firmware_bridge.errors import ConfigError, in_words
from firmware_bridge.facts.book.alarms import DISK
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.topics.texts import alarms
from firmware_bridge.topics.texts.refusals import failure

SUDO: Final = "put sudo before the command"

EXAMPLE: Final = "/opt/firmware-bridge/share/firmware-bridge/bridge.toml"
"""The example that the installed version came with."""

SHOWN: Final = 3
"""Keys shown, at most, of those a config does not mention."""

Check = Callable[[Machine], Iterator[Finding]]


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe check`."""
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Check everything; return 0 if nothing failed, 1 if something did, 78 if the config is wrong. Changes nothing."""
    failed = report(findings(arguments.config), arguments.json)
    return (CONFIG if "config" in failed else FAILED) if failed else FINE


def findings(path: Path, root: Path = Path("/")) -> Iterator[Finding]:
    """Yield the findings about this machine, as they are found. root: root of the system's files."""
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
            yield _unread(check.__name__, error)


def _unread(name: str, error: OSError) -> Finding:
    """Return the finding about what could not be read; no fault of the table where only root may read it."""
    if isinstance(error, PermissionError) and os.geteuid():
        return Finding("WARN", name, f"not checked, as it is for root: {in_words(error)}", SUDO)
    return Finding("FAIL", name, in_words(error), SUDO)


def mode(machine: Machine) -> Iterator[Finding]:
    """Check whether other keys contradict the service's mode."""
    for what, remedy in (*contradictions(machine.config), *refused_by_wire(machine.config)):
        yield Finding("WARN", "mode", what, remedy)
    config = machine.config
    by_wire = "reveal" in orders_by_mqtt(config.mqtt, config.orders)
    if config.house.disclose == "sealed" and config.pins.reveal is None and not by_wire:
        what = f"cards are sealed and cannot be opened by hand: each round waits {config.house.reveal_timeout} s"
        yield Finding("WARN", "mode", what, 'wire a key, [pins] reveal, or write [mqtt] commands = [.., "reveal"]')


def example(machine: Machine) -> Iterator[Finding]:
    """Check whether somebody has edited the config that the installer put there."""
    examples = (machine.at(EXAMPLE), shipped("systemd/bridge.toml"))
    held = read_document(machine.path)
    if any(each.is_file() and read_document(each) == held for each in examples):
        what = f"{machine.path.name} is as it was installed: {machine.config.table.id} is the example's table"
        remedy = "write [table] id and [record] origin before the first start: a record keeps its name to its end"
        yield Finding("WARN", "config", what, remedy)


def terms(machine: Machine) -> Iterator[Finding]:
    """Yield what is unusual in the game's own settings."""
    for what in machine.config.rules.unusual_terms(machine.config.terms):
        yield Finding("WARN", "game", what, "if that is not meant, correct [game]")


def no_effect(machine: Machine) -> Iterator[Finding]:
    """Yield the keys in the config that are for other games."""
    for what in without_effect(read_document(machine.path), machine.config.rules):
        yield Finding("WARN", "game", what, "remove the key")


CHECKS: Final[tuple[Check, ...]] = (
    example,
    mode,
    terms,
    no_effect,
    service.service,
    service.versions,
    service.access,
    service.people,
    record.software,
    reader.reader,
    reader.repeats,
    reader.adapter,
    reader.code_book,
    reader.calibrated,
    board.board,
    board.pins,
    reader.keypads,
    broker.broker,
    tls.tls,
    forgery_probe.stranger,
    orders.orders,
    orders.names,
    broker.store,
    disk.mount,
    disk.disk,
    disk.journal,
    record.record,
    board.clock,
    board.pi,
)


def _unnamed(path: Path, config: Config) -> str:
    """Return the keys that a config does not mention, shortened: new keys after an update are among them."""
    keys = unnamed(text_in(path), config.rules)
    if not keys:
        return ""
    some = ", ".join(keys[:SHOWN]) + (f" and {len(keys) - SHOWN} more (shoe config --unnamed)" if keys[SHOWN:] else "")
    return f"; missing, so at their defaults: {some}"


def _daemon(path: Path, config: Config) -> tuple[dict[str, Any] | None, Finding]:
    """Return the running daemon's status (None: not running), and the finding about the daemon itself."""
    try:
        status = ask(socket_path(path), {"do": "status"})
    except NotRunning:
        return None, Finding("OK", "daemon", "not running: its devices are tested directly")
    except NoDaemon as error:
        return None, Finding("FAIL", "daemon", error.what, error.hint)
    if status["table_id"] != config.table.id:
        what = f"it runs as table {status['table_id']}: it has not read this config yet"
        return status, Finding("WARN", "daemon", what, RESTART)
    if changed := [
        name for name, digest in digests(config).items() if status["config"]["sections"].get(name) != digest
    ]:
        what = f"it has not read what was changed in {', '.join(f'[{name}]' for name in changed)}"
        return status, Finding("WARN", "daemon", what, RESTART)
    if status["mode"] == "NO_JOURNAL":
        lost = next(each for each in status["alarm"]["open"] if each["id"] in DISK and each["blocks"])
        hint = lost["values"].get("hint")
        remedy = failure("en", hint) if hint else alarms.todo("en", lost["id"], "")
        return status, Finding("FAIL", "daemon", f"runs, but cannot deal: {failure('en', status['disk'])}", remedy)
    software = f"version {status['version']}, build {status.get('build', 'unknown')}"
    return status, Finding("OK", "daemon", f"runs, {software}, {status['mode']}")
