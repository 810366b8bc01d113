"""`shoe check` names the encryption of the broker's connection, and how long each certificate is valid."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.certificates import Authority
from tests.kit.daemon_table import toml

brokers, shoe = real.brokers, command.shoe  # fixtures

Check = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    made = Authority(tmp_path / "a")
    made.issue("broker", "IP:127.0.0.1", ends=90.0)
    return made


@pytest.fixture
def check(tmp_path: Path, shoe: command.Run) -> Check:
    """Level and text of the findings about TLS."""

    def run(port: int, **mqtt: Any) -> list[tuple[str, str]]:
        path = tmp_path / "bridge.toml"
        journal = {"dir": str(tmp_path)}
        path.write_text(toml({"table": {"id": "T07"}, "mqtt": {"port": port, **mqtt}, "journal": journal}))
        checks = json.loads(shoe("check", "--json", "--config", path).out)["checks"]
        return [(each["level"], each["text"]) for each in checks if each["name"] == "tls"]

    return run


def mine(authority: Authority, name: str) -> dict[str, str]:
    names = {"ca": "ca.pem", "cert": f"{name}.pem", "key": f"{name}.key"}
    return {key: str(authority.folder / file) for key, file in names.items()}


def test_version_and_last_days_are_named(brokers: Callable[..., Broker], authority: Authority, check: Check) -> None:
    authority.issue("T07", ends=20.0)
    broker = brokers(tls=authority.folder, options="require_certificate true")
    ca, own, shown = check(broker.port, **mine(authority, "T07"))
    assert (ca[0], own[0], shown[0]) == ("OK", "WARN", "OK")
    assert own[1].endswith(", in 19 days")
    assert f"127.0.0.1:{broker.port}, TLSv1.3: the certificate ends on " in shown[1]


@pytest.mark.parametrize(
    ("days", "text"), [((-9.0, -1.0), "the certificate ended on "), ((3.0, 9.0), "the certificate is valid from ")]
)
def test_one_of_another_time_fails(
    brokers: Callable[..., Broker], authority: Authority, check: Check, days: tuple[float, float], text: str
) -> None:
    authority.issue("T07", begins=days[0], ends=days[1])
    found = check(brokers(tls=authority.folder).port, **mine(authority, "T07"))
    (failed,) = [each for level, each in found if level == "FAIL"]
    assert text in failed


def test_a_key_that_others_may_read_is_reported(
    brokers: Callable[..., Broker], authority: Authority, check: Check
) -> None:
    authority.issue("T07")
    port = brokers(tls=authority.folder).port
    assert "WARN" not in dict(check(port, **mine(authority, "T07")))
    (authority.folder / "T07.key").chmod(0o640)
    (said,) = [text for level, text in check(port, **mine(authority, "T07")) if level == "WARN"]
    assert "has the mode 0640" in said


def test_no_encryption_is_reported_on_a_network_alone(brokers: Callable[..., Broker], check: Check) -> None:
    port = brokers().port
    assert check(port) == []
    ((level, text),) = check(port, host="192.0.2.77")
    assert (level, text) == ("WARN", f"passwords and messages to 192.0.2.77:{port} are not encrypted")
