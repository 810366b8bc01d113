"""`shoe support`: all that helps is in the file, nothing secret is, whatever is broken."""

import errno
import io
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.config import LEFT_OUT, scrubbed
from firmware_bridge.cli.support import PARTS
from firmware_bridge.journal.reader import Walk
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable

brokers, shoe = real.brokers, command.shoe  # fixtures

PASSWORD = "hunter2-correct-horse"
Ticket = Callable[..., dict[str, bytes]]
Tables = Callable[..., DaemonTable]


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    """Start tables; they are closed after the test."""
    made: list[DaemonTable] = []

    def make(port: int, **sections: Any) -> DaemonTable:
        made.append(DaemonTable(tmp_path, port, **sections))
        return made[-1].start()

    yield make
    for each in made:
        each.close()


@pytest.fixture
def ticket(tmp_path: Path, shoe: command.Run) -> Ticket:
    """Write one and open it: name in it -> what it holds."""

    def write(config: Path) -> dict[str, bytes]:
        out = tmp_path / "ticket.tar.gz"
        ran = shoe("support", "--config", config, "--out", out)
        assert ran.code == 0, ran.err
        assert out.stat().st_mode & 0o777 == 0o600
        with tarfile.open(out) as tar:
            return {name.removeprefix("shoe-support/"): tar.extractfile(name).read() for name in tar.getnames()}

    return write


def test_a_running_table_and_nothing_secret(
    tmp_path: Path, brokers: Callable[..., Broker], tables: Tables, ticket: Ticket
) -> None:
    (tmp_path / "password").write_text(PASSWORD)
    (tmp_path / "password").chmod(0o600)
    login = {"username": "t07", "password_file": str(tmp_path / "password")}
    port = brokers(users={"t07": PASSWORD}).port
    bridge = tables(port, table={"disclose": "sealed"}, mqtt=login)
    bridge.ask(do="status")
    bridge.until(lambda: status(bridge)["broker"]["up"])
    bridge.deal("9s Td Ks Qc 2h")
    files = ticket(bridge.config_path)
    assert set(PARTS) < set(files)
    assert b"table T07" in files["status.txt"]
    assert b"OK    config" in files["check.txt"]
    assert b"msgspec" in files["about.txt"]
    exported = [name for name in files if name.endswith(".journal")]
    lines = [line for name in exported for line in Walk(name).lines(io.BytesIO(files[name]))]
    assert len(lines) == len(bridge.lines())
    whole = b"".join(files.values())
    assert PASSWORD.encode() not in whole
    for secret in secrets(bridge):
        assert secret.encode() not in whole, secret


def secrets(bridge: DaemonTable) -> list[str]:
    """The sealed parts of the record as JSON: nonces, and cards as they would be spelt."""
    found = []
    for line in bridge.lines():
        fields = msgspec.json.decode(msgspec.json.encode(line.entry.input))
        found += [f'"card":"{fields["card"]}"'] if "card" in fields else []
        found += [fields["nonce"]] if fields.get("nonce") and "card" in fields else []
    assert len(found) >= 8
    return found


def test_without_daemon_broker_or_journal(tmp_path: Path, ticket: Ticket) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{tmp_path}/none"\n[reader]\nport = "/dev/none"\n')
    files = ticket(config)
    assert b"not available: no daemon listens" in files["status.txt"]
    assert b"FAIL  reader     no reader at /dev/none" in files["check.txt"]
    assert files["calibration.toml"].startswith(b"not available")
    assert set(files) == set(PARTS)


def test_without_sudo_it_says_what_is_missing(tables: Tables, shoe: command.Run, mocker: MockerFixture) -> None:
    bridge = tables(1)
    bridge.ask(do="status")
    mocker.patch("os.geteuid", return_value=1000)
    mocker.patch("socket.socket.connect", side_effect=PermissionError(errno.EACCES, "Permission denied"))
    mocker.patch.object(Path, "iterdir", side_effect=PermissionError(errno.EACCES, "Permission denied"))
    ran = shoe("support", "--config", bridge.config_path, "--out", bridge.folder / "ticket.tar.gz")
    assert ran.code == 1
    missing = "status.txt, log.txt, the newest journals"
    assert ran.err == f"shoe: this user may not read {missing}: put sudo before the command\n"
    assert not any(name in ran.out for name in missing.split(", "))
    with tarfile.open(bridge.folder / "ticket.tar.gz") as tar:
        none = tar.extractfile("shoe-support/journal/none.txt")
        assert none
        assert b"Permission denied" in none.read()


def test_a_config_that_makes_no_sense_or_is_missing(tmp_path: Path, ticket: Ticket, shoe: command.Run) -> None:
    config = tmp_path / "bridge.toml"
    out = tmp_path / "missing.tar.gz"
    ran = shoe("support", "--config", config, "--out", out)
    assert (ran.code, out.exists()) == (1, True)
    assert ran.err == f"shoe support: {config} is missing: give the table's config with --config\n"
    config.write_text(f'[mqtt\npassword = "{PASSWORD}"\n')
    files = ticket(config)
    assert LEFT_OUT.encode() in files["bridge.toml"]
    assert b"not TOML" in files["check.txt"]
    assert PASSWORD.encode() not in b"".join(files.values())


def test_a_damaged_journal_goes_as_far_as_it_can_be_trusted(tables: Tables, ticket: Ticket) -> None:
    bridge = tables(1)
    bridge.ask(do="status")
    bridge.deal("9s Td Ks Qc")
    bridge.stop()
    path = max(bridge.journal_dir.glob("*.journal"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(b"1", b"2")]))
    files = ticket(bridge.config_path)
    assert len(files[f"journal/{path.name}"].splitlines()) == 2
    assert b"line 3" in files[f"journal/{path.name}.fault.txt"]


@pytest.mark.parametrize(
    ("name", "make"),
    [("calibration.toml", "a link"), *[("00000007-0123456789ab.journal", f"a {what}") for what in ("link", "pipe")]],
)
def test_only_a_file_of_the_daemons_own_is_read(tmp_path: Path, ticket: Ticket, name: str, make: str) -> None:
    directory, secret = tmp_path / "journal", tmp_path / "shadow"
    directory.mkdir()
    secret.write_text("root:$6$abc:19000:0:99999:7:::\n")
    if make == "a link":
        (directory / name).symlink_to(secret)
    else:
        os.mkfifo(directory / name)
    config = tmp_path / "bridge.toml"
    config.write_text(f'[table]\nid = "T07"\n[journal]\ndir = "{directory}"\n[reader]\nport = "/dev/none"\n')
    files = ticket(config)
    assert b"$6$" not in b"".join(files.values())
    assert files["calibration.toml"].startswith(b"not available")


def test_a_place_that_cannot_be_written(tmp_path: Path, shoe: command.Run) -> None:
    ran = shoe("support", "--config", tmp_path / "b.toml", "--out", tmp_path / "none" / "x.tar.gz")
    assert (ran.code, "give another place with --out" in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('password = "abc"', f'password = "{LEFT_OUT}"'),
        ("mqtt_password='a b'", f'mqtt_password="{LEFT_OUT}"'),
        ("{ api_token = 12345, x = 1 }", f'{{ api_token = "{LEFT_OUT}", x = 1 }}'),
        ('# psk: "old"', f'# psk: "{LEFT_OUT}"'),
        ('password_file = "/etc/x"', 'password_file = "/etc/x"'),
        ("mqtt://joe:pw@host/x", f"mqtt://{LEFT_OUT}@host/x"),
        ("a\n-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nb", f"a\n{LEFT_OUT}\nb"),
        ("it says hunter2 there", f"it says {LEFT_OUT} there"),
    ],
)
def test_what_looks_like_a_secret_is_left_out(text: str, shown: str) -> None:
    assert scrubbed(text, ["hunter2"]) == shown


def test_a_directory_gets_the_file(tmp_path: Path, shoe: command.Run) -> None:
    for folder in ("", "there/", "there"):
        shoe("support", "--config", tmp_path / "b.toml", "--out", f"{tmp_path}/{folder}")
    assert len(list((tmp_path / "there").iterdir())) in (1, 2)  # its name has the second
    (made,) = tmp_path.glob("shoe-support-*.tar.gz")
    assert made.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("out", "why"), [("none/there/", "No such file or directory"), ("file/", "File exists")])
def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path, shoe: command.Run, out: str, why: str) -> None:
    (tmp_path / "file").touch()
    ran = shoe("support", "--config", tmp_path / "b.toml", "--out", f"{tmp_path}/{out}")
    error = f"shoe: {tmp_path}/{out.rstrip('/')} cannot be made ({why}); give another place with --out\n"
    assert (ran.code, ran.err) == (1, error)
