"""The view of `shoe watch` beyond the status: the reader's line, and every pin."""

from collections.abc import Callable, Mapping
from typing import Any

from firmware_bridge.daemon.devices.frames import Tap
from firmware_bridge.daemon.devices.reader import Reader
from hardware.pins.pin import Pin, PinFactory
from hardware.readers.protocol import Frames


class Watch:
    """Taps the reader's line while anyone watches. inputs, outputs: wires by config key. secret: as of a `Tap`."""

    def __init__(
        self,
        reader: Reader,
        framed: Frames,
        factory: PinFactory,
        inputs: Mapping[str, Pin],
        outputs: Mapping[str, Pin],
        secret: Callable[[], bool],
    ) -> None:
        self._reader, self._framed, self._factory, self._secret = reader, framed, factory, secret
        self._wires = {"inputs": inputs, "outputs": outputs}
        self._watchers = 0
        self._tap: Tap | None = None

    def begin(self) -> None:
        """Add a watcher; tap the reader's line for the first one."""
        self._watchers += 1
        if self._tap is None:
            self._tap = Tap(self._framed, self._secret)
            self._reader.taps.append(self._tap)

    def end(self) -> None:
        """Remove a watcher; end the tap with the last one."""
        self._watchers -= 1
        if self._tap and not self._watchers:
            self._reader.taps.remove(self._tap)
            self._tap = None

    def seen(self, after: int) -> dict[str, Any]:
        """Return the signal, counts of frames, frames above `after`, and each pin: active, None if unreadable."""
        tap = self._tap
        return {
            "signal": dict(tap.signal) if tap else {},
            "good": self._reader.decoder.good,
            "bad": self._reader.decoder.bad,
            "frames": tap.frames(after) if tap else [],
            "pins": {
                way: {name: self._is_active(pin, way == "inputs") for name, pin in wires.items()}
                for way, wires in self._wires.items()
            },
        }

    def _is_active(self, pin: Pin, is_input: bool) -> bool | None:
        try:
            return bool(self._factory.pin(pin.number).state) == pin.active_level(is_input)
        except Exception:  # each pin library has its own errors, some of them bare
            return None
