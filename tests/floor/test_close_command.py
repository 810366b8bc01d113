"""`shoe-floor close` and what `check`, `export` and the metrics say afterwards."""

import csv
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path

import pytest

from firmware_bridge.floor.check_condition import findings
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.metrics.exporter import stored
from firmware_bridge.floor.record.message import Unread, seconds
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store.condition import Heartbeat
from firmware_bridge.floor.store.open import open_reader
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.every_store import KEY
from tests.floor.journals import AT, event
from tests.floor.metered import Floor

WHO = ("--by", "ANNA", "--why", "its disk died, report 4711")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with all that is red: a gap, a conflict, and bytes that are no message."""
    path = tmp_path / "floor.db"
    with closing(SqliteStore(path)) as store:
        bad = Unread("shoe/T07/event", AT, "bad", b"\xff")
        store.save([event(1), event(1, kind="Other")], [bad], [Progress(KEY, 3, 1, 9)])
    return path


@pytest.fixture
def floor(path: Path) -> Callable[..., int]:
    (path.parent / "floor.toml").write_text(f'[mqtt]\nport = 9\n[store]\npath = "{path}"\n')
    return lambda *words: main(["--config", str(path.parent / "floor.toml"), *words])


def test_all_that_is_red_can_be_closed_and_each_closing_is_exported(
    floor: Callable[..., int], path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert floor("close", "gap", "T07", KEY.journal, *WHO) == 0
    assert floor("close", "conflict", "T07", KEY.journal, "1", *WHO) == 0
    assert floor("close", "quarantine", *WHO) == 0
    assert capsys.readouterr().out.splitlines() == [
        "closed: what is missing of journal 3-5ad1 of table T07 up to entry 9",
        "closed: 1 conflicts in entry 1 of journal 3-5ad1 of table T07",
        "closed: 1 messages in quarantine",
    ]
    assert floor("export", "closed", "--csv", "-o", str(path.parent / "out")) == 0
    rows = list(csv.DictReader((path.parent / "out").read_text().splitlines()))
    assert [(row["kind"], row["table"], row["seq"], row["by"], row["why"]) for row in rows] == [
        ("gap", "T07", "9", "ANNA", "its disk died, report 4711"),
        ("conflict", "T07", "1", "ANNA", "its disk died, report 4711"),
        ("quarantine", "", "0", "ANNA", "its disk died, report 4711"),
    ]
    for what in ("gaps", "conflicts", "quarantine"):
        assert floor("export", what, "-o", str(path.parent / "out")) == 0
        assert (path.parent / "out").read_text() == ""
    capsys.readouterr()
    monkeypatch.setattr("firmware_bridge.floor.check.ANSWER_S", 0.2)  # nobody is at port 9
    floor("check")
    lines = capsys.readouterr().out.splitlines()
    assert "OK    gaps       0 journals with gaps, 1 closed" in lines
    assert "OK    conflicts  0 messages in conflict, 1 closed" in lines
    assert "OK    quarantine 0 messages in quarantine, 1 closed" in lines


def test_the_metrics_count_what_is_open(floor: Callable[..., int], path: Path) -> None:
    reader = open_reader(parse({"store": {"path": str(path)}}))
    assert reader
    metrics = Floor(lambda: stored(reader, [], 0.0))
    names = ("shoe_floor_gaps", "shoe_floor_conflicts", "shoe_floor_quarantine")
    assert [metrics.value(name) for name in names] == [[f"{name} 1"] for name in names]
    floor("close", "gap", "T07", KEY.journal, *WHO)
    floor("close", "conflict", "T07", KEY.journal, "1", *WHO)
    floor("close", "quarantine", *WHO)
    assert [metrics.value(name) for name in names] == [[f"{name} 0"] for name in names]
    totals = ("shoe_floor_conflicts_total", "shoe_floor_quarantine_total")
    assert [metrics.value(name) for name in totals] == [[f"{name} 1"] for name in totals]
    reader.close()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("gap", "T08", KEY.journal, *WHO), "nothing is missing of journal 3-5ad1 of table T08; see shoe-floor export"),
        (("gap", "T07", KEY.journal, "--to", "1", *WHO), "nothing is missing of journal 3-5ad1 of table T07 up to"),
        (("conflict", "T07", KEY.journal, "2", *WHO), "no open conflict in entry 2 of journal 3-5ad1 of table T07"),
        (("quarantine", "--digest", "00" * 32, *WHO), "no such message is in quarantine"),
        (("quarantine", "--by", " ", "--why", "x"), "who closes it, and why, must be said"),
    ],
)
def test_what_closes_nothing_says_why(
    floor: Callable[..., int], words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert floor("close", *words) == 1
    assert capsys.readouterr().err.startswith(f"shoe-floor: {why}")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("gap", "T07", KEY.journal, "--to", "-5", *WHO), "'-5' is no entry: write its number, from 1 on"),
        (("conflict", "T07", KEY.journal, "0", *WHO), "'0' is no entry"),
        (("conflict", "T07", KEY.journal, "9" * 20, *WHO), f"'{'9' * 20}' is no entry"),
        (
            ("conflict", "T\udcff", KEY.journal, "1", *WHO),
            r"the name contains the character \udcff: write one",
        ),
        (
            ("conflict", "T07", KEY.journal, "1", "--digest", "00", *WHO),
            "'00' is no SHA-256: write all its 64",
        ),
        (
            ("quarantine", "--until", "garbage", *WHO),
            "'garbage' is no time with its zone: write it as 2026-11-20T21",
        ),
        (("quarantine", "--until", "2026-11-20", *WHO), "'2026-11-20' is no time with its zone"),
        (("quarantine", "--until", "2026-11-20T21:30:00", *WHO), "'2026-11-20T21:30:00' is no time with its zone"),
        (("quarantine", "--until", "0001-01-01T00:00:00+23:00", *WHO), "is no time with its zone"),
        (("quarantine", "--by", "\udcff", "--why", "x"), r"the name contains the character \udcff"),
        (("quarantine", "--by", "ANNA", "--why", "a\nb"), r"the reason contains the character \n"),
        (("quarantine", "--by", "ANNA", "--why", "x" * 501), "the reason is too long: at most 500 characters"),
    ],
)
def test_a_word_that_is_wrong_closes_nothing(
    floor: Callable[..., int], path: Path, words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        floor("close", *words)
    assert why in capsys.readouterr().err
    with closing(SqliteStore(path)) as store:
        assert store.closed_counts() == {}


def test_an_export_says_what_it_cannot_be_filtered_by(
    floor: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert floor("export", "closed_quarantine", "--table", "T07") == 1
    assert "closed_quarantine have no table; export all of them" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        floor("export", "closed_conflicts", "--table", "\udcff")
    assert r"the name contains the character \udcff" in capsys.readouterr().err


def test_a_time_of_another_zone_is_the_time_that_it_is(floor: Callable[..., int]) -> None:
    at = datetime.fromisoformat(AT)
    east = timezone(timedelta(hours=8))
    before, then = (each.astimezone(east).isoformat() for each in (at - timedelta(seconds=1), at))
    assert floor("close", "quarantine", "--until", before, *WHO) == 1
    assert floor("close", "quarantine", "--until", then, *WHO) == 0


def test_a_digest_may_be_in_capitals(floor: Callable[..., int]) -> None:
    assert floor("close", "quarantine", "--digest", sha256(b"\xff").hexdigest().upper(), *WHO) == 0


def finding(path: Path, name: str, later_s: float) -> tuple[str, str]:
    """Level and text of the finding of a name, so long after the store was filled."""
    with closing(SqliteStore(path)) as store:
        [row] = store.rows("gaps", None, None)
        [found] = [each for each in findings(store, seconds(str(row[-1])) + later_s) if each.name == name]
    return found.level, found.text


def test_a_gap_is_wrong_once_nothing_of_it_came_for_five_minutes(path: Path) -> None:
    assert finding(path, "gaps", 299) == ("WARN", "1 journals with gaps, being asked for")
    assert finding(path, "gaps", 300) == ("FAIL", "1 journals with gaps")


def test_an_ingest_is_wrong_that_was_not_heard_for_a_minute_or_hears_nothing(path: Path) -> None:
    assert finding(path, "ingest", 0) == ("WARN", "no ingest has run with this store")
    with closing(SqliteStore(path)) as store:
        [row] = store.rows("gaps", None, None)
        at = str(row[-1])
        store.beat(Heartbeat("one", at, at, at, 8))
    words = "one said 59 s ago that it runs; newest message 59 s ago, last commit 59 s ago, 8 entries behind"
    assert finding(path, "ingest", 59) == ("OK", words)
    assert finding(path, "ingest", 60) == ("FAIL", "one has not said for 60 s that it runs")
    assert finding(path, "ingest", 7200) == ("FAIL", "one has not said for 2 h that it runs")
    with closing(SqliteStore(path)) as store:
        store.beat(Heartbeat("one", at, fault="gone"))
    assert finding(path, "ingest", 3) == (
        "FAIL",
        "one said 3 s ago that it runs, and receives nothing: gone",
    )
