"""`shoe key`: made once, for its owner alone; its public half is shown by the daemon that signs with it."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.record.verify import parse_vkey
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures


def test_a_new_key_is_made_for_its_owner_alone_and_never_over_another(shoe: command.Run, tmp_path: Path) -> None:
    file = tmp_path / "credstore" / "record-key"
    ran = shoe("key", "new", "--file", file)
    assert ran.code == 0
    assert f"{file} is made" in ran.out
    made = file.read_bytes()
    assert (len(made), stat.S_IMODE(file.stat().st_mode)) == (32, 0o600)
    refused = shoe("key", "new", "--file", file)
    assert (refused.code, "is there already" in refused.err) == (1, True)
    assert shoe("key", "new", "--if-none", "--file", file).code == 0
    assert file.read_bytes() == made
    assert [each.name for each in file.parent.iterdir()] == ["record-key"]


def test_two_keys_are_not_the_same(shoe: command.Run, tmp_path: Path) -> None:
    for name in "ab":
        shoe("key", "new", "--file", tmp_path / name)
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    made = DaemonTable(tmp_path, broker.port, record={"origin": "casino.example"})
    yield made
    made.close()


def test_the_public_half_is_shown_as_text_fingerprint_and_qr(shoe: command.Run, table: DaemonTable) -> None:
    table.start()
    spoken = table.ask(do="status")["record"]
    process = command.spawn("key", "show", "--qr", "--config", table.config_path)
    table.until(lambda: process.poll() is not None)
    shown, _ = process.communicate()
    vkey, fingerprint, signs, *picture = shown.splitlines()
    assert vkey == spoken["key"]
    assert parse_vkey(vkey).name.startswith("casino.example/")
    assert len(fingerprint.removeprefix("fingerprint").split()) == 5
    assert signs == f"signs        yes; {spoken['size']} entries"
    assert len({len(line) for line in picture}) == 1
    assert len(picture) > 20


def test_a_table_without_a_key_says_what_to_do(shoe: command.Run, table: DaemonTable) -> None:
    table.key_file.unlink()
    table.start()
    assert "record_unsigned" in str(table.ask(do="status")["alarm"])
    process = command.spawn("key", "show", "--config", table.config_path)
    table.until(lambda: process.poll() is not None)
    _, err = process.communicate()
    assert process.returncode == 1
    assert "this table has no record yet" in err
    assert "sudo shoe key new" in err
