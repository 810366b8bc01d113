"""Lamps, buzzer and lock of a table, and the lamp test before the first card."""

import asyncio
from typing import Final

from firmware_bridge.config.pins import LockConfig
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.devices.wires import OUTPUTS, output_pins
from hardware.pins.lamps import LampPanel
from hardware.pins.pin import PinFactory

TRIAL_S: Final = 0.8
"""Seconds of the lamp test: long enough to be seen."""

LOCK: Final = "lock"


class Panel:
    """Owns every output pin until `close`, which leaves the lock in its fail-safe state. Raises PinError."""

    def __init__(self, config: Config, factory: PinFactory, loop: asyncio.AbstractEventLoop) -> None:
        pins = output_pins(config)
        self._panel, self._loop = LampPanel(pins, factory, loop), loop
        lock = config.pins.lock
        self._locks_unpowered = isinstance(lock, LockConfig) and lock.fail_safe == "locked"
        self._lamps = [name for name in pins if name not in OUTPUTS]
        self._shown: dict[str, str] = {}
        self._trial: asyncio.TimerHandle | None = None
        self.faults: list[str] | None = None

    def show(self, lit: dict[str, str]) -> None:
        """Light these lamps with these rhythms, all others off; end a running lamp test."""
        shown = dict(lit)
        if self._locks_unpowered and shown.pop(LOCK, None) is None:
            shown[LOCK] = "steady"
        if shown != self._shown:
            self._end_trial()
            self._shown = shown
            self._panel.show(shown)

    def close(self) -> None:
        """Switch all outputs off and release the pins."""
        self._end_trial()
        self._panel.close()

    def try_lamps(self) -> None:
        """Light every lamp for `TRIAL_S`; `faults` then name those that stayed dark."""
        self._panel.show(dict.fromkeys(self._lamps, "steady") | self._undisturbed())
        self._trial = self._loop.call_later(TRIAL_S, self._judge_trial)

    def _judge_trial(self) -> None:
        self._trial = None
        dark = self._panel.dark()
        self.faults = [f"lamp {name} stays dark" for name in self._lamps if name in dark]
        self._panel.show(self._shown)

    def _end_trial(self) -> None:
        if self._trial:
            self._trial.cancel()
            self._trial = None

    def _undisturbed(self) -> dict[str, str]:
        """Return buzzer and lock in their present state, which a lamp test keeps."""
        return {name: rhythm for name, rhythm in self._shown.items() if name in OUTPUTS}
