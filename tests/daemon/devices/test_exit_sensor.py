"""The sensor at the exit: which cards that leave were reported, and which were missed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from firmware_bridge.daemon.devices.sensors import ExitSensor
from hardware.readers.messages import Beat, CutCard, Read, Unread
from tests.kit.virtual import run

READ, CUT, BEAT = Read(code=1), CutCard(), Beat(1, 2, 3, 4, 5)


def missed(*story: tuple[float, Any]) -> list[float]:
    """Seconds at which cards were reported as missed; `story`: (seconds, "in", "out" or a message of the reader)."""

    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        times: list[float] = []
        sensor = ExitSensor(lambda: True, lambda: times.append(round(loop.time(), 3)), loop)
        for at, what in story:
            await asyncio.sleep(at - loop.time())
            if what == "in":
                sensor.entered()
            elif what == "out":
                sensor.left()
            else:
                sensor.heard(what)
        await asyncio.sleep(5)
        return times

    return run(main())


@pytest.mark.parametrize(
    ("story", "times"),
    [
        ([(1, "in"), (1.1, "out")], [2.6]),
        ([(1, "in"), (1.05, READ), (1.1, "out")], []),
        ([(1, "in"), (1.05, CUT), (1.1, "out")], []),
        ([(1, "in"), (1.1, "out"), (2, READ)], []),  # a slow line
        ([(1, READ), (2, "in"), (2.1, "out")], []),  # a reader before the mouth
        ([(1, "in"), (1.1, READ), (4, "out")], []),  # held in the mouth
        ([(1, "in"), (4, "out")], [5.5]),
        ([(1, READ), (4, "in"), (4.1, "out")], [5.6]),  # that was another card
        ([(1, "in"), (1.1, READ), (4, "out"), (4.1, "in"), (4.2, "out")], [5.7]),
        ([(1, "out")], [2.5]),  # it lay there at the start
    ],
)
def test_a_card_that_leaves_is_reported_or_missed(story: Any, times: list[float]) -> None:
    assert missed(*story) == times


@pytest.mark.parametrize(
    ("message", "is_card"),
    [
        (Unread("unreadable"), True),
        (Unread("double_feed"), True),
        (Unread("no bar code on it"), True),
        (Unread("lamp_weak"), False),
        (Unread("saturated"), False),
        (Unread("jam"), False),
        (Unread("backwards"), False),
        (BEAT, False),
    ],
)
def test_only_what_says_something_of_a_card_accounts_for_one(message: Any, is_card: bool) -> None:
    assert missed((1, "in"), (1.05, message), (1.1, "out")) == ([] if is_card else [2.6])
