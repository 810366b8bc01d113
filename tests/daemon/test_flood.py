"""A flood of orders keeps no card and no beat waiting, and loses nothing."""

import json
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_bridge.daemon.table.order_service import A_SECOND, ROOM
from firmware_bridge.journal.messages import messages
from tests.daemon.flooded import Beats
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import GivenClock

brokers, backend = real.brokers, listening.backend  # fixtures

FLOOD: Final = 3_000
SYNC_S: Final = 0.005
"""What a sync takes on an SD card."""

# Its disk takes its time.
SLOW_DISK = f"""
import os, sys, time
from firmware_bridge.cli import main

sync = os.fdatasync

def slow(fd):
    time.sleep({SYNC_S})
    sync(fd)

os.fdatasync = slow
sys.exit(main(sys.argv[1:]))
"""

BEAT_S: Final = 0.5
SILENT_S: Final = 2.0
"""The longest silence of the watchdog's beat."""

ON_DISK_S: Final = 0.1
"""The time of a card to the disk; half of them may take longer: other tests share these cores."""

AS_LONG: Final = 4
"""How many times as long both may take as without a flood in the same minute, where that is longer still."""

BEFORE: Final = "Jc Jd 2d 3d 4d 5d"
CARDS: Final = "Ts Tc 2s 3s 4s 5s 6s 7s 8s 9d Ah 2h 3h 4h"


@pytest.fixture
def broker(brokers: Any) -> Broker:
    """One that passes on all of a flood, not the first thousand of it."""
    patient: Broker = brokers(options="max_queued_messages 0")
    return patient


@pytest.fixture
def beats(tmp_path: Path) -> Iterator[Beats]:
    beats = Beats(tmp_path / "notify")
    yield beats
    beats.close()


@pytest.fixture
def table(tmp_path: Path, broker: Broker, backend: Backend, beats: Beats) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port)
    table.code = ("-c", SLOW_DISK)
    backend.meanwhile = lambda: table.pause(0.005)
    table.start(NOTIFY_SOCKET=str(beats.path), WATCHDOG_USEC=str(int(3_000_000 * BEAT_S)))
    beats.clock = GivenClock(table.process.pid)
    backend.wait_until(lambda: [each["state"] for each in backend.on("status")][-1:] == ["online"])
    yield table
    table.close()


@pytest.fixture
def flood(broker: Broker) -> Iterator[Client]:
    """Somebody with much to say."""
    client = Client(CallbackAPIVersion.VERSION2, "flood")
    client.max_inflight_messages_set(FLOOD)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    yield client
    client.disconnect()
    client.loop_stop()
    client._reset_sockets()  # which a collector may find before their client


def refusals(backend: Backend) -> list[dict[str, Any]]:
    """The records of bursts of refused orders."""
    answers = [each["event"]["answer"] for each in backend.on("event") if each["event"]["type"] == "CommandAnswered"]
    return [each for each in answers if each.get("code") == "many_answers"]


def timed(table: DaemonTable, beats: Beats, cards: str) -> list[float]:
    """Seconds that each of these cards takes until it is on disk."""
    took = []
    for card in cards.split():
        begun = beats.clock()
        table.deal(card)
        took.append(beats.clock.since(begun))
    return took


@pytest.mark.story
def test_a_flood_of_orders_keeps_no_card_and_no_beat_waiting(
    table: DaemonTable, backend: Backend, flood: Client, beats: Beats
) -> None:
    table.deal("9s Td")
    table.until(lambda: beats.times)
    calm_card = median(timed(table, beats, BEFORE))
    table.until(lambda: len(beats.times) > 3)
    calm_silence, flooded = beats.silence(0.0), time.monotonic()
    for number in range(FLOOD):
        flood.publish("shoe/T07/command", b'{"id":"%d","do":"fly"}' % number, 1)
    backend.wait_until(lambda: any("orders a second" in each.get("error", "") for each in backend.on("reply")))
    took = timed(table, beats, CARDS)
    assert median(took) < max(ON_DISK_S, AS_LONG * calm_card), took
    backend.wait_until(lambda: refusals(backend))
    assert table.ask(do="status")["health"]["orders_refused"] > FLOOD - 3 * ROOM
    assert beats.silence(flooded) < max(SILENT_S, AS_LONG * calm_silence)
    every = [json.loads(each.payload) for line in table.lines() for each in messages(line)]
    backend.wait_until(lambda: len(backend.on("event")) + len(backend.on("round")) >= len(every))
    assert [each.payload for each in backend.received if each.topic.rsplit("/")[-1] in ("event", "round")] == every
    assert len(refusals(backend)) == 1


def test_orders_are_judged_ten_in_a_second(table: DaemonTable, backend: Backend, flood: Client) -> None:
    for number in range(3 * A_SECOND):
        flood.publish("shoe/T07/command", b'{"id":"%d","do":"fly"}' % number, 1)
    backend.wait_until(lambda: len(backend.on("reply")) == 3 * A_SECOND)
    assert [each["id"] for each in backend.on("reply")] == [str(number) for number in range(3 * A_SECOND)]
    at = [each["at"] for each in backend.on("event") if each["event"]["type"] == "CommandAnswered"]
    moments = [datetime.fromisoformat(each).timestamp() for each in at]
    assert all(later - earlier > 0.99 for earlier, later in zip(moments, moments[A_SECOND:], strict=False))
