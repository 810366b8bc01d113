"""Opens the store that `floor.toml` names."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.floor.config.secrets import password
from firmware_bridge.floor.config.sections import FloorConfig
from firmware_bridge.floor.extras import need
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.sqlite import SqliteStore


def open_store(config: FloorConfig, *, make: bool = False) -> Store:
    """The store of a floor. make: whether a file is made where there is none. Raises StoreError, ConfigError."""
    if config.store.url is None:
        return SqliteStore(Path(config.store.path), make=make)
    need("psycopg", "postgres")
    from firmware_bridge.floor.store.postgres import PostgresStore

    secret = password(config.store)
    return PostgresStore(config.store.url, None if secret is None else secret.decode("utf-8", "replace"))


def place(config: FloorConfig) -> str:
    """Where the messages of a floor are kept, in words without secrets."""
    return config.store.path if config.store.url is None else "PostgreSQL"
