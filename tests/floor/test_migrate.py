"""A store of the version before becomes one of this version by a command, and goes back by one."""

import os
import re
import resource
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import load
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store import FORMAT, migrations
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.migrations import STEPS
from firmware_bridge.floor.store.migrations.sqlite_file import SqliteFile
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.floor.verified.audit import Audit
from tests.kit import kept_formats as kept
from tests.kit.nightly import EVERY
from tests.kit.trees import tree

ANNA: Final = Names(kept.KEY).pseudonym("ANNA")
OLD: Final = min(STEPS)
ROOM: Final = str(Path(migrations.__file__).parent)
STRIDE: Final = 1 if EVERY else 150
LAST: Final = 8
"""Lines at the end of a migration, where files change their names: each is a step by day, too."""

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of format 8 with pseudonyms."""
    return kept.store(tmp_path)


@pytest.fixture
def config(path: Path) -> Path:
    return written(path.parent)


def written(folder: Path, key: str = 'pseudonym_key_file = "{}/key"') -> Path:
    (folder / "key").write_bytes(kept.KEY)
    text = f'[store]\npath = "{folder}/floor.db"\n[ingest]\n{key.format(folder)}\n'
    (folder / "floor.toml").write_text(text + '[mqtt]\nhost = "127.0.0.1"\nport = 9\n')
    return folder / "floor.toml"


@pytest.fixture
def run(config: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: str) -> tuple[int, str]:
        code = main(["--config", str(config), *words])
        said = capsys.readouterr()
        return code, said.out + said.err

    return command


def content(path: Path) -> dict[str, list[Any]]:
    """The format of a store, and all its rows, table by table."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        tables = db.execute(
            "select name from sqlite_master where type = 'table' and name not like 'sqlite%'"
        ).fetchall()
        rows = {name: sorted(db.execute(f"select * from {name}").fetchall(), key=repr) for (name,) in tables}
        return {"format": db.execute("pragma user_version").fetchall(), **rows}


def rules(path: Path) -> list[Any]:
    """All that a store is made of but its rows."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        return sorted(db.execute("select type, name, sql from sqlite_master").fetchall())


def test_names_in_summaries_become_pseudonyms_and_nothing_else_changes(run: Run, path: Path, tmp_path: Path) -> None:
    before, made = content(path), rules(path)
    code, said = run("migrate")
    assert (code, "8 summaries" in said, "names of people may be in the backup" in said) == (0, True, True)
    after = content(path)
    assert [each for each in rules(path) if "fact_shoe" not in each[1]] == [
        each for each in made if "fact_shoe" not in each[1]
    ]
    with closing(SqliteStore(path, make=False)) as store:
        rows = list(store.rows("messages", None, None))
        assert [each.text for each in Audit(store).run(whole=True) if each] == []
    hidden = [(each[1], str(each[-1])) for each in rows if "void by" in str(each[-1])]
    assert {table for table, body in hidden if "by ANNA:" in body} == {"T00"}  # from before the key was set
    assert all(f"void by {ANNA}: no round is open" in body for table, body in hidden if table != "T00")
    changed = {"format", "message", "block", "fact_order", "fact_shoe", "quarantine", "pending"}
    assert {name for name in before if before[name] != after[name]} == changed
    assert {name: len(rows) for name, rows in before.items()} == {name: len(rows) for name, rows in after.items()}
    assert content(tmp_path / f"floor.db.format-{OLD}") == before


def test_how_alarms_ended_becomes_a_code(run: Run, path: Path) -> None:
    ends = {
        "shoe ended": "shoe_ended",
        "stuck too": "stuck_too",
        "50 cards without a repeat": "no_repeat",
        "end-shoe": "end-shoe",
    }
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany(
            "insert into fact_alarm values ('T99', '1-a', 1, ?, '', 'jam', 0, '', ?, '', '')",
            enumerate(ends),
        )
    assert run("migrate")[0] == 0
    with closing(sqlite3.connect(path)) as db:
        found = db.execute("select choice from fact_alarm where tbl = 'T99' order by n").fetchall()
    assert [choice for (choice,) in found] == [*ends.values()]


SHOES: Final = "select tbl, journal, shoe, ended_at, rounds, code, alarm, by_name, why from fact_shoe order by 1, 2, 3"


def test_how_shoes_ended_becomes_a_code_as_facts_made_of_their_messages_have_it(run: Run, path: Path) -> None:
    ends = {
        "the last round is over": ("last_round", "", "", ""),
        "the pack is over": ("pack_over", "", "", ""),
        "too few cards are left for another round": ("few_cards", "", "", ""),
        "the shoe is empty": ("shoe_empty", "", "", ""),
        f"closed by {ANNA}": ("closed", "", ANNA, ""),
        "the pit ended it: lid_opened": ("pit", "lid_opened", "", ""),
        "the pit ended it: foreign: two: torn": ("pit", "foreign", "", "two: torn"),
        "the last round is over!": ("closed", "", "", "the last round is over!"),
        "": ("closed", "", "", ""),
    }
    with closing(sqlite3.connect(path)) as db, db:
        places = [(f"T9{at}", "1-a", at, "2026-01-01T00:00:00.000Z", why, 9) for at, why in enumerate(ends)]
        db.executemany(
            "insert into fact_shoe (tbl, journal, shoe, ended_at, why, rounds) values (?, ?, ?, ?, ?, ?)", places
        )
    code, said = run("migrate")
    assert (code, "shoes is a code now" in said) == (0, True)
    with closing(sqlite3.connect(path)) as db, closing(SqliteStore(path.with_name("new.db"))) as fresh:
        found = db.execute(SHOES).fetchall()
        columns = db.execute("pragma table_info(fact_shoe)").fetchall()
        assert columns == fresh._db.execute("pragma table_info(fact_shoe)").fetchall()
        indexes = "select name, sql from sqlite_master where type = 'index' and tbl_name = 'fact_shoe' and sql <> ''"
        assert {name: sql.lower() for name, sql in db.execute(indexes).fetchall()} == {
            name: sql.lower() for name, sql in fresh._db.execute(indexes).fetchall()
        }
    assert [each[5:] for each in found if each[0].startswith("T9")] == [*ends.values()]
    assert "worn" in {why for *_, why in found}
    assert run("rebuild", "facts")[0] == 0
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(SHOES).fetchall() == found


def test_the_new_file_has_no_name_that_it_should_not_have(run: Run, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("create table more as select * from message")
        db.execute("drop table more")  # of which the pages stay
    assert run("migrate")[0] == 0
    where = "where instr({}, 'by ANNA:') > 0"
    with closing(sqlite3.connect(path)) as db:
        columns = (("message", "cast(body as text)"), ("fact_order", "error"))
        found = [db.execute(f"select count(*) from {t} {where.format(c)}").fetchone()[0] for t, c in columns]
    assert path.read_bytes().count(b"by ANNA:") == sum(found) == 3


def test_reports_are_the_same_before_and_after(run: Run, path: Path) -> None:
    assert run("migrate")[0] == 0
    days = ("--since", "2026-01-01", "--until", "2027-01-01")
    reports = {name: run("report", name, *days) for name in ("table", "bet", "dealer")}
    assert all(code == 0 for code, _ in reports.values()), reports
    with closing(sqlite3.connect(path)) as db:
        rounds = db.execute("select count(*), sum(house) from fact_round").fetchone()
    assert run("rebuild", "facts")[0] == 0
    assert {name: run("report", name, *days) for name in reports} == reports
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("select count(*), sum(house) from fact_round").fetchone() == rounds


def test_it_goes_back_and_forward_again(run: Run, path: Path, tmp_path: Path) -> None:
    before = content(path)
    assert run("migrate")[0] == 0
    after = content(path)
    code, said = run("migrate", "--back", "--dry-run")
    assert (code, f"a version for format {OLD} cannot read {path}" in said) == (0, True)
    assert content(path) == after
    code, said = run("migrate", "--back")
    assert (code, f"has format {OLD} again" in said, content(path) == before) == (0, True, True)
    assert content(tmp_path / f"floor.db.format-{FORMAT}") == after
    assert run("migrate", "--back", str(OLD)) == (0, f"{path} has format {OLD}: there is nothing to put back\n")
    assert run("migrate")[0] == 0
    assert content(path) == after


def test_what_came_since_is_kept_aside_and_counted(run: Run, path: Path) -> None:
    assert run("migrate")[0] == 0
    with closing(sqlite3.connect(path)) as db, db:
        names = 'topic, tbl, journal, seq, n, "of", shoe, at, received_at, body'
        db.execute(f"insert into message ({names}) values ('event', 'T09', '1-a', 1, 1, 1, 1, '2030', '2030', x'00')")
    assert "1 messages that came since are in" in run("migrate", "--back")[1]


def test_a_dry_run_says_what_and_how_long_and_writes_nothing(run: Run, config: Path, path: Path) -> None:
    before = tree(config.parent)
    code, said = run("migrate", "--dry-run")
    assert (code, "become pseudonyms" in said, " messages and 1 blocks of events are read, in about 0 s" in said) == (
        *(0, True, True),
    )
    assert re.search(rf" MiB of \d+ free, about \d+ s; what there is now stays as {path}.format-{OLD}", said)
    assert tree(config.parent) == before


def test_the_check_says_it_before_an_update(run: Run, config: Path, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.floor.check.ANSWER_S", 0.2)  # no broker is there
    before = tree(config.parent)
    code, said = run("check")
    assert (code, "run shoe-floor migrate" in said, "become pseudonyms" in said) == (1, True, True)
    assert tree(config.parent) == before


@pytest.mark.parametrize("words", [("migrate",), ("migrate", "--dry-run")], ids=" ".join)
@pytest.mark.parametrize(
    ("key", "code", "text"),
    [
        ("", 1, "floor.toml names no key for that; set [ingest] pseudonym_key_file"),
        ('pseudonym_key_file = "{}/none"', 78, "/none: No such file or directory"),
        ('pseudonym_key_file = "{}/short"', 78, "the key is shorter than"),
    ],
)
def test_without_the_key_it_does_not_begin(
    run: Run, config: Path, path: Path, key: str, code: int, text: str, words: tuple[str, ...]
) -> None:
    before = content(path)
    written(config.parent, key)
    (config.parent / "short").write_text("short")
    found, said = run(*words)
    assert (found, text in said) == (code, True), said
    assert content(path) == before
    assert not list(path.parent.glob("floor.db.format-*"))


def test_a_store_without_pseudonyms_needs_no_key(run: Run, config: Path, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for each in ("message_is_never_deleted", "block_is_never_deleted"):
            db.execute(f"drop trigger {each}")
        db.execute("delete from message where digest is not null")
        db.execute("delete from block where hidden_seq > 0")
    written(config.parent, "")
    before = content(path)
    assert run("migrate")[0] == 0
    assert {name for name, rows in content(path).items() if rows != before[name]} == {"format", "fact_shoe"}


def test_there_is_nothing_to_do_twice_and_nothing_without_a_backup(run: Run, path: Path) -> None:
    assert run("migrate")[0] == 0
    assert run("migrate") == (0, f"{path} has format {FORMAT}: there is nothing to do\n")
    (path.parent / f"floor.db.format-{OLD}").unlink()
    assert run("migrate", "--back")[0] == 1
    path.unlink()
    assert run("migrate")[0] == 1


@pytest.mark.parametrize("found", [OLD - 1, FORMAT + 1])
def test_another_format_is_refused_by_name(run: Run, path: Path, found: int) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"pragma user_version = {found}")
    before = tree(path.parent)
    code, said = run("migrate")
    assert (code, f"is a store of format {found}" in said, "install the version that made it" in said) == (
        78,
        True,
        True,
    )
    assert tree(path.parent) == before


@pytest.mark.parametrize("words", [("migrate",), ("migrate", "--back")], ids=" ".join)
def test_it_is_refused_while_a_program_has_the_store_open(
    run: Run, path: Path, mocker: MockerFixture, words: tuple[str, ...]
) -> None:
    if "--back" in words:
        assert run("migrate")[0] == 0
    mocker.patch("firmware_bridge.floor.store.migrations.sqlite_file.LOOK_S", 0)
    with closing(sqlite3.connect(path)) as ingest:
        ingest.execute("pragma journal_mode = wal").fetchall()
        ingest.execute("select count(*) from message").fetchall()
        before = content(path)
        code, said = run(*words)
        assert (code, "another program has" in said, "sudo systemctl stop" in said) == (1, True, True)
        assert content(path) == before
    assert run(*words)[0] == 0


def test_nobody_writes_while_it_runs(config: Path, path: Path) -> None:
    lines = migrations.migrated(load(config), path.parent)
    next(lines)
    assert not (path.parent / f"floor.db.format-{OLD}").exists()
    with closing(sqlite3.connect(path)) as other:
        other.execute("pragma busy_timeout = 0")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("insert into feed_end values (2, 2)")
    list(lines)


def test_a_program_that_waited_for_the_lock_does_not_write_the_backup(
    run: Run, path: Path, mocker: MockerFixture
) -> None:
    assert run("migrate")[0] == 0
    verify = mocker.patch("firmware_bridge.floor.store.sqlite.SqliteStore._make")
    verify.side_effect = lambda: run("migrate", "--back")  # as if it had waited for this
    mocker.patch("firmware_bridge.floor.store.migrations.sqlite_file.SqliteFile._alone", freed)
    with pytest.raises(StoreError, match="another file took the place of"):
        SqliteStore(path, make=False)


@contextmanager
def freed(file: SqliteFile) -> Iterator[sqlite3.Connection]:
    """The file without its lock, which this process has."""
    with closing(sqlite3.connect(file.place)) as db:
        yield db


def forked(act: Callable[[], int]) -> int:
    """The exit code of a process, negative for a signal."""
    if (child := os.fork()) == 0:
        code = 70
        try:
            sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  # it goes with the process
            code = act()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def traced(config: Path, words: tuple[str, ...], step: Callable[[], None]) -> int:
    """Run a command; step: called before each line of the room of migrations."""

    def trace(frame: FrameType, what: str, _: object) -> Any:
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        if what == "line":
            step()
        return trace

    sys.settrace(trace)
    try:
        return main(["--config", str(config), *words])
    finally:
        sys.settrace(None)


def killed_at(number: int, config: Path, words: tuple[str, ...]) -> int:
    """Run a command in a process that is killed before so many lines; its exit code."""
    left = number

    def step() -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    return forked(lambda: traced(config, words, step))


def lines_of(config: Path, words: tuple[str, ...]) -> int:
    """How many lines of the room a command passes."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    assert traced(config, words, step) == 0
    return count


@pytest.mark.parametrize("words", [("migrate",), ("migrate", "--back")], ids=" ".join)
def test_killed_at_any_step_it_is_done_or_not_and_the_next_one_does_it(
    run: Run, config: Path, path: Path, words: tuple[str, ...]
) -> None:
    if "--back" in words:
        assert run("migrate")[0] == 0
    files = {each: each.read_bytes() for each in path.parent.iterdir()}

    def restore() -> None:
        for each in path.parent.iterdir():
            each.unlink()
        for each, data in files.items():
            each.write_bytes(data)

    before, count = content(path), lines_of(config, words)
    after = content(path)
    assert after != before
    again = (*words, str(OLD)) if "--back" in words else words
    for number in sorted({*range(1, count, STRIDE), *range(max(1, count - LAST), count)}):
        restore()
        assert killed_at(number, config, words) == -signal.SIGKILL
        assert content(path) in (before, after)
        if EVERY or number % 3 == 0:
            assert run(*again)[0] == 0
            assert content(path) == after


def test_a_full_disk_is_refused_before_and_changes_nothing(
    run: Run, config: Path, path: Path, mocker: MockerFixture
) -> None:
    before = content(path)
    mocker.patch("firmware_bridge.floor.store.migrations.sqlite_file.SqliteFile._needed", return_value=(9, 8))
    code, said = run("migrate")
    assert (code, "has 8 bytes free, and 9 are needed" in said) == (1, True)
    mocker.stopall()

    def with_little_room() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        return main(["--config", str(config), "migrate"])

    assert forked(with_little_room) == 1
    assert content(path) == before
    assert sorted(each.name for each in path.parent.iterdir()) == ["floor.db", "floor.toml", "key"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_is_refused_and_root_leaves_the_file_to_its_owner() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, who = kept.store(Path(folder)), 65534
        config = written(Path(folder))
        for each in (Path(folder), path):
            os.chown(each, 1, 1)
            each.chmod(0o755)
        (Path(folder) / "key").chmod(0o644)

        def as_somebody() -> int:
            os.setuid(who)
            return main(["--config", str(config), "migrate"])

        before = content(path)
        assert forked(as_somebody) == 1
        assert content(path) == before
        assert forked(lambda: main(["--config", str(config), "migrate"])) == 0
        for each in path.parent.glob("floor.db*"):
            assert (each.stat().st_uid, each.stat().st_gid) == (1, 1)
