"""Lamps beside the slots, blinking in rhythms on the event loop's timers."""

import asyncio
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from hardware.errors import PinError
from hardware.pins.pin import Pin, PinFactory, claim

# Milliseconds on, off, on, off ..; the strongest first, for slots that share a lamp (irregularities.md).
RHYTHMS: dict[str, tuple[int, ...]] = {
    "blocked": (100, 100),
    "confirm": (500, 500),
    "candidate": (250, 250),
    "quick": (120, 120),
    "beep": (100, 1900),
    "double": (100, 200, 100, 1600),
    "triple": (100, 200, 100, 200, 100, 1300),
    "quadruple": (100, 200, 100, 200, 100, 200, 100, 1000),
    "steady": (),
}


class LampPanel:
    """Owns the lamps in `pins` (slot -> wire; slots may share one) until `close`. factory: None without lamps."""

    def __init__(self, pins: Mapping[str, Pin], factory: PinFactory, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._slots = {slot: pin.number for slot, pin in pins.items()}
        self._lamps = _lamps(pins, factory)
        self._shown: dict[str, str] = {}
        self._rhythms: dict[int, str] = {}
        self._since: dict[str, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def show(self, lit: Mapping[str, str]) -> None:
        """Light exactly the slots of `lit`, each in its rhythm of `RHYTHMS`; slots without a lamp are ignored."""
        if lit == self._shown:
            return
        self._shown = dict(lit)
        self._rhythms = self._by_lamp(lit)
        now = self._loop.time()
        # Lamps of one rhythm blink together; a new rhythm begins with light.
        self._since = {rhythm: self._since.get(rhythm, now) for rhythm in self._rhythms.values()}
        self._beat()

    def dark(self) -> set[str]:
        """Return the slots with an inactive pin at this moment, as read back."""
        return {slot for slot, number in self._slots.items() if not self._lamps[number].value}

    def close(self) -> None:
        """Switch all lamps off and release the pins."""
        self.show({})
        for lamp in self._lamps.values():
            lamp.close()

    def _by_lamp(self, lit: Mapping[str, str]) -> dict[int, str]:
        order = list(RHYTHMS)
        wanted = sorted(lit.items(), key=lambda item: order.index(item[1]), reverse=True)
        return {self._slots[slot]: rhythm for slot, rhythm in wanted if slot in self._slots}

    def _beat(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        now = self._loop.time()
        phases = {rhythm: phase(rhythm, round(1000 * (now - since))) for rhythm, since in self._since.items()}
        for number, lamp in self._lamps.items():
            is_lit = number in self._rhythms and phases[self._rhythms[number]][0]
            if bool(lamp.value) != is_lit:
                lamp.value = is_lit
        left = [ms for _, ms in phases.values() if ms is not None]
        if left:
            self._timer = self._loop.call_at(now + min(left) / 1000, self._beat)


def phase(rhythm: str, elapsed: int) -> tuple[bool, int | None]:
    """Return whether a lamp is lit `elapsed` ms into its rhythm, and in how many ms that changes (None: never)."""
    steps = RHYTHMS[rhythm]
    if not steps:
        return True, None
    within = elapsed % sum(steps)
    ends = list(accumulate(steps))
    step = bisect_right(ends, within)
    return step % 2 == 0, ends[step] - within


def _lamps(pins: Mapping[str, Pin], factory: PinFactory) -> dict[int, Any]:
    wires: dict[int, Pin] = {}
    for slot, pin in pins.items():
        if wires.setdefault(pin.number, pin).active_level(False) != pin.active_level(False):
            raise PinError(f"[lamps] {slot}: GPIO {pin.number} has another active_low for another slot: use the same")
    if not wires:
        return {}
    from gpiozero import DigitalOutputDevice  # here: a table without lamps does not load gpiozero

    return {
        number: claim(
            DigitalOutputDevice,
            pin,
            active_high=pin.active_level(False),
            initial_value=False,
            pin_factory=factory,
        )
        for number, pin in wires.items()
    }
