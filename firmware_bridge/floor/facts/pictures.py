"""Lays out the pictures of a printed report: hold of each table by day, pace of each dealer."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from firmware_bridge.floor.facts.reports import NO_DEALER, Pace, Summed, share

WIDTH: Final = 720
"""Width of a picture, in units of its own: a quarter of a millimetre on A4."""

LEFT: Final = 96
"""Width of the names at the left."""

HALF: Final = 20.0
"""Height of the longest bar of a day, up or down."""

MOST_LABELS: Final = 31
"""Most days with a number each: of more, each second, third and so on is labelled."""


class Bar(NamedTuple):
    """A bar. label: its number, "" where there is no room. is_lost: the house lost."""

    x: float
    y: float
    width: float
    height: float
    label: str
    under: str = ""
    is_lost: bool = False


class Strip(NamedTuple):
    """The bars of one table or dealer."""

    name: str
    note: str
    bars: list[Bar]


def holds(summed: Iterable[Summed]) -> list[Strip]:
    """Return a strip for each table with known stakes: its hold on each gaming day, all strips to one scale."""
    money: dict[str, dict[str, list[int]]] = {}
    for each in summed:
        if each.day.staked:
            of_day = money.setdefault(each.name.table, {}).setdefault(each.name.day, [0, 0])
            of_day[0] += each.day.house
            of_day[1] += each.day.staked
    days = sorted({day for of_table in money.values() for day in of_table})
    largest = max((abs(house / staked) for each in money.values() for house, staked in each.values()), default=0) or 1
    return [_strip(table, days, of_table, HALF / largest) for table, of_table in sorted(money.items())]


def paces(found: Iterable[Pace]) -> list[Strip]:
    """Return a strip for each dealer, one bar each: rounds an hour, the fastest first."""
    ranked = sorted((each for each in found if each.millis), key=lambda each: (-each.an_hour, each.dealer))
    longest = (WIDTH - LEFT - 160) / max((each.an_hour for each in ranked), default=1)
    return [
        Strip(
            each.dealer or NO_DEALER,
            f"{each.rounds} rounds in {each.millis / 3_600_000:.1f} h",
            [Bar(LEFT, 3, max(1.0, each.an_hour * longest), 12, f"{each.an_hour:.1f}")],
        )
        for each in ranked
    ]


def _strip(table: str, days: list[str], money: dict[str, list[int]], scale: float) -> Strip:
    room = (WIDTH - LEFT) / max(len(days), 8)
    every = -(-len(days) // MOST_LABELS)
    bars = []
    for place, day in enumerate(days):
        if day not in money:
            continue
        house, staked = money[day]
        height = abs(house / staked) * scale
        y = HALF + 10 if house < 0 else HALF + 10 - height
        has_label = place % every == 0
        label, under = (f"{100 * house / staked:.0f}", day[8:]) if has_label else ("", "")
        x = LEFT + place * room + room / 10
        bars.append(Bar(round(x, 1), round(y, 1), round(room * 0.8, 1), round(height, 1), label, under, house < 0))
    total = [sum(each) for each in zip(*money.values(), strict=True)]
    return Strip(table, f"{share(*total)} %", bars)
