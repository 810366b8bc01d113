"""Opens the store that `floor.toml` names, and queries it with a time limit."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from logging import Logger
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Final, TypeVar

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig, need, password
from firmware_bridge.floor.store import OtherFormat, Reader, Store
from firmware_bridge.floor.store.errors import StoreError

LIMIT_S: Final = 6.0
"""Longest wait for an answer; Prometheus gives up after 10 s."""

Answer = TypeVar("Answer")


def open_store(config: FloorConfig, *, make: bool = False) -> Store:
    """Open the store of a floor. make: whether to make a missing file. Raises StoreError, ConfigError."""
    need("sqlalchemy", "floor")
    if config.store.url is None:
        from firmware_bridge.floor.store.sqlite import SqliteStore

        return SqliteStore(Path(config.store.path), make=make)
    need("psycopg", "postgres")
    from firmware_bridge.floor.store.postgres import PostgresStore

    return PostgresStore(config.store.url, _password(config))


def open_reader(config: FloorConfig) -> Reader | None:
    """Open the store of a floor for reading; return None without a file. Raises StoreError, ConfigError."""
    need("sqlalchemy", "floor")
    if config.store.url is None:
        return _file_reader(Path(config.store.path))
    need("psycopg", "postgres")
    from firmware_bridge.floor.store.postgres import PostgresReader

    return PostgresReader(config.store.url, _password(config))


def place(config: FloorConfig) -> str:
    """Return the place of the store, in words without secrets."""
    return config.store.path if config.store.url is None else "PostgreSQL"


class Trouble:
    """Logs why something cannot be read: once when it begins, and once when it can be read again.

    log: of who asks. what: "the store cannot be read", and the like. over: the same, of its end.
    """

    def __init__(self, log: Logger, what: str, over: str) -> None:
        self._log, self._what, self._over, self._why = log, what, over, ""

    def note(self, why: str) -> None:
        """Note what is the matter now, "" for nothing."""
        before, self._why = self._why, why
        if why and why != before:
            self._log.warning("%s: %s", self._what, escaped(why))
        elif before and not why:
            self._log.info("%s", self._over)


class Asked:
    """Queries the store of a floor for any number of threads, one query at a time, each with its own connection.

    A query to a server that hangs stays on a daemon thread.
    """

    def __init__(self, config: FloorConfig, limit_s: float = LIMIT_S) -> None:
        self._config, self._limit_s, self._free = config, limit_s, Lock()

    def __call__(self, question: Callable[[Reader], Answer]) -> Answer | None:
        """Return the answer to a query; None without a store. Raises StoreError, ConfigError."""
        until = monotonic() + self._limit_s
        if not self._free.acquire(timeout=self._limit_s):
            raise self._late()
        answer: Future[Answer | None] = Future()
        Thread(target=self._ask, args=(question, answer), name="store", daemon=True).start()
        try:
            return answer.result(max(0.0, until - monotonic()))
        except TimeoutError:
            raise self._late() from None

    def verify_format(self) -> None:
        """Raise OtherFormat for a store of another format; other faults are ignored."""
        try:
            self(lambda _: None)
        except OtherFormat:
            raise
        except (StoreError, ConfigError):
            return

    def _ask(self, question: Callable[[Reader], Answer], answer: Future[Answer | None]) -> None:
        try:
            reader = open_reader(self._config)
            if reader is None:
                answer.set_result(None)
                return
            with closing(reader):
                answer.set_result(question(reader))
        except BaseException as error:
            answer.set_exception(error)
        finally:
            self._free.release()

    def _late(self) -> StoreError:
        return StoreError(f"the store gave no answer in {self._limit_s:g} s", "check its server or its disk")


def _file_reader(path: Path) -> Reader | None:
    try:
        path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}", "allow the user of this program to read it") from None
    from firmware_bridge.floor.store.sqlite import SqliteReader

    return SqliteReader(path)


def _password(config: FloorConfig) -> str | None:
    secret = password(config.store)
    return None if secret is None else secret.decode("utf-8", "replace")
