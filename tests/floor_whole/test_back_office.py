"""scripts/back-office in a tree: broker and database as it brings them up, with a real table and ingest."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from tests.floor_whole.cluster import missing
from tests.kit.broker import free_port
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import ended, run
from tests.kit.process import python, ran

SCRIPT = Path(__file__).parents[2] / "scripts/back-office"
LIMIT_S = 360.0
pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root starts a server as another user"),
    pytest.mark.skipif(missing() is not None, reason=str(missing())),
    pytest.mark.skipif(not shutil.which("pg_createcluster"), reason="install the package postgresql"),
]


class House:
    """A tree with its servers, until `close`."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="house-", dir="/tmp"))
        self.root.chmod(0o755)  # the server's own user goes through it
        self.port, self.database = free_port(), free_port()
        self.floor_toml = self.root / "etc/firmware-bridge/floor.toml"
        self._path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def run(self, *words: str) -> str:
        """What the script prints."""
        where = ["--root", str(self.root), "--port", str(self.port), "--database-port", str(self.database)]
        command = [str(SCRIPT), *where, *words]
        done = run(command, LIMIT_S, env=os.environ | {"PATH": self._path})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def floor(self, *words: str, config: str = "floor.toml") -> str:
        """What `shoe-floor` prints."""
        where = self.floor_toml.with_name(config)
        return ran("-m", "firmware_bridge.floor", "--config", where, *words).stdout

    def secret(self, name: str) -> str:
        return (self.root / "etc" / name).read_text().strip()

    def sql(self, statement: str, role: str = "reader", secret: str = "reader-password") -> str:
        """The first value of what the database answers."""
        import psycopg

        password = self.secret(f"credstore/shoe-floor.{secret}")
        url = f"postgresql://floor_{role}@127.0.0.1:{self.database}/floor"
        with psycopg.connect(url, password=password) as database:
            [value] = database.execute(statement.encode()).fetchone() or [None]
            return str(value)

    @property
    def broker(self) -> int:
        return int((self.root / "run/mosquitto/mosquitto.pid").read_text())

    def fall(self) -> None:
        """Both servers, without a word."""
        os.kill(self.broker, signal.SIGKILL)
        self._cluster("stop", "-m", "immediate")

    def close(self) -> None:
        for name in self.root.glob("run/mosquitto/mosquitto.pid"):
            if Path(f"/proc/{name.read_text().strip()}").exists():
                os.kill(self.broker, signal.SIGTERM)
        self._cluster("stop", "-m", "fast")
        shutil.rmtree(self.root)

    def _cluster(self, *words: str) -> None:
        for each in self.root.glob("etc/postgresql/*/floor"):
            environment = os.environ | {"PG_CLUSTER_CONF_ROOT": str(each.parents[1])}
            subprocess.run(["pg_ctlcluster", each.parent.name, "floor", *words], env=environment, check=False)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = House()
    try:
        house.run("T01", "T02")
        yield house
    finally:
        house.close()


def test_secrets_are_of_root_alone_and_printed_nowhere(house: House) -> None:
    said = house.run()
    found = [*house.root.glob("etc/credstore/*"), *house.root.glob("etc/firmware-bridge/logins/*")]
    assert len(found) == 7
    for path in (*found, house.root / "etc/mosquitto/passwords"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert path.read_text().strip() not in said
    assert len({path.read_text() for path in found}) == len(found)


def test_what_is_committed_is_on_the_disk(house: House) -> None:
    wanted = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "data_checksums": "on"}
    wanted |= {"password_encryption": "scram-sha-256", "listen_addresses": "127.0.0.1"}
    assert {name: house.sql(f"show {name}") for name in wanted} == wanted


def test_each_role_has_its_own_password(house: House) -> None:
    import psycopg

    assert house.sql("select current_user", "ingest", "store-password") == "floor_ingest"
    for role, secret in (("ingest", "reader-password"), ("reader", "owner-password"), ("owner", "store-password")):
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            house.sql("select 1", role, secret)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        house.sql("delete from message returning 1", "ingest", "store-password")


@pytest.mark.parametrize("login", [None, ("T01", "guessed")])
def test_the_broker_lets_nobody_in_without_a_password(house: House, login: tuple[str, str] | None) -> None:
    assert answer(house, login) == "Not authorized"


def answer(house: House, login: tuple[str, str] | None) -> str:
    """What the broker answers to a login."""
    client = Client(CallbackAPIVersion.VERSION2)
    client.tls_set(str(house.floor_toml.parent / "tls/ca.pem"))
    if login:
        client.username_pw_set(*login)
    answers: list[str] = []
    client.on_connect = lambda _client, _data, _flags, code, _properties: answers.append(str(code))
    client.connect("127.0.0.1", house.port)
    while not answers:
        client.loop(0.1)
    client.disconnect()
    return answers[0]


def test_a_second_run_changes_nothing_and_a_new_table_disconnects_nobody(house: House) -> None:
    before = files(house), house.broker
    assert not re.search(r"^\+ ", house.run(), re.M)
    assert (files(house), house.broker) == before
    said = house.run("T03")
    assert "a login at the broker: T03" in said
    assert house.broker == before[1]
    assert "topic write shoe/T03/event" in (house.root / "etc/mosquitto/acl").read_text()
    changed = {path.name for path, text in files(house).items() if before[0].get(path) != text}
    assert changed == {"T03", "acl", "passwords", "floor.toml", "floor-reader.toml", "floor-owner.toml"}
    assert answer(house, ("T03", house.secret("firmware-bridge/logins/T03"))) == "Success"


def files(house: House) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (house.root / "etc").rglob("*") if path.is_file()}


def test_a_round_is_there_after_both_servers_fell(house: House, tmp_path: Path) -> None:
    logins = house.floor_toml.parent / "logins"
    mqtt = {"username": "T01", "password_file": str(logins / "T01"), "stored": "floor"}
    mqtt |= {"ca": str(house.floor_toml.parent / "tls/ca.pem")}
    plain = {"id": "T01", "new_shoe": "auto", "burn": "none", "cut_earliest": "none"}
    table = DaemonTable(tmp_path, house.port, mqtt=mqtt, table=plain)
    with (tmp_path / "ingest.log").open("wb") as log:
        ingest = python("-m", "firmware_bridge.floor", "--config", house.floor_toml, "ingest", stderr=log)
    try:
        table.start().deal("9s Td Ts Tc")
        table.until(lambda: not status(table)["broker"]["waiting"])
        house.fall()
        assert "mosquitto is started" in house.run()
        table.deal("9s Td Ts Tc")
        table.until(lambda: house.sql("select count(*) from rounds") == "2")
        assert len(house.floor("export", "rounds", config="floor-reader.toml").splitlines()) == 2
    finally:
        ingest.terminate()
        ended(ingest)
        table.close()


def test_settings_of_somebody_else_are_not_overwritten(house: House) -> None:
    other = House()
    try:
        other.floor_toml.parent.mkdir(parents=True)
        other.floor_toml.write_text('[mqtt]\nhost = "mine"\n')
        with pytest.raises(AssertionError, match="has keys that are not of this script: move it aside"):
            other.run("T01")
        assert other.floor_toml.read_text() == '[mqtt]\nhost = "mine"\n'
    finally:
        other.close()
