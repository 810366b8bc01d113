"""`shoe-floor check` at a real broker: what it must not miss before real money is settled by the store."""

import json
import os
import sqlite3
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion
from rich.cells import cell_len

from firmware_bridge.client.asking import EVER
from firmware_bridge.config.findings import Finding
from firmware_bridge.floor import check as checks
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.record.message import Unread, now
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store.closings import Closing
from firmware_bridge.floor.store.condition import Heartbeat
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.journals import event
from tests.floor.tables import alive
from tests.kit import broker as real
from tests.kit.broker import Broker, free_port
from tests.kit.patience import HANG_S

brokers = real.brokers  # fixture

USERS = {"floor": "x", "T07": "y"}
TABLE = "user T07\ntopic readwrite shoe/T07/#\n"
READS = "topic read shoe/#\n"
NAMES = ("command", "stored", "witnessed")
WRITES = "".join(f"topic write shoe/+/{name}\n" for name in NAMES)

Check = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def check(tmp_path: Path, brokers: Callable[..., Broker], capsys: pytest.CaptureFixture[str]) -> Check:
    """Exit code and lines of a check by a user with these rights, at a broker that one table came to."""

    def run(rights: str, password: str = "x") -> tuple[int, list[str]]:
        broker = brokers(users=USERS, acl=f"{TABLE}user floor\n{rights}")
        client = Client(CallbackAPIVersion.VERSION2, "T07")
        client.username_pw_set("T07", "y")
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        client.publish("shoe/T07/status", alive("T07")[0].payload, 1, retain=True).wait_for_publish(HANG_S)
        client.disconnect()
        client.loop_stop()
        client._reset_sockets()  # which a collector may find before their client
        (tmp_path / "password").write_text(password)
        mqtt = f'[mqtt]\nport = {broker.port}\nusername = "floor"\npassword_file = "{tmp_path / "password"}"\n'
        (tmp_path / "floor.toml").write_text(f'{mqtt}[store]\npath = "{tmp_path / "floor.db"}"\n')
        with closing(SqliteStore(tmp_path / "floor.db")) as store:
            store.beat(Heartbeat("shoe-floor-ingest", now()))
        code = main(["--config", str(tmp_path / "floor.toml"), "check"])
        found, _, _ = capsys.readouterr().out.partition("\n\n")  # the failures follow once more
        return code, found.replace("\n                 -> ", "; ").splitlines()

    return run


def test_what_nobody_sees_in_a_password_is_named(check: Check) -> None:
    code, lines = check(READS + WRITES, "x\r\n")
    [wrong] = [line for line in lines if not line.startswith("OK ")]
    assert (code, wrong.startswith("WARN  mqtt       [mqtt] password_file")) == (0, True)
    assert "has what nobody sees: a carriage return; write the file again" in wrong


def test_a_floor_that_may_do_its_work_is_fine(check: Check) -> None:
    code, lines = check(READS + WRITES)
    assert (code, [line for line in lines if not line.startswith("OK ")]) == (0, [])
    assert lines[-1] == "OK    tables     1 tables found"


@pytest.mark.parametrize("name", NAMES)
def test_what_may_not_be_written_is_named(check: Check, name: str) -> None:
    code, lines = check(READS + WRITES.replace(f"topic write shoe/+/{name}\n", ""))
    [wrong] = [line for line in lines if not line.startswith("OK ")]
    assert code == 1
    assert f"refuses our messages on shoe/+/{name}: Not authorized; in its ACL, allow" in wrong


def test_a_floor_that_hears_nobody_is_warned_and_wrong_once_it_has_messages(check: Check, tmp_path: Path) -> None:
    code, lines = check(WRITES)
    assert code == 0
    assert lines[-1].startswith(
        "WARN  tables     0 tables found; if no table is connected yet, nothing; else in its ACL, allow"
    )
    store = SqliteStore(tmp_path / "floor.db")
    store.save([event(1)], [], [])
    store.close()
    code, lines = check(WRITES)
    assert code == 1
    assert lines[-1].startswith(
        "FAIL  tables     0 tables found; in its ACL, allow [mqtt] username to read shoe/+/status"
    )


def test_a_table_that_did_not_send_what_it_said_before_is_counted(check: Check, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "floor.db")
    store.save([], [], [Progress(event(1).key, 3, 1, 1, EVER)])
    store.close()
    code, lines = check(READS + WRITES)
    [young] = [line for line in lines if not line.startswith("OK ")]
    assert code == 0
    words = "tables     1 tables have not sent all from before their newest shoe"
    assert young.startswith(f"WARN  {words}, being asked for")
    with closing(sqlite3.connect(tmp_path / "floor.db", isolation_level=None)) as db:
        db.execute("update progress set moved_at = '2026-11-20T21:33:05.123Z'")
    code, lines = check(READS + WRITES)
    [wrong] = [line for line in lines if not line.startswith("OK ")]
    assert code == 1
    assert wrong.startswith(f"FAIL  {words}; the ingest asks")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_a_file_of_another_owner_than_its_directory_is_named(check: Check, tmp_path: Path) -> None:
    SqliteStore(tmp_path / "floor.db").close()
    os.chown(tmp_path / "floor.db", 4711, 4711)
    code, lines = check(READS + WRITES)
    [wrong] = [line for line in lines if not line.startswith("OK ")]
    assert code == 1
    assert f"belongs to user 4711, its directory to {tmp_path.stat().st_uid}: the ingest may fail to write it" in wrong
    assert f"sudo chown --reference={tmp_path}/. {tmp_path / 'floor.db'}*" in wrong


def test_a_damaged_page_that_nothing_reads_is_found_where_all_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "ANSWER_S", 0.1)
    SqliteStore(tmp_path / "floor.db").close()
    with closing(sqlite3.connect(tmp_path / "floor.db")) as db:
        [(page, size)] = db.execute(
            "select rootpage, page_size from sqlite_master, pragma_page_size() where name = 'evidence'"
        )
    with (tmp_path / "floor.db").open("rb+") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    nobody = f"[mqtt]\nport = {free_port()}\n"
    config = parse(tomllib.loads(f'{nobody}[store]\npath = "{tmp_path / "floor.db"}"\n'))
    for how, level in (({}, "OK"), ({"whole": True}, "FAIL")):
        found = [each for each in checks.findings(config, **how) if each.name == "store"]
        assert (found[0].level, found[0].text.startswith("the store can be read")) == (level, not how)


@pytest.mark.parametrize(("closed", "words"), [(0, "3 or more"), (2, "2")])
def test_many_in_quarantine_are_counted_to_a_number(
    closed: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware_bridge.floor.store.COUNTED", 3)
    monkeypatch.setattr(checks, "COUNTED", 3)
    monkeypatch.setattr(checks, "ANSWER_S", 0.1)
    config = parse(tomllib.loads(f'[mqtt]\nport = {free_port()}\n[store]\npath = "{tmp_path / "floor.db"}"\n'))
    with closing(SqliteStore(tmp_path / "floor.db")) as store:
        store.save([], [Unread("junk", "", "not JSON", f"{number}".encode()) for number in range(4)], [])
        for number in range(closed):
            store.close_quarantine(sha256(f"{number}".encode()).hexdigest(), "", Closing("ANNA", "junk", now()))
    [found] = [each.text for each in checks.findings(config) if each.name == "quarantine"]
    assert found == f"{words} messages in quarantine" + (f", {closed} closed" if closed else "")


FINDINGS = [
    Finding("OK", "store", "the store can be read"),
    Finding("FAIL", "broker", "the broker 賭枱.example:8883: " + "it cannot be reached " * 9, "check [mqtt] " * 12),
    Finding("WARN", "tables", "0 tables found", "if no table is connected yet, nothing"),
]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_it_fits_and_says_the_failures_once_more_at_the_end(
    width: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "findings", lambda config, whole: iter(FINDINGS))
    monkeypatch.setenv("COLUMNS", str(width))
    (tmp_path / "floor.toml").write_text("")
    assert main(["check", "--config", str(tmp_path / "floor.toml")]) == 1
    out = capsys.readouterr().out
    assert max(map(cell_len, out.splitlines())) <= width
    first, _, last = out.partition("1 failed: broker")
    shown = ["".join(part.split()) for part in (first, last)]
    assert all("".join(f"{each.level}{each.name}{each.text}".split()) in shown[0] for each in FINDINGS)
    assert shown[1] == "".join(f"FAILbroker{FINDINGS[1].text}->{FINDINGS[1].remedy}".split())
    assert main(["check", "--json", "--config", str(tmp_path / "floor.toml")]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], [each["level"] for each in report["checks"]]) == (False, ["OK", "FAIL", "WARN"])


def test_a_terminal_gets_colours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "findings", lambda config, whole: iter(FINDINGS))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    (tmp_path / "floor.toml").write_text("")
    main(["check", "--config", str(tmp_path / "floor.toml")])
    out = capsys.readouterr().out
    assert all(coloured in out for coloured in ("\x1b[32mOK", "\x1b[33mWARN", "\x1b[1;31mFAIL"))
