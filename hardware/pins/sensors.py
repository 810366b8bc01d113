"""Sensors, switches and keys: one event per activation, timed by the edges."""

import asyncio
import contextlib
from collections.abc import Callable
from math import inf
from typing import Any, Final

from hardware.pins.pin import Pin, PinFactory, claim

BOUNCE_MS: Final = 8.0
"""A pause this long separates two cards, which are at least 12 ms apart; pauses of a bounce are shorter."""

LATE_MS: Final = 100.0
"""Longest delay of an edge from its pin to the loop."""

_HALF_US: Final = 0.5e-6

Ticks = Any  # gpiozero's, opaque: `ticks_diff` of the factory subtracts them


def reaches(lasted: float, limit: float) -> bool:
    """Return whether a time reaches a limit, both in seconds, as whole microseconds against rounding errors."""
    return lasted - limit > -_HALF_US


class Dwell:
    """Calls `on_dwelt`, possibly again, once a line was active for at least `least` seconds, bounces included.

    A finished span is measured by its edges, however late the loop gets them; an unfinished one by a timer.
    since: `since(later, earlier)` in seconds. is_active: the line's level now.
    """

    def __init__(
        self,
        least: float,
        since: Callable[[Ticks, Ticks], float],
        loop: asyncio.AbstractEventLoop,
        is_active: Callable[[], bool],
        on_dwelt: Callable[[], None],
    ) -> None:
        self._least, self._since, self._loop = least, since, loop
        self._is_active, self._on_dwelt = is_active, on_dwelt
        self._timer: asyncio.TimerHandle | None = None
        self._going = False
        self._lost_its_end = False  # as far as is known: edges come in order
        self._began: Ticks | None = None
        self._idle_from: Ticks | None = None

    def active(self, at: Ticks | None = None) -> None:
        """Take the rising edge at `at`; None if the time is unknown."""
        if not self._least:
            self._on_dwelt()
        elif not self._going or self._lost_its_end or self._was_idle_too_long(at):
            self.forget()
            self._going, self._began = True, at
            self._timer = self._loop.call_later(self._least, self._look)
        elif self._idle_from is not None and self._lasted(at):
            self._on_dwelt()  # the timer ran in the pause, and left it to this edge
        self._idle_from = None

    def idle(self, at: Ticks) -> None:
        """Take the falling edge at `at`."""
        self._lost_its_end = False
        if self._idle_from is not None or not self._going:
            return
        self._idle_from = at
        if self._lasted(at):
            self._on_dwelt()

    def forget(self) -> None:
        """End the span: the next edge begins another."""
        if self._timer:
            self._timer.cancel()
        self._timer = None
        self._going = False
        self._lost_its_end = False
        self._began = self._idle_from = None

    def _was_idle_too_long(self, at: Ticks | None) -> bool:
        if self._idle_from is None:
            return False
        return at is None or reaches(self._since(at, self._idle_from), BOUNCE_MS / 1000)

    def _lasted(self, until: Ticks) -> bool:
        return self._began is not None and reaches(self._since(until, self._began), self._least)

    def _look(self) -> None:
        self._timer = None
        if self._idle_from is not None:
            return  # in a pause: the next edge decides
        if self._is_active():
            self._on_dwelt()
        else:  # the edge is late and decides; or it is lost, and the span with it
            self._lost_its_end = True
            self._timer = self._loop.call_later(LATE_MS / 1000, self.forget)


LATE_S: Final = 0.005
"""Longest delay of an edge behind the level of its line, in seconds."""


class Contact:
    """Reports the first edge of each activation at once, then ignores edges until the line was quiet.

    A bouncing contact, or a pulse shorter than `debounce_ms`, gives one event, a release none. With `min_dwell_ms` an
    activation is reported once it has lasted so long. Edges count by their own times, however late the loop gets
    them; the level is read again when the line is quiet. An input active at the start is not reported.

    on_idle: after a release, when quiet. on_stuck: True after `stuck_after` seconds of activity without a pause, False
    at its end. is_stuck: reported before, so that False follows if it is idle now. The first call is in the loop's
    next iteration.
    """

    def __init__(
        self,
        pin: Pin,
        factory: PinFactory,
        loop: asyncio.AbstractEventLoop,
        on_active: Callable[[], None],
        on_idle: Callable[[], None] | None = None,
        stuck_after: float | None = None,
        on_stuck: Callable[[bool], None] | None = None,
        is_stuck: bool = False,
    ) -> None:
        from gpiozero import InputDevice  # here: a table without pins does not load gpiozero

        self._loop, self._since = loop, factory.ticks_diff
        self._on_active, self._on_idle, self._on_stuck = on_active, on_idle, on_stuck
        self._stuck_after = stuck_after
        self._quiet_after = max(pin.debounce_ms, BOUNCE_MS if pin.min_dwell_ms else 0) / 1000
        self._active_level = pin.active_level(is_input=True)
        self._device = claim(InputDevice, pin, pull_up=pin.pull_up, pin_factory=factory)
        self._settled = self._level = self._is_reported = self._active_now()
        self._forgot_at = -inf
        self._is_stuck = is_stuck
        self._edge_at: Ticks | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._stuck_timer: asyncio.TimerHandle | None = None
        self._dwell = Dwell(pin.min_dwell_ms / 1000, self._since, loop, self._active_now, self._report)
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._changed
        loop.call_soon(self._quiet)

    @property
    def active(self) -> bool:
        """Whether the contact was active when its line was last quiet."""
        return self._settled

    def close(self) -> None:
        self._dwell.forget()
        for timer in (self._timer, self._stuck_timer):
            if timer:
                timer.cancel()
        self._device.close()

    def _active_now(self) -> bool:
        return bool(self._device.pin.state) == self._active_level

    def _changed(self, ticks: Ticks, state: object) -> None:
        # gpiozero's own thread: only hand over; the loop may be closed already.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._edge, ticks, bool(state) == self._active_level)

    def _edge(self, at: Ticks, active: bool) -> None:
        if self._device.closed:
            return
        is_over = self._edge_at is not None and reaches(self._since(at, self._edge_at), self._quiet_after)
        if self._timer:
            self._timer.cancel()
            if is_over:  # the timer of a busy loop is late
                self._settle(self._level)
        elif is_over and self._settled and not self._level:  # the level was read before this edge arrived
            self._settle(active=False)
        elif self._edge_at is not None and not is_over and self._loop.time() - self._forgot_at < LATE_S:
            self._is_reported = True  # this edge belongs to the activation just ended
        self._edge_at, self._level = at, active
        if active:
            self._dwell.active(at)
        else:
            self._dwell.idle(at)
        self._timer = self._loop.call_later(self._quiet_after, self._quiet)

    def _quiet(self, may_wait: bool = True) -> None:
        if self._device.closed:
            return
        self._timer = None
        active = self._active_now()
        if may_wait and self._level and not active:  # the edge is late; or it is lost
            self._timer = self._loop.call_later(LATE_S, self._quiet, False)
            return
        self._settle(active)

    def _settle(self, active: bool) -> None:
        was_active, self._settled = self._settled or self._is_reported, active
        if active:
            self._dwell.active()
        else:
            self._dwell.forget()
            if self._is_reported:
                self._forgot_at = self._loop.time()
            self._is_reported = False
        self._watch_stuck()
        if was_active and not active and self._on_idle:
            self._on_idle()

    def _watch_stuck(self) -> None:
        """Start the timer of a line that stays active, and stop it once the line is idle."""
        if not self._settled:
            if self._stuck_timer:
                self._stuck_timer.cancel()
            self._stuck_timer = None
            if self._is_stuck:
                self._stick(is_stuck=False)
        elif self._stuck_timer is None and self._stuck_after is not None and not self._is_stuck:
            self._stuck_timer = self._loop.call_later(self._stuck_after, self._stick)

    def _stick(self, is_stuck: bool = True) -> None:
        if is_stuck and not self._active_now():  # its release was lost
            self._stuck_timer = None
            self._settle(active=False)
            return
        self._is_stuck = is_stuck
        if self._on_stuck:
            self._on_stuck(is_stuck)

    def _report(self) -> None:
        if not self._is_reported and not self._device.closed:
            self._is_reported = True
            self._on_active()


class Key(Contact):
    """A dealer's key; one held down at the start is no press."""


class CutCardSensor(Contact):
    """Sensor of the cut card; a card on it at the start is reported, unless `is_known` or `is_stuck`."""

    def __init__(
        self,
        pin: Pin,
        factory: PinFactory,
        loop: asyncio.AbstractEventLoop,
        on_seen: Callable[[], None],
        stuck_after: float | None = None,
        on_stuck: Callable[[bool], None] | None = None,
        is_stuck: bool = False,
        is_known: bool = False,
    ) -> None:
        super().__init__(pin, factory, loop, on_seen, None, stuck_after, on_stuck, is_stuck)
        self._is_reported = self._settled and (is_stuck or is_known)
