"""The way to a server of PostgreSQL, and what its errors mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.store import FORMAT, OtherFormat, StoreError
from firmware_bridge.floor.store import postgres_sql as sql
from firmware_bridge.floor.store.postgres_words import hint

WAYS: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "shoe-floor",
}
"""How the server is spoken to, where the URL says nothing else: one that is cut off is given up after 30 s."""


def connected(url: str, password: str | None, **ways: Any) -> tuple[str, psycopg.Connection[Any]]:
    """The database that a URL names, in words, and a connection to it. ways: in place of `WAYS`. Raises StoreError."""
    try:
        named = conninfo_to_dict(url)
    except psycopg.Error:  # its text shows parts of the URL
        raise StoreError("[store] url cannot be read", "write postgresql://USER@HOST/DATABASE") from None
    chosen = {key: value for key, value in (WAYS | ways).items() if key not in named}
    if password is not None:
        chosen["password"] = password
    with in_words("PostgreSQL"):
        db = psycopg.connect(url, autocommit=True, client_encoding="UTF8", **chosen)
    return f"PostgreSQL, database {db.info.dbname} at {db.info.host or 'this machine'}", db


def verify_format(db: psycopg.Connection[Any], place: str) -> bool:
    """Whether there are tables, of our format. place: as in `in_words`. Raises OtherFormat, psycopg.Error."""
    (is_there,) = db.execute(sql.HAS_VERSION).fetchone() or (False,)
    (found,) = (db.execute(sql.VERSION).fetchone() if is_there else None) or (0,)
    if is_there and found != FORMAT:
        raise OtherFormat(place, found)
    return bool(is_there)


@contextmanager
def in_words(place: str) -> Iterator[None]:
    """Errors of the server as StoreError, with what to do. place: the database in words."""
    try:
        yield
    except psycopg.Error as error:
        said = error.diag.message_primary or "; ".join(str(error).split("\n")) or type(error).__name__
        raise StoreError(f"{place}: {escaped(said)}", hint(error.sqlstate, said)) from None
