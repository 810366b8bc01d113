"""The programs of docs/backend.md for a floor of tables do what the page says."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from firmware_bridge.client.floor import PlainBatch, PlainFloor
from firmware_bridge.client.messages import Item
from firmware_bridge.client.testing import fake_table
from tests.client.reading import raws, subscribed
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import Patience, until
from tests.kit.process import python

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "backend.md").read_text("utf-8"), re.S)
LEDGER, TESTING = (next(each for each in BLOCKS if word in each) for word in ("import sqlite3", "fake_table("))

brokers, broker = real.brokers, real.broker  # fixtures


@contextmanager
def ledger(folder: Path, port: int) -> Iterator[None]:
    program = LEDGER.replace("1883", str(port)).replace('host="127.0.0.1"', "wait_s=0.2")
    process = python("-c", program, cwd=folder)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def until_stored(folder: Path, rounds: list[bytes]) -> None:
    def stored() -> list[bytes]:
        if not (folder / "rounds.db").exists():
            return []
        with closing(sqlite3.connect(folder / "rounds.db")) as db, suppress(sqlite3.OperationalError):
            return [raw for (raw,) in db.execute("select raw from round")]
        return []

    until(lambda: sorted(stored()) == sorted(rounds), story=lambda: (len(stored()), len(rounds)), look_s=0.05)


def test_the_ledger_of_the_page_is_short_and_survives_its_own_death_and_the_tables_faults(
    broker: Broker, tmp_path: Path
) -> None:
    assert len(LEDGER.splitlines()) < 40
    with fake_table(port=broker.port) as table:
        with ledger(tmp_path, broker.port):
            subscribed(broker, "ledger")
            table.play(12, {2: "repeat", 3: "gap", 5: "conflict", 6: "reorder", 8: "restart", 9: "void", 10: "correct"})
            until_stored(tmp_path, table.rounds)
        table.play(4, {2: "gap"})
        with ledger(tmp_path, broker.port):
            until_stored(tmp_path, table.rounds)
        table.new_shoe()
        with ledger(tmp_path, broker.port):
            table.play(2)
            table.status()
            until_stored(tmp_path, table.rounds)
    db = sqlite3.connect(tmp_path / "rounds.db")
    [what] = [what for (what,) in db.execute("select what from incident")]
    db.close()
    assert what.startswith("Conflict(")


def query(folder: Path, words: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "rounds.db")) as db:
        return db.execute(words).fetchall()


def test_a_start_reads_the_rounds_of_journals_that_may_lack_one_and_no_other(broker: Broker, tmp_path: Path) -> None:
    with fake_table(port=broker.port) as table:
        with ledger(tmp_path, broker.port):
            subscribed(broker, "ledger")
            for shoe in range(7):
                if shoe:
                    table.new_shoe()
                table.play(3)
            until_stored(tmp_path, table.rounds)
            patience = Patience()
            while len(query(tmp_path, "select 1 from journal where old")) < 4:  # stored with a later batch
                assert not patience.is_over
                table.play(1)
                until_stored(tmp_path, table.rounds)
            until_stored(tmp_path, table.rounds)
        with closing(sqlite3.connect(tmp_path / "rounds.db")) as db:
            names: dict[str, Any] = {"db": db}
            exec(LEDGER[LEDGER.index("known = ") : LEDGER.index("with PlainFloor")], names)
            assert sorted(names["known"]) == sorted(raw for raw in table.rounds if json.loads(raw)["shoe"] > 4)
            assert sorted(names["forgotten"]) == [("T07", f"{shoe}-fake") for shoe in range(1, 5)]
        asked = len(table.orders)
        with ledger(tmp_path, broker.port):
            subscribed(broker, "ledger", 2)
            table.play(2, {1: "gap"})
            until_stored(tmp_path, table.rounds)
        assert {each.get("journal") for each in table.orders[asked:]} == {"7-fake"}


def test_a_start_looks_old_rounds_up_nowhere(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "rounds.db")) as db:
        for statement in re.findall(r'db.execute\("(create table .*?)"\)', LEDGER):
            db.execute(statement)
        [known] = re.findall(r'"(select raw [^"]*)"', LEDGER)
        scan, search = (row[-1] for row in db.execute(f"explain query plan {known}"))
    assert scan == "SCAN journal"
    assert search.startswith("SEARCH round USING INDEX")


def test_the_fake_table_of_the_page_plays_into_a_function_and_at_a_broker(broker: Broker) -> None:
    names: dict[str, list[tuple[str, bytes]]] = {}
    exec(TESTING.replace("1883", str(broker.port)), names)
    rounds = [payload for topic, payload in names["heard"] if topic == "shoe/T07/round"]
    assert len(rounds) == 12
    assert len(set(rounds)) == 11


def test_the_loop_of_the_page_goes_on_after_a_locked_database(broker: Broker, tmp_path: Path) -> None:
    again = next(each for each in BLOCKS if "suppress" in each)
    saved: list[Item] = []
    with PlainFloor("ledger", port=broker.port) as floor, fake_table(port=broker.port) as table:
        floor.rounds()
        subscribed(broker, "ledger")
        table.play(3)
        tries = 0

        def save(batch: PlainBatch) -> None:
            nonlocal tries
            tries += 1
            if tries == 1:
                raise sqlite3.OperationalError("database is locked")
            saved.extend(batch)
            if len(saved) == 3:
                floor.close()

        with closing(sqlite3.connect(":memory:")) as db:
            exec(again, {"floor": floor, "save": save, "sqlite3": sqlite3, "db": db})
        assert sorted(raws(saved)) == sorted(table.rounds)
