"""Shifts and gaming days of a house; neither ever goes back, whatever the clock or the settings do."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from firmware_bridge.facts.events import ShiftOf
from firmware_bridge.shoe.state import Shoe

DAY_MIN: Final = 1_440
"""Minutes of a day."""

NO_SHIFT: Final[ShiftOf] = ("", "")
"""The shift and gaming day of a house without shifts, or before the first."""


def shift_of(shoe: Shoe, at: int, utc_offset: int) -> ShiftOf:
    """Return the shift and gaming day of a table at a wall time (ms), `utc_offset` minutes behind local time."""
    house = shoe.house if shoe.status == "open" else shoe.device.next_house
    acts, before = shoe.device.acts, shoe.device.shift or NO_SHIFT
    if acts and acts.gaming_day >= before[1]:
        before = acts.shift, acts.gaming_day
    return next_shift(house.shifts, at // 60_000 + utc_offset, before)


def next_shift(shifts: Mapping[str, str], minute: int, before: ShiftOf = NO_SHIFT) -> ShiftOf:
    """Return shift and gaming day (YYYY-MM-DD) at a local minute since 1970, never earlier than those of `before`.

    A gaming day begins with the first shift, and has the date of that moment. ("", "") if the house has no shifts.
    """
    begins = {name: int(time[:2]) * 60 + int(time[3:]) for name, time in shifts.items()}
    if not begins:
        return NO_SHIFT
    first = next(iter(begins.values()))
    day, since = divmod(minute - first, DAY_MIN)
    begun = {(begin - first) % DAY_MIN: name for name, begin in begins.items()}
    shift = begun[max(after for after in begun if after <= since)]
    ordinal = min(max(date(1970, 1, 1).toordinal() + day, 1), date.max.toordinal())
    now, names = (shift, date.fromordinal(ordinal).isoformat()), [begun[after] for after in sorted(begun)]
    if now[1] > before[1]:
        return now
    if before[0] not in names:  # the house had other shifts
        return (shift if now[1] == before[1] else names[0]), before[1]
    return max(now, before, key=lambda each: (each[1], names.index(each[0])))
