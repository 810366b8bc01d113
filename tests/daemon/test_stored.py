"""What is committed in the backend's store is what counts: daemon, broker and receiver die in any order."""

import os
import random
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.messages import messages
from tests.daemon import receiver as receivers
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.process import python

brokers, backend = real.brokers, listening.backend  # fixtures

KILLS: Final = int(os.environ.get("SHOE_TEST_KILLS", "5"))
"""How often daemon, broker and receiver are killed, each."""

SENT_AGAIN_S: Final = 180.0
"""What came while no receiver was there is sent again after 5 s, then after twice as long, and so on."""

STORED: Final = {"stored": "floor"}


@pytest.fixture
def broker(brokers: Any) -> Broker:
    kept: Broker = brokers(persistence=True)
    return kept


class Receiving:
    """The receiver's process, and what its store holds."""

    def __init__(self, folder: Path, port: int) -> None:
        self.path, self._port = folder / "store.db", port
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Receiving":
        self._process = python("-m", receivers.__name__, self._port, self.path)
        return self

    def kill(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def rows(self) -> Counter[tuple[str, str, int, int, bytes]]:
        with closing(receivers.opened(self.path)) as store:
            return Counter(store.execute("select topic, journal, seq, n, raw from message"))


@pytest.fixture
def receiving(tmp_path: Path, broker: Broker) -> Iterator[Receiving]:
    made = Receiving(tmp_path, broker.port)
    yield made
    made.kill()


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[DaemonTable]:
    made = DaemonTable(tmp_path, broker.port, mqtt=STORED)
    yield made
    made.close()


def journaled(table: DaemonTable) -> Counter[tuple[str, str, int, int, bytes]]:
    every = [message for line in table.lines() for message in messages(line)]
    return Counter((each.topic, each.journal, each.seq, each.n, each.payload) for each in every)


def is_stored(table: DaemonTable) -> bool:
    last = table.lines()[-1].public
    return read_cursor(table.journal_dir / "cursor") == (last.journal, last.seq)


@pytest.mark.story
def test_every_message_is_stored_once_whoever_is_killed(
    table: DaemonTable, broker: Broker, receiving: Receiving
) -> None:
    chance = random.Random(13)
    table.start()
    receiving.start()
    table.control().close()
    dying = ["daemon", "broker", "receiver"] * KILLS
    chance.shuffle(dying)
    for victim in dying:
        table.pull("9s Td Ts Tc 2s 3h 4d 5c Ah")
        table.pause(chance.random())
        match victim:
            case "daemon":
                table.kill()
                table.pull("6c 7d")
                table.start()
            case "broker":
                broker.kill()
                table.pull("6c 7d")
                broker.start()
            case "receiver":
                receiving.kill()
                table.pull("6c 7d")
                table.pause(0.2)
                receiving.start()
    table.until(lambda: not table.board.waiting)
    table.until(lambda: is_stored(table), SENT_AGAIN_S)
    assert receiving.rows() == journaled(table)
    assert set(receiving.rows().values()) == {1}


def test_a_broker_that_forgets_everything_costs_nothing(tmp_path: Path, brokers: Callable[..., Broker]) -> None:
    broker = brokers()
    table, receiving = DaemonTable(tmp_path, broker.port, mqtt=STORED), Receiving(tmp_path, broker.port)
    try:
        table.start()
        receiving.start()
        table.deal("9s Td Ts Tc")
        table.until(lambda: is_stored(table))
        receiving.kill()
        table.deal("2s 3h 4d 5c")
        table.until(lambda: status(table)["broker"]["store"]["behind"])
        broker.kill()
        broker.start()
        receiving.start()
        table.until(lambda: is_stored(table), SENT_AGAIN_S)
        assert receiving.rows() == journaled(table)
    finally:
        receiving.kill()
        table.close()


def test_the_store_of_the_tests_is_whole_only_without_holes(tmp_path: Path) -> None:
    with closing(receivers.opened(tmp_path / "store.db")) as store:
        store.execute("insert into message values ('event', '1-a', 1, 1, 1, '')")
        with pytest.raises(sqlite3.IntegrityError):
            store.execute("insert into message values ('event', '1-a', 1, 1, 1, '')")
