"""Sensors, switches and the dealer's keys: one event per activation, whatever the contact does."""

import asyncio
import contextlib
from collections.abc import Callable

from hardware.pins import Pin, PinFactory, claim


class Contact:
    """Reports the first edge of each activation at once, then stays deaf until the line was quiet.

    So a bouncing contact gives one event, and so does a pulse shorter than `debounce_ms`; a release that bounces
    gives none. With `min_dwell_ms` an activation is reported only when it has lasted so long. The level is read again
    when the line is quiet, in case an edge got lost.

    on_idle: called when the line has been quiet after a release. on_stuck: called with True when it was active
    for `stuck_after` seconds without a pause, and with False when it then lets go.
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
    ) -> None:
        from gpiozero import InputDevice  # here: a table without pins does not load gpiozero

        self._loop = loop
        self._on_active, self._on_idle, self._on_stuck = on_active, on_idle, on_stuck
        self._stuck_after = stuck_after
        self._quiet_after = pin.debounce_ms / 1000
        self._min_dwell = pin.min_dwell_ms / 1000
        self._active_level = pin.active_level(is_input=True)
        self._device = claim(InputDevice, pin, pull_up=pin.pull_up, pin_factory=factory)
        self._settled = self._active_now()
        self._told = False
        self._timer: asyncio.TimerHandle | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._dwell: asyncio.TimerHandle | None = None
        self._is_stuck = False
        self._be_patient()
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._changed

    @property
    def active(self) -> bool:
        """Whether it was active when it was last quiet."""
        return self._settled

    def close(self) -> None:
        """Give the pin back."""
        for timer in (self._timer, self._patience, self._dwell):
            if timer:
                timer.cancel()
        self._device.close()

    def _active_now(self) -> bool:
        return bool(self._device.pin.state) == self._active_level

    def _changed(self, _ticks: object, state: object) -> None:
        # gpiozero's own thread: hand over, nothing else. A loop that has closed no longer cares.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._edge, bool(state) == self._active_level)

    def _edge(self, active: bool) -> None:
        if self._device.closed:
            return
        if active:
            self._tell()
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_later(self._quiet_after, self._quiet)

    def _quiet(self) -> None:
        self._timer = None
        active = self._active_now()
        if active:
            self._tell()
        was_active, self._settled, self._told = self._settled or self._told, active, False
        if self._dwell and not active:
            self._dwell.cancel()
            self._dwell = None
        self._be_patient()
        if was_active and not active and self._on_idle:
            self._on_idle()

    def _be_patient(self) -> None:
        """Wait for an active line to let go, and say so when it does not."""
        if self._settled and self._patience is None and self._stuck_after is not None:
            self._patience = self._loop.call_later(self._stuck_after, self._stick)
        elif not self._settled and self._patience is not None:
            self._patience.cancel()
            self._patience = None
            if self._is_stuck:
                self._stick(is_stuck=False)

    def _stick(self, is_stuck: bool = True) -> None:
        self._is_stuck = is_stuck
        if self._on_stuck:
            self._on_stuck(is_stuck)

    def _tell(self) -> None:
        if self._settled or self._told or self._dwell:
            return
        if self._min_dwell:
            self._dwell = self._loop.call_later(self._min_dwell, self._dwelt)
        else:
            self._told = True
            self._on_active()

    def _dwelt(self) -> None:
        """It has been active long enough, unless it bounces just now: then look again when it is quiet."""
        self._dwell = None
        if self._active_now():
            self._told = True
            self._on_active()
        elif self._timer:
            self._dwell = self._loop.call_later(self._quiet_after, self._dwelt)


class Key(Contact):
    """A key of the dealer's; one held down at the start is not a press."""


class CutCardSensor(Contact):
    """The sensor the cut card passes; a card that lies on it at the start is seen."""

    def __init__(
        self,
        pin: Pin,
        factory: PinFactory,
        loop: asyncio.AbstractEventLoop,
        on_seen: Callable[[], None],
        stuck_after: float | None = None,
        on_stuck: Callable[[bool], None] | None = None,
    ) -> None:
        super().__init__(pin, factory, loop, on_seen, None, stuck_after, on_stuck)
        if self._settled:
            self._settled = False
            loop.call_soon(self._edge, True)
