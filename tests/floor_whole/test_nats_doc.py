"""The configuration that docs/nats.md gives, started: three nodes with TLS, users and rights; nobody gets further."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from firmware_bridge.cli import main as shoe
from firmware_bridge.floor import acl
from firmware_bridge.floor.config import parse
from tests.floor.journals import made, published
from tests.floor_whole import nats_floor
from tests.floor_whole.nats import Cluster, needs_nats
from tests.floor_whole.nats_floor import Floor, until
from tests.kit import certificates
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import HANG_S

pytestmark = needs_nats
floors, tls = nats_floor.floors, certificates.tls  # fixtures

DOC = (Path(__file__).parents[2] / "docs/nats.md").read_text("utf-8")


class House(NamedTuple):
    """A cluster as the document says, and the certificates of it."""

    cluster: Cluster
    tls: Path


def block(name: str) -> str:
    """The file of this name in the document."""
    (found,) = re.findall(rf"^```\w*\n# {re.escape(name)}\n(.*?)^```", DOC, re.DOTALL | re.MULTILINE)
    return str(found)


def users_of(*tables: str) -> str:
    """The users that `shoe-floor acl` writes for these tables."""
    raw = {"mqtt": {"username": "floor"}, "page": {"username": "pit"}, "tables": {name: {} for name in tables}}
    names = ("floor", "pit", "reader", "backend", *tables)
    passwords = {name: f"PASSWORD-OF-{name.upper()}" for name in names}
    return "\n".join(acl.nats(acl.users(parse(raw), ["backend"], ["reader"]), passwords, "shoe-floor-ingest"))


@pytest.fixture
def house(tmp_path: Path, tls: Path) -> Iterator[House]:
    cluster = Cluster(tmp_path / "nats", 3)
    accounts = {"accounts.conf": block("/etc/nats/accounts.conf"), "users.conf": users_of("T07", "T08")}
    for node in cluster.nodes:
        text = block("/etc/nats/nats.conf").replace("server_name: n1", f"server_name: {node.name}")
        for number, other in enumerate(cluster.nodes, 1):
            text = text.replace(f"n{number}.example:6222", f"127.0.0.1:{other.route}")
        for listens, port in (("0.0.0.0:4222", node.port), ("0.0.0.0:6222", node.route), ("0.0.0.0:8883", node.mqtt)):
            text = text.replace(listens, f"127.0.0.1:{port}")
        text = text.replace("127.0.0.1:8222", f"127.0.0.1:{node.http}")
        text = text.replace("/etc/nats/node.pem", f"{tls}/broker.pem").replace(
            "/etc/nats/node.key", f"{tls}/broker.key"
        )
        text = text.replace("/etc/nats/ca.pem", f"{tls}/ca.pem").replace("/var/lib/nats", f"{tmp_path}/js/{node.name}")
        assert "example" not in text
        node.configure(text, accounts)
    for name in ("floor", "T07"):
        (tmp_path / f"password-of-{name}").write_text(f"PASSWORD-OF-{name.upper()}\n")
    yield House(cluster.start(), tls)
    cluster.end()


@pytest.fixture
def floor(house: House, floors: Callable[..., Floor], tmp_path: Path) -> Floor:
    keys = f'username = "floor"\npassword_file = "{tmp_path}/password-of-floor"\nca = "{house.tls}/ca.pem"'
    return floors(house.cluster, nats=keys, mqtt=keys)


class Client311:
    """A client of MQTT 3.1.1 with a user's password: what it was granted, and what it has heard."""

    def __init__(self, house: House, user: str) -> None:
        self.heard: list[str] = []
        self.granted: list[bool] = []
        self._client = Client(CallbackAPIVersion.VERSION2, f"try-{user}", protocol=MQTTProtocolVersion.MQTTv311)
        self._client.username_pw_set(user, f"PASSWORD-OF-{user.upper()}")
        self._client.tls_set(ca_certs=str(house.tls / "ca.pem"))
        self._client.on_subscribe = lambda *given: self.granted.extend(not code.is_failure for code in given[3])
        self._client.on_message = lambda _client, _data, message: self.heard.append(message.topic)
        self._client.connect("127.0.0.1", house.cluster.nodes[1].mqtt)
        self._client.loop_start()

    def may_read(self, topic: str) -> bool:
        self.granted.clear()
        self._client.subscribe(topic, 1)
        until(lambda: self.granted, lambda: topic)
        return self.granted[0]

    def say(self, topic: str) -> None:
        """Publish, acknowledged as NATS does all."""
        self._client.publish(topic, b"{}", 1).wait_for_publish(HANG_S)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        self._client._reset_sockets()


def test_a_table_is_stored_and_acknowledged_check_is_content_and_it_retires(
    house: House, floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floor.prepare()
    checked = floor.run("check")
    assert checked.returncode == 0, checked.stdout
    assert "of at most 20000 consumers" in checked.stdout
    floor.start()
    login = {"username": "T07", "password_file": f"{tmp_path}/password-of-T07", "ca": f"{house.tls}/ca.pem"}
    daemon = DaemonTable(tmp_path, house.cluster.nodes[2].mqtt, mqtt={"stored": "floor", **login})
    try:
        daemon.start()
        for _ in range(3):
            daemon.deal("9s Td Ts Tc")
        floor.until_kept(lambda: made(published(daemon.journal_dir)))
        daemon.until(lambda: (link := status(daemon)["broker"])["up"] and not link["waiting"])
        said = status(daemon)["broker"]
        assert (said["protocol"], said["store"]["refused"]) == ("3.1.1", 0)
        assert "does not" not in daemon.log
        daemon.stop()
        assert shoe(["retire", "--yes", "--config", str(daemon.config_path)]) == 0
        assert re.search("shoe/T07 is retired: .*status", capsys.readouterr().out)
    finally:
        daemon.close()
    assert "ermission" not in floor.log


def test_nobody_gets_further_than_the_document_says(house: House, floor: Floor) -> None:
    floor.prepare()
    floor.start()
    other, reader = Client311(house, "T08"), Client311(house, "reader")
    try:
        assert reader.may_read("shoe/#")
        own = ("command", "stored", "status", "event", "round")
        assert [other.may_read(f"shoe/T08/{name}") for name in own] == [True] * len(own)
        for topic in ("shoe/T07/event", "shoe/+/command", "shoe/#", "#", "$MQTT/msgs/#", "$JS/API/#", "$MQTT/sub/#"):
            assert not other.may_read(topic), topic
        other.say("shoe/T07/event")
        other.say("$MQTT/msgs/shoe/T07/event")
        reader.say("shoe/T08/command")
        other.say("shoe/T08/event")  # no message of a table: it goes into quarantine
        until(lambda: floor.counts()[1], lambda: floor.log)
        until(lambda: "shoe/T08/event" in reader.heard)
        assert set(reader.heard) == set(other.heard) == {"shoe/T08/event"}
        assert floor.counts() == (0, 1, 0)
    finally:
        other.close()
        reader.close()


def test_each_user_writes_what_is_its_own_and_nothing_else(house: House) -> None:
    """Whoever writes is acknowledged in any case: what counts is what a reader hears."""
    names = (*acl.TABLE_WRITES, *acl.INGEST_WRITES)
    may = {
        "T07": {f"shoe/T07/{name}" for name in acl.TABLE_WRITES},
        "backend": {f"shoe/{table}/{name}" for table in ("T07", "T08") for name in acl.BACKEND_WRITES},
        "pit": set(),
    }
    heard = {user: said_by(house, user, names, right) for user, right in may.items()}
    assert heard == may


def said_by(house: House, user: str, names: tuple[str, ...], right: set[str]) -> set[str]:
    """What a reader hears of all that a user tries, once it has heard what the user may."""
    reader, who = Client311(house, "reader"), Client311(house, user)
    try:
        assert reader.may_read("shoe/#")
        for table in ("T07", "T08"):
            for name in names:
                who.say(f"shoe/{table}/{name}")
        until(lambda: right <= set(reader.heard), lambda: f"{user} {right - set(reader.heard)}")
        time.sleep(0.5)
        return set(reader.heard)
    finally:
        who.close()
        reader.close()


def test_a_new_table_needs_no_restart(house: House, floor: Floor, tmp_path: Path) -> None:
    floor.prepare()
    floor.start()
    for node in house.cluster.nodes:
        (tmp_path / "nats" / node.name / "users.conf").write_text(users_of("T07", "T08", "T09"))
        node.reload()
    until(lambda: all("Reloaded server configuration" in node.log for node in house.cluster.nodes))
    fresh = Client311(house, "T09")
    try:
        assert fresh.may_read("shoe/T09/#")
        fresh.say("shoe/T09/event")
        until(lambda: floor.counts()[1], lambda: floor.log)
    finally:
        fresh.close()


def test_the_password_of_a_table_is_good_for_mqtt_alone(house: House) -> None:
    import nats
    import nats.errors

    async def enter() -> None:
        how = {"user": "T07", "password": "PASSWORD-OF-T07", "allow_reconnect": False, "max_reconnect_attempts": 1}
        await nats.connect(house.cluster.servers, tls=ssl.create_default_context(cafile=house.tls / "ca.pem"), **how)

    with pytest.raises(nats.errors.Error):
        asyncio.run(enter())
