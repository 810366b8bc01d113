"""`shoe-floor export` of facts, as it is typed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.store import FactName
from firmware_bridge.floor.store.fact_tables import FACTS
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.every_facts import changed, every_row
from tests.floor.facts.played import rows

DAY = "2026-11-20"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "floor.toml"
    path.write_text(f'[store]\npath = "{tmp_path}/floor.db"\n')
    return path


@pytest.fixture
def store(config: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(config.with_name("floor.db"))) as made:
        made.save(every_row(), [], [])
        yield made


@pytest.fixture
def run(config: Path, store: SqliteStore, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str, code: int = 0) -> tuple[str, str]:
        assert main(["--config", str(config), "export", *words]) == code
        said = capsys.readouterr()
        return said.out, said.err

    return run


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def sheet(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def round_bodies(table: str) -> list[dict[str, Any]]:
    return [body for each in every_row() if each.topic == "round" and (body := json.loads(each.body))["table"] == table]


def test_every_table_of_facts_is_exported(run: Any, store: SqliteStore) -> None:
    assert set(get_args(FactName)) == {each.name for each in FACTS if each.name != "fact_change"}
    for name in get_args(FactName):
        [(count,)] = store._db.execute(f"select count(*) from {name}").fetchall()
        out, err = run(name)
        assert len(objects(out)) == count
        assert err == f"{count} rows exported\n"
        assert len(sheet(run(name, "--csv")[0])) == count


def test_json_has_the_values_as_they_are(run: Any) -> None:
    (first, *_) = objects(run("fact_round", "--table", "T00")[0])
    message = round_bodies("T00")[0]
    assert (first["tbl"], first["outcome"], first["bets"]) == ("T00", message["outcome"], message["bets"])
    assert first["closed_at"] == message["at"]
    assert first["last"] is False


def test_each_bet_is_a_column_of_csv_in_millionths(run: Any) -> None:
    found = [each for each in sheet(run("fact_round", "--csv", "--table", "T00")[0]) if each["status"] != "open"]
    assert "bets" not in found[0]
    for row, message in zip(found, round_bodies("T00"), strict=True):
        bets = {name.removeprefix("bet."): value for name, value in row.items() if name.startswith("bet.")}
        assert len(bets) == 38
        assert {name: Decimal(value) for name, value in bets.items() if value} == {
            name: 1_000_000 * Decimal(str(net)) for name, net in message.get("bets", {}).items()
        }


def test_a_bet_that_a_round_has_not_is_empty(run: Any) -> None:
    (row, *_) = [each for each in sheet(run("fact_round", "--csv")[0]) if each["game"] == "baccarat"]
    assert row["bet.banker"] != ""
    assert row["bet.S1"] == ""


def test_columns_come_in_the_order_in_which_they_are_asked_for(run: Any) -> None:
    out, _ = run("fact_round", "--csv", "--table", "T00", "--columns", "outcome,bet.tie,tbl", "--since", DAY)
    assert out.splitlines()[:2] == ["outcome,bet.tie,tbl", "player,-1000000,T00"]
    assert objects(run("fact_round", "--columns", "bet.tie", "--table", "T00", "--since", DAY)[0])[0] == {
        "bet.tie": -1_000_000
    }


@pytest.mark.parametrize("name", ["fact_round", "fact_stake", "fact_day", "fact_pace", "fact_shoe", "fact_order"])
def test_days_bound_an_export(run: Any, name: str) -> None:
    assert objects(run(name, "--since", DAY, "--until", DAY)[0])
    assert objects(run(name, "--until", "2026-11-19")[0]) == []
    assert objects(run(name, "--since", "2026-11-21")[0]) == []


def test_no_text_is_calculated_by_a_spreadsheet(run: Any, store: SqliteStore) -> None:
    closed = next(each for each in rows("baccarat", "T00") if each.topic == "round")
    store.save([changed(closed, seq=99, round=99, dealt_by="=1+1")], [], [])
    assert "'=1+1" in run("fact_round", "--csv", "--columns", "dealt_by")[0].splitlines()


def test_after_a_cursor_comes_each_round_that_was_changed(run: Any, store: SqliteStore) -> None:
    _, err = run("fact_round", "--after", "0")
    last = store.last_change()
    assert f"next: --after {last}" in err
    assert run("fact_round", "--after", str(last)) == ("", f"next: --after {last}\n0 rows exported\n")
    closed = next(each for each in rows("baccarat", "T00") if each.topic == "round")
    store.save([changed(closed, seq=99, revision=1, status="voided", by="bo")], [], [])
    out, err = run("fact_round", "--after", str(last), "--columns", "tbl,round,status,changed")
    assert objects(out) == [{"tbl": "T00", "round": 1, "status": "voided", "changed": last + 1}]


def test_a_cursor_in_a_file_goes_on_by_itself(run: Any, store: SqliteStore, tmp_path: Path) -> None:
    cursor = tmp_path / "cursor"
    first, _ = run("fact_round", "--cursor", str(cursor))
    assert cursor.read_text() == f"{store.last_change()}\n"
    [(count,)] = store._db.execute("select count(*) from fact_round").fetchall()
    assert len(objects(first)) == count
    assert run("fact_round", "--cursor", str(cursor))[0] == ""


def test_a_cursor_stays_where_the_export_fails(run: Any, store: SqliteStore, tmp_path: Path) -> None:
    cursor = tmp_path / "cursor"
    _, err = run("fact_round", "--cursor", str(cursor), "-o", str(tmp_path / "nowhere" / "file"), code=1)
    assert "cannot be written" in err
    assert not cursor.exists()


def test_a_cursor_of_another_store_is_refused(run: Any, tmp_path: Path) -> None:
    assert "ahead of this store" in run("fact_round", "--after", "999999", code=1)[1]
    (tmp_path / "cursor").write_text("soon\n")
    assert "has no cursor in it" in run("fact_round", "--cursor", str(tmp_path / "cursor"), code=1)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fact_round --columns tbl,nothing", "fact_round has no column nothing; choose of tbl, journal"),
        ("fact_day --after 3", "fact_day has no cursor"),
        ("fact_day --journal 1-a", "fact_day has no journal"),
    ],
)
def test_what_facts_do_not_have_is_named(run: Any, words: str, said: str) -> None:
    assert said in run(*words.split(), code=1)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rounds --since 2026-11-20", "--since is for facts"),
        ("fact_round --csv --parquet x", "--parquet has a file of its own"),
        ("fact_round --after 1 --cursor x", "give one of both"),
        ("fact_round --since yesterday", "--since"),
    ],
)
def test_what_cannot_be_typed_together_is_said(
    config: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--config", str(config), "export", *words.split()])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
