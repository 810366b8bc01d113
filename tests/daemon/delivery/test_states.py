import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from firmware_bridge.daemon.delivery.retained import CONFLATE_S, States
from firmware_bridge.mqtt.settings import NotConnected
from tests.kit.virtual import VirtualLoop


class Board:
    """What there is to show, and what was published of it."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.now: dict[str, Any] = {"table": {"round": 1}, "lamps": {"lit": {}}}
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.as_of, self.broken = 0, False
        self.states = States(lambda: self.now, lambda: {"v": 1, "as_of": self.as_of}, self.publish, self.loop)

    def publish(self, topic: str, payload: bytes) -> int:
        if self.broken:
            raise NotConnected("broken")
        self.sent.append((topic, json.loads(payload)))
        return len(self.sent)

    def wait(self) -> list[tuple[str, dict[str, Any]]]:
        """What was published since the last time, after the time of conflation."""
        self.loop.run_until_complete(asyncio.sleep(2 * CONFLATE_S))
        sent, self.sent = self.sent, []
        return sent


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    board.states.close()
    board.loop.close()


def test_everything_is_sent_at_every_connect(board: Board) -> None:
    for _ in range(2):
        board.states.up()
        assert [topic for topic, _ in board.wait()] == ["table", "lamps"]
        board.states.down()


def test_many_changes_are_one_message_and_the_latest_wins(board: Board) -> None:
    board.states.up()
    board.wait()
    for number in range(2, 50):
        board.now["table"] = {"round": number}
        board.as_of = number
        board.states.changed()
    assert board.wait() == [("table", {"v": 1, "as_of": 49, "round": 49})]


def test_many_changes_are_looked_at_once(board: Board) -> None:
    looked = []

    def states() -> dict[str, Any]:
        looked.append(board.as_of)
        return board.now

    board.states = States(states, lambda: {"v": 1}, board.publish, board.loop)
    board.states.up()
    for board.as_of in range(1, 50):
        board.states.changed()
    board.wait()
    assert looked == [0, 49]


def test_what_is_the_same_is_not_sent_again(board: Board) -> None:
    board.states.up()
    board.wait()
    board.as_of = 7
    board.states.changed()
    assert board.wait() == []


def test_the_very_value_that_was_sent_is_not_encoded_again(board: Board) -> None:
    board.states.up()
    board.wait()
    board.now["table"]["round"] = 2  # would show if it were
    board.states.changed()
    assert board.wait() == []
    board.now["table"] = {"round": 2}
    board.states.changed()
    assert board.wait() == [("table", {"v": 1, "as_of": 0, "round": 2})]


def test_nothing_is_sent_while_down(board: Board) -> None:
    board.states.changed()
    assert board.wait() == []
    board.states.up()
    board.wait()
    board.states.changed()
    board.states.down()
    assert board.wait() == []


def test_a_wire_that_breaks_is_made_good_at_the_next_connect(board: Board) -> None:
    board.states.up()
    board.wait()
    board.broken, board.now["lamps"] = True, {"lit": {"fault": "steady"}}
    board.states.changed()
    assert board.wait() == []
    board.broken = False
    board.states.down()
    board.states.up()
    assert ("lamps", {"v": 1, "as_of": 0, "lit": {"fault": "steady"}}) in board.wait()


def test_nothing_is_sent_after_closing(board: Board) -> None:
    board.states.up()
    board.wait()
    board.now["table"] = {"round": 2}
    board.states.changed()
    board.states.close()
    assert board.wait() == []
