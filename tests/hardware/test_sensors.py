"""The cut card and the keys: one event per activation, whatever the contact does."""

import asyncio

import pytest

from hardware.errors import PinBusy
from hardware.pins import Pin, pin_factory
from hardware.sensors import CutCardSensor, Key
from hardware.sim.pins import MockPins
from tests.hardware.virtual import run

WIRE = Pin(27, debounce_ms=20)


def events(play, pin=WIRE, contact=Key, before=None):
    """The times in ms at which the contact reported, while `play(mock)` went on."""

    async def main():
        loop = asyncio.get_running_loop()
        patch.setattr("gpiozero.pins.mock.monotonic", loop.time)
        factory = pin_factory("mock")
        mock = MockPins(factory)
        if before is not None:
            mock.switch(pin, before)
        seen = []
        device = contact(pin, factory, loop, lambda: seen.append(round(1000 * loop.time())))
        await play(mock)
        await asyncio.sleep(1)
        device.close()
        factory.close()
        return seen

    with pytest.MonkeyPatch.context() as patch:
        return run(main())


def pulses(*spans):
    """Levels by time in ms: active from, to; from, to .."""

    async def play(mock):
        loop = asyncio.get_running_loop()
        for at, active in zip(spans, [True, False] * len(spans), strict=False):
            await asyncio.sleep(at / 1000 - loop.time())
            mock.drive(WIRE, active)

    return play


def heard_late(*spans, until=400):
    """The same, while the loop is busy `until` then and hears of every edge at once."""

    async def play(mock):
        loop = asyncio.get_running_loop()
        for at, active in zip(spans, [True, False] * len(spans), strict=False):
            loop.turn_to(at / 1000)
            mock.drive(WIRE, active)
        loop.turn_to(until / 1000)

    return play


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
def test_one_event_per_activation(spans, reported):
    assert events(pulses(*spans)) == reported


@pytest.mark.parametrize("bounces", [0, 1, 3, 9])
def test_presses_and_passing_cards_that_bounce(bounces):
    async def twice(mock):
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
def test_wirings(pin, idle, active):
    async def play(mock):
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

    counted, seen = [], []

    async def main():
        factory = pin_factory("mock")
        key = Key(pin, factory, asyncio.get_running_loop(), lambda: seen.append(1))
        await play(MockPins(factory))
        key.close()

    run(main())
    assert counted == [1]


def test_an_edge_that_got_lost_is_found_when_the_line_is_quiet():
    async def play(mock):
        await asyncio.sleep(0.01)
        wire = mock._factory.pin(WIRE.number)
        wire._change_state(False)  # pressed; no edge comes of it
        wire.drive_high()  # let go for a moment
        wire._change_state(False)  # and down again, unheard

    assert events(play) == [30]


async def nothing(mock):
    pass


def test_a_cut_card_on_the_sensor_at_the_start_is_seen_and_a_stuck_key_is_no_press():
    assert events(nothing, contact=CutCardSensor, before=True) == [0]
    assert events(nothing, contact=CutCardSensor, before=False) == []
    assert events(nothing, contact=Key, before=True) == []


@pytest.mark.parametrize("dwell", [0, 60])
@pytest.mark.parametrize(
    ("known", "lies_there", "seen", "told"),
    [
        ({}, True, True, [True]),
        ({"is_known": True}, True, False, [True]),
        ({"is_stuck": True}, True, False, []),
        ({"is_stuck": True}, False, False, [False]),
        ({"is_stuck": True, "is_known": True}, False, False, [False]),
        ({}, False, False, []),
    ],
)
def test_what_lies_on_the_cut_card_sensor_at_the_start(known, lies_there, seen, told, dwell):
    heard = []

    def sensor(pin, factory, loop, on_seen):
        return CutCardSensor(pin, factory, loop, on_seen, 0.5, heard.append, **known)

    wire = Pin(27, min_dwell_ms=dwell)
    assert events(nothing, pin=wire, contact=sensor, before=lies_there) == ([dwell] if seen else [])
    assert heard == told


def test_a_sensor_that_was_stuck_sees_the_cut_card_once_it_is_free():
    told = []

    def sensor(pin, factory, loop, on_seen):
        return CutCardSensor(pin, factory, loop, on_seen, 0.5, told.append, is_stuck=True)

    assert events(pulses(50, 50, 100, 150), contact=sensor, before=True) == [100]
    assert told == [False]


def test_a_key_held_at_the_start_counts_once_it_is_pressed_again():
    assert events(pulses(50, 50, 100, 150), before=True) == [100]


def test_two_devices_on_one_pin_are_told():
    async def main():
        factory, loop = pin_factory("mock"), asyncio.get_running_loop()
        first = Key(WIRE, factory, loop, print)
        with pytest.raises(PinBusy, match=r"GPIO 27 cannot be used .*already in use.*: end the program that has it"):
            Key(WIRE, factory, loop, print)
        first.close()

    run(main())


def test_an_edge_after_the_loop_has_closed_is_nothing():
    factory = pin_factory("mock")

    async def main():
        return Key(WIRE, factory, asyncio.get_running_loop(), print)

    key = run(main())
    MockPins(factory).drive(WIRE, True)
    key._device.close()


@pytest.mark.parametrize(
    ("spans", "reported"),
    [
        ((10, 100), [40]),  # the cut card
        ((10, 25), []),  # an ordinary card
        ((10, 15, 20, 100), [40]),  # it bounces at first
        ((10, 38, 42, 100), [42]),  # and just when it counts
        ((10, 25, 60, 75, 110, 200), [140]),  # two cards, then the cut card
    ],
)
def test_a_least_dwell_tells_the_cut_card_from_others(spans, reported):
    wire = Pin(27, debounce_ms=20, min_dwell_ms=30)
    assert events(pulses(*spans), pin=wire, contact=CutCardSensor) == reported


BRUSHED = tuple(at for card in range(4) for at in (10 + 42 * card, 40 + 42 * card))
"""Four cards touch the sensor for 30 ms each, 12 ms apart."""

SLOW = (10, 13, 17, 22, 29, 33, 38, 46, 53, 60, 66, 100)
"""The cut card, slowly: the contact bounces all the way, with pauses of up to 7 ms."""


@pytest.mark.parametrize("quiet", [5, 20, 100])
@pytest.mark.parametrize(
    ("spans", "count"),
    [
        (BRUSHED, 0),
        ((10, 160), 1),
        ((*BRUSHED, 180, 330), 1),
        ((10, 160, 172, 202, 214, 244), 1),  # ordinary cards close behind it
        (SLOW, 1),
        ((10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 150, 151, 152, 153, 154), 1),  # six bounces
        ((10, 68, 77, 120), 0),  # two cards, 9 ms apart
        ((10, 68, 75, 77), 1),  # one, which bounces
    ],
)
def test_the_dwell_is_judged_by_the_times_of_the_edges(spans, count, quiet):
    wire = Pin(27, debounce_ms=quiet, min_dwell_ms=60)
    assert len(events(pulses(*spans), pin=wire, contact=CutCardSensor)) == count
    assert len(events(heard_late(*spans), pin=wire, contact=CutCardSensor)) == count


def test_a_busy_loop_hears_of_every_press():
    assert len(events(heard_late(10, 60, 100, 150, 200, 250))) == 3
    assert len(events(heard_late(10, 60, 61, 110, 112, 150))) == 1


@pytest.mark.parametrize("dwell", [0, 60])
def test_a_cut_card_whose_release_got_lost_is_seen_and_does_not_stick(dwell):
    told = []

    async def play(mock):
        wire = mock._factory.pin(WIRE.number)
        for _ in range(2):
            mock.drive(WIRE, True)
            await asyncio.sleep(0.15)
            wire._change_state(True)  # idle again; no edge comes of it
            await asyncio.sleep(1)

    def sensor(pin, factory, loop, on_seen):
        return CutCardSensor(pin, factory, loop, on_seen, 0.5, told.append)

    wire = Pin(27, min_dwell_ms=dwell)
    assert events(play, pin=wire, contact=sensor) == [dwell, 1150 + dwell]
    assert told == []
