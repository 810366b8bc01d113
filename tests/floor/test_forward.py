"""`shoe-floor forward` from a file of SQLite to real receivers, over TLS too."""

from __future__ import annotations

import re
import ssl
import tomllib
from pathlib import Path

import pytest
from msgspec import structs

from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.store.open import open_store
from tests.floor.every_facts import every_row
from tests.floor.every_forward import *  # noqa: F403  # what it does whatever the engine
from tests.floor.every_forward import Configured, forwarding, ids_of, place, save
from tests.floor.webhooks import Receiver, receiving
from tests.kit import certificates
from tests.kit.patience import until

tls = certificates.tls  # fixture


@pytest.fixture
def where(tmp_path: Path) -> str:
    return f'path = "{tmp_path}/floor.db"'


def context(folder: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / "broker.pem", folder / "broker.key")
    return made


def test_a_receiver_with_a_trusted_certificate_is_sent_to(configured: Configured, tls: Path) -> None:
    with receiving(Receiver(), context(tls)) as secure:
        config = to(configured(f'ca = "{tls}/ca.pem"', "https"), secure)
        save(config, *every_row())
        with forwarding(config):
            until(lambda: secure.ids == ids_of(config, "round"))


def test_an_authority_without_key_usage_is_trusted_by_every_python(configured: Configured, tmp_path: Path) -> None:
    """As `openssl req -x509` makes one: Python 3.13 refuses it unless it is asked not to."""
    made = certificates.Authority(tmp_path / "authority")
    made.issue("broker", "IP:127.0.0.1")
    with receiving(Receiver(), context(made.folder)) as secure:
        config = to(configured(f'ca = "{made.folder}/ca.pem"', "https"), secure)
        save(config, *every_row())
        with forwarding(config):
            until(lambda: secure.ids == ids_of(config, "round"))


@pytest.mark.parametrize("ca", ["other.pem", ""])
def test_a_certificate_that_nobody_trusts_is_sent_nothing(configured: Configured, tls: Path, ca: str) -> None:
    with receiving(Receiver(), context(tls)) as secure:
        config = to(configured(f'ca = "{tls}/{ca}"' if ca else "", "https"), secure)
        save(config, *every_row())
        with forwarding(config):
            until(lambda: place(config) and place(config).trouble)
        assert "certificate verify failed" in place(config).trouble
        assert secure.requests == []


def to(config: FloorConfig, receiver: Receiver) -> FloorConfig:
    """The same with another receiver."""
    (row,) = config.forward
    url = f"https://127.0.0.1:{receiver.port}/hook"
    return structs.replace(config, forward=(structs.replace(row, url=url),))


WRONG = {
    'url = "http://cms.example/x"': "http could be read on its way: write https://, or set plain_http = true",
    'url = "ftp://cms.example/x"': "write https://HOST/PATH",
    'url = "https://me:secret@cms.example"': "an address with user or password is not allowed",
    'url = "https://cms.example/#x"': "write https://HOST/PATH",
    'kinds = ["rounds"]': "kinds",
    "kinds = []": "kinds is empty",
    "batch = 501": "batch",
    'name = "a b"': "name",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_row_is_named(line: str) -> None:
    key, _, value = line.partition(" = ")
    row = {"name": "cms", "url": "https://cms.example/x", "key_file": "k"} | tomllib.loads(line)
    with pytest.raises(ConfigError, match=re.escape(WRONG[line])) as found:
        parse({"forward": [row]})
    assert "secret" not in str(found.value)
    assert key in row
    assert value


def test_what_is_sent_in_plain_text_is_wanted(tmp_path: Path) -> None:
    row = {"name": "cms", "url": "http://cms.example/x", "key_file": "k", "plain_http": True}
    assert parse({"forward": [row]}).forward[0].plain_http
    with pytest.raises(ConfigError, match="the name cms stands there twice"):
        parse({"forward": [row, row]})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "No such file"),
        ("short", "the key has 5 bytes, 24 are the fewest"),
        ("whsec_AAAA", "the key has 3 bytes"),
        ("whsec_A", "the key is not in base64"),
    ],
)
def test_a_key_that_cannot_be_used_ends_the_service(
    configured: Configured, tmp_path: Path, text: str | None, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configured()
    if text is None:
        (tmp_path / "key").unlink()
    else:
        (tmp_path / "key").write_text(text)
    assert main(["--config", str(tmp_path / "floor.toml"), "forward"]) == 78
    assert why in capsys.readouterr().err


def test_a_store_that_is_not_there_yet_is_waited_for(
    configured: Configured, receiver: Receiver, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = configured()
    for each in tmp_path.glob("floor.db*"):
        each.unlink()
    with forwarding(config):
        until(lambda: "waits for the store: there is no store" in caplog.text)
        open_store(config, make=True).close()
        save(config, *every_row())
        until(lambda: receiver.ids == ids_of(config, "round"))


def test_without_a_receiver_there_is_nothing_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "floor.toml").write_text(f'[store]\npath = "{tmp_path}/floor.db"\n')
    assert main(["--config", str(tmp_path / "floor.toml"), "forward"]) == 78
    assert "add [[forward]] to floor.toml" in capsys.readouterr().err
