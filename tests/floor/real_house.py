"""A house of real parts: a table, a broker with the rights of docs/broker.md, and an ingest, each a process."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.floor.check import findings
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.floor.config import load
from firmware_bridge.floor.metrics.exporter import PLAIN, Exporter, stored
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.record.verify import Key, parse_vkey
from tests.floor.ingesting import Ingest
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import HANG_S, LIMIT_S

ACL: Final = """pattern readwrite shoe/%u/#
user floor
topic read shoe/#
topic write shoe/+/command
topic write shoe/+/stored
topic write shoe/+/witnessed"""
USERS: Final = {"T07": "t", "floor": "f"}

ROUNDS: Final = ("9s Td Ts Tc", "2s 3h 4d 5c", "Kd 9c 8h 8s", "Kh 9d 8c 7s", "Ks 9h 8d 6s", "Qs 4c 9h 2h")
"""Rounds of one deck, of four cards each: no card comes twice."""

QUICK: Final = (
    "-c",
    """
import sys
from firmware_bridge.floor import service
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.verified import records, rounds
service.FIRST_AUDIT_S, service.AUDIT_S = 0.5, 0.5
records.KEYS_S, records.AGAIN_S, rounds.ALONE_S = 0.2, 1.0, 6.0

usual = records.Records._renew

def renew(self):
    before = self.enrolled
    usual(self)
    for table in self.enrolled - before:
        print("knows the key of", table, file=sys.stderr, flush=True)

records.Records._renew = renew
sys.exit(main())
""",
)
"""The `code` of an ingest that verifies its store, and looks for keys and for what is missing, without long waits.

It says on stderr of which table it knows an enrolled key now.
"""


class RealHouse:
    """A table, its broker and the ingest of the house. more: lines of floor.toml. record: `[record]` of the table."""

    def __init__(self, folder: Path, broker: Broker, more: str = "", **record: Any) -> None:
        self.folder, self.broker = folder, broker
        (folder / "password").write_text("t")
        mqtt = {"username": "T07", "password_file": str(folder / "password"), "stored": "floor"}
        key = {"key_file": str(folder / "record-key")}
        self.table = DaemonTable(folder, broker.port, table={"decks": 1}, mqtt=mqtt, record=key | record)
        self.ingest = Ingest(folder, broker.port)
        self.ingest.code = QUICK
        self.config = folder / "floor.toml"
        (folder / "floor-password").write_text("f")
        login = f'username = "floor"\npassword_file = "{folder / "floor-password"}"\n'
        self.config.write_text(self.config.read_text().replace("[mqtt]\n", f"[mqtt]\n{login}") + more)
        self._rounds = cycle(ROUNDS)

    def open(self, *, enrolled: bool = True) -> None:
        """Start both, enrol the table's key, and play two rounds."""
        self.ingest.start()
        self.table.start()
        self.play()
        if enrolled:
            self.enrol()
        self.play()
        self.until(lambda: len(self.rounds()) == 2)

    def begin(self) -> Key:
        """Let the table begin its record, and stop it; the key of the record."""
        self.table.start()
        vkey = self.table.ask(do="status")["record"]["key"]
        self.table.stop()
        return parse_vkey(vkey)

    def witnessed_by(self, *witnesses: tuple[Key, str]) -> None:
        """Name witnesses by key and address, to the ingest and to the table; both are stopped."""
        rows = "".join(f'[[witness]]\nvkey = "{key.vkey}"\nurl = "{url}"\n' for key, url in witnesses)
        with self.config.open("a") as file:
            file.write(f"[record]\nevery = 1\ncompare = 10\n{rows}")
        text = self.table.config_path.read_text()
        keys = json.dumps([key.vkey for key, _ in witnesses])
        self.table.config_path.write_text(text.replace("[record]\n", f"[record]\nwitnesses = {keys}\n"))

    def witnessed(self) -> int:
        """How many entries of the table's newest record a quorum cosigned."""
        return max((size for (size,) in self.asked("select witnessed from log")), default=0)

    def enrol(self) -> None:
        """Let the table's key count, and wait until the ingest knows it."""
        vkey = self.table.ask(do="status")["record"]["key"]
        self.until(lambda: self.asked("select 1"))  # its file stands before its tables do
        assert self.floor("record", "enrol", "T07", vkey, "--by", "Anna", "--second", "Bo") == 0
        self.until(lambda: "knows the key of T07" in (self.folder / "ingest.log").read_text())

    def play(self, rounds: int = 1, table: DaemonTable | None = None) -> None:
        """Deal rounds at the table, or at another one with its cards."""
        for _ in range(rounds):
            (table or self.table).deal(next(self._rounds))

    def floor(self, *words: str) -> int:
        """The exit code of a command of the house."""
        return shoe_floor(["--config", str(self.config), *words])

    def until(self, condition: Callable[[], Any], limit: float = LIMIT_S) -> Any:
        return self.table.until(condition, limit)

    def asked(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of the store; none where there is no store yet."""
        if not self.ingest.path.exists():
            return []
        with closing(sqlite3.connect(f"{self.ingest.path.as_uri()}?mode=ro", uri=True, timeout=HANG_S)) as db:
            is_made = db.execute("select count(*) from sqlite_master where name = 'rounds'").fetchone()[0]
            return db.execute(query).fetchall() if is_made else []

    def rounds(self) -> list[dict[str, Any]]:
        """The rounds that count, in order."""
        return [json.loads(body) for (body,) in self.asked("select body from rounds order by shoe, round")]

    def kinds(self) -> set[str]:
        """The kinds of open incidents: what a page shows."""
        return {kind for (kind,) in self.asked("select kind from incidents where closed_at = ''")}

    def incident(self, *kinds: str) -> None:
        """Wait for incidents of these kinds: in the store, in the metrics, and `shoe-floor check` calls each wrong."""
        self.until(lambda: self.kinds() >= set(kinds))
        config = load(self.config)
        exporter = Exporter(Tables("shoe"), lambda: Asked(config)(lambda reader: stored(reader, [], 0.0)))
        assert "shoe_record_incidents 0\n" not in (text := str(exporter.text(PLAIN)))
        assert "shoe_record_incidents " in text
        assert [each.level for each in findings(config) if each.name == "record"][-1] == "FAIL"

    def close(self) -> None:
        self.ingest.end()
        self.table.close()


@contextmanager
def copied(house: RealHouse) -> Iterator[DaemonTable]:
    """A running daemon with a copy of the table's card: journals, cursor, login and key; it is ready for a round."""
    folder = house.folder / "copy"
    folder.mkdir()
    made = DaemonTable(folder, house.broker.port)
    made.board.reset(session=7)  # another reader than the table's
    text = house.table.config_path.read_text()
    for before, now in ((house.table.journal_dir, made.journal_dir), (house.folder / "reader", folder / "reader")):
        text = text.replace(str(before), str(now))
    made.config_path.write_text(text.replace("[mqtt]", '[mqtt]\nclient_id = "copy"'))
    shutil.copytree(house.table.journal_dir, made.journal_dir, ignore=shutil.ignore_patterns("*.sock", "*lock*"))
    try:
        made.start()
        gap = {"do": "resolve", "irregularity": "reader_gap", "choice": "accept", "by": "thief"}
        while not made.ask(**gap)["ok"]:
            made.pause(0.1)
        yield made
    finally:
        made.close()


thief_of = partial(Backend, topic="shoe/T07/#", client_id="thief", username="T07", password="t", of_shoes=False)
"""Somebody else with the login of the table's card, under another client id; the real shoe stays connected."""


@pytest.fixture
def house(tmp_path: Path, brokers: Callable[..., Broker]) -> Iterator[RealHouse]:
    """Give a house whose table and ingest are not started yet."""
    made = RealHouse(tmp_path, brokers(users=USERS, acl=ACL, persistence=True))
    yield made
    made.close()


@pytest.fixture
def thief(house: RealHouse) -> Iterator[Backend]:
    """Give somebody with the login of the house's table."""
    with thief_of(house.broker.port) as made:
        yield made


def alarms(heard: Backend) -> set[str]:
    """The alarms that the table says it has."""
    return {each["id"] for each in heard.on("alarm")[-1]["open"]}
