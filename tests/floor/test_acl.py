"""`shoe-floor acl` at a real mosquitto: who may say and hear what, cell by cell; and what it refuses to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from firmware_bridge.cli.retire import RETAINED
from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.acl import BACKEND_WRITES, INGEST_WRITES, TABLE_WRITES, mosquitto, nats, users
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import parse
from scripts.tools.messages.topics import topics
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S

brokers = real.brokers  # fixture

RAW: dict[str, Any] = {
    "mqtt": {"username": "floor"},
    "page": {"username": "pit"},
    "tables": {"T07": {}, "T08": {}},
}
USERS = {name: name for name in ("T07", "T08", "floor", "cage", "pit", "watch")}
TABLES = ("T07", "T08")
NAMES = (*TABLE_WRITES, *INGEST_WRITES, "made-up", "reply/x")

MAY = {
    "T07": {f"T07/{name}" for name in TABLE_WRITES},
    "T08": {f"T08/{name}" for name in TABLE_WRITES},
    "floor": {f"{table}/{name}" for table in (*TABLES, "T99", "floor") for name in INGEST_WRITES},
    "cage": {f"{table}/{name}" for table in (*TABLES, "T99", "cage") for name in BACKEND_WRITES},
    "pit": set(),
    "watch": set(),
}
"""User -> what it may write below `shoe/`; orders also to a table that there is not, as nobody reads them there."""

NOT_AUTHORIZED = 0x87


class Listening(Protocol):
    """Where a broker listens."""

    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...


class Visitor:
    """A client with a login: what it was answered, and what it heard."""

    def __init__(self, broker: Listening, user: str, protocol: MQTTProtocolVersion) -> None:
        self.heard: dict[str, bytes] = {}
        self.codes: dict[int, int] = {}
        self.is_up, self.is_subscribed, self.ended = Event(), Event(), Event()
        self._client = Client(CallbackAPIVersion.VERSION2, f"try-{user}-{id(self)}", protocol=protocol)
        self._client.username_pw_set(user, user)
        self._client.on_connect = lambda *_: self.is_up.set()
        self._client.on_subscribe = lambda *_: self.is_subscribed.set()
        self._client.on_publish = lambda _client, _data, mid, code, _: self.codes.update({mid: code.value})
        self._client.on_message = self._on_message
        self._client.connect(broker.host, broker.port)
        self._client.loop_start()
        assert self.is_up.wait(HANG_S)

    def _on_message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        if message.payload == b"end":
            self.ended.set()
        else:
            self.heard[message.topic.removeprefix("shoe/")] = bytes(message.payload)

    def hear(self, topic: str) -> Visitor:
        self._client.subscribe(topic, 1)
        assert self.is_subscribed.wait(HANG_S)
        return self

    def say(self, topic: str, payload: bytes) -> int:
        """The reason code of the answer."""
        sent = self._client.publish(f"shoe/{topic}", payload, 1)
        sent.wait_for_publish(HANG_S)
        return self.codes.get(sent.mid, 0)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        self._client._reset_sockets()  # which a collector may find before their client


Come = Callable[[str], Visitor]


@pytest.fixture(params=[MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311], ids=["5", "3.1.1"])
def protocol(request: pytest.FixtureRequest) -> MQTTProtocolVersion:
    return MQTTProtocolVersion(request.param)


@pytest.fixture
def come(brokers: Callable[..., Broker], protocol: MQTTProtocolVersion) -> Iterator[Come]:
    """A visitor at a broker whose rights are those of `RAW`."""
    broker = brokers(users=USERS, acl="\n".join(mosquitto(users(parse(RAW), ["cage"], ["watch"]))))
    came: list[Visitor] = []

    def visitor(user: str) -> Visitor:
        came.append(Visitor(broker, user, protocol))
        return came[-1]

    yield visitor
    for each in came:
        each.close()


@pytest.mark.parametrize("user", MAY)
def test_who_may_write_what(come: Come, protocol: MQTTProtocolVersion, user: str) -> None:
    """Own, another table's, a made-up one's, and a topic of one's own name (S6)."""
    everything = [f"{table}/{name}" for table in (*TABLES, user, "T99") for name in NAMES]
    watch, who = come("watch").hear("shoe/#"), come(user)
    codes = {topic: who.say(topic, b"{}") for topic in everything}
    come("floor").say("T07/command", b"end")
    assert watch.ended.wait(HANG_S)
    assert watch.heard.keys() == MAY[user]
    if protocol == MQTTProtocolVersion.MQTTv5:
        assert {topic for topic, code in codes.items() if code != NOT_AUTHORIZED} == MAY[user]


@pytest.mark.parametrize(
    ("user", "topic", "hears"),
    [
        ("T07", "shoe/T07/#", {"T07/event", "T07/command"}),
        ("T07", "shoe/T08/#", set()),
        ("T07", "shoe/#", {"T07/event", "T07/command"}),
        ("T07", "shoe/+/command", {"T07/command"}),
        ("floor", "shoe/#", {"T07/event", "T07/command", "T08/event", "T08/command"}),
        ("cage", "shoe/#", {"T07/event", "T07/command", "T08/event", "T08/command"}),
        ("pit", "shoe/+/event", {"T07/event", "T08/event"}),
    ],
)
def test_who_may_read_what(come: Come, user: str, topic: str, hears: set[str]) -> None:
    who, observer = come(user).hear(topic), come("watch").hear("shoe/#")
    for table in TABLES:
        come(table).say(f"{table}/event", b"{}")
        come("floor").say(f"{table}/command", b"{}")
    come("floor").say("T07/command", b"end")
    come("T07").say("T07/event", b"end")
    assert observer.ended.wait(HANG_S)
    assert who.ended.wait(HANG_S if hears else 1.0) is bool(hears)
    assert who.heard.keys() == hears


def test_the_topics_of_a_table_are_those_of_the_book() -> None:
    assert set(TABLE_WRITES) == {each.name for each in topics() if each.sender == "shoe"} | {"check"}
    assert set(INGEST_WRITES) == {each.name for each in topics() if each.sender == "backend"}
    assert set(TABLE_WRITES) > RETAINED


def test_no_pattern_is_written() -> None:
    """By one with %u every login has a table of its own (S6)."""
    lines = list(mosquitto(users(parse(RAW))))
    assert not [line for line in lines if "%" in line or "pattern" in line]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"tables": {}}, "lists no table"),
        ({"mqtt": {}}, "no login at the broker"),
        ({"tables": {"T 07": {}}}, "'T 07' can be no user"),
        ({"tables": {"+": {}}}, "can be no user"),
        ({"tables": {"floor": {}}}, "'floor' is the name of two users"),
        ({"tables": {"T07\nuser x\ntopic write #": {}}}, "a text contains the character"),
    ],
    ids=str,
)
def test_what_would_give_other_rights_is_refused(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        list(mosquitto(users(parse(RAW | more))))


def test_a_table_of_nats_is_no_wildcard_and_each_user_has_a_password() -> None:
    with pytest.raises(ConfigError, match="is no name for NATS"):
        list(nats(users(parse(RAW | {"tables": {"*": {}}})), {"floor": "x", "*": "x"}, "ingest"))
    with pytest.raises(ConfigError, match="T07 has no password"):
        list(nats(users(parse(RAW)), {"floor": "x"}, "ingest"))


def test_a_page_with_a_key_gives_orders_and_one_without_writes_nothing() -> None:
    page = {"username": "pit", "order_key_file": "page-order-key"}
    gives, reads = users(parse(RAW | {"page": page})), users(parse(RAW))
    assert "\nuser pit\ntopic read shoe/#\ntopic write shoe/+/command" in "\n".join(mosquitto(gives))
    assert "\n".join(mosquitto(reads)).endswith("\nuser pit\ntopic read shoe/#")
    (row,) = [each for each in nats(gives, USERS, "ingest") if '"pit"' in each]
    assert 'publish: ["shoe.*.command"], subscribe: ["shoe", "shoe.>", "$MQTT.sub.>"]' in row
    with pytest.raises(ConfigError, match="is the name of two users"):
        users(parse(RAW | {"page": page}), ["pit"])


def test_the_command_prints_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "floor.toml").write_text('[mqtt]\nusername = "floor"\n[page]\nusername = "pit"\n[tables.T07]\n')
    (tmp_path / "passwords").write_text('floor:a"b\nT07:t\npit:p\ncage:c\n')
    command = ["acl", "--config", str(tmp_path / "floor.toml"), "--backend", "cage"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "\nuser T07\ntopic write shoe/T07/event\n" in said
    cage = "user cage\ntopic read shoe/#\ntopic write shoe/+/command\ntopic write shoe/+/stored\n"
    assert said.endswith(f"{cage}\nuser pit\ntopic read shoe/#\n")
    assert main([*command, "--nats", str(tmp_path / "passwords")]) == 0
    said = capsys.readouterr().out
    assert r'password: "a\"b"' in said
    assert (
        'user: "pit", password: "p", allowed_connection_types: ["MQTT"], permissions: { publish: { deny: ">" }' in said
    )
    assert main([*command, "--nats", str(tmp_path / "none")]) == 78
