"""A stranger who may write a table's retained topics: they are true again soon."""

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.daemon.delivery.retained import AGAIN_S
from tests.daemon.test_namesakes import CODE
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

broker, brokers = real.broker, real.brokers  # fixtures

NUMBERS = count()
TOPICS = ("table", "lamps", "alarm", "health", "roads", "status")


@pytest.fixture(params=[5, 4])
def table(tmp_path: Path, broker: Broker, request: pytest.FixtureRequest) -> Iterator[DaemonTable]:
    table = DaemonTable(tmp_path, broker.port)
    table.code = CODE[request.param]
    yield table
    table.close()


def kept(port: int, topic: str) -> dict[str, Any]:
    """What a newcomer is given."""
    with Backend(port, f"shoe/T07/{topic}", client_id=f"new-{next(NUMBERS)}", of_shoes=False) as newcomer:
        newcomer.wait_until(lambda: newcomer.received)
        return newcomer.received[0].payload


def test_all_retained_topics_that_a_stranger_overwrote_are_true_again(table: DaemonTable, broker: Broker) -> None:
    table.start().deal("9s Td Ts Tc 2s")
    with Backend(broker.port, of_shoes=False) as stranger:
        table.until(lambda: {each.topic for each in stranger.received} >= {f"shoe/T07/{topic}" for topic in TOPICS})
        table.pause(1.0)
        began = time.monotonic()
        true = {topic: kept(broker.port, topic) for topic in TOPICS}
        for topic in TOPICS:
            stranger.publish(f"shoe/T07/{topic}", {"v": 1}, retain=True)
        table.until(lambda: all(is_repaired(stranger, topic) for topic in TOPICS))
        assert {topic: stable(kept(broker.port, topic)) for topic in TOPICS} == {
            topic: stable(body) for topic, body in true.items()
        }
        before = len(stranger.received)
        table.pause(2.0)
        assert {each.topic for each in stranger.received[before:]} <= {"shoe/T07/health"}
    took = time.monotonic() - began
    assert 1 <= table.log.count("somebody else wrote") <= 2 + took / AGAIN_S


def test_a_stranger_who_goes_on_writing_starts_no_fight(table: DaemonTable, broker: Broker) -> None:
    table.start().deal("9s Td")
    with Backend(broker.port, of_shoes=False) as stranger:
        table.until(lambda: said(stranger, "lamps"))
        table.pause(1.0)
        began = time.monotonic()
        for _ in range(40):
            stranger.publish("shoe/T07/lamps", {"v": 1}, retain=True)
            table.pause(0.05)
        own = [each for each in said(stranger, "lamps") if each.get("boot")]
        took = time.monotonic() - began
        assert 1 <= len(own) <= 3 + took / AGAIN_S
        table.until(lambda: said(stranger, "lamps")[-1].get("boot"))  # in the end it is true


def said(stranger: Backend, topic: str) -> list[dict[str, Any]]:
    return [each.payload for each in stranger.received if each.topic == f"shoe/T07/{topic}"]


def is_repaired(stranger: Backend, topic: str) -> bool:
    """Whether the table wrote a topic after the stranger did."""
    boots = [each.get("boot") for each in said(stranger, topic)]
    return None in boots and bool(boots[-1])


SAME = ("boot", "lit", "open", "slots", "state", "plates")  # the rest of the head is of now


def stable(body: dict[str, Any]) -> dict[str, Any]:
    return {key: body[key] for key in SAME if key in body}
