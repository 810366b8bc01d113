"""The simulated dealer's eyes: from when a lamp is lit and dark they tell its rhythm."""

import asyncio
from typing import Any

import pytest

from hardware.sim.dealer import Eyes, Seen
from tests.hardware.lamps_in_steps import Table
from tests.kit.virtual import run


@pytest.mark.parametrize(
    ("lamps", "steady", "slow", "fast"),
    [
        ({}, "", "", ""),
        ({"P1": "steady"}, "P1", "", ""),
        ({"ready": "confirm"}, "", "ready", ""),
        ({"ready": "double"}, "", "ready", ""),
        ({"fault": "blocked"}, "", "", "fault"),
        ({"fault": "blocked", "P1": "steady", "R1": "confirm"}, "P1", "R1", "fault"),
    ],
)
@pytest.mark.parametrize("seconds", [2.2, 2.3, 3.1])
def test_eyes_tell_rhythms_apart(lamps: dict[str, Any], steady: str, slow: str, fast: str, seconds: float) -> None:
    async def main() -> Seen:
        table = Table([])
        table.lamps = lamps
        return await Eyes(table.lit).look(seconds)

    seen = run(main())
    assert (" ".join(seen.steady), " ".join(seen.slow), " ".join(seen.fast)) == (steady, slow, fast)


@pytest.mark.parametrize("begin", [0, 0.1, 0.3, 0.49, 0.7, 0.99])
@pytest.mark.parametrize(("rhythm", "speed"), [("confirm", "slow"), ("blocked", "fast"), ("steady", "steady")])
def test_a_glance_is_enough_for_a_fault(begin: float, rhythm: str, speed: str) -> None:
    async def main() -> Seen:
        table = Table([])
        table.lamps = {"fault": rhythm}
        await asyncio.sleep(begin)
        return await Eyes(table.lit).look(0.7)

    assert getattr(run(main()), speed) == {"fault"}
