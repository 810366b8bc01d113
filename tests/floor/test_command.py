"""`shoe-floor` as its users meet it: its config, its exports, backup and restore as the docs say."""

import csv
import json
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import fields

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config.load import load, parse
from firmware_bridge.floor.config.secrets import password
from firmware_bridge.floor.config.sections import SECTIONS, FloorConfig, MqttSection
from firmware_bridge.floor.extras import need
from firmware_bridge.floor.record.ledger import Progress
from firmware_bridge.floor.record.message import Unread
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store import What
from firmware_bridge.floor.store.sqlite import SqliteStore
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
    assert all(f"| `{name}` |" in DOC for name in ("message", *get_args(What)) if name != "messages")


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as told:
        parse({"mqt": {}, "mqtt": {"prt": 1, "port": 0, "key": "k"}, "store": {"path": "floor.db"}, "ingest": 3})
    lines = str(told.value).splitlines()
    assert len(lines) == 6
    assert "[mqt] is unknown: did you mean mqtt?" in lines[0]
    assert "did you mean port?" in str(told.value)


@pytest.mark.parametrize(
    ("nats", "mistake"),
    [
        ({"username": "floor"}, "[nats] has no servers"),
        ({"servers": ["n1.example"]}, "'n1.example' is no address: write nats://HOST:PORT"),
        ({"servers": ["nats://floor:secret@n1.example:4222"]}, "one with a name or a password is no address"),
        ({"servers": ["nats://n1.example:4222"], "key": "k"}, "[nats] key is there without cert"),
        ({"servers": ["nats://n1.example:4222"], "monitor": ["n1.example:8222"]}, "write http://HOST:PORT"),
        ({"servers": "nats://n1.example:4222"}, "[nats] servers"),
        ({"servers": ["nats://n1.example:4222"], "consumer": "a b"}, "[nats] consumer"),
    ],
)
def test_mistakes_in_nats_are_told(nats: dict[str, object], mistake: str) -> None:
    with pytest.raises(ConfigError) as told:
        parse({"nats": nats})
    assert mistake in str(told.value)
    assert len(str(told.value).splitlines()) == 1


def test_a_secret_without_a_path_is_a_credential_of_the_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mqtt-password").write_bytes(b"secret\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert password(MqttSection(password_file="mqtt-password")) == b"secret"
    assert password(MqttSection(password_file=str(tmp_path / "mqtt-password"))) == b"secret"
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    with pytest.raises(ConfigError, match="password_file mqtt-password: No such file"):
        password(MqttSection(password_file="mqtt-password"))


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
    SqliteStore(tmp_path / "floor.db").close()
    assert floor("check", port=broker.port) == 0
    filled(tmp_path / "floor.db")
    assert floor("check", port=free_port()) == 1
    store = SqliteStore(tmp_path / "floor.db")
    store.save([], [], [Progress(event(1).key, 3, 1, 1, "1970-01-01T00:00:00Z")])
    store.close()
    assert floor("check", port=free_port()) == 1
    told = capsys.readouterr().out
    assert "fine   0 tables have not sent what they said before" in told
    assert "wrong  1 tables have not sent what they said before their newest shoe; they are asked again" in told
    assert "wrong  1 messages in quarantine; shoe-floor export quarantine tells the reasons" in told
    assert "it is out of reach" in told


@pytest.mark.skipif(find_spec("nats") is not None, reason="nats-py is installed")
@pytest.mark.parametrize("command", ["ingest", "check"])
def test_a_floor_on_nats_names_the_package_that_is_missing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "floor.toml"
    SqliteStore(tmp_path / "floor.db").close()
    config.write_text(f'[nats]\nservers = ["nats://127.0.0.1:1"]\n[store]\npath = "{tmp_path / "floor.db"}"\n')
    assert main(["--config", str(config), command]) > 0
    assert "pip install 'firmware-bridge[nats]'" in capsys.readouterr().err


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
    left_out = {"MemoryMax=256M", "SystemCallFilter=setpriority sched_setaffinity"}
    assert [line for line in wanted if line not in own.splitlines() and line not in left_out] == []


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"url": "postgresql://u:Sesame-7@h/floor"}, "has a password in it"),
        ({"url": "postgresql://u@h/floor?password=Sesame-7"}, "has a password in it"),
        ({"url": "mysql://u@h/floor?password=Sesame-7"}, "is none of PostgreSQL"),
        ({"url": "postgresql://u@h/floor", "path": "/floor.db"}, "has both path and url"),
        ({"password_file": "/secret"}, "is there without url"),
    ],
)
def test_what_is_wrong_with_the_place_of_the_store_is_told_without_a_password(keys: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as told:
        parse({"store": keys})
    assert "Sesame" not in str(told.value)


def test_a_file_has_no_roles(floor: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert floor("prepare", "--reader", "reports") == 1
    assert "its owner and its mode say who reads it" in capsys.readouterr().err


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(ConfigError, match=r"pip install 'firmware-bridge\[postgres\]'"):
        need("a_package_that_nobody_made", "postgres")


def test_nothing_is_deleted_without_a_setting(floor: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert floor("expire") == 0
    assert "nothing is deleted: [store] keep_years is not set" in capsys.readouterr().out


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


def test_pseudonyms_are_told_to_whoever_has_the_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "key").write_text("k" * 32 + "\n")
    (tmp_path / "floor.toml").write_text(f'[ingest]\npseudonym_key_file = "{tmp_path / "key"}"\n')
    assert main(["--config", str(tmp_path / "floor.toml"), "pseudonym", "ANNA", "Bo"]) == 0
    hidden = Names(b"k" * 32)
    assert capsys.readouterr().out == f"{hidden.pseudonym('ANNA')} ANNA\n{hidden.pseudonym('Bo')} Bo\n"
    (tmp_path / "floor.toml").write_text("")
    assert main(["--config", str(tmp_path / "floor.toml"), "pseudonym", "ANNA"]) == 78
