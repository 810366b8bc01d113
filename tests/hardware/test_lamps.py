"""Lamps say their state by rhythm."""

import asyncio
from typing import Any

import pytest
from pytest_mock import MockerFixture

from hardware.errors import PinError
from hardware.pins.lamps import LampPanel, phase
from hardware.pins.pin import Pin, pin_factory
from hardware.sim.pins import MockPins
from tests.kit.virtual import run

PINS = {"P1": Pin(5), "B1": Pin(6, active_low=True), "ready": Pin(13), "S1": Pin(5)}


def watched(
    shows: dict[float, dict[str, str]], seconds: float = 2.0, pins: dict[str, Pin] = PINS, step: float = 0.05
) -> dict[str, str]:
    """What each lamp did, a sign per `step`: `#` lit, `.` dark. `shows`: what is shown from each time on."""

    async def main() -> dict[str, str]:
        loop = asyncio.get_running_loop()
        factory = pin_factory("mock")
        panel, mock = LampPanel(pins, factory, loop), MockPins(factory)
        seen = dict.fromkeys(pins, "")
        for place in range(round(seconds / step)):
            for at, lit in shows.items():
                if round(at / step) == place:
                    panel.show(lit)
            await asyncio.sleep(step / 2)
            for slot, pin in pins.items():
                seen[slot] += "#" if mock.lit(pin) else "."
            await asyncio.sleep(step / 2)
        panel.close()
        assert panel._timer is None
        return seen

    return run(main())


@pytest.mark.parametrize(
    ("rhythm", "two_seconds"),
    [
        ("steady", 40 * "#"),
        ("confirm", 2 * (10 * "#" + 10 * ".")),
        ("blocked", 10 * "##.."),
        ("double", "##....##" + 32 * "."),
    ],
)
def test_rhythms(rhythm: str, two_seconds: str) -> None:
    seen = watched({0: {"P1": rhythm, "B1": rhythm}}, seconds=4)
    assert seen["P1"] == seen["B1"] == 2 * two_seconds
    assert seen["ready"] == 80 * "."


def test_what_is_not_shown_is_off() -> None:
    seen = watched({0: {"P1": "steady"}, 0.5: {"B1": "steady"}, 1.0: {}})
    assert seen["P1"] == 10 * "#" + 30 * "."
    assert seen["B1"] == 10 * "." + 10 * "#" + 20 * "."


def test_a_new_rhythm_begins_with_light_and_the_same_rhythm_goes_on() -> None:
    seen = watched({0: {"P1": "confirm"}, 0.25: {"P1": "confirm", "B1": "confirm"}, 0.75: {"P1": "blocked"}})
    assert seen["P1"] == 10 * "#" + 5 * "." + 6 * "##.." + "#"
    assert seen["B1"] == 5 * "." + 5 * "#" + 30 * "."


@pytest.mark.parametrize(
    ("lit", "shown"),
    [
        ({"S1": "steady"}, 8 * "#"),
        ({"P1": "steady", "S1": "blocked"}, "##..##.."),
        ({"P1": "blocked", "S1": "steady"}, "##..##.."),
        ({"P1": "double", "S1": "steady"}, "##....##"),
    ],
)
def test_slots_that_share_a_lamp_show_the_stronger_rhythm(lit: dict[str, Any], shown: str) -> None:
    assert watched({0: lit}, seconds=0.4)["P1"] == shown


def test_slots_without_a_lamp_are_left_out() -> None:
    assert watched({0: {"R1": "blocked", "P1": "steady"}}, seconds=0.2)["P1"] == "####"
    assert watched({0: {"R1": "blocked"}}, pins={}) == {}


def test_a_table_without_lamps_needs_no_factory() -> None:
    async def main() -> None:
        panel = LampPanel({}, None, asyncio.get_running_loop())
        panel.show({"P1": "blocked"})
        panel.close()

    run(main())


def test_what_is_shown_already_costs_nothing(mocker: MockerFixture) -> None:
    async def main() -> None:
        panel = LampPanel(PINS, pin_factory("mock"), asyncio.get_running_loop())
        panel.show({"P1": "confirm"})
        again = mocker.patch.object(panel, "_beat")
        panel.show({"P1": "confirm"})
        panel.show({"P1": "confirm", "R1": "steady"})
        assert again.call_count == 1
        mocker.stopall()
        panel.close()

    run(main())


def test_only_what_blinks_needs_a_timer() -> None:
    async def main() -> None:
        panel = LampPanel(PINS, pin_factory("mock"), asyncio.get_running_loop())
        panel.show({"P1": "steady"})
        assert panel._timer is None
        panel.show({"P1": "blocked"})
        assert panel._timer is not None
        panel.show({})
        assert panel._timer is None
        panel.close()

    run(main())


def test_closing_switches_every_lamp_off() -> None:
    async def main() -> None:
        factory = pin_factory("mock")
        panel = LampPanel(PINS, factory, asyncio.get_running_loop())
        panel.show({"P1": "steady", "B1": "steady"})
        wires = [factory.pin(5), factory.pin(6)]
        assert [wire.state for wire in wires] == [True, False]
        panel.close()
        assert wires[0].states[-1].state is False
        assert wires[1].states[-1].state is True

    run(main())


def test_one_lamp_wired_two_ways_is_reported() -> None:
    async def main() -> None:
        pins = {"P1": Pin(5), "S1": Pin(5, active_low=True)}
        with pytest.raises(PinError, match=r"\[lamps\] S1: GPIO 5 .* use the same"):
            LampPanel(pins, pin_factory("mock"), asyncio.get_running_loop())

    run(main())


@pytest.mark.parametrize("rhythm", ["confirm", "blocked", "double"])
def test_every_phase_ends_in_time_to_come(rhythm: str) -> None:
    for elapsed in range(4001):
        lit, left = phase(rhythm, elapsed)
        assert left is not None
        assert 1 <= left <= 1600
        assert phase(rhythm, elapsed + left)[0] is not lit
