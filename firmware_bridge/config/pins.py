"""The wires of `bridge.toml`: pins, sensors, keys, buzzer and lock, with their limits and defaults."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

PinNumber = Annotated[int, Meta(ge=0, le=27, description="the 40-pin header has no other GPIO")]


class PinConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One wire, where it is not wired the usual way.

    pin: its BCM number.
    active_low: whether low means active; usually so for inputs, not for lamps, buzzer and lock.
    pull_up: whether the Pi's own pull-up holds an input high.
    debounce_ms: milliseconds an input must hold a level before it counts.
    """

    pin: PinNumber
    active_low: bool | None = None
    pull_up: bool = True
    debounce_ms: Annotated[int, Meta(ge=1, le=1000)] = 20


AnyPin = PinNumber | PinConfig


class SensorConfig(PinConfig, frozen=True):
    """A sensor or key.

    min_dwell_ms: milliseconds it must be active before it counts.
    stuck_after: seconds active without a pause after which it is stuck; usually 5, a key 30.
    """

    min_dwell_ms: Annotated[int, Meta(ge=0, le=1000)] = 0
    stuck_after: Annotated[float, Meta(ge=1, le=600)] | None = None


class LockConfig(PinConfig, frozen=True):
    """The lock of the shoe's mouth.

    fail_safe: what it is without current, so when the bridge is down.
    """

    fail_safe: Literal["open", "locked"] = "open"


AnySensor = PinNumber | SensorConfig


class PinsConfig(Struct, frozen=True, kw_only=True):
    """`[pins]`: sensors, keys, buzzer and lock, and the library that drives them.

    factory: the library; `rpigpio` only on kernels before 6.6, `mock` drives nothing.
    cut_card: the sensor that the cut card passes.
    next: the dealer's key NEXT.
    reveal: the dealer's key REVEAL.
    lid: a switch that is active while the lid is closed.
    presence: a sensor that is active while a card is in the shoe's mouth.
    buzzer: beeps while the floor is awaited.
    lock: holds the cards back while the shoe is blocked, between shoes, and while bets are open.
    keys: the dealer's keys that tell a result, by their names; the config has them beside the others.
    """

    factory: Literal["lgpio", "rpigpio", "mock"] = "lgpio"
    cut_card: AnySensor | None = None
    next: AnySensor | None = None
    reveal: AnySensor | None = None
    lid: AnySensor | None = None
    presence: AnySensor | None = None
    buzzer: AnyPin | None = None
    lock: PinNumber | LockConfig | None = None
    keys: dict[str, AnySensor] = {}
