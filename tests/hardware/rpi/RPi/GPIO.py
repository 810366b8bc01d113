"""RPi.GPIO's rules: BCM numbers, set up before use, edges only on inputs, callbacks from another thread."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from typing import Any

BCM = 11
OUT, IN, SERIAL, SPI, I2C, HARD_PWM, UNKNOWN = 0, 1, 40, 41, 42, 43, -1
PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22
RISING, FALLING, BOTH = 31, 32, 33
LOW, HIGH = 0, 1


@dataclass
class _Channel:
    function: int
    level: int
    edges: int | None = None
    callback: Any = None


_channels: dict[int, _Channel] = {}
_mode: int | None = None


def setmode(mode: int) -> None:
    global _mode
    _mode = mode


def setwarnings(on: bool) -> None:
    pass


def setup(channel: int, function: int, pull_up_down: int = PUD_OFF, initial: int = -1) -> None:
    if _mode != BCM:
        raise RuntimeError("Please set pin numbering mode using GPIO.setmode(GPIO.BOARD) or GPIO.setmode(GPIO.BCM)")
    if not 0 <= channel <= 27:
        raise ValueError("The channel sent is invalid on a Raspberry Pi")
    level = int(pull_up_down == PUD_UP) if function == IN else int(max(initial, 0))
    _channels[channel] = _Channel(function, level)


def gpio_function(channel: int) -> int:
    return _channels[channel].function if channel in _channels else IN


def input(channel: int) -> int:
    return _ready(channel).level


def output(channel: int, level: bool) -> None:
    if _ready(channel).function != OUT:
        raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
    _channels[channel].level = int(level)


def add_event_detect(
    channel: int, edges: int, callback: Callable[..., Any] | None = None, bouncetime: int = -666
) -> None:
    wire = _ready(channel)
    if wire.function != IN:
        raise RuntimeError("You must setup() the GPIO channel as an input first")
    if wire.edges is not None:
        raise RuntimeError("Conflicting edge detection already enabled for this GPIO channel")
    if bouncetime != -666 and bouncetime <= 0:
        raise ValueError("Bouncetime must be greater than 0")
    wire.edges, wire.callback = edges, callback


def remove_event_detect(channel: int) -> None:
    if channel in _channels:
        _channels[channel].edges = _channels[channel].callback = None


def cleanup(channel: int | None = None) -> None:
    for number in [channel] if channel is not None else list(_channels):
        _channels.pop(number, None)


def drive(channel: int, level: int) -> None:
    """The outside world sets an input; its callback runs in a thread of its own, as the library does."""
    wire = _ready(channel)
    edge = RISING if level > wire.level else FALLING
    changed, wire.level = level != wire.level, level
    if changed and wire.callback and wire.edges in (edge, BOTH):
        thread = Thread(target=wire.callback, args=(channel,))
        thread.start()
        thread.join()


def _ready(channel: int) -> _Channel:
    if channel not in _channels:
        raise RuntimeError("You must setup() the GPIO channel first")
    return _channels[channel]
