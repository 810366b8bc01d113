"""The cut card and the keys: one event per activation, whatever the contact does."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hardware.errors import PinBusy
from hardware.pins.pin import Pin, pin_factory
from hardware.pins.sensors import CutCardSensor, Key
from hardware.sim.pins import MockPins
from tests.hardware.touch import WIRE, events, heard_late, on_their_way, pulses
from tests.kit.rows import each_row
from tests.kit.virtual import run


@pytest.mark.parametrize(
    ("spans", "reported"),
    [
        ((10, 100), [10]),  # a clean press
        ((10, 25), [10]),  # a card passes in 15 ms, less than the debounce
        ((10, 11), [10]),
        ((10, 11, 12, 13, 14, 15, 16, 100), [10]),  # bounces at the start
        ((10, 100, 101, 102, 103, 104), [10]),  # bounces at the end
        ((10, 11, 12, 27, 28, 29), [10]),  # bounces around a short pulse
        ((10, 60, 61, 110), [10]),  # let go for a millisecond only
        ((10, 60, 100, 150), [10, 100]),  # two presses
        ((10, 11, 50, 51, 90, 91), [10, 50, 90]),
        ((10, 500), [10]),  # held down
    ],
)
def test_one_event_per_activation(spans: tuple[int, ...], reported: list[int]) -> None:
    assert events(pulses(*spans)) == reported


@pytest.mark.parametrize("bounces", [0, 1, 3, 9])
def test_presses_and_passing_cards_that_bounce(bounces: int) -> None:
    async def twice(mock: MockPins) -> None:
        await mock.press(WIRE, bounces=bounces)
        await asyncio.sleep(0.1)
        await mock.pass_cut_card(WIRE, bounces=bounces)

    assert len(events(twice)) == 2


@pytest.mark.parametrize(
    ("pin", "idle", "active"),
    [
        (Pin(27), True, False),
        (Pin(27, pull_up=False), False, True),
        (Pin(27, active_low=False), False, True),
        (Pin(27, active_low=True, pull_up=False), True, False),
    ],
)
def test_wirings(pin: Pin, idle: bool, active: bool) -> None:
    async def play(mock: MockPins) -> None:
        wire = mock._factory.pin(27)
        levels = {True: wire.drive_high, False: wire.drive_low}
        levels[idle]()
        await asyncio.sleep(0.1)
        before = len(seen)
        levels[active]()
        await asyncio.sleep(0.1)
        levels[idle]()
        await asyncio.sleep(0.1)
        counted.append(len(seen) - before)

    counted: list[int] = []
    seen: list[int] = []

    async def main() -> None:
        factory = pin_factory("mock")
        key = Key(pin, factory, asyncio.get_running_loop(), lambda: seen.append(1))
        await play(MockPins(factory))
        key.close()

    run(main())
    assert counted == [1]


def test_an_edge_that_got_lost_is_found_when_the_line_is_quiet() -> None:
    async def play(mock: MockPins) -> None:
        await asyncio.sleep(0.01)
        wire = mock._factory.pin(WIRE.number)
        wire._change_state(False)  # pressed; no edge comes of it
        wire.drive_high()  # let go for a moment
        wire._change_state(False)  # and down again, unheard

    assert events(play) == [30]


LATE = (0, 0.1, 0.5, 3)
"""Milliseconds that an edge is on its way; the debounce of these keys is 20."""

AROUND = (-2, -0.3, -0.05, 0.05, 0.3, 2)


@each_row("release", LATE)
@each_row("press", LATE)
@each_row("around", AROUND)
def test_a_press_around_the_end_of_the_debounce_counts_by_the_times_of_its_edges(
    around: float, press: float, release: float
) -> None:
    again = 80 + around
    for rest in ([(again + 60, press)], [(again + 1, release), (again + 2, press), (again + 60, release)]):
        play = on_their_way((10, press), (60, release), (again, press), *rest)
        assert len(events(play)) == (1 if around < 0 else 2)


@each_row("release", LATE)
@each_row("press", LATE)
@each_row("around", AROUND)
def test_a_release_around_the_end_of_the_debounce_may_bounce(around: float, press: float, release: float) -> None:
    let_go = 30 + around
    edges = [(10, press), (let_go, release), (let_go + 3, press), (let_go + 4, release), (let_go + 100, press)]
    assert len(events(on_their_way(*edges))) == 2


async def nothing(mock: MockPins) -> None:
    pass


def test_a_cut_card_on_the_sensor_at_the_start_is_seen_and_a_stuck_key_is_no_press() -> None:
    assert events(nothing, contact=CutCardSensor, before=True) == [0]
    assert events(nothing, contact=CutCardSensor, before=False) == []
    assert events(nothing, contact=Key, before=True) == []


@pytest.mark.parametrize("dwell", [0, 60])
@pytest.mark.parametrize(
    ("known", "lies_there", "seen", "expected"),
    [
        ({}, True, True, [True]),
        ({"is_known": True}, True, False, [True]),
        ({"is_stuck": True}, True, False, []),
        ({"is_stuck": True}, False, False, [False]),
        ({"is_stuck": True, "is_known": True}, False, False, [False]),
        ({}, False, False, []),
    ],
)
def test_what_lies_on_the_cut_card_sensor_at_the_start(
    known: dict[str, Any], lies_there: bool, seen: bool, expected: list[bool], dwell: int
) -> None:
    heard: list[bool] = []

    def sensor(pin: Pin, factory: Any, loop: asyncio.AbstractEventLoop, on_seen: Callable[..., Any]) -> CutCardSensor:
        return CutCardSensor(pin, factory, loop, on_seen, 0.5, heard.append, **known)

    wire = Pin(27, min_dwell_ms=dwell)
    assert events(nothing, pin=wire, contact=sensor, before=lies_there) == ([dwell] if seen else [])
    assert heard == expected


def test_a_sensor_that_was_stuck_sees_the_cut_card_once_it_is_free() -> None:
    stuck: list[bool] = []

    def sensor(pin: Pin, factory: Any, loop: asyncio.AbstractEventLoop, on_seen: Callable[..., Any]) -> CutCardSensor:
        return CutCardSensor(pin, factory, loop, on_seen, 0.5, stuck.append, is_stuck=True)

    assert events(pulses(50, 50, 100, 150), contact=sensor, before=True) == [100]
    assert stuck == [False]


def test_a_key_held_at_the_start_counts_once_it_is_pressed_again() -> None:
    assert events(pulses(50, 50, 100, 150), before=True) == [100]


def test_two_devices_on_one_pin_are_reported() -> None:
    async def main() -> None:
        factory, loop = pin_factory("mock"), asyncio.get_running_loop()
        first = Key(WIRE, factory, loop, print)
        with pytest.raises(PinBusy, match=r"GPIO 27 cannot be used .*already in use.*: stop the program that uses it"):
            Key(WIRE, factory, loop, print)
        first.close()

    run(main())


def test_an_edge_after_the_loop_has_closed_is_nothing() -> None:
    factory = pin_factory("mock")

    async def main() -> Key:
        return Key(WIRE, factory, asyncio.get_running_loop(), print)

    key = run(main())
    MockPins(factory).drive(WIRE, True)
    key._device.close()


def test_a_busy_loop_hears_of_every_press() -> None:
    assert len(events(heard_late(10, 60, 100, 150, 200, 250))) == 3
    assert len(events(heard_late(10, 60, 61, 110, 112, 150))) == 1
