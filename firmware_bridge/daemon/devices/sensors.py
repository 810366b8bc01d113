"""Sensors, switches and keys of a table: their activations become inputs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from firmware_bridge.config import calibration
from firmware_bridge.config.pins import AnySensor, SensorConfig
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.devices.mouth import Mouth
from firmware_bridge.daemon.devices.seat_keys import SeatKeys
from firmware_bridge.daemon.devices.wires import IN_SLOT, OF_SEAT, input_pins
from firmware_bridge.daemon.table.stamps import nonce, now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import inputs
from firmware_bridge.shoe.state import stuck
from hardware.pins.pin import Pin, PinFactory
from hardware.pins.sensors import Contact, CutCardSensor, Key

log = logging.getLogger(__name__)

STUCK_AFTER_S: Final = {"cut_card": 5.0, "presence": 5.0}
"""Longer than a card takes to pass. A card may lie in its slot for ever, and a lid is meant to stay closed."""

KEY_STUCK_AFTER_S: Final = 30.0


class Sensors:
    """Owns every input pin from `claim` to `close`. Raises PinError where one cannot be had."""

    def __init__(
        self, config: Config, table: Table, mouth: Mouth, factory: PinFactory, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._config, self._table, self._mouth, self._factory, self._loop = config, table, mouth, factory, loop
        self._pins = input_pins(config)
        self._keys = ("next", "reveal", *config.rules.play.keys)
        self.held: dict[str, Contact] = {}
        self._seat_keys = SeatKeys(table, loop)

    def claim(self, is_back: bool = False) -> None:
        """Claim every input pin; then the loop reports how the lid stands, and which sensors are stuck no more.

        is_back: the pins come back from a technician, whose cut card may lie on the sensor.
        """
        pins = self._pins
        if "cut_card" in pins:
            is_known = is_back or bool(self._table.shoe.device.lent)
            cut_card = _calibrated(pins["cut_card"], self._config)
            self.held["cut_card"] = CutCardSensor(
                cut_card, self._factory, self._loop, self._cut_card_seen, *self._stuck("cut_card"), is_known
            )
        for key in self._keys:
            if key in pins:
                self._feel(key, Key, partial(self._pressed, key))
        if "presence" in pins:
            self._feel("presence", Contact, self._mouth.entered, self._mouth.left)
        for slot in self._config.rules.slots:
            if IN_SLOT + slot in pins:
                self._feel(IN_SLOT + slot, Contact, partial(self._filled, slot))
        for key in self._config.keys:
            on_press, on_release = partial(self._seat_keys.pressed, key), partial(self._seat_keys.let_go, key)
            self._feel(OF_SEAT + key, Key, on_press, on_release)
        self._seat_keys.held = {key: self.held[OF_SEAT + key] for key in self._config.keys}
        if "lid" in pins:
            self._feel("lid", Contact, partial(self._lid, False), partial(self._lid, True))
        lid = self.held.get("lid")
        self._loop.call_soon(self._lid, lid is not None and not lid.active)
        for name in set(stuck(self._table.shoe)) - set(pins):
            self._loop.call_soon(self._stuck_told, name, False)

    def changed(self) -> None:
        """What is asked of the seats may be something else."""
        self._seat_keys.changed()

    def close(self) -> None:
        """Give every input pin back."""
        while self.held:
            self.held.popitem()[1].close()

    def not_at_rest(self) -> list[str]:
        """Sensors and keys, by their config keys, that are active although nobody can have touched them."""
        return [name for name, each in self.held.items() if each.active and name in (*self._keys, *STUCK_AFTER_S)]

    def _feel(
        self, name: str, kind: type[Contact], on_active: Callable[[], None], on_idle: Callable[[], None] | None = None
    ) -> None:
        self.held[name] = kind(self._pins[name], self._factory, self._loop, on_active, on_idle, *self._stuck(name))

    def _stuck(self, name: str) -> tuple[float | None, Callable[[bool], None], bool]:
        """Seconds after which a sensor is stuck, the function called then, and whether the shoe knows of it already."""
        usual = KEY_STUCK_AFTER_S if name in self._keys or name.startswith(OF_SEAT) else STUCK_AFTER_S.get(name)
        pin: AnySensor | None = getattr(self._config.pins, name, None)
        limit = pin.stuck_after if isinstance(pin, SensorConfig) and pin.stuck_after else usual
        return limit, partial(self._stuck_told, name), name in stuck(self._table.shoe)

    def _cut_card_seen(self) -> None:
        self._table.take(inputs.CutCardSeen(**now(), by="sensor"))
        self._mouth.reported()

    def _pressed(self, key: str) -> None:
        self._table.take(inputs.Pressed(**now(), key=key, nonce=nonce()))

    def _filled(self, slot: str) -> None:
        self._table.take(inputs.SlotFilled(**now(), slot=slot))

    def _lid(self, is_open: bool) -> None:
        self._table.take(inputs.LidMoved(**now(), open=is_open))

    def _stuck_told(self, name: str, is_stuck: bool) -> None:
        log.warning("%s %s", name, "does not let go" if is_stuck else "has let go again")
        self._table.take(inputs.SensorStuck(**now(), sensor=name, stuck=is_stuck))


def _calibrated(pin: Pin, config: Config) -> Pin:
    """The cut card's wire with what `shoe calibrate cut-card` found, where the config gives its number alone."""
    if not isinstance(config.pins.cut_card, int):
        return pin
    try:
        section = calibration.load(Path(config.journal.dir) / calibration.FILE).cut_card
    except ConfigError as error:
        log.warning("%s", error)
        return pin
    if section is None:
        return pin
    found = section.after
    quiet, dwell = found.get("debounce_ms", pin.debounce_ms), found.get("min_dwell_ms", pin.min_dwell_ms)
    return replace(pin, debounce_ms=int(quiet), min_dwell_ms=int(dwell))
