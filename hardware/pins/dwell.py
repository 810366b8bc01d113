"""How long an input stays active, by the times of its edges: what tells the cut card from the cards that brush by."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

BOUNCE_MS: Final = 8.0
"""A pause this long parts two cards, which follow each other in 12 ms at least; those of a bounce are shorter."""

LATE_MS: Final = 100.0
"""The longest that an edge is on its way from its pin to the loop."""

_HALF_US: Final = 0.5e-6

Ticks = Any  # gpiozero's: opaque, its factory tells their difference


def reaches(lasted: float, limit: float) -> bool:
    """Whether a time reaches a limit, both in seconds, in whole microseconds: rounding of last bits changes nothing."""
    return lasted - limit > -_HALF_US


class Dwell:
    """Calls `on_dwelt` once a line was active for at least `least` seconds, its bounces included; it may call again.

    A span that is over is judged by the times of its edges, however late the loop hears of them; one that goes on, by
    a timer. since: `since(later, earlier)` in seconds. is_active: the line's level now.
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
        self._lost_its_end = False  # as far as can be seen: edges come in order
        self._began: Ticks | None = None
        self._idle_from: Ticks | None = None

    def active(self, at: Ticks | None = None) -> None:
        """The line became active; None: nobody knows when."""
        if not self._least:
            self._on_dwelt()
        elif not self._going or self._lost_its_end or self._was_idle_too_long(at):
            self.forget()
            self._going, self._began = True, at
            self._timer = self._loop.call_later(self._least, self._look)
        elif self._idle_from is not None and self._lasted(at):
            self._on_dwelt()  # it would have been told in the pause
        self._idle_from = None

    def idle(self, at: Ticks) -> None:
        self._lost_its_end = False
        if self._idle_from is not None or not self._going:
            return
        self._idle_from = at
        if self._lasted(at):
            self._on_dwelt()

    def forget(self) -> None:
        """Whatever comes next begins a span of its own."""
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
        else:  # the edge is on its way and decides; or it is lost, and with it the span
            self._lost_its_end = True
            self._timer = self._loop.call_later(LATE_MS / 1000, self.forget)
