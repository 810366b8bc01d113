"""TLS of a small house: `shoe-floor tls new` at the broker, `shoe tls join` at a table."""

from __future__ import annotations

import os
import re
import ssl
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.tls import with_keys
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.mqtt.certificates import TlsError, code_of, shown_at
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker, free_port
from tests.kit.command import Run
from tests.mqtt import table_link as tables

brokers, shoe, table = real.brokers, command.shoe, tables.table  # fixtures

CONFIG = """
# our table
[table]
id = "T07"

[mqtt]
# the PC
host = "10.0.0.1"
username = "T07"

[journal]
keep_days = 30
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "bridge.toml"
    path.write_text(CONFIG)
    return path


def new(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[str, str]:
    """The code that `shoe-floor tls new` prints, and all of its output."""
    assert shoe_floor(["tls", "new", "--dir", str(folder), *more]) == 0
    out = capsys.readouterr().out
    (code,) = re.findall(r"\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b", out)
    return code, out


def test_a_table_joins_a_broker_by_its_code(
    tmp_path: Path,
    config: Path,
    brokers: Callable[..., Broker],
    table: Any,
    shoe: Run,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out = new(tmp_path / "floor", capsys, "--name", "broker.example")
    assert f"sudo shoe tls join broker.example {code}" in out
    port, ca = brokers(tls=tmp_path / "floor").port, tmp_path / "table" / "ca.pem"
    for _ in range(2):  # again is no change
        ran = shoe(
            "tls", "join", "127.0.0.1", code.lower().replace("-", " "), "--port", port, "--ca", ca, "--config", config
        )
        assert (ran.code, ran.err) == (0, "")
    assert (ca.read_text(), ca.stat().st_mode & 0o777) == ((tmp_path / "floor/ca.pem").read_text(), 0o644)
    assert [each.name for each in ca.parent.iterdir()] == ["ca.pem"]
    wanted = {"host": "127.0.0.1", "username": "T07", "port": port, "ca": str(ca)}
    assert tomllib.loads(config.read_text())["mqtt"] == wanted
    assert {"# our table", "# the PC"} <= set(config.read_text().splitlines())
    table(port, ca=str(ca)).up()


def test_the_broker_gets_another_certificate_of_the_same_authority(
    tmp_path: Path,
    brokers: Callable[..., Broker],
    table: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "floor"
    code, _ = new(folder, capsys)
    first, ca = (folder / "broker.pem").read_text(), (folder / "ca.pem").read_text()
    again, out = new(folder, capsys)
    assert (again, (folder / "ca.pem").read_text()) == (code, ca)
    assert (folder / "broker.pem").read_text() not in (first, ca)
    assert "tables have nothing to do" in out
    table(brokers(tls=folder).port, ca=str(folder / "ca.pem")).up()


def test_who_has_another_umask_gets_folders_that_daemon_and_broker_can_read(
    tmp_path: Path, config: Path, brokers: Callable[..., Broker], shoe: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    before = os.umask(0o077)
    try:
        code, _ = new(tmp_path / "floor", capsys)
        port, ca = brokers(tls=tmp_path / "floor").port, tmp_path / "table/ca.pem"
        assert shoe("tls", "join", "127.0.0.1", code, "--port", port, "--ca", ca, "--config", config).code == 0
    finally:
        os.umask(before)
    for folder, files in ((tmp_path / "floor", ("ca.pem", "broker.pem")), (tmp_path / "table", ("ca.pem",))):
        assert folder.stat().st_mode & 0o777 == 0o755
        assert {(folder / each).stat().st_mode & 0o777 for each in files} == {0o644}
    assert {(tmp_path / f"floor/{each}.key").stat().st_mode & 0o777 for each in ("ca", "broker")} == {0o600}


def test_the_key_stays_so_that_no_power_cut_leaves_half_of_a_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(tmp_path, capsys)
    before = {each: (tmp_path / f"{each}.key").read_bytes() for each in ("ca", "broker")}
    (tmp_path / "ca.pem").unlink()  # as a cut before the first certificate leaves it
    new(tmp_path, capsys)
    assert {each: (tmp_path / f"{each}.key").read_bytes() for each in before} == before
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tmp_path / "broker.pem", tmp_path / "broker.key")


def test_keys_are_of_their_readers_alone_and_each_is_the_one_of_its_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(tmp_path, capsys)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["broker.key", "broker.pem", "ca.key", "ca.pem"]
    for name in ("ca", "broker"):
        assert (tmp_path / f"{name}.key").stat().st_mode & 0o777 == 0o600
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tmp_path / f"{name}.pem", tmp_path / f"{name}.key")


def test_another_broker_is_not_trusted_and_nothing_is_written(
    tmp_path: Path, config: Path, brokers: Callable[..., Broker], shoe: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = new(tmp_path / "floor", capsys)
    new(tmp_path / "other", capsys)
    port, ca = brokers(tls=tmp_path / "other").port, tmp_path / "table/ca.pem"
    ran = shoe("tls", "join", "127.0.0.1", code, "--port", port, "--ca", ca, "--config", config)
    assert (ran.code, "somebody else answers there" in ran.err) == (1, True)
    assert not ca.exists()
    assert config.read_text() == CONFIG


def test_a_stranger_who_shows_the_right_authority_beside_his_own_certificate_is_found(
    tmp_path: Path, config: Path, brokers: Callable[..., Broker], shoe: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = new(tmp_path / "floor", capsys)
    new(tmp_path / "other", capsys)
    shown = (tmp_path / "other/broker.pem", tmp_path / "floor/ca.pem")
    (tmp_path / "other/broker.pem").write_text("".join(each.read_text() for each in shown))
    port, ca = brokers(tls=tmp_path / "other").port, tmp_path / "table/ca.pem"
    ran = shoe("tls", "join", "127.0.0.1", code, "--port", port, "--ca", ca, "--config", config)
    assert (ran.code, "is not trusted" in ran.err) == (1, True)
    assert list(ca.parent.iterdir()) == []
    assert config.read_text() == CONFIG


def test_a_broker_of_another_name_is_reported(
    tmp_path: Path, config: Path, brokers: Callable[..., Broker], shoe: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = new(tmp_path / "floor", capsys)
    port = brokers(tls=tmp_path / "floor").port
    ran = shoe("tls", "join", "127.1", code, "--port", port, "--ca", tmp_path / "ca.pem", "--config", config)
    assert (ran.code, "is not for this name" in ran.err) == (1, True)
    assert not (tmp_path / "ca.pem").exists()


@pytest.mark.parametrize("code", ["", "ABCD", "ABCD-EFGH-IJKL-MNO1", "ABCD-EFGH-IJKL-MNOPQ"])
def test_what_is_no_code_is_reported(config: Path, shoe: Run, code: str) -> None:
    ran = shoe("tls", "join", "127.0.0.1", code, "--config", config)
    assert (ran.code, "is no code" in ran.err) == (1, True)


def test_a_port_without_tls_and_one_without_a_broker_are_reported(brokers: Callable[..., Broker]) -> None:
    for port in (brokers().port, free_port()):
        with pytest.raises(TlsError, match="shows no certificate"):
            shown_at("127.0.0.1", port)


def test_a_wrong_name_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shoe_floor(["tls", "new", "--dir", str(tmp_path), "--name", "a b"]) == 1
    assert "is no name or address" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_code_is_of_the_whole_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As anybody computes it: openssl x509 -outform der | sha256sum, the first 80 bits in base32."""
    code, _ = new(tmp_path, capsys)
    der = subprocess.run(
        ["openssl", "x509", "-in", tmp_path / "ca.pem", "-outform", "der"], capture_output=True, check=True
    )
    hashed = subprocess.run(
        ["openssl", "dgst", "-sha256", "-binary"], input=der.stdout, capture_output=True, check=True
    )
    text = subprocess.run(["base32"], input=hashed.stdout[:10], capture_output=True, check=True).stdout.decode().strip()
    assert code.replace("-", "") == text
    assert code_of((tmp_path / "ca.pem").read_text()) == code


@pytest.mark.parametrize(
    ("text", "mqtt"),
    [
        ("", {}),
        ('[table]\nid = "T07"', {}),
        ("[mqtt]", {}),
        ("[ mqtt ] # the broker\nport=1 # one\n\n[x]\nport = 5\n", {}),
        ('[mqtt]\nroot = "a"\n[[orders]]\nname = "b"\n', {"root": "a"}),
    ],
)
def test_keys_are_written_into_their_section_alone(text: str, mqtt: dict[str, object]) -> None:
    keys = {"host": "h", "port": 8883, "ca": '/a b/"c"'}
    assert tomllib.loads(with_keys(text, keys)) == tomllib.loads(text) | {"mqtt": mqtt | keys}


@pytest.mark.parametrize("text", ["mqtt = { port = 1 }\n", '[mqtt]\nca = """\nport = 2\n"""\n', "[mqtt\n"])
def test_a_config_that_a_program_cannot_change_is_left_to_people(text: str) -> None:
    with pytest.raises(TlsError, match=r"write into \[mqtt\]: port = 8883"):
        with_keys(text, {"port": 8883})
