"""`shoe-floor report` and `shoe-floor rebuild facts`, as they are typed."""

from __future__ import annotations

import csv
import html
import json
import re
import shlex
from collections import Counter
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.facts.pictures import LEFT, WIDTH, holds
from firmware_bridge.floor.facts.reports import Summed
from firmware_bridge.floor.facts.sums import Day, DayName
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.every_facts import TABLES, changed, every_row, facts
from tests.floor.facts.played import rows

DAY = "2026-11-20"
DOC = (Path(__file__).parents[2] / "docs/facts.md").read_text("utf-8")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "floor.toml"
    path.write_text(f'[store]\npath = "{tmp_path}/floor.db"\n')
    return path


@pytest.fixture
def store(config: Path) -> Any:
    with closing(SqliteStore(config.with_name("floor.db"))) as made:
        messages = every_row()
        made.save(messages, [], [Progress(key, 1, 1, 1) for key in {each.key: None for each in messages}])
        yield made


@pytest.fixture
def run(config: Path, store: SqliteStore, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str) -> str:
        assert main(["--config", str(config), *words]) == 0
        return capsys.readouterr().out

    return run


def round_messages() -> list[dict[str, Any]]:
    """The messages about rounds; in the scenes each round has one."""
    return [json.loads(each.body) for each in every_row() if each.topic == "round"]


def sheet(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def test_the_rounds_of_each_table(run: Any) -> None:
    counted = Counter(each["table"] for each in round_messages() if each["status"] != "voided")
    voided = Counter(each["table"] for each in round_messages() if each["status"] == "voided")
    found = sheet(run("report", "table", "--csv"))
    assert {row["table"]: (int(row["rounds"]), int(row["voided"])) for row in found} == {
        table: (counted[table], voided[table]) for table in TABLES
    }


def test_money_is_that_of_the_messages(run: Any) -> None:
    (row,) = sheet(run("report", "day", "--csv", "--since", DAY, "--table", "T01"))
    rounds = [each for each in round_messages() if each["table"] == "T01" and each["status"] != "voided"]
    assert {each["game"] for each in rounds} == {"blackjack"}
    assert Decimal(row["house won"]) == sum(Decimal(each["house"]) for each in rounds)
    assert Decimal(row["staked"]) == sum(Decimal(put) for each in rounds for put, _ in each["stakes"].values())
    assert Decimal(row["hold %"]) == round(100 * Decimal(row["house won"]) / Decimal(row["staked"]), 2)


def test_what_each_bet_did(run: Any) -> None:
    found = {row["bet"]: row for row in sheet(run("report", "bet", "--csv", "--table", "T00"))}
    rounds = [each for each in round_messages() if each["table"] == "T00" and each["status"] != "voided"]
    assert len(found) == 38
    for bet, row in found.items():
        nets = [Decimal(str(each["bets"][bet])) for each in rounds]
        assert int(row["rounds"]) == len(nets)
        assert (int(row["won"]), int(row["lost"])) == (sum(net > 0 for net in nets), sum(net < 0 for net in nets))
        assert Decimal(row["units"]) == sum(nets)


def test_shifts_and_dealers(run: Any) -> None:
    assert {(row["day"], row["shift"]) for row in sheet(run("report", "shift", "--csv"))} == {(DAY, "evening")}
    assert [row["dealer"] for row in sheet(run("report", "dealer", "--csv"))] == ["(none)"]


def test_what_was_changed_later_stands_below(run: Any, store: SqliteStore) -> None:
    closed = next(each for each in rows("baccarat", "T00") if each.topic == "round")
    later = {"seq": 99, "revision": 1, "at": "2026-11-22T09:00:00.000Z", "by": "bo", "dealt_by": "=1+1"}
    store.save([changed(closed, status="voided", **later)], [], [])
    text = run("report", "table", "--table", "T00", "--since", DAY)
    assert text.startswith(f"{DAY} to {DAY}, table T00\n\ntable  rounds  voided")
    assert text.endswith(f"{DAY}  T00  shoe 1 round 1: voided 2026-11-22T09:00:00.000Z\n")
    assert "'=1+1" in run("report", "dealer", "--csv", "--since", DAY)


def test_many_changes_do_not_hide_the_table(run: Any, store: SqliteStore) -> None:
    closed = next(each for each in rows("baccarat", "T00") if each.topic == "round")
    more = {"status": "corrected", "revision": 1, "corrects": 3, "by": "bo"}
    store.save([changed(closed, **more, seq=100 + number, round=100 + number) for number in range(22)], [], [])
    text = run("report", "table", "--table", "T00", "--since", DAY)
    assert text.count(": corrected ") == 20
    assert text.endswith("and 2 more: shoe-floor report changes, or --html\n")


def test_facts_are_made_anew(run: Any, store: SqliteStore) -> None:
    before = facts(store)
    store._db.execute("update fact_round set outcome = 'x'")
    store._db.execute("delete from fact_day")
    assert run("rebuild", "facts") == f"facts of {len(store.journals())} journals rebuilt\n"
    assert facts(store) == before


def test_a_day_without_a_round_is_said(config: Path, store: SqliteStore, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", str(config), "report", "day", "--since", "2020-01-01"]) == 0
    assert "no round from 2020-01-01 to 2020-01-01: see shoe-floor check" in capsys.readouterr().err


def test_what_is_no_day_is_refused(config: Path, store: SqliteStore, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--config", str(config), "report", "day", "--since", "yesterday"])
    assert "--since: 'yesterday' is no day: write it as 2026-11-20, a month as 2026-11" in capsys.readouterr().err
    assert main(["--config", str(config), "report", "day", "--since", "2026-11", "--until", "2026-10"]) == 2
    assert "--until 2026-10-31 is before --since 2026-11-01: swap them" in capsys.readouterr().err


def test_a_month_is_all_of_its_days(run: Any) -> None:
    written_out = run("report", "table", "--since", "2026-11-01", "--until", "2026-11-30")
    assert run("report", "table", "--since", "2026-11") == written_out
    assert run("report", "table", "--until", "2026-11") == written_out
    assert run("report", "table", "--since", "2026-11-20") == run("report", "table", "--since", DAY, "--until", DAY)


def test_only_a_bet_per_unit_has_a_share(run: Any) -> None:
    found = sheet(run("report", "bet", "--csv"))
    assert {row["game"] for row in found if row["house %"]} == {"baccarat"}
    assert {row["game"] for row in found if not row["house %"]} == {"blackjack", "niuniu", "erbagang", "zhajinhua"}


def test_a_page_has_the_same_numbers_and_where_they_come_from(run: Any, store: SqliteStore, config: Path) -> None:
    for kind in ("day", "shift", "table", "dealer", "bet"):
        found = sheet(run("report", kind, "--csv"))
        page = run("report", kind, "--html")
        assert cells(page)[: len(found)] == [list(row.values()) for row in found]
        change = f"up to its\nchange {store.last_change()}, a message of {store.last_changed()}. Times"
        assert f"from the store {config.parent}/floor.db, {change}" in page
        assert not re.search(r"<script|https?:|src=|href=", page)


def test_a_page_lists_what_was_changed_later(run: Any, store: SqliteStore) -> None:
    assert "No round of these days was changed." in run("report", "table", "--html", "--table", "T00")
    closed = next(each for each in rows("baccarat", "T00") if each.topic == "round")
    at = "2026-11-22T09:00:00.000Z"
    store.save([changed(closed, status="voided", seq=99, revision=1, at=at, by="bo")], [], [])
    page = run("report", "table", "--html", "--table", "T00", "--since", DAY)
    assert cells(page)[-1] == [DAY, "T00", "1", "1", "voided", at]


def test_no_name_of_a_message_is_markup(run: Any, store: SqliteStore) -> None:
    closed = next(each for each in rows("baccarat", "T00") if each.topic == "round")
    store.save([changed(closed, seq=99, round=99, dealt_by="<b>\x1b[31m&")], [], [])
    page = run("report", "dealer", "--html")
    assert "&lt;b&gt;\\x1b[31m&amp;" in page
    assert "<b>" not in page


def test_changes_and_alarms_have_a_page_too(run: Any) -> None:
    for name in ("changes", "chance"):
        found = sheet(run("report", name, "--csv", "--since", DAY))
        page = run("report", name, "--html", "--since", DAY)
        assert cells(page) == [list(row.values()) for row in found] != []
        assert "Changed after they had closed" not in page
        assert "Changed after they had closed" not in run("report", name, "--since", DAY)
    assert {row["what"] for row in sheet(run("report", "changes", "--csv"))} == {"voided"}


def test_a_report_is_sorted_by_any_column(run: Any, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sheet(run("report", "bet", "--csv", "--table", "T00", "--sort", "house %"))
    shares = [Decimal(row["house %"]) for row in found]
    assert shares == sorted(shares)
    assert shares[0] < 0 < shares[-1]
    tables = sheet(run("report", "table", "--csv", "--sort", "hold %"))
    assert [row["hold %"] == "" for row in tables] == sorted(row["hold %"] == "" for row in tables)
    assert main(["--config", str(config), "report", "bet", "--sort", "pace"]) == 2
    assert "this report has no column 'pace'; one of: game, bet, rounds" in capsys.readouterr().err


def test_a_picture_shows_hold_and_pace(run: Any, store: SqliteStore) -> None:
    page = run("report", "table", "--html", "--table", "T01")
    (row,) = sheet(run("report", "table", "--csv", "--table", "T01"))
    assert f"<title>Hold of table T01: {row['hold %']} %</title>" in page
    assert "No stakes are known of these days." in run("report", "table", "--html", "--table", "T00")
    (row,) = sheet(run("report", "dealer", "--csv", "--table", "T00"))
    assert f"<title>(none): {row['an hour']} rounds an hour, {row['rounds']} rounds in " in run(
        "report", "dealer", "--html", "--table", "T00"
    )


def test_the_bar_of_a_day_stands_in_the_column_of_its_day() -> None:
    days = [f"2026-11-{day:02}" for day in range(1, 13)]
    sums = [Summed(DayName("T01", day, "", "", "baccarat"), Day(staked=100, house=10)) for day in days]
    [strip] = holds(sums)
    room = (WIDTH - LEFT) / 12
    for column, bar in enumerate(strip.bars):
        assert LEFT + column * room < bar.x < bar.x + bar.width < LEFT + (column + 1) * room


def test_a_report_goes_into_a_file(run: Any, tmp_path: Path) -> None:
    page = run("report", "table", "--html")
    assert run("report", "table", "--html", "-o", str(tmp_path / "page.html")) == ""
    assert cells((tmp_path / "page.html").read_text()) == cells(page)


def cells(page: str) -> list[list[str]]:
    """The rows of all tables of a page, without their heads."""
    found = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    return [[html.unescape(cell) for cell in row] for row in found if row]


def commands() -> list[str]:
    """Each `shoe-floor` command of docs/facts.md, in a block or in a line."""
    found = re.findall(r"^    (shoe-floor .*)$|`(shoe-floor [^`]*)`", DOC, re.M)
    given = [block or inline for block, inline in found]
    return [each for each in given if re.match(r"shoe-floor (report|export|rebuild) (?!--help)", each)]


@pytest.mark.parametrize("command", commands())
def test_each_command_of_the_page_runs(command: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = [each for each in shlex.split(command, comments=True)[1:] if not each.startswith(">")]
    if "--parquet" in words:
        pytest.importorskip("pyarrow")
    run(*("0" if each == "48213" else each for each in words))  # the store of this test has fewer changes
