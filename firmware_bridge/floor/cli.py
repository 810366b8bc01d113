"""The command `shoe-floor`: the back office of all tables of a floor."""

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import Final, get_args

from firmware_bridge import __build__, __version__
from firmware_bridge.errors import BridgeError, ConfigError, JournalError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig, load, need
from firmware_bridge.floor.store import OtherFormat, What

CONFIG: Final = Path("/etc/firmware-bridge/floor.toml")

FINE, FAILED, WRONG_CONFIG, INTERRUPTED = 0, 1, 78, 130


def main(argv: list[str] | None = None) -> int:
    """Run a command; exit codes: 0 fine, 1 a check or the store failed, 2 wrong usage, 78 wrong config or store."""
    arguments = _parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        code: int = arguments.run(arguments, load(arguments.config))
        sys.stdout.flush()
        return code
    except BridgeError as error:
        print("\n".join(map(escaped, f"shoe-floor: {error}".splitlines())), file=sys.stderr)
        return WRONG_CONFIG if isinstance(error, (ConfigError, OtherFormat)) else FAILED
    except BrokenPipeError:  # `| head` has ended: discard the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except KeyboardInterrupt:
        return INTERRUPTED


def _ingest(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.service import run

    return run(config)


def _metrics(arguments: argparse.Namespace, config: FloorConfig) -> int:
    _verify_served(config)
    from firmware_bridge.floor.metrics.service import run

    return run(config)


def _check(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.check import findings

    code = FINE
    for each in findings(config):
        print(each)
        code = code if each.fine else FAILED
    return code


def _prepare(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.service import prepared

    for line in prepared(config, arguments.ingest, arguments.reader):
        print(line)
    return FINE


def _page(arguments: argparse.Namespace, config: FloorConfig) -> int:
    _verify_served(config)
    from firmware_bridge.floor.page.service import run

    return run(config)


def _verify_served(config: FloorConfig) -> None:
    """Check what a service over HTTP needs. Raises OtherFormat for another store, ConfigError for a missing package."""
    from firmware_bridge.floor.store.open import Asked

    Asked(config).verify_format()
    need("starlette", "floor")
    need("uvicorn", "floor")


def _export(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.commands import export
    from firmware_bridge.floor.store.open import open_store

    store = open_store(config)
    try:
        form = "csv" if arguments.csv else "jsonl"
        count = export(store, arguments.what, arguments.table, arguments.journal, arguments.output, form)
    finally:
        store.close()
    print(f"{count} rows exported", file=sys.stderr)
    return FINE


def _backup(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.open import open_store

    store = open_store(config)
    try:
        store.backup(arguments.target)
    finally:
        store.close()
    return FINE


def _expire(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.commands import expire
    from firmware_bridge.floor.store.open import open_store

    if config.store.keep_years is None:
        print("nothing is deleted: [store] keep_years is not set")
        return FINE
    store = open_store(config)
    try:
        for line in expire(store, config.store.keep_years, dry=arguments.dry_run):
            print(escaped(line))
    finally:
        store.close()
    return FINE


def _backfill(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.record.names import names
    from firmware_bridge.floor.store.commands import backfill
    from firmware_bridge.floor.store.open import open_store

    store, code = open_store(config, make=True), FINE
    try:
        for path in arguments.journals:
            faults: list[JournalError] = []
            saved = backfill(store, path, names(config.ingest.pseudonym_key_file), faults.append)
            print(f"{path}: {saved.fresh} new, {saved.repeats} already stored, {saved.conflicts} in conflict")
            for fault in faults:
                print(f"{path}: skipped: {escaped(str(fault))}", file=sys.stderr)
            code = FAILED if saved.conflicts or faults else code
    finally:
        store.close()
    return code


def _pseudonym(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.record.names import names

    if (found := names(config.ingest.pseudonym_key_file)) is None:
        raise ConfigError("names of people are not replaced", "set [ingest] pseudonym_key_file (docs/floor.md)")
    for name in arguments.names:
        print(f"{found.pseudonym(name)} {escaped(name)}")
    return FINE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="shoe-floor", description="The back office of all tables of a floor.")
    parser.add_argument("--version", action="version", version=f"shoe-floor {__version__}, build {__build__}")
    parser.add_argument("--config", type=Path, default=CONFIG, metavar="FILE", help="(default: %(default)s)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, text: str, run: object) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        return command

    add("ingest", "store every message of every table (a service, under systemd)", _ingest)
    add("metrics", "serve metrics of all tables to Prometheus (a service, under systemd)", _metrics)
    add("check", "check the store and the broker", _check)
    command = add("prepare", "set up what the ingest needs, before tables connect", _prepare)
    command.add_argument(
        "--ingest", action="append", default=[], metavar="ROLE", help="a PostgreSQL role to store messages"
    )
    command.add_argument("--reader", action="append", default=[], metavar="ROLE", help="a PostgreSQL role to read them")
    add("page", "serve the web page of all tables for the pit (read-only)", _page)
    command = add("backfill", "add exported journals to the store", _backfill)
    command.add_argument("journals", nargs="+", type=Path, metavar="FILE", help="a file of shoe journal export")
    command = add("backup", "copy the store while the ingest runs", _backup)
    command.add_argument("target", type=Path, metavar="FILE", help="replaced completely, or not at all")
    command = add("expire", "delete journals older than keep_years", _expire)
    command.add_argument("--dry-run", action="store_true", help="only show what would be deleted")
    command = add("pseudonym", "show the pseudonyms of names", _pseudonym)
    command.add_argument("names", nargs="+", metavar="NAME")
    command = add("export", "export rows of the store as JSON lines or CSV", _export)
    command.add_argument("what", choices=get_args(What), metavar="WHAT", help=", ".join(get_args(What)))
    command.add_argument("--csv", action="store_true", help="CSV (default: JSON lines)")
    command.add_argument("--table", metavar="ID", help="only of this table")
    command.add_argument("--journal", metavar="ID", help="only of this journal")
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="(default: stdout)")
    return parser
