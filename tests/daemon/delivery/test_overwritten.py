"""Retained topics that somebody else wrote are published again, soon, and not again and again."""

import asyncio
from collections.abc import Callable, Iterator

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.daemon.delivery import retained
from firmware_bridge.daemon.delivery.retained import Overwritten
from tests.kit.virtual import VirtualLoop

SOON_S, AGAIN_S = 0.01, 0.2


class Watched:
    """What is published again, and another shoe that may be there."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.again: list[str] = []
        self.shared = False
        self.overwritten = Overwritten(self.publish, lambda: self.shared, self.loop)

    def publish(self, topics: set[str]) -> None:
        self.again.append(" ".join(sorted(topics)))

    def wait(self, seconds: float = 3 * SOON_S) -> list[str]:
        """What was published again since the last time."""
        self.loop.run_until_complete(asyncio.sleep(seconds))
        again, self.again = self.again, []
        return again


@pytest.fixture
def watched(mocker: MockerFixture) -> Iterator[Watched]:
    mocker.patch.object(retained, "SOON_S", SOON_S)
    mocker.patch.object(retained, "AGAIN_S", AGAIN_S)
    watched = Watched()
    yield watched
    watched.overwritten.close()
    watched.loop.close()


@pytest.fixture(params=["mqtt 5", "mqtt 3.1.1", "mqtt 5, one returned"])
def heard(request: pytest.FixtureRequest, watched: Watched) -> Callable[[str, bytes], None]:
    """Tells of a message; by MQTT 3.1.1 own ones come back too, by MQTT 5 those of topics that are asked for so."""
    echoed = {"mqtt 5": (), "mqtt 3.1.1": ("table", "lamps"), "mqtt 5, one returned": ("table",)}[request.param]
    watched.overwritten.begin(request.param == "mqtt 3.1.1", echoed if "5" in request.param else ())
    sent = (("table", b"one"), ("table", b"two"), ("lamps", b"lit"))
    for topic, payload in sent:
        watched.overwritten.sent(topic, payload)
    for topic, payload in sent:
        if topic in echoed:
            watched.overwritten.heard(topic, payload)
    assert watched.wait() == []
    return watched.overwritten.heard


def test_every_topic_that_a_stranger_wrote_is_published_again_once(
    watched: Watched, heard: Callable[[str, bytes], None]
) -> None:
    for topic in ("table", "lamps", "table", "roads"):
        heard(topic, b'{"v":1}')
    assert watched.wait() == ["lamps roads table"]
    assert watched.wait(AGAIN_S) == []


@pytest.mark.parametrize("payload", [b"", b"one", b'{"v":1}'])
def test_a_cleared_or_an_old_message_of_ones_own_is_wrong_too(
    watched: Watched, heard: Callable[[str, bytes], None], payload: bytes
) -> None:
    heard("table", payload)
    assert watched.wait() == ["table"]


def test_a_stranger_who_goes_on_is_answered_now_and_then(watched: Watched, heard: Callable[[str, bytes], None]) -> None:
    repaired = []
    for _ in range(40):
        heard("table", b"no")
        repaired += watched.wait(0.02)
    assert 2 <= len(repaired) <= 1 + 40 * 0.02 / AGAIN_S + 3


def test_two_shoes_of_one_name_do_not_fight(watched: Watched, heard: Callable[[str, bytes], None]) -> None:
    watched.shared = True
    heard("table", b"no")
    assert watched.wait() == []
    watched.shared = False
    watched.overwritten.written("status", "table")
    assert watched.wait() == ["status table"]


def test_an_echo_that_was_lost_is_no_other_writer(watched: Watched) -> None:
    watched.overwritten.begin(echoed=True)
    for payload in (b"one", b"two", b"three"):
        watched.overwritten.sent("table", payload)
    watched.overwritten.heard("table", b"two")
    watched.overwritten.heard("table", b"three")
    assert watched.wait() == []
    watched.overwritten.heard("table", b"one")
    assert watched.wait() == ["table"]


def test_nothing_is_published_behind_a_lost_connection(watched: Watched) -> None:
    watched.overwritten.begin(echoed=False)
    watched.overwritten.heard("table", b"no")
    watched.overwritten.close()
    watched.overwritten.written("status")
    assert watched.wait() == []
