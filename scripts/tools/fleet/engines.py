"""The brokers of a fleet, on the loopback: one mosquitto, or three nodes of NATS."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

from firmware_bridge.demo.broker import HOST
from scripts.tools.fleet.child import Child, FleetError

FLOOR: Final = "floor"
"""The user name of the back office."""

OWN: Final = ("status", "event", "round", "command", "stored", "witnessed")
"""Topics of its own that a table reads (reasons in docs/broker.md)."""

OFFICE_WRITES: Final = [
    *(f"$MQTT.msgs.shoe.*.{name}" for name in ("command", "stored", "witnessed")),
    *("$JS.API.INFO", "$JS.API.STREAM.INFO.$MQTT_msgs"),
    *(f"$JS.API.CONSUMER.{what}.$MQTT_msgs.shoe-floor-ingest" for what in ("*", "*.*")),
    "$JS.ACK.$MQTT_msgs.shoe-floor-ingest.>",
]
"""Subjects the back office writes at NATS: orders, its position, and requests of its consumer."""

NODES: Final = 3

CONSUMERS: Final = 6
"""Consumers that a table may need at NATS: three topics are read at QoS 1, and a link may be there that is over."""

PORTS: Final = range(10_240, 32_768)
"""Below those that the kernel gives to connections: a broker that comes back finds its own port free."""

PATH: Final = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"


class Engine(Protocol):
    """A broker, or a cluster of them.

    children: its processes. tables, floor: the ports that tables and the back office connect to.
    """

    children: list[Child]
    tables: list[int]
    floor: list[int]

    def toml(self, tables: int, ports: Sequence[int], password_file: Path) -> str:
        """Return the sections of floor.toml that name it. tables, ports: the ways to `tables` and `floor`."""

    def is_ready(self) -> bool:
        """Return whether every part answers."""

    def victim(self) -> Child:
        """Return the process with the worst effect if killed now."""


class Mosquitto:
    """One mosquitto with a user for each table; it keeps sessions and messages on disk, now and then."""

    def __init__(self, folder: Path, tables: Collection[str], password: str) -> None:
        folder.mkdir(parents=True)
        program = shutil.which("mosquitto", path=PATH)
        if program is None:
            raise FleetError("mosquitto is not installed", "sudo apt install mosquitto")
        [self._port] = free_ports(1)
        self.tables = self.floor = [self._port]
        (folder / "mosquitto.conf").write_text(
            f"listener {self._port} {HOST}\n"
            f"allow_anonymous false\npassword_file {folder}/passwords\nacl_file {folder}/acl\n"
            f"persistence true\npersistence_location {folder}/\nautosave_interval 60\n"
            "max_queued_messages 100000\nmax_inflight_messages 1000\n" + ("user root\n" if os.geteuid() == 0 else "")
        )
        (folder / "acl").write_text(acl())
        users = folder / "passwords"
        users.write_text("".join(f"{name}:{password}\n" for name in (*tables, FLOOR)))
        subprocess.run(["mosquitto_passwd", "-U", str(users)], check=True)
        for secret in (users, folder / "acl"):
            secret.chmod(0o600)
        self.children = [Child("broker", [program, "-c", str(folder / "mosquitto.conf")], folder / "broker.log")]

    def toml(self, tables: int, ports: Sequence[int], password_file: Path) -> str:
        """Return the section [mqtt]."""
        return f"[mqtt]\nport = {ports[0]}\n{_login(password_file)}"

    def is_ready(self) -> bool:
        """Return whether it takes connections."""
        return answers(self._port)

    def victim(self) -> Child:
        """Return the one process."""
        return self.children[0]


class Nats:
    """Three nodes of NATS with JetStream and MQTT; every message is on disk at two of them before it is confirmed."""

    def __init__(self, folder: Path, tables: Collection[str], password: str) -> None:
        program = shutil.which("nats-server", path=PATH)
        if program is None:
            raise FleetError("nats-server is not installed", "it comes with scripts/fleet --engine nats")
        folder.mkdir(parents=True)
        self.tables, self.floor, self._http, routes = (free_ports(NODES) for _ in range(4))
        accounts = folder / "accounts.conf"
        accounts.touch(0o600)
        accounts.write_text(_accounts(tables, password))
        self.children = []
        for number in range(NODES):
            path = folder / f"n{number + 1}.conf"
            path.write_text(
                f"server_name: n{number + 1}\nlisten: {HOST}:{self.floor[number]}\nhttp: {HOST}:{self._http[number]}\n"
                f'jetstream {{ sync_interval: always, store_dir: "{folder}/n{number + 1}" }}\n'
                f"cluster {{ name: shoe, listen: {HOST}:{routes[number]}, no_advertise: true,\n"
                f"  routes: [ {', '.join(f'nats://{HOST}:{each}' for each in routes)} ] }}\n"
                f"mqtt {{ listen: {HOST}:{self.tables[number]}, stream_replicas: {NODES},\n"
                f'  consumer_memory_storage: true, max_ack_pending: 2000, ack_wait: "30s" }}\n'
                "include accounts.conf\n"
            )
            command = [program, "-c", str(path)]
            self.children.append(Child(f"node n{number + 1}", command, folder / f"n{number + 1}.log"))

    def toml(self, tables: int, ports: Sequence[int], password_file: Path) -> str:
        """Return the sections [mqtt], by which it is prepared, and [nats]."""
        login, servers = _login(password_file), json.dumps([f"nats://{HOST}:{port}" for port in ports])
        return f"[mqtt]\nport = {tables}\n{login}[nats]\nservers = {servers}\n{login}"

    def is_ready(self) -> bool:
        """Return whether every node that runs is well."""
        return all(
            self._fetch(number, "healthz").get("status") == "ok"
            for number, node in enumerate(self.children)
            if node.is_running
        )

    def victim(self) -> Child:
        """Return the node that leads the stream of all messages."""
        for number in range(NODES):
            for account in self._fetch(number, "jsz?streams=true").get("account_details", []):
                for stream in account.get("stream_detail", []):
                    leader = stream.get("cluster", {}).get("leader")
                    if stream["name"] == "$MQTT_msgs" and leader:
                        return self.children[int(leader[1:]) - 1]
        return self.children[0]

    def _fetch(self, number: int, path: str) -> dict[str, Any]:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self._http[number]}/{path}", timeout=5.0) as answer:
                content: dict[str, Any] = json.load(answer)
                return content
        except (OSError, ValueError):
            return {}


def acl() -> str:
    """Return the rights at mosquitto: a table writes its topics and reads six of them, the back office reads all."""
    reads = "".join(f"pattern read shoe/%u/{name}\n" for name in OWN)
    office = f"user {FLOOR}\ntopic read shoe/#\n"
    office += "".join(f"topic write shoe/+/{name}\n" for name in ("command", "stored", "witnessed"))
    return f"pattern write shoe/%u/#\n{reads}\n{office}"


def _login(password_file: Path) -> str:
    return f'username = "{FLOOR}"\npassword_file = "{password_file}"\n'


def _accounts(tables: Collection[str], password: str) -> str:
    """Return the rights at NATS: one account, in it a user for each table, and the back office."""
    users = [_user(FLOOR, password, OFFICE_WRITES, ["_INBOX.>", "$MQTT.sub.>", "shoe.>"])]
    for name in tables:
        reads = [*(f"shoe.{name}.{topic}" for topic in OWN), "$MQTT.sub.>"]
        users.append(_user(name, password, [f"shoe.{name}.>"], reads))
    limit = f"jetstream: {{ max_consumers: {CONSUMERS * (len(tables) + 100)} }}"
    every = ",\n".join(users)
    return f"accounts {{ HOUSE {{ {limit}, users: [\n{every}\n] }} }}\n"


def _user(name: str, password: str, writes: list[str], reads: list[str]) -> str:
    rights = f"publish: {json.dumps(writes)}, subscribe: {json.dumps(reads)}"
    return f"{{ user: {name}, password: {password}, permissions: {{ {rights} }} }}"


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback without a listener."""
    ports: list[int] = []
    while len(ports) < count:
        port = random.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            ports += [port] if port not in ports else []
    return ports


def answers(port: int) -> bool:
    """Return whether a port of the loopback has a listener."""
    try:
        socket.create_connection((HOST, port), 1.0).close()
    except OSError:
        return False
    return True


ENGINES: Final[dict[str, Callable[[Path, Collection[str], str], Engine]]] = {"mosquitto": Mosquitto, "nats": Nats}
