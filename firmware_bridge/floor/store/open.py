"""Opens the store that `floor.toml` names."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.floor.config import FloorConfig, need, password
from firmware_bridge.floor.store import Reader, Store, StoreError
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.floor.store.sqlite_reader import SqliteReader


def open_store(config: FloorConfig, *, make: bool = False) -> Store:
    """The store of a floor. make: whether a file is made where there is none. Raises StoreError, ConfigError."""
    if config.store.url is None:
        return SqliteStore(Path(config.store.path), make=make)
    need("psycopg", "postgres")
    from firmware_bridge.floor.store.postgres import PostgresStore

    return PostgresStore(config.store.url, _password(config))


def open_reader(config: FloorConfig) -> Reader | None:
    """A reader of the store of a floor; None where there is no file. Raises StoreError, ConfigError."""
    if config.store.url is None:
        return _file_reader(Path(config.store.path))
    need("psycopg", "postgres")
    from firmware_bridge.floor.store.postgres_reader import PostgresReader

    return PostgresReader(config.store.url, _password(config))


def place(config: FloorConfig) -> str:
    """Where the messages of a floor are kept, in words without secrets."""
    return config.store.path if config.store.url is None else "PostgreSQL"


def _file_reader(path: Path) -> Reader | None:
    try:
        path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}", "let the user of this program read it") from None
    return SqliteReader(path)


def _password(config: FloorConfig) -> str | None:
    secret = password(config.store)
    return None if secret is None else secret.decode("utf-8", "replace")
