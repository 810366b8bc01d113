"""A sensor with a bad contact is stuck until it is steady: its changes fill no disk."""

import asyncio

import pytest

from firmware_bridge.daemon.devices import sensors
from firmware_bridge.daemon.devices.sensors import FLAPS, Flapping
from tests.kit.virtual import run


def test_a_sensor_that_flaps_is_stuck_until_it_is_steady(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensors, "STEADY_S", 1.0)
    handled, stuck = list[int](), list[bool]()

    async def main() -> None:
        flapping = Flapping(stuck.append, asyncio.get_running_loop())
        change = flapping.limited(lambda: handled.append(1))
        for _ in range(1_000):
            change()
        assert (len(handled), stuck) == (FLAPS, [True])
        await asyncio.sleep(0.1)
        change()
        await asyncio.sleep(0.1)
        assert stuck == [True]
        await asyncio.sleep(1.1)
        assert stuck == [True, False]
        change()
        assert len(handled) == FLAPS + 1
        flapping.close()

    run(main())
