"""docs/small-house.md as it is typed: its broker, its store, its table, its backup, the step to the next tables."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from firmware_bridge.cli import main as shoe
from firmware_bridge.config.load import parse
from firmware_bridge.floor.cli import main as shoe_floor
from firmware_bridge.floor.config import load
from firmware_bridge.floor.page.feed import feed
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.mqtt.certificates import code_of
from tests.floor.ingesting import Ingest
from tests.kit.broker import Broker, free_port
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import HANG_S, Patience

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/small-house.md").read_text("utf-8")
ELSEWHERE = ("apt ", "systemctl ", "shoe-floor check", "shoe-floor user", "tar xf", "scripts/install --floor")
"""Lines of a shell that need a machine of their own; tests/package tries the installation from the bundle."""

GROUND = {"/etc/", "/mnt/", "/run/credentials/"}
SHARE = "/usr/local/share/doc/shoe-floor"


def blocks(language: str, chapter: str) -> list[str]:
    text = DOC.split(f"\n## {chapter}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


class House:
    """A PC in `folder`, set up by the lines of the document."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("etc/mosquitto/conf.d", "etc/mosquitto/certs", "mnt/backup", "run/credentials"):
            (folder / name).mkdir(parents=True)

    def here(self, text: str) -> str:
        """A text whose places are in the folder."""
        for place in GROUND:
            text = text.replace(place, f"{self.folder}{place}")
        return text.replace(SHARE, str(ROOT / "docs"))

    def show_secrets(self, monkeypatch: pytest.MonkeyPatch, unit: str = "shoe-floor-ingest") -> None:
        """Show a unit's credentials to it, as systemd does."""
        unit = (ROOT / f"systemd/{unit}.service").read_text()
        shown = self.folder / "run/credentials"
        for name, stored in re.findall(r"^LoadCredential=(\S+):(\S+)$", unit, re.M):
            if (kept := self.folder / "etc/credstore" / stored).exists():
                (shown / name).write_bytes(kept.read_bytes())
        monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(shown))

    def typed(self, script: str) -> str:
        """What the lines print."""
        lines = [line for line in script.splitlines() if not any(word in line for word in ELSEWHERE)]
        if os.geteuid() != 0:
            lines = [line for line in lines if "chown" not in line]
        program = f"{sys.executable} -m firmware_bridge.floor --config {self.folder}/etc/firmware-bridge/floor.toml acl"
        tls = f"{sys.executable} -m firmware_bridge.floor tls new --dir {self.folder}/etc/firmware-bridge/tls"
        text = self.here("\n".join(lines)).replace("sudo ", "").replace("shoe-floor acl", program)
        text = text.replace("shoe-floor tls new", tls)
        done = subprocess.run(["bash", "-euc", text], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip().splitlines()[-1]


class DocBroker(Broker):
    """A broker with the house's own config, on a port of its own."""

    def __init__(self, house: House) -> None:
        self.port, self._folder, self._process = free_port(), house.folder, None
        text = house.here((house.folder / "etc/mosquitto/conf.d/shoe.conf").read_text())
        user = "user root\n" if os.geteuid() == 0 else ""
        (house.folder / "mosquitto.conf").write_text(text.replace("8883", f"{self.port} 127.0.0.1") + user)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[House, DocBroker, str]]:
    house = House(tmp_path)
    password = house.typed(blocks("sh", "The PC")[0])
    broker = DocBroker(house)
    broker.start()
    yield house, broker, password
    broker.kill()


def join(house: House, port: int, config: Path) -> None:
    """What the document has a technician type at the table, with the code that the PC printed."""
    [line] = [each for each in blocks("sh", "The table")[0].splitlines() if " tls join " in each]
    authority = house.folder / "etc/firmware-bridge/tls/ca.pem"
    code = code_of(authority.read_text())
    where = ["--port", str(port), "--config", str(config), "--ca", str(house.folder / "table-ca.pem")]
    assert line.split()[:4] == ["sudo", "shoe", "tls", "join"]
    assert shoe(["tls", "join", "127.0.0.1", code, *where]) == 0


def floor_toml(house: House, port: int) -> Path:
    """The house's floor.toml, with the port of the test's broker and a store in the house's folder."""
    text = house.here((house.folder / "etc/firmware-bridge/floor.toml").read_text())
    path = house.folder / "floor.toml"
    path.write_text(f'[store]\npath = "{house.folder}/floor.db"\n' + text.replace("8883", str(port)))
    return path


def test_the_pc_takes_two_dozen_lines_with_those_of_the_table() -> None:
    """With a certificate, which the twenty of before did without."""
    lines = [*blocks("sh", "The PC")[0].splitlines(), *blocks("sh", "The table")[0].splitlines()]
    assert len(lines) <= 24


def test_no_password_is_an_argument_of_a_program() -> None:
    for line in "\n".join(re.findall(r"```sh\n(.*?)```", DOC, re.S)).replace("\\\n", "").splitlines():
        for part in re.split(r" \| | && ", line):
            if re.search(r"\$(floor|page|table|p)\b", part):
                assert part.split()[0] in {"echo", "printf"}, line  # of the shell itself
        assert "PASSWORD" not in line


def test_the_broker_takes_no_connection_without_tls() -> None:
    conf = (ROOT / "docs/small-house/mosquitto.conf").read_text()
    assert re.findall(r"^listener (.*)$", conf, re.M) == ["8883"]
    assert "certfile" in conf
    assert "shoe tls join " in blocks("sh", "The table")[0]


def test_what_the_document_shows_is_what_it_copies() -> None:
    shown = re.findall(r"```(?:toml)?\n(.*?)```", DOC.split("\n## The table")[0].split("What was copied:")[1], re.S)
    names = ("mosquitto.conf", "acl", "floor.toml")
    assert shown == [(ROOT / "docs/small-house" / name).read_text() for name in names]


def test_the_rights_are_those_that_the_command_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert shoe_floor(["--config", str(ROOT / "docs/small-house/floor.toml"), "acl"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs/small-house/acl").read_text()


@pytest.mark.story
def test_a_round_of_the_table_comes_into_the_store_and_the_backup(
    house: tuple[House, DocBroker, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pc, broker, password = house
    pc.show_secrets(monkeypatch)
    secret = pc.folder / "table.password"
    secret.write_text(password)
    given = tomllib.loads(blocks("toml", "The table")[0])
    assert parse(given).mqtt.stored == "floor"
    mqtt = given["mqtt"] | {"password_file": str(secret)}
    ingest = Ingest(pc.folder, broker.port)
    config = floor_toml(pc, broker.port)
    table = DaemonTable(pc.folder, broker.port, mqtt=mqtt)
    join(pc, broker.port, table.config_path)
    capsys.readouterr()
    try:
        ingest.start()
        table.start()
        table.deal("9s Td Ts Tc")
        table.until(lambda: len(ingest.kept()) > 4 and not status(table)["broker"]["waiting"])
        with ThreadPoolExecutor(1) as aside:  # the table's loop runs here, and the check has one of its own
            check, lines = ["--config", str(config), "check"], list[str]()

            def is_fine() -> bool:
                code = aside.submit(shoe_floor, check).result()
                lines[:] = capsys.readouterr().out.partition("\n\n")[0].splitlines()
                others = [line for line in lines if not line.startswith(("OK ", " "))]
                return code == 0 and others == ["WARN  record     seen, not enrolled: T07"]

            table.until(is_fine)
        assert any(line.startswith("OK    tls ") and "the certificate ends on" in line for line in lines), lines
        assert shoe_floor(["--config", str(config), "export", "rounds"]) == 0
        assert '"table":"T07"' in capsys.readouterr().out
        [(rounds,)] = backed_up(pc, config)
        assert rounds == 1
    finally:
        ingest.end(signal.SIGTERM)
        table.close()


@pytest.mark.story
def test_the_page_reads_with_a_login_that_writes_nothing(
    house: tuple[House, DocBroker, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pc, broker, _ = house
    pc.show_secrets(monkeypatch, "shoe-floor-page")
    config = load(floor_toml(pc, broker.port))
    made = feed(config)
    source = made._source
    assert isinstance(source, MqttSource)
    try:
        assert source.tried(HANG_S) is None
        for topic in ("command", "stored", "status"):
            source.publish(f"shoe/T07/{topic}", b"{}")
            patience = Patience()
            while not re.search(rf"Denied PUBLISH from shoe-floor-page-\w+ .*shoe/T07/{topic}", broker.log):
                assert not patience.is_over, broker.log[-1000:]
                source.receive(1, 0.05)
    finally:
        source.close()
    assert re.search(r"as shoe-floor-page-\w+ .*u'pit'", broker.log)


def backed_up(house: House, config: Path) -> list[tuple[int]]:
    """What the document asks the file that its line of cron made."""
    [line] = blocks("", "The backup")
    *_, command = line.strip().split(maxsplit=6)
    assert line.split()[5] == "root"
    program = f"{sys.executable} -m firmware_bridge.floor --config {config}"
    text = house.here(command.replace("/usr/local/bin/shoe-floor", program).replace(r"\%", "%"))
    subprocess.run(["sh", "-c", text], check=True, cwd=ROOT)
    [path] = (house.folder / "mnt/backup").iterdir()
    [asked] = re.findall(r"`sqlite3 \S+ '(.*?)'`", DOC)
    with closing(sqlite3.connect(path)) as store:
        return store.execute(asked).fetchall()


@pytest.mark.story
def test_the_next_table_needs_a_password_its_name_and_rights(house: tuple[House, DocBroker, str]) -> None:
    pc, broker, _ = house
    secret = pc.folder / "table.password"
    secret.write_text(pc.typed(blocks("sh", "The step to three tables")[0]))
    broker.reload()
    ca = str(pc.folder / "etc/firmware-bridge/tls/ca.pem")
    mqtt = {"username": "T08", "password_file": str(secret), "stored": "floor", "ca": ca}
    table = DaemonTable(pc.folder, broker.port, table={"id": "T08"}, mqtt=mqtt)
    try:
        table.start()
        table.control().close()
        table.until(lambda: status(table)["broker"]["up"])
    finally:
        table.close()
