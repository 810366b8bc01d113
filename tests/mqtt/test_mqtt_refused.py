"""What a broker answers to CONNECT when it refuses: told in words, with what to do, and no haste where haste harms."""

from typing import Any

import pytest

from firmware_bridge.mqtt.settings import NotConnected
from tests.kit import broker as real
from tests.kit.peer import Peer
from tests.mqtt import table_link as tables

brokers, table = real.brokers, tables.table  # fixtures

WORDS_5 = {
    0x80: ("Unspecified error", "check the broker's log"),
    0x81: ("Malformed packet", "check the broker's log"),
    0x82: ("Protocol error", "check the broker's log"),
    0x83: ("Implementation specific error", "check the broker's log"),
    0x85: ("Client identifier not valid", "correct [mqtt] client_id"),
    0x86: ("Bad user name or password", "check [mqtt] username and password_file"),
    0x87: ("Not authorized", "check [mqtt] username and password_file"),
    0x88: ("Server unavailable", "overloaded or just starting: nothing to do here"),
    0x89: ("Server busy", "overloaded: nothing to do here"),
    0x8A: ("Banned", "remove it from the broker's ban list"),
    0x8C: ("Bad authentication method", "user names and passwords, or certificates"),
    0x90: ("Topic name invalid", "correct [mqtt] root"),
    0x95: ("Packet too large", "raise it to 128 kB"),
    0x97: ("Quota exceeded", "raise it; it is tried again more and more slowly"),
    0x99: ("Payload format invalid", "check the broker's log"),
    0x9A: ("Retain not supported", "enable them at the broker"),
    0x9B: ("QoS not supported", "enable it at the broker"),
    0x9C: ("Use another server", "correct [mqtt] host"),
    0x9D: ("Server moved", "correct [mqtt] host"),
    0x9F: ("Connection rate exceeded", "too many clients connect at once: nothing to do here"),
    0xF3: ("reason code 0xF3", "check the broker's log"),  # no code of the standard
}
WORDS_311 = {
    1: ("does not answer in MQTT 5 or 3.1.1", "update the broker"),
    2: ("Client identifier not valid", "correct [mqtt] client_id"),
    3: ("Server unavailable", "overloaded or just starting: nothing to do here"),
    4: ("Bad user name or password", "check [mqtt] username and password_file"),
    5: ("Not authorized", "check [mqtt] username and password_file"),
    6: ("", "check the broker's log"),
}
OVERLOAD = {5: (0x88, 0x89, 0x97, 0x9F), 4: (3,)}
CODES = [(5, code) for code in WORDS_5] + [(4, code) for code in WORDS_311]


@pytest.mark.parametrize(("level", "code"), CODES, ids=[f"{level}-{code:#04x}" for level, code in CODES])
def test_every_refusal_is_reported_with_what_to_do(level: int, code: int, table: Any) -> None:
    answer = bytes([0x20, 3, 0, code, 0]) if level == 5 else bytes([0x20, 2, 0, code])
    with Peer({level: answer, 9 - level: b""}, stays=False) as peer:
        bridge = table(peer.port, protocol=level)
        text = bridge.down()
        what, remedy = (WORDS_5 if level == 5 else WORDS_311)[code]
        assert what in text
        assert remedy in text
        with pytest.raises(NotConnected):
            bridge.send(1)
        patient = bridge.link._next.when() - bridge.loop.time() > 0.4
        assert patient == (code in OVERLOAD[level])
        assert bridge.delivered == []


@pytest.mark.parametrize("level", [5, 4])
def test_mosquitto_refuses_a_wrong_password(brokers: Any, table: Any, level: int) -> None:
    port = brokers(users={"T07": "right"}).port
    assert (
        "refuses user 'T07' (Not authorized)" in table(port, username="T07", password=b"wrong", protocol=level).down()
    )


@pytest.mark.parametrize("level", [5, 4])
def test_mosquitto_refuses_a_client_id(brokers: Any, table: Any, level: int) -> None:
    port = brokers(options="clientid_prefixes shoe-").port
    assert "(Not authorized)" in table(port, protocol=level).down()


@pytest.mark.parametrize(
    ("option", "reason"), [("retain_available false", "Retain not supported"), ("max_qos 0", "QoS not supported")]
)
def test_mosquitto_refuses_what_it_does_not_do(brokers: Any, table: Any, option: str, reason: str) -> None:
    assert f"({reason}): it " in table(brokers(options=option).port).down()
