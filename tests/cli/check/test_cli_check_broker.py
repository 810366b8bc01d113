"""`shoe check`: the broker, and what goes over the network in clear."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.cli.check.broker import in_clear, largest_messages, last_round
from firmware_bridge.config.findings import unseen
from firmware_bridge.journal.messages import messages
from firmware_bridge.mqtt.settings import BrokerSettings
from tests.cli.check import checked
from tests.cli.check.checked import Checked
from tests.kit import broker as real
from tests.kit import certificates, command
from tests.kit.broker import Broker, free_port
from tests.kit.daemon_table import BridgeTable

broker, brokers, tls = real.broker, real.brokers, certificates.tls  # fixtures
shoe, check = command.shoe, checked.check  # fixtures

SENT = ("event", "round")


def test_a_broker_that_is_down_or_refuses_us(check: Checked, brokers: Callable[..., Broker], tmp_path: Path) -> None:
    port = free_port()
    level, text, remedy = check.one("broker", mqtt={"port": port})
    assert (level, text) == ("FAIL", f"nothing listens at 127.0.0.1:{port}")
    assert remedy == "start the broker or correct [mqtt] host and port"
    guarded = brokers(users={"table-07": "secret"})
    (tmp_path / "password").write_text("wrong\n")
    (tmp_path / "password").chmod(0o600)
    login = {"port": guarded.port, "username": "table-07", "password_file": str(tmp_path / "password")}
    assert "refuses user 'table-07'" in check.one("broker", mqtt=login)[1]
    (tmp_path / "password").write_text("secret\n")
    assert check.one("broker", mqtt=login)[0] == "OK"
    (tmp_path / "password").chmod(0o644)
    warned = check(mqtt=login)["broker"][0]
    assert (warned["level"], warned["remedy"]) == ("WARN", f"sudo chmod 0600 {tmp_path}/password")
    (tmp_path / "password").unlink()
    assert check.one("broker", mqtt=login)[2] == "check the path and its owner"


def test_a_broker_that_lets_us_in_but_takes_nothing(check: Checked, brokers: Callable[..., Broker]) -> None:
    strict = brokers(acl="topic write shoe/T08/#")
    level, text, remedy = check.one("broker", mqtt={"port": strict.port})
    assert (level, "refuses a message to shoe/T07/check (Not authorized)" in text) == ("FAIL", True)
    assert "let 'T07" in remedy or "in the broker's ACL" in remedy
    kind = brokers(acl="topic write shoe/T07/#")
    assert check.one("broker", mqtt={"port": kind.port})[0] == "OK"


@pytest.mark.filterwarnings("ignore:Exception ignored in.*ssl:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("ca", "level", "text"),
    [
        ("ca.pem", "OK", "accepts this shoe (MQTT 5)"),
        ("other.pem", "FAIL", "is not trusted"),
        ("none.pem", "FAIL", "cannot read"),
        (None, "FAIL", "requires TLS"),
    ],
)
def test_a_broker_with_tls(
    check: Checked, brokers: Callable[..., Broker], tls: Path, ca: str | None, level: str, text: str
) -> None:
    section = {"port": brokers(tls=tls).port, "ca": ca and f"{tls}/{ca}"}
    found = check.one("broker", mqtt=section)
    assert (found[0], text in found[1]) == (level, True), found


@pytest.mark.parametrize(
    ("host", "ca", "warns"), [("10.0.0.5", None, True), ("10.0.0.5", "ca.pem", False), ("127.0.0.1", None, False)]
)
def test_rounds_in_clear_over_the_network_are_warned_of(host: str, ca: str | None, warns: bool) -> None:
    assert [each.level for each in in_clear(BrokerSettings(client_id="x", host=host, ca=ca))] == ["WARN"] * warns


def test_the_largest_message_that_was_delivered_is_sent_again_and_none_that_was_not(
    brokers: Callable[..., Broker], tmp_path: Path
) -> None:
    broker = brokers()
    table = BridgeTable(tmp_path, broker.port).start()
    try:
        table.deal("9s Td Ts Tc")
        table.until(lambda: not table.bridge.uplink.outbox.waiting)
        cursor = table.bridge.uplink.outbox.acked
        broker.kill()
        table.deal("2s 3h 4d 5c 6s 7s")
    finally:
        table.close()
    assert cursor
    every = [(line.public.seq, each) for line in table.lines() for each in messages(line)]
    sent = {topic: [each.payload for seq, each in every if each.topic == topic and seq <= cursor.seq] for topic in SENT}
    assert largest_messages(table.journal_dir) == {topic: max(payloads, key=len) for topic, payloads in sent.items()}
    assert last_round(table.journal_dir) == sent["round"][-1]
    assert max(len(each.payload) for seq, each in every if seq > cursor.seq and each.topic == "round") > len(
        sent["round"][-1]
    )


@pytest.mark.parametrize(
    ("secret", "found"),
    [
        (b"right\n", ""),
        (b"right", ""),
        (b"right\r\n", "a carriage return"),
        (b"\xef\xbb\xbfright\n", "a BOM"),
        ("ri\u200bght\n".encode(), "a sign of zero width"),
        ("right\u00a0 \n".encode(), "a no-break space, a space at an end"),
        ("right".encode("utf-16"), "it is saved as UTF-16"),
        (b"wr\xff\xfeong", ""),
    ],
)
def test_what_nobody_sees_in_a_password_is_named(tmp_path: Path, secret: bytes, found: str) -> None:
    (tmp_path / "password").write_bytes(secret)
    named = [each.text.partition("sees: ")[2] for each in unseen("broker", "password_file", tmp_path / "password")]
    assert named == ([found] if found else [])
    assert list(unseen("broker", "password_file", tmp_path / "none")) == []
