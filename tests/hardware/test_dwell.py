"""The cut card among cards that brush its sensor: how long each was there, by the times of the edges."""

import asyncio
from collections.abc import Callable
from itertools import accumulate, chain
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardware.pins.pin import Pin
from hardware.pins.sensors import BOUNCE_MS, CutCardSensor, Dwell
from hardware.sim.pins import MockPins
from tests.hardware.touch import WIRE, events, heard_late, pulses
from tests.kit.rows import each_row
from tests.kit.virtual import run


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
def test_a_least_dwell_tells_the_cut_card_from_others(spans: tuple[int, ...], reported: list[int]) -> None:
    wire = Pin(27, debounce_ms=20, min_dwell_ms=30)
    assert events(pulses(*spans), pin=wire, contact=CutCardSensor) == reported


BRUSHED = tuple(at for card in range(4) for at in (10 + 42 * card, 40 + 42 * card))
"""Four cards touch the sensor for 30 ms each, 12 ms apart."""

SLOW = (10, 13, 17, 22, 29, 33, 38, 46, 53, 60, 66, 100)
"""The cut card, slowly: the contact bounces all the way, with pauses of up to 7 ms."""


@each_row("quiet", [5, 20, 100])
@each_row(
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
def test_the_dwell_is_judged_by_the_times_of_the_edges(spans: tuple[int, ...], count: int, quiet: int) -> None:
    wire = Pin(27, debounce_ms=quiet, min_dwell_ms=60)
    assert len(events(pulses(*spans), pin=wire, contact=CutCardSensor)) == count
    assert len(events(heard_late(*spans), pin=wire, contact=CutCardSensor)) == count


def counted(spans: list[float] | tuple[float, ...], quiet: int, dwell: int) -> tuple[int, ...]:
    """How many activations a sensor reports whose edges are heard in time, and late."""
    wire = Pin(27, debounce_ms=quiet, min_dwell_ms=dwell)
    plays = pulses(*spans), heard_late(*spans, until=spans[-1] + 50)
    return tuple(len(events(play, pin=wire, contact=CutCardSensor)) for play in plays)


def activations(spans: list[float], quiet: int, dwell: int) -> int:
    """How many there are, laid out on paper: spans parted by `quiet` ms, of which one, bounces included, lasts `dwell`.

    All is counted in whole microseconds; a time that is exactly as long as a limit has reached it.
    """
    spans = [round(1000 * at) for at in spans]
    bounce, quiet, dwell = (round(1000 * limit) for limit in (BOUNCE_MS, quiet, dwell))
    groups: list[list[list[float]]] = []
    for begin, end in zip(spans[::2], spans[1::2], strict=True):
        runs = groups[-1] if groups and begin - groups[-1][-1][1] < quiet else []
        if not runs:
            groups.append(runs)
        if runs and begin - runs[-1][1] < bounce:
            runs[-1][1] = end
        else:
            runs.append([begin, end])
    return sum(any(end - begin >= dwell for begin, end in runs) for runs in groups)


ACTIVE = st.sampled_from((0.4, 1.3, 3.1, 12.2, 29.3, 30.0, 31.1, 58.7, 60.0, 61.3, 150.1))
IDLE = st.sampled_from((0.3, 1.1, 4.2, 7.3, 8.0, 9.0, 9.6, 12.4, 20.0, 21.7, 55.5, 100.0, 130.9))


@settings(max_examples=150, deadline=None)
@given(
    steps=st.lists(st.tuples(IDLE, ACTIVE), min_size=1, max_size=8),
    quiet=st.sampled_from((9, 20, 100)),
    dwell=st.sampled_from((0, 30, 60)),
)
@example(steps=[(9.6, 0.4), (0.3, 29.3)], quiet=9, dwell=30)  # 30 ms to the microsecond, not to the last bit
def test_any_edges_heard_in_time_or_late_are_what_they_are_on_paper(
    steps: list[tuple[float, ...]], quiet: int, dwell: int
) -> None:
    spans = [10 + at for at in accumulate(chain.from_iterable(steps))]
    count = activations(spans, quiet, dwell)
    assert counted(spans, quiet, dwell) == (count, count)


US = 0.001
"""A microsecond, in ms."""

BEGINS = pytest.mark.parametrize("at", [10, 19.6, 33.3, 0.1 + 0.2, 123.457])
"""Times at which the last bit of a difference rounds one way or the other."""


@BEGINS
@each_row(("more", "count"), [(-US, 0), (0, 1), (US, 1)])
@each_row("dwell", [30, 60])
def test_a_span_of_exactly_the_least_dwell_counts(at: float, dwell: int, more: float, count: int) -> None:
    assert counted((at, at + dwell + more), 20, dwell) == (count, count)
    assert counted((at, at + 0.4, at + 0.7, at + dwell + more), 9, dwell) == (count, count)


@BEGINS
@pytest.mark.parametrize(("more", "count"), [(-US, 1), (0, 0), (US, 0)])
def test_a_pause_of_exactly_the_bounce_limit_parts_two_cards(at: float, more: float, count: int) -> None:
    back = at + 20 + BOUNCE_MS + more
    assert counted((at, at + 20, back, back + 20), 20, 30) == (count, count)


@BEGINS
@each_row(("more", "count"), [(-US, 1), (0, 2), (US, 2)])
@each_row("quiet", [8, 20, 100])
@each_row("dwell", [0, 30])
def test_a_pause_of_exactly_the_debounce_ends_an_activation(
    at: float, dwell: int, quiet: int, more: float, count: int
) -> None:
    back = at + 40 + quiet + more
    assert counted((at, at + 40, back, back + 40), quiet, dwell) == (count, count)


@pytest.mark.parametrize(("on_late", "off_late"), [(0.0, 0.0), (0.0, 0.05), (0.01, 0.07)])
def test_a_cut_card_whose_edges_are_reported_late_is_seen(on_late: float, off_late: float) -> None:
    async def play() -> list[int]:
        loop, seen = asyncio.get_running_loop(), []
        began = loop.time()
        gone = began + 0.065
        dwell = Dwell(0.06, float.__sub__, loop, lambda: loop.time() < gone, lambda: seen.append(1))
        loop.call_later(on_late, dwell.active, began)
        loop.call_at(gone + off_late, dwell.idle, gone)
        await asyncio.sleep(0.3)
        return seen

    assert run(play())


def test_two_cards_are_no_cut_card_where_the_end_of_the_first_got_lost() -> None:
    async def play(mock: MockPins) -> None:
        wire = mock._factory.pin(WIRE.number)
        await asyncio.sleep(0.1)
        mock.drive(WIRE, True)
        await asyncio.sleep(0.022)
        wire._change_state(True)  # idle again; no edge comes of it
        await asyncio.sleep(0.04)
        mock.drive(WIRE, True)
        await asyncio.sleep(0.015)
        mock.drive(WIRE, False)
        await asyncio.sleep(0.2)

    assert events(play, pin=Pin(27, debounce_ms=20, min_dwell_ms=25), contact=CutCardSensor) == []


@pytest.mark.parametrize("dwell", [0, 60])
def test_a_cut_card_whose_release_got_lost_is_seen_and_does_not_stick(dwell: int) -> None:
    stuck: list[bool] = []

    async def play(mock: MockPins) -> None:
        wire = mock._factory.pin(WIRE.number)
        for _ in range(2):
            mock.drive(WIRE, True)
            await asyncio.sleep(0.15)
            wire._change_state(True)  # idle again; no edge comes of it
            await asyncio.sleep(1)

    def sensor(pin: Pin, factory: Any, loop: asyncio.AbstractEventLoop, on_seen: Callable[..., Any]) -> CutCardSensor:
        return CutCardSensor(pin, factory, loop, on_seen, 0.5, stuck.append)

    wire = Pin(27, min_dwell_ms=dwell)
    assert events(play, pin=wire, contact=sensor) == [dwell, 1150 + dwell]
    assert stuck == []
