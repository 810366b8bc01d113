"""The sensor in the mouth: which cards that leave were told, and which were missed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from firmware_bridge.daemon.devices.sensors import Mouth
from hardware.readers.messages import Beat, CutCard, Read, Unread
from tests.hardware.virtual import run

READ, CUT, BEAT = Read(code=1), CutCard(), Beat(1, 2, 3, 4, 5)


def missed(*story: tuple[float, Any]) -> list[float]:
    """When cards were told as missed, in a story of (seconds, "in", "out" or what the reader says)."""

    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        told: list[float] = []
        mouth = Mouth(lambda: True, lambda: told.append(round(loop.time(), 3)), loop)
        for at, what in story:
            await asyncio.sleep(at - loop.time())
            if what == "in":
                mouth.entered()
            elif what == "out":
                mouth.left()
            else:
                mouth.heard(what)
        await asyncio.sleep(5)
        return told

    return run(main())


@pytest.mark.parametrize(
    ("story", "told"),
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
def test_a_card_that_leaves_is_told_or_was_missed(story: Any, told: list[float]) -> None:
    assert missed(*story) == told


@pytest.mark.parametrize(
    ("said", "is_card"),
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
def test_only_what_says_something_of_a_card_accounts_for_one(said: Any, is_card: bool) -> None:
    assert missed((1, "in"), (1.05, said), (1.1, "out")) == ([] if is_card else [2.6])
