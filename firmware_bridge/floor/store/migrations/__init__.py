"""Brings a store to the format of this version, and back: what is done, in words.

A step from one format to the next is a module here. It imports nothing that a later format may change, or copies it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.floor.config import FloorConfig, need, password
from firmware_bridge.floor.record.names import names
from firmware_bridge.floor.store import FORMAT, OLDEST, OtherFormat
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.migrations import from_8_to_9, from_9_to_10
from firmware_bridge.floor.store.migrations.engine import Backup, Engine
from firmware_bridge.floor.store.migrations.sqlite_file import SqliteFile
from firmware_bridge.floor.store.migrations.step import Step

STEPS: Final[dict[int, Step]] = {8: from_8_to_9.STEP, 9: from_9_to_10.STEP}
"""Format -> the step from it to the next."""


def engine_of(config: FloorConfig, backups: Path) -> Engine:
    """Return the store of a floor, of any format. backups: the directory of dumps. Raises ConfigError, StoreError."""
    need("sqlalchemy", "floor")
    if config.store.url is None:
        return SqliteFile(Path(config.store.path))
    need("psycopg", "postgres")
    from firmware_bridge.floor.store.migrations.postgres_database import PostgresDatabase

    secret = password(config.store)
    return PostgresDatabase(config.store.url, None if secret is None else secret.decode("utf-8", "replace"), backups)


def planned(config: FloorConfig, backups: Path) -> Iterator[str]:
    """Yield what a migration would do and how long it would take; change nothing. Raises StoreError, ConfigError."""
    engine, hidden = engine_of(config, backups), names(config.ingest.pseudonym_key_file)
    if (found := _found(engine)) is None:
        return
    with engine.reading() as db:
        for number in range(found, FORMAT):
            step = STEPS[number]
            step.verify(db, hidden)
            size = step.measure(db, hidden)
            yield f"format {number} to {number + 1}: {step.text}; {size.rows}, in about {_time(size.estimate_s)}"
    yield f"before that the store is copied: {engine.room()}"


def migrated(config: FloorConfig, backups: Path) -> Iterator[str]:
    """Migrate the store; yield a line for each thing done. Raises StoreError, ConfigError."""
    engine, hidden = engine_of(config, backups), names(config.ingest.pseudonym_key_file)
    if (found := _found(engine)) is None:
        yield f"{engine.place} has format {FORMAT}: there is nothing to do"
        return
    steps = [STEPS[number] for number in range(found, FORMAT)]
    yield from engine.migrate(found, FORMAT, steps, hidden)
    if hidden is not None:
        yield "names of people may be in the backup: once this version has run for a while, delete it"


def back(config: FloorConfig, backups: Path, to: int | None, *, dry: bool = False) -> Iterator[str]:
    """Put the store's backup back; yield a line for each thing done. Raises StoreError, ConfigError.

    to: the format that is wanted, None for that before the last migration. dry: only say it.
    """
    engine = engine_of(config, backups)
    found = engine.format()
    if found is None or (to is not None and found <= to):
        yield f"{engine.place} has format {found}: there is nothing to put back" if found else "there is no store"
        return
    backup = _backup(engine, found, to)
    yield f"a version for format {backup.format} cannot read {engine.place}, which has format {found}"
    if dry:
        yield f"{backup.path} would be put in its place, and what came since asked of the tables again"
        return
    yield from engine.back(backup)


def _backup(engine: Engine, found: int, to: int | None) -> Backup:
    for each in engine.backups():
        if each.format == to or (to is None and each.format < found):
            return each
    what = f"no backup of {engine.place} of format {to}" if to is not None else f"no backup of {engine.place}"
    raise StoreError(f"there is {what}", "stay with this version, or set another store in [store] of floor.toml")


def _found(engine: Engine) -> int | None:
    """Return the format of a store to migrate, None where it has that of this version. Raises OtherFormat."""
    if (found := engine.format()) is None:
        raise StoreError(f"there is no store at {engine.place}", "check [store] of floor.toml")
    if found == FORMAT:
        return None
    if not OLDEST <= found < FORMAT:
        raise OtherFormat(engine.place, found)
    return found


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
