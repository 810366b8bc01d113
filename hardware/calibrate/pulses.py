"""The cut-card sensor: how long cards and the cut card hold it, and how long its contact bounces."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from hardware.calibrate.figures import Refusal
from hardware.pins.dwell import BOUNCE_MS, reaches

SETTLES_MS = BOUNCE_MS  # edges closer than this belong to one bounce, here as at work
LEAST_DEBOUNCE_MS, MOST_DEBOUNCE_MS = 5, 100
MOST_DWELL_MS = 1000  # what a sensor can be set to; a cut card may be held as long as one likes
ROOM = 1.5  # between what must be told apart


@dataclass(frozen=True, slots=True)
class Pulse:
    """One pass of the sensor, in ms: how long it was held, bounces included, and its longest bounce."""

    held_ms: float
    bounce_ms: float


@dataclass(frozen=True, slots=True)
class Dwell:
    """What the sensor is to be set to, in ms: quiet after an edge, and how long the cut card holds it at least."""

    debounce_ms: int
    min_dwell_ms: int


def pulses_in(edges: Sequence[tuple[float, bool]], now: float = inf) -> list[Pulse]:
    """The passes in (ms, active) edges of a sensor; one that has not ended, or may still bounce `now`, is left out."""
    passes: list[list[tuple[float, bool]]] = []
    for at, active in edges:
        if active and (not passes or _is_over(passes[-1], at)):
            passes.append([])
        if passes:
            passes[-1].append((at, active))
    return [_pulse(each) for each in passes if _is_over(each, now)]


def dwell(cards: Sequence[Pulse], cut: Sequence[Pulse]) -> Dwell:
    """Debounce and least dwell that take the cut card and no other. Raises Refusal where they overlap."""
    if not cut:
        raise Refusal("the sensor did not see the cut card", "check its wire, its pin and its distance to the card")
    longest_card = max((pulse.held_ms for pulse in cards), default=0.0)
    shortest_cut = min(pulse.held_ms for pulse in cut)
    if longest_card * ROOM >= shortest_cut:
        raise Refusal(
            f"cards hold the sensor up to {longest_card:.1f} ms, the cut card only {shortest_cut:.1f} ms",
            "turn the sensor's sensitivity down until ordinary cards do not reach it",
        )
    if longest_card * ROOM >= MOST_DWELL_MS:
        raise Refusal(f"cards hold the sensor up to {longest_card:.0f} ms", "pull them at a dealer's speed")
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
