"""Three attacks on the record, step by step, with a real table, broker and ingest: who finds what, and when.

The broker has the rights of docs/broker.md; a thief has what lies on a table's card.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest

from firmware_bridge.floor.check import findings
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.floor.config import load
from firmware_bridge.floor.metrics.exporter import Exporter
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.journal.files import journal_files
from tests.floor.ingesting import Ingest
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

brokers = real.brokers  # fixture

ACL: Final = """pattern readwrite shoe/%u/#
user floor
topic read shoe/#
topic write shoe/+/command
topic write shoe/+/stored
topic write shoe/+/witnessed"""
USERS: Final = {"T07": "t", "floor": "f"}
ROUNDS: Final = ("9s Td Ts Tc", "2s 3h 4d 5c", "Kd 9c 3h 8s")
WITHIN_S: Final = 20.0
"""Longest time from a cause to its incident."""


class House:
    """A table, its broker and the ingest of the house."""

    def __init__(self, folder: Path, broker: Broker) -> None:
        self.folder, self.broker = folder, broker
        (folder / "password").write_text("t")
        mqtt = {"username": "T07", "password_file": str(folder / "password")}
        self.table = DaemonTable(folder, broker.port, table={"decks": 1}, mqtt=mqtt)
        self.ingest = Ingest(folder, broker.port)
        config = folder / "floor.toml"
        login = f'username = "floor"\npassword_file = "{folder / "floor-password"}"\n'
        (folder / "floor-password").write_text("f")
        config.write_text(config.read_text().replace("[mqtt]\n", f"[mqtt]\n{login}"))
        self.config = config

    def open(self, *, enrolled: bool) -> None:
        """Start both, play two rounds, and enrol the table's key."""
        self.ingest.start()
        self.table.start()
        self.play(1)
        if enrolled:
            self.until(lambda: self.keys())
            [(vkey, _)] = self.keys()
            assert self.floor("record", "enrol", "T07", vkey, "--by", "Anna", "--second", "Bo") == 0
            self.table.pause(10.0)  # a running ingest takes it within 10 s
        self.play(1)
        self.until(lambda: len(self.rounds()) == 2)

    def play(self, rounds: int) -> None:
        for number in range(rounds):
            self.table.deal(ROUNDS[number % len(ROUNDS)])

    def floor(self, *words: str) -> int:
        return shoe_floor(["--config", str(self.config), *words])

    def until(self, condition: Callable[[], Any]) -> Any:
        return self.table.until(condition, WITHIN_S)

    def asked(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"{self.ingest.path.as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            return db.execute(query).fetchall()

    def keys(self) -> list[tuple[Any, ...]]:
        return self.asked("select vkey, trust from record_key") if self.ingest.path.exists() else []

    def rounds(self) -> list[dict[str, Any]]:
        return [json.loads(body) for (body,) in self.asked("select body from rounds order by received_at, seq")]

    def kinds(self) -> set[str]:
        return {kind for (kind,) in self.asked("select kind from incidents where closed_at = ''")}

    def incident(self, kind: str) -> None:
        """Wait for an incident of a kind: it is in the store, in the metrics, and `check` calls it wrong."""
        self.until(lambda: kind in self.kinds())
        config = load(self.config)
        text = Exporter(Tables("shoe"), lambda: Asked(config)(lambda reader: reader.counts())).text()
        assert f"shoe_record_incidents {len(self.asked('select 1 from incidents'))}" in str(text)
        assert [each.level for each in findings(config) if each.name == "record"][-1] == "FAIL"

    def close(self) -> None:
        self.ingest.end()
        self.table.close()


@pytest.fixture
def house(tmp_path: Path, brokers: Any) -> Iterator[House]:
    made = House(tmp_path, brokers(users=USERS, acl=ACL, persistence=True))
    yield made
    made.close()


@pytest.fixture
def thief(house: House) -> Iterator[Backend]:
    """Somebody else with the login of the table's card, under another client id; the real shoe stays connected."""
    with Backend(
        house.broker.port, "shoe/T07/#", client_id="thief", username="T07", password="t", of_shoes=False
    ) as made:
        yield made


def changed(house: House) -> dict[str, Any]:
    """The last round, as finding S1 changes it."""
    last = house.rounds()[-1]
    before = {"journal": last["journal"], "seq": last["seq"]}
    wanted = {"seq": last["seq"] + 9, "round": last["round"] + 1, "outcome": "player", "prev": before}
    return last | wanted | {"head": "ab" * 32}


def alarms(thief: Backend) -> set[str]:
    return {each["id"] for each in thief.on("alarm")[-1]["open"]}


# ---------------------------------------------------------------------------------- S1: whoever has the login settles


def test_s1_by_login_alone_nothing_is_settled(house: House, thief: Backend) -> None:
    house.open(enrolled=True)
    before = house.rounds()
    thief.publish("shoe/T07/round", changed(house))
    house.incident("round_without_event")
    assert house.rounds() == before
    house.until(lambda: "record_foreign" in alarms(thief))  # the table heard it too
    house.incident("foreign")
    lamps = thief.on("lamps")[-1]
    assert lamps
    house.play(2)
    house.until(lambda: len(house.rounds()) == 4)
    assert [each["round"] for each in house.rounds()] == [1, 2, 3, 4]
    assert not any(each["head"] == "ab" * 32 for each in house.rounds())


def test_s1_at_a_table_that_is_not_enrolled_it_is_an_incident(house: House, thief: Backend) -> None:
    house.open(enrolled=False)
    thief.publish("shoe/T07/round", changed(house))
    house.incident("round_without_event")
    assert house.asked("select proof from rounds where body like '%abababab%'") == [("none",)]


# --------------------------------------------------------------------------------------- a copied card is a copied key


def copied(house: House) -> DaemonTable:
    """A table with a copy of the card: journals, cursor, key and login."""
    folder = house.folder / "copy"
    folder.mkdir()
    made = DaemonTable(folder, house.broker.port)
    made.config_path.write_text(
        house.table.config_path.read_text()
        .replace(str(house.table.journal_dir), str(made.journal_dir))
        .replace(str(house.folder / "reader"), str(folder / "reader"))
        .replace("[mqtt]", '[mqtt]\nclient_id = "copy"')
    )
    shutil.copytree(house.table.journal_dir, made.journal_dir, ignore=shutil.ignore_patterns("*.sock", "*lock*"))
    return made


def test_a_copied_card_is_an_incident_within_a_round(house: House, thief: Backend) -> None:
    house.open(enrolled=True)
    copy = copied(house)
    copy.start()
    try:
        copy.deal(ROUNDS[2])
        house.play(1)
        house.incident("two_heads")
    finally:
        copy.stop()
        copy.close()


def test_a_copied_card_is_accepted_while_the_table_is_off_and_found_when_it_starts(
    house: House, thief: Backend
) -> None:
    house.open(enrolled=True)
    house.table.stop()
    copy = copied(house)
    copy.start()
    try:
        copy.deal(ROUNDS[2])
        house.until(lambda: len(house.rounds()) == 3)
        assert not house.kinds() & {"two_heads", "bad_checkpoint"}
    finally:
        copy.stop()
        copy.close()
    house.table.start()
    house.incident("two_heads")


# ------------------------------------------------------------------------------- S2: the past is rewritten by its code


def rewritten(data: bytes, before: str, old: bytes, new: bytes) -> tuple[bytes, str]:
    """A line of a journal with something changed, its chain and checksum made right again; and its new head."""
    fields = data.rstrip(b"\n").rstrip(b" ").split(b"\t")
    _, _, _, public, sealed, proof = fields
    public = public.replace(old, new)
    head = sha256(before.encode() + sha256(sealed).hexdigest().encode() + public).hexdigest()
    body = b"\t".join((head.encode(), public, sealed, proof))
    line = b"3\t%08x\t%b" % (crc32(body, crc32(b"3")), body)
    return line.ljust(len(data) - 1, b" ") + b"\n", head


def rewrite(directory: Path) -> int:
    """Let another side win in the first journal; returns how many lines are other ones."""
    count, before = 0, "0" * 64
    for path in journal_files(directory):
        lines = []
        for data in path.read_bytes().splitlines(keepends=True):
            if not data.startswith(b"3\t"):
                lines.append(data)
                continue
            line, head = rewritten(data, before, b'"outcome":"player"', b'"outcome":"banker"')
            count += line != data
            lines.append(line)
            before = head
        path.write_bytes(b"".join(lines))
    return count


def test_s2_a_rewritten_past_is_found_when_the_table_goes_on(house: House, thief: Backend) -> None:
    """The technician has root, but no key of another card: chain and checksums are right, the tree is not."""
    house.open(enrolled=True)
    house.table.stop()
    assert rewrite(house.table.journal_dir)
    verify = [sys.executable, "-m", "firmware_bridge", "journal", "verify", "--dir", str(house.table.journal_dir)]
    found = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert found.returncode == 1, found.stdout
    before = house.rounds()
    house.table.start()
    try:
        house.play(1)
    except AssertionError:
        assert house.table.process  # a daemon that refuses its journal deals no card
    if house.table.process and house.table.process.poll() is None:
        house.until(lambda: house.kinds() & {"two_heads", "bad_checkpoint", "foreign"})
    assert house.rounds()[: len(before)] == before


def test_s2_a_rewritten_store_is_found_at_once_by_check(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    house.open(enrolled=True)
    house.ingest.end()
    with closing(SqliteStore(house.ingest.path)) as store:
        store._db.execute("drop trigger message_is_never_changed")
        words = "'\"player\":', '\"banker\":'"
        change = f"update message set body = cast(replace(cast(body as text), {words}) as blob)"
        assert store._db.execute(f"{change} where topic = 'round'").rowcount == 2
    assert house.floor("check", "--record") == 1
    said = capsys.readouterr().out
    assert "its round is not the one of its event" in said
    assert "wrong   T07: rewritten: in the store, entry" in said


# ------------------------------------------------------------------------------------------- S3: taken back to shoe 1


def test_s3_a_card_taken_back_to_before_the_shoe_is_an_incident(house: House, thief: Backend) -> None:
    """The whole directory with its cursor, copied while the daemon was stopped, before the shoe was opened."""
    house.table.start()
    assert house.table.ask(do="status")["record"]["signed"]
    house.table.stop()
    saved = house.folder / "image"
    shutil.copytree(house.table.journal_dir, saved, ignore=shutil.ignore_patterns("*.sock"))
    house.open(enrolled=True)
    house.table.stop()
    shutil.rmtree(house.table.journal_dir)
    shutil.copytree(saved, house.table.journal_dir)
    house.table.start()
    house.play(1)
    house.incident("journal_number")
    house.incident("prev_null")
    house.incident("two_heads")
    assert len(house.rounds()) == 2


def test_s3_the_newest_journal_and_the_cursor_gone_is_an_incident(house: House, thief: Backend) -> None:
    house.open(enrolled=True)
    house.table.stop()
    *_, newest = journal_files(house.table.journal_dir)
    newest.unlink()
    (house.table.journal_dir / "cursor").unlink(missing_ok=True)
    house.table.start()
    house.play(1)
    house.incident("journal_number")
    house.incident("prev_null")
    assert len(house.rounds()) == 2
