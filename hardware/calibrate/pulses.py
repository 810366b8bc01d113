"""Calibration of single wires: pulse and bounce times of a card sensor, and one lamp at a time."""

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from hardware.calibrate.figures import Refusal
from hardware.pins.pin import Pin, PinFactory, claim
from hardware.pins.sensors import BOUNCE_MS, reaches

SETTLES_MS = BOUNCE_MS  # edges closer than this belong to one bounce, as in `Contact`
LEAST_DEBOUNCE_MS, MOST_DEBOUNCE_MS = 5, 100
MOST_DWELL_MS = 1000  # highest setting of a sensor; a cut card may be held longer
ROOM = 1.5  # least ratio between two times that must not be confused


@dataclass(frozen=True, slots=True)
class Pulse:
    """One pass of the sensor, in ms: active time, bounces included, and the longest bounce."""

    held_ms: float
    bounce_ms: float


@dataclass(frozen=True, slots=True)
class Dwell:
    """Settings of the sensor, in ms: quiet time after an edge, and least active time of the cut card."""

    debounce_ms: int
    min_dwell_ms: int


def pulses_in(edges: Sequence[tuple[float, bool]], now: float = inf) -> list[Pulse]:
    """Return the passes in (ms, active) edges of a sensor, except one not ended or still bouncing at `now`."""
    passes: list[list[tuple[float, bool]]] = []
    for at, active in edges:
        if active and (not passes or _is_over(passes[-1], at)):
            passes.append([])
        if passes:
            passes[-1].append((at, active))
    return [_pulse(each) for each in passes if _is_over(each, now)]


def dwell(cards: Sequence[Pulse], cut: Sequence[Pulse]) -> Dwell:
    """Return debounce and least dwell that accept the cut card and no other. Raises Refusal if their times overlap."""
    if not cut:
        raise Refusal("the sensor did not see the cut card", "check its wire, its pin and its distance to the card")
    longest_card = max((pulse.held_ms for pulse in cards), default=0.0)
    shortest_cut = min(pulse.held_ms for pulse in cut)
    if longest_card * ROOM >= shortest_cut:
        raise Refusal(
            f"cards trigger the sensor for up to {longest_card:.1f} ms, the cut card for {shortest_cut:.1f} ms",
            "reduce the sensitivity of the sensor until ordinary cards do not trigger it",
        )
    if longest_card * ROOM >= MOST_DWELL_MS:
        raise Refusal(f"cards trigger the sensor for {longest_card:.0f} ms", "pull them faster, as a dealer does")
    bounce = max(pulse.bounce_ms for pulse in (*cards, *cut))
    if bounce * ROOM > MOST_DEBOUNCE_MS:
        raise Refusal(f"the sensor bounces for {bounce:.0f} ms", "replace it, or check its ground wire")
    least = round((longest_card * min(shortest_cut, MOST_DWELL_MS)) ** 0.5) if cards else 0
    return Dwell(max(LEAST_DEBOUNCE_MS, round(bounce * 2)), least)


def _is_over(edges: Sequence[tuple[float, bool]], now: float) -> bool:
    at, active = edges[-1]
    return not active and _settles(now - at)


def _pulse(edges: Sequence[tuple[float, bool]]) -> Pulse:
    bounce, since = 0.0, edges[0][0]
    for (before, _), (at, _) in itertools.pairwise(edges):
        if _settles(at - before):
            since = at
        bounce = max(bounce, at - since)
    return Pulse(edges[-1][0] - edges[0][0], bounce)


def _settles(pause: float) -> bool:
    return reaches(pause / 1000, SETTLES_MS / 1000)


class EdgeWatch:
    """Owns a sensor's pin until `close`. Raises PinError if it cannot be claimed."""

    def __init__(self, pin: Pin, factory: PinFactory) -> None:
        from gpiozero import InputDevice  # here: a table without pins does not load gpiozero

        self._level = pin.active_level(is_input=True)
        self._edges: list[tuple[float, bool]] = []
        self._device = claim(InputDevice, pin, pull_up=pin.pull_up, pin_factory=factory)
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._changed

    @property
    def active(self) -> bool:
        return bool(self._device.pin.state) == self._level

    def pulses(self) -> list[Pulse]:
        """Return the passes so far."""
        return pulses_in(list(self._edges), _now_ms())

    def drain(self) -> list[Pulse]:
        """Return and forget the passes so far."""
        pulses = self.pulses()
        self._edges.clear()
        return pulses

    def close(self) -> None:
        self._device.close()

    def _changed(self, _ticks: object, state: object) -> None:
        self._edges.append((_now_ms(), bool(state) == self._level))  # gpiozero's own thread


class SingleLamp:
    """Owns a lamp's pin, lit, until `close`. Raises PinError if it cannot be claimed."""

    def __init__(self, pin: Pin, factory: PinFactory) -> None:
        from gpiozero import DigitalOutputDevice  # as above

        self._level = pin.active_level(is_input=False)
        self._device = claim(DigitalOutputDevice, pin, active_high=self._level, initial_value=True, pin_factory=factory)

    @property
    def is_lit(self) -> bool:
        """Whether the pin has the level that lights it, read back."""
        return bool(self._device.pin.state) == self._level

    def close(self) -> None:
        self._device.off()
        self._device.close()


def _now_ms() -> float:
    return 1000 * time.monotonic()
