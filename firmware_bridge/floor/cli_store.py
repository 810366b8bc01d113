"""The commands that keep a store: `shoe-floor backfill`, `backup`, `migrate`, `compact` and `expire`."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import Final

from firmware_bridge.config.arguments import Add, Exit, file_to_write
from firmware_bridge.config.plain import say, warn
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig

BACKUPS: Final = Path("/var/lib/shoe-floor")


def add_store(add: Add) -> None:
    """Add the commands. add: adds a command with its name, its help and what carries it out."""
    command = add("backfill", "add exported journals to the store", _backfill)
    command.add_argument("journals", nargs="+", type=Path, metavar="FILE", help="a file of shoe journal export")
    command = add("backup", "copy the store while the ingest runs", _backup)
    command.add_argument("target", type=file_to_write, metavar="FILE", help="replaced completely, or not at all")
    command = add("migrate", "bring the store to the format of this version, and back", _migrate)
    command.add_argument("--dry-run", action="store_true", help="only show what would be done, and how long it takes")
    text = "put the backup from before the last migration in the store's place, or that of FORMAT"
    command.add_argument("--back", nargs="?", type=int, const=0, metavar="FORMAT", help=text)
    text = (
        f"where the dump of PostgreSQL is kept (default: {BACKUPS}); a file stays beside the one that takes its place"
    )
    command.add_argument("--backups", type=Path, default=BACKUPS, metavar="DIRECTORY", help=text)
    add("compact", "compress the events of shoes that are over (hourly, under systemd)", _compact)
    command = add("expire", "delete journals older than keep_years, and old quarantine", _expire)
    command.add_argument("--dry-run", action="store_true", help="only show what would be deleted")


def _backup(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.open import open_store

    with closing(open_store(config)) as store:
        store.backup(arguments.target)
    return Exit.FINE


def _migrate(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.migrations import back, migrated, planned

    if arguments.back is not None:
        lines = back(config, arguments.backups, arguments.back or None, dry=arguments.dry_run)
    else:
        lines = (planned if arguments.dry_run else migrated)(config, arguments.backups)
    for line in lines:
        say(line)
    return Exit.FINE


def _compact(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.commands import compact
    from firmware_bridge.floor.store.open import open_store
    from firmware_bridge.floor.verified.quorum import policy

    has_quorum = policy(config).quorum != "none"
    with closing(open_store(config)) as store:
        say(compact(store, config.store.compact_hours, quorum=has_quorum))
    return Exit.FINE


def _expire(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.store.commands import expire, expire_events, expire_quarantine
    from firmware_bridge.floor.store.open import open_store
    from firmware_bridge.floor.verified.quorum import policy

    years, of_events, days = config.store.keep_years, config.store.keep_event_years, config.store.quarantine_days
    if years is None and of_events is None and days is None:
        say("nothing is deleted: none of [store] keep_years, keep_event_years and quarantine_days is set")
        return Exit.FINE
    has_quorum = policy(config).quorum != "none"
    with closing(open_store(config)) as store:
        if days is not None:
            say(expire_quarantine(store, days, dry=arguments.dry_run))
        for line in expire(store, years, dry=arguments.dry_run, quorum=has_quorum) if years is not None else ():
            say(escaped(line))
        if of_events is not None:
            say(expire_events(store, of_events, dry=arguments.dry_run, quorum=has_quorum))
    return Exit.FINE


def _backfill(arguments: argparse.Namespace, config: FloorConfig) -> int:
    from firmware_bridge.floor.record.names import names
    from firmware_bridge.floor.store.commands import backfill
    from firmware_bridge.floor.store.open import open_store

    code = Exit.FINE
    with closing(open_store(config, make=True)) as store:
        for path in arguments.journals:
            faults: list[JournalError] = []
            saved = backfill(store, path, names(config.ingest.pseudonym_key_file), faults.append)
            say(f"{path}: {saved.fresh} new, {saved.repeats} already stored, {saved.conflicts} in conflict")
            for fault in faults:
                warn(f"{path}: skipped: {escaped(str(fault))}")
            code = Exit.FAILED if saved.conflicts or faults else code
    return code
