"""A back office of fake tables, without a broker, and with a clock of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.message import Key, Row, now
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.record.state import TrustedKey
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.floor.verified.audit import Audit
from firmware_bridge.floor.verified.records import Limits
from tests.floor.test_ingest import Said

Floor = Callable[..., tuple[int, str]]
"""A command of `shoe-floor`: exit code, and what it prints on stdout and stderr."""


def commands(config: Path, capsys: pytest.CaptureFixture[str]) -> Floor:
    """`shoe-floor` with a config."""

    def run(*words: str) -> tuple[int, str]:
        code = main(["--config", str(config), *words])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


class House:
    """A back office that reads fake tables. restart: as after a `kill -9`. opens: another store than that of SQLite.

    names: replaces names of people.
    """

    def __init__(
        self,
        path: Path,
        limits: dict[str, Limits] | None = None,
        opens: Callable[[], Store] | None = None,
        names: Names | None = None,
    ) -> None:
        self.path, self.time, self.limits, self.names = path, 0.0, limits, names
        self._opens = opens or (lambda: SqliteStore(path))
        self.store, self.source = self._opens(), Said()
        self.ingest = self._made()

    def _made(self) -> Ingest:
        return Ingest(self.store, self.source, clock=lambda: self.time, names=self.names, limits=self.limits)

    def restart(self) -> None:
        self.store.close()
        self.store = self._opens()
        self.ingest = self._made()

    def send(self, *messages: tuple[str, bytes]) -> None:
        self.ingest.save([Delivery(topic, payload) for topic, payload in messages])

    def table(self, name: str = "T07", **more: Any) -> FakeTable:
        return FakeTable(lambda topic, payload: self.send((topic, payload)), name, **more)

    def wait(self, seconds: float = 20.0) -> None:
        for _ in range(int(seconds)):
            self.time += 1.0
            self.ingest.ask()

    def enrol(self, table: FakeTable) -> None:
        """Enrol the key of a table, and wait until the ingest knows it."""
        self.store.put_key(TrustedKey(table.table, table.key, "enrolled", "ANNA", "BO", now()))
        self.wait(10)

    def kinds(self) -> set[str]:
        return {each.kind for each in self.store.incidents()}

    def rounds(self) -> list[dict[str, Any]]:
        columns = self.store.columns("rounds")
        return [dict(zip(columns, each, strict=True)) for each in self.store.rows("rounds", None, None)]

    def proofs(self) -> list[str]:
        return [each["proof"] for each in self.rounds()]

    def stored(self) -> dict[str, Any]:
        return next(body for topic, body in reversed(self.source.published) if topic.endswith("/stored"))

    def rewritten(self) -> list[str]:
        """What a verification of the whole store finds."""
        return [each.text for each in Audit(self.store).run(whole=True) if each]


def shoes_over(store: Store, rows: Iterable[Row]) -> None:
    """Let every shoe be complete, and followed by a later one, as it is after a day."""
    with store._transaction() as db:
        db.execute("update progress set since = '', whole = known")
    keys = {row.key: (row.shoe, row.seq) for row in sorted(rows, key=lambda row: row.seq)}
    with store._in_words():
        tables = {table for (table,) in store._db.execute("select distinct tbl from progress").fetchall()}
    tables |= {key.table for key in keys}
    progress = [Progress(key, shoe, seq, seq, "") for key, (shoe, seq) in keys.items()]
    store.save(
        [], [], [*progress, *(Progress(Key(table, "999999999-next"), 999_999_999, 0, 0, "") for table in tables)]
    )


class CompactingHouse(House):
    """A back office in which the events of each shoe become a block as soon as the next shoe has begun."""

    def send(self, *messages: tuple[str, bytes]) -> None:
        super().send(*messages)
        self.compact()

    def wait(self, seconds: float = 20.0) -> None:
        super().wait(seconds)
        self.compact()

    def compact(self) -> None:
        """Make each shoe a block that may be one."""
        with self.store._transaction() as db:
            db.execute("update progress set since = ''")
        for key in self.store.over():
            self.store.compact(key, "2031-01-01T00:00:00.000Z")
