"""`shoe-floor` as its users meet it: its check, its exports, what it deletes, backup and restore as the docs say."""

import csv
import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import need
from firmware_bridge.floor.record.message import Unread
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.journals import AT, event, kept, round_of
from tests.kit import broker as real
from tests.kit.broker import Broker, free_port

brokers = real.brokers  # fixture
ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/floor.md").read_text("utf-8")


@pytest.fixture
def floor(tmp_path: Path) -> Callable[..., int]:
    """Runs `shoe-floor` with a config whose store is floor.db."""

    def run(*words: str, port: int = 1) -> int:
        config = f'[mqtt]\nport = {port}\n[store]\npath = "{tmp_path / "floor.db"}"\n'
        (tmp_path / "floor.toml").write_text(config)
        return main(["--config", str(tmp_path / "floor.toml"), *words])

    return run


def filled(path: Path) -> None:
    store = SqliteStore(path)
    store.save([event(1), round_of(1, 1), round_of(2, 2)], [Unread("shoe/T07/event", AT, "bad", b"\xff")], [])
    store.close()


def test_an_export_as_json_lines_holds_the_messages(floor: Callable[..., int], tmp_path: Path) -> None:
    filled(tmp_path / "floor.db")
    assert floor("export", "messages", "--table", "T07", "-o", str(tmp_path / "out")) == 0
    rows = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert [(row["table"], row["topic"], row["seq"]) for row in rows] == [
        ("T07", "event", 1),
        ("T07", "round", 1),
        ("T07", "round", 2),
    ]
    assert rows[0]["body"] == json.loads(event(1).body)


def test_an_export_as_csv_begins_with_names(floor: Callable[..., int], tmp_path: Path) -> None:
    filled(tmp_path / "floor.db")
    assert floor("export", "rounds", "--csv", "-o", str(tmp_path / "out")) == 0
    rows = list(csv.DictReader((tmp_path / "out").read_text().splitlines()))
    assert [(row["table"], row["round"], row["status"]) for row in rows] == [
        ("T07", "1", "closed"),
        ("T07", "2", "closed"),
    ]


def test_check_names_what_is_wrong(
    floor: Callable[..., int],
    tmp_path: Path,
    brokers: Callable[..., Broker],
    capsys: pytest.CaptureFixture[str],
    mocker: MockerFixture,
) -> None:
    broker = brokers()
    SqliteStore(tmp_path / "floor.db").close()
    assert floor("check", port=broker.port) == 0
    filled(tmp_path / "floor.db")
    mocker.patch("firmware_bridge.floor.check.ANSWER_S", 0.2)
    assert floor("check", port=free_port()) == 1
    printed = capsys.readouterr().out
    assert "FAIL  quarantine 1 messages in quarantine\n" in printed
    assert "-> run shoe-floor export quarantine for the reasons; once they are understood" in printed
    assert "it cannot be reached" in printed


@pytest.mark.skipif(find_spec("nats") is not None, reason="nats-py is installed")
@pytest.mark.parametrize("command", ["ingest", "check"])
def test_a_floor_on_nats_names_the_package_that_is_missing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.floor.check.ANSWER_S", 0.2)
    config = tmp_path / "floor.toml"
    SqliteStore(tmp_path / "floor.db").close()
    config.write_text(f'[nats]\nservers = ["nats://127.0.0.1:1"]\n[store]\npath = "{tmp_path / "floor.db"}"\n')
    assert main(["--config", str(config), command]) > 0
    assert "pip install '.[nats]'" in capsys.readouterr().err


def test_backup_and_restore_as_the_doc_says(floor: Callable[..., int], tmp_path: Path) -> None:
    filled(tmp_path / "floor.db")
    section = DOC.split("## Backup and restore")[1].split("\n## ")[0]
    lines = [line.strip() for line in section.splitlines() if line.startswith("    ")]
    lines = [
        line.replace("/var/lib/shoe-floor", str(tmp_path)).replace("/mnt/backup", str(tmp_path / "b")) for line in lines
    ]
    (tmp_path / "b").mkdir()
    (backup,) = [line for line in lines if line.startswith("shoe-floor")]
    assert floor(*shlex.split(backup)[1:]) == 0
    before = SqliteStore(tmp_path / "floor.db")
    wanted = kept(before)
    before.close()
    (tmp_path / "floor.db").write_bytes(b"the disk is broken " * 1000)
    (tmp_path / "floor.db-wal").write_bytes(b"this too")
    for line in lines:
        if line.startswith(("rm ", "cp ", "chown ")):
            subprocess.run(shlex.split(line), check=True)
    after = SqliteStore(tmp_path / "floor.db")
    assert kept(after) == wanted
    assert after.faults() == []
    after.close()
    shutil.rmtree(tmp_path / "b")


def test_the_unit_is_as_hardened_as_the_daemons() -> None:
    hardening = ("Protect", "Private", "Restrict", "Lock", "Memory", "System", "No", "Capability", "KeyringMode")
    daemon, own = ((ROOT / f"systemd/{name}.service").read_text() for name in ("firmware-bridge", "shoe-floor-ingest"))
    wanted = [line for line in daemon.splitlines() if line.startswith(hardening) and "=" in line]
    assert len(wanted) > 20
    assert [line for line in wanted if line not in own.splitlines() and line != "MemoryMax=256M"] == []


def test_a_file_has_no_roles(floor: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert floor("prepare", "--reader", "reports") == 1
    assert "set its owner and its mode instead" in capsys.readouterr().err


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(ConfigError, match=r"pip install '\.\[postgres\]'"):
        need("a_package_that_nobody_made", "postgres")


def test_nothing_is_deleted_without_a_setting(floor: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert floor("expire") == 0
    assert (
        "nothing is deleted: none of [store] keep_years, keep_event_years and quarantine_days is set"
        in capsys.readouterr().out
    )


def test_journals_older_than_a_setting_are_deleted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(tmp_path / "floor.db")
    old = [event(1)._replace(at="2001-01-01T00:00:00.000Z", received_at="2001-01-01T00:00:00.000Z")]
    new = event(1, journal="4-6b")._replace(at="9999-01-01T00:00:00.000Z", received_at="9999-01-01T00:00:00.000Z")
    store.save([*old, new], [], [Progress(each.key, 3, 1, 1) for each in (*old, new)])
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path / "floor.db"}"\nkeep_years = 10\n')
    for words in (["--dry-run"], []):
        assert main(["--config", str(tmp_path / "floor.toml"), "expire", *words]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "would be deleted: table T07, journal 3-5ad1, 1 messages to 2001-01-01T00:00:00.000Z",
        "deleted: table T07, journal 3-5ad1, 1 messages to 2001-01-01T00:00:00.000Z",
    ]
    assert [row[2] for row in store.rows("messages", None, None)] == ["4-6b"]
    store.close()


def test_pseudonyms_are_resolved_for_whoever_has_the_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "key").write_text("k" * 32 + "\n")
    (tmp_path / "floor.toml").write_text(f'[ingest]\npseudonym_key_file = "{tmp_path / "key"}"\n')
    assert main(["--config", str(tmp_path / "floor.toml"), "pseudonym", "ANNA", "Bo"]) == 0
    hidden = Names(b"k" * 32)
    assert capsys.readouterr().out == f"{hidden.pseudonym('ANNA')} ANNA\n{hidden.pseudonym('Bo')} Bo\n"
    (tmp_path / "floor.toml").write_text("")
    assert main(["--config", str(tmp_path / "floor.toml"), "pseudonym", "ANNA"]) == 78
