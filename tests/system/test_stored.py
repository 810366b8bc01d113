"""What is committed in the backend's store is what counts: daemon, broker and receiver die in any order."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.mqtt import store as stores
from firmware_bridge.table import store_watch
from firmware_bridge.topics.event_and_round import messages
from tests import backend as listening
from tests import broker as real
from tests.backend import Backend
from tests.broker import Broker
from tests.system import receiver as receivers
from tests.system.command import status
from tests.system.table import BridgeTable, DaemonTable

brokers, backend = real.brokers, listening.backend  # fixtures

KILLS: Final = int(os.environ.get("SHOE_TEST_KILLS", "5"))
"""How often daemon, broker and receiver are killed, each."""

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
        self._process = subprocess.Popen([sys.executable, receivers.__file__, str(self._port), str(self.path)])
        return self

    def kill(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def rows(self) -> Counter[tuple[str, str, int, int, bytes]]:
        with receivers.opened(self.path) as store:
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


@pytest.fixture
def bridge(tmp_path: Path, broker: Broker) -> Iterator[BridgeTable]:
    made = BridgeTable(tmp_path, broker.port, mqtt=STORED)
    yield made
    made.close()


def journaled(table: DaemonTable) -> Counter[tuple[str, str, int, int, bytes]]:
    every = [message for line in table.lines() for message in messages(line)]
    return Counter((each.topic, each.journal, each.seq, each.n, each.payload) for each in every)


def is_stored(table: DaemonTable) -> bool:
    last = table.lines()[-1].public
    return read_cursor(table.journal_dir / "cursor") == (last.journal, last.seq)


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
    table.until(lambda: is_stored(table), limit=90.0)
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
        table.until(lambda: is_stored(table), limit=60.0)
        assert receiving.rows() == journaled(table)
    finally:
        receiving.kill()
        table.close()


def said(backend: Backend) -> list[str]:
    return [each["id"] for each in backend.on("alarm")[-1]["open"]] if backend.on("alarm") else []


def test_a_silent_store_is_an_alarm_and_play_goes_on(
    bridge: BridgeTable, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "AGAIN_S", 0.1)
    monkeypatch.setattr(store_watch, "SILENT_S", 0.3)
    bridge.start()
    bridge.deal("9s Td Ts Tc")
    bridge.until(lambda: said(backend) == ["store_silent"])
    bridge.deal("2s 3h")
    assert len(journaled_cards(bridge)) == 6
    seen = Counter((each["journal"], each["seq"], each["n"]) for each in backend.on("event"))
    bridge.until(lambda: len(backend.on("event")) > len(seen))
    for journal, seq in ends(bridge):
        backend.publish("shoe/T07/stored", {"journal": journal, "seq": seq, "by": "floor"})
    bridge.until(lambda: said(backend) == [])
    assert not bridge.bridge.uplink.outbox.waiting


def test_what_is_sent_again_comes_part_by_part_and_then_no_more(
    bridge: BridgeTable, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "AGAIN_S", 1.0)
    monkeypatch.setattr(stores, "PART", 2)
    bridge.start()
    bridge.deal("9s Td Ts Tc 2s 3h 4d")
    *older, (journal, last) = ends(bridge)
    for each in older:
        say(bridge, backend, *each)
    bridge.until(lambda: times(backend, journal, 2) >= 2)
    assert times(backend, journal, 3) == 1
    say(bridge, backend, journal, 2)
    bridge.until(lambda: times(backend, journal, 4) >= 2)
    assert times(backend, journal, last) == 1
    monkeypatch.setattr(store_watch, "AGAIN_S", 60.0)
    say(bridge, backend, journal, last)
    assert not bridge.bridge.uplink.outbox.waiting
    bridge.deal("5d 6d 7d")
    for seq in range(last + 1, ends(bridge)[-1][1] + 1):
        bridge.until(partial(times, backend, journal, seq))
        say(bridge, backend, journal, seq)
        bridge.pause(0.05)
        assert times(backend, journal, seq) == 1


def test_later_parts_are_sent_again_too_where_the_store_stays_behind_one(
    bridge: BridgeTable, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "AGAIN_S", 0.2)
    monkeypatch.setattr(store_watch, "AGAIN_AT_MOST_S", 0.2)
    monkeypatch.setattr(stores, "PART", 2)
    bridge.start()
    bridge.deal("9s Td Ts Tc 2s 3h 4d")
    *older, (journal, last) = ends(bridge)
    for each in older:
        say(bridge, backend, *each)
    for seq in (last, 1, 3, last):
        before = times(backend, journal, seq)
        bridge.until(partial(came_again, backend, journal, seq, before))


def came_again(backend: Backend, journal: str, seq: int, before: int) -> bool:
    return times(backend, journal, seq) > before


def say(table: BridgeTable, backend: Backend, journal: str, seq: int) -> None:
    backend.publish("shoe/T07/stored", {"journal": journal, "seq": seq, "by": "floor"})
    table.until(lambda: table.bridge.uplink.outbox.cursor == (journal, seq))


def times(backend: Backend, journal: str, seq: int) -> int:
    return sum((each["journal"], each["seq"], each["n"]) == (journal, seq, 1) for each in backend.on("event"))


def test_who_says_something_wrong_is_told_and_nothing_moves(bridge: BridgeTable, broker: Broker) -> None:
    bridge.start()
    bridge.deal("9s Td Ts Tc")
    journal, seq = ends(bridge)[-1]
    with Backend(broker.port, of_shoes=False, client_id="wrong") as wrong:
        told = {"journal": journal, "seq": seq + 1000, "by": "floor"}
        for each in (told, told | {"by": "audit"}, {"journal": [], "seq": "x"}, told | {"journal": "../1-a"}):
            known = wrong.on("reply")
            wrong.publish("shoe/T07/stored", each)
            bridge.until(partial(has_more, wrong, known))
    assert not any(each["ok"] for each in wrong.on("reply"))
    store = bridge.bridge.uplink.status()["store"]
    assert (store["stored"], store["refused"]) == (None, 4)


def has_more(backend: Backend, known: list[Any]) -> bool:
    return len(backend.on("reply")) > len(known)


def journaled_cards(table: BridgeTable) -> list[Any]:
    events = [event for line in table.lines() if line.entry for event in line.entry.events]
    return [event for event in events if type(event).__name__ == "CardDealt"]


def ends(table: BridgeTable) -> list[tuple[str, int]]:
    return list({line.public.journal: line.public.seq for line in table.lines()}.items())


def test_the_store_of_the_tests_is_whole_only_without_holes(tmp_path: Path) -> None:
    with receivers.opened(tmp_path / "store.db") as store:
        store.execute("insert into message values ('event', '1-a', 1, 1, 1, '')")
        with pytest.raises(sqlite3.IntegrityError):
            store.execute("insert into message values ('event', '1-a', 1, 1, 1, '')")
