"""`shoe-floor` as its users meet it: its config, its exports, backup and restore as the docs say."""

import csv
import json
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import fields

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import SECTIONS, FloorConfig, load, parse
from firmware_bridge.floor.message import Unread
from firmware_bridge.floor.sqlite import SqliteStore
from tests import broker as real
from tests.broker import Broker, free_port
from tests.floor.journals import AT, event, kept, round_of

brokers = real.brokers  # fixture
ROOT = Path(__file__).parents[2]
DOC = "\n## ".join((ROOT / f"docs/{name}.md").read_text("utf-8") for name in ("floor", "page", "screen"))


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


def test_the_example_is_a_config_with_every_default() -> None:
    text = (ROOT / "systemd/floor.toml").read_text()
    assert load(ROOT / "systemd/floor.toml") == FloorConfig()
    named = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line or line.startswith("["))
    raw = tomllib.loads(named)
    assert {name: set(keys) for name, keys in raw.items()} == {
        name: {field.name for field in fields(section)} for name, section in SECTIONS.items()
    }
    defaults = {name: {field.name: field.default for field in fields(section)} for name, section in SECTIONS.items()}
    assert all(raw[name][key] == value for name, keys in defaults.items() for key, value in keys.items() if value)


def test_the_doc_names_every_key_and_view() -> None:
    for section, kind in SECTIONS.items():
        assert f"[{section}]" in DOC
        assert all(f"{field.name}`" in DOC for field in fields(kind))
    assert all(f"| `{name}` |" in DOC for name in ("message", "rounds", "gaps", "conflicts", "quarantine", "shoes"))


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as told:
        parse({"mqt": {}, "mqtt": {"prt": 1, "port": 0, "key": "k"}, "store": {"path": "floor.db"}, "ingest": 3})
    lines = str(told.value).splitlines()
    assert len(lines) == 6
    assert "[mqt] is unknown: did you mean mqtt?" in lines[0]
    assert "did you mean port?" in str(told.value)


def test_a_config_that_is_not_there_is_code_78(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", "/nowhere/floor.toml", "check"]) == 78
    assert "name the file with --config" in capsys.readouterr().err


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
    floor: Callable[..., int], tmp_path: Path, brokers: Callable[..., Broker], capsys: pytest.CaptureFixture[str]
) -> None:
    broker = brokers()
    assert floor("check", port=broker.port) == 0
    filled(tmp_path / "floor.db")
    assert floor("check", port=free_port()) == 1
    told = capsys.readouterr().out
    assert "wrong  1 messages in quarantine; shoe-floor export quarantine tells the reasons" in told
    assert "it is out of reach" in told


def test_backup_and_restore_as_the_doc_says(floor: Callable[..., int], tmp_path: Path) -> None:
    filled(tmp_path / "floor.db")
    told = DOC.split("## Backup and restore")[1].split("\n## ")[0]
    lines = [line.strip() for line in told.splitlines() if line.startswith("    ")]
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
        if line.startswith(("rm ", "cp ")):
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
    left_out = {"MemoryMax=256M", "SystemCallFilter=setpriority"}
    assert [line for line in wanted if line not in own.splitlines() and line not in left_out] == []
