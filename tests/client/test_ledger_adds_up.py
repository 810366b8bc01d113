"""The ledger of docs/backend.md at a real table: what it adds up is what the journals add up to, whatever happens."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from firmware_bridge.cli import main as shoe
from tests.client.test_floor_doc import LEDGER, ROOT
from tests.floor.journals import published
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.process import python, ran

brokers, broker = real.brokers, real.broker  # fixtures
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "backend.md").read_text("utf-8"), re.S)
(SUM,) = [each for each in BLOCKS if "counted = " in each]
PLAYER, BANKER, TIE = "9s Td Ts Tc", "Ts Tc 9s Td", "9s 9d Ts Tc"


class Ledger:
    """The program of the page as a process, and what it adds up to."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._program = LEDGER.replace("1883", str(port)).replace('host="127.0.0.1"', "wait_s=0.5")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = python("-c", self._program, cwd=self._folder)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
        self._process = None

    def adds_up_to(self) -> tuple[int, Decimal] | None:
        """How many rounds count, and their net; None before there is a table."""
        done = ran("-c", SUM, cwd=self._folder)
        if done.returncode:
            assert "no such table" in done.stderr, done.stderr
            return None
        count, net, _money = done.stdout.split()
        return int(count), Decimal(net)


def journals_add_up_to(table: DaemonTable) -> tuple[int, Decimal]:
    """The same by the table's own disk, read another way."""
    rounds: dict[tuple[object, ...], dict[str, object]] = {}
    for each in published(table.journal_dir):
        if each.topic == "round":
            message = json.loads(each.payload, parse_float=Decimal)
            rounds[message["journal"], message["shoe"], message["round"]] = message  # a later one takes its place
    nets = [message["bets"]["banker"] for message in rounds.values() if message["status"] != "voided"]  # type: ignore[index]
    return len(nets), sum(map(Decimal, nets), Decimal())


@pytest.fixture
def table(broker: Broker, tmp_path: Path) -> Iterator[DaemonTable]:
    made = DaemonTable(tmp_path, broker.port)
    yield made
    made.close()


@pytest.fixture
def ledger(broker: Broker, tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger(tmp_path, broker.port)
    yield made
    made.kill()


def test_the_ledgers_sums_are_the_journals(table: DaemonTable, ledger: Ledger, broker: Broker) -> None:
    def agree(at_least: int) -> None:
        table.until(lambda: journals_add_up_to(table)[0] >= at_least)
        table.until(lambda: ledger.adds_up_to() == journals_add_up_to(table))

    def give(*words: str) -> None:
        assert shoe(["do", *words, "--by", "anna", "--config", str(table.config_path)]) == 0

    table.start()
    table.deal(BANKER)
    ledger.start()  # it has missed a round
    table.deal(PLAYER)
    table.deal(TIE)
    agree(3)
    give("correct", "2", BANKER.replace(" ", ""), "--yes", "--why", "misread")
    table.deal("2s 3d")
    give("void", "--yes", "--why", "misdeal")
    table.deal(BANKER)
    agree(4)
    ledger.kill()
    table.deal(BANKER)
    broker.kill()  # with all that it had kept for the ledger
    table.deal(BANKER)
    broker.start()
    ledger.start()
    agree(6)
    table.kill()
    table.start()
    table.deal(BANKER)
    agree(7)
    ledger.kill()
    ledger.start()
    give("correct", "1", PLAYER.replace(" ", ""), "--yes", "--why", "misread")
    agree(7)
    lines = [line for program in (LEDGER, SUM) for line in program.splitlines() if line.strip()]
    assert len(lines) < 40
