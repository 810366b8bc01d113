"""lgpio's rules: a line is its claimer's until it is freed or the chip is closed; one that is read is claimed, too."""

from collections.abc import Callable
from typing import Any

SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
IS_OUT, IS_ALERT = 1 << 1, 1 << 10

claimed: dict[int, int] = {}
"""Lines of this process and their modes."""

elsewhere: set[int] = set()
"""Lines of other processes."""

callbacks: dict[int, Callable[[int, int, int, int], Any]] = {}
levels: dict[int, int] = {}


class error(Exception):  # lgpio calls it so
    def __init__(self, value: str) -> None:
        self.value = value

    def __str__(self) -> str:
        return repr(self.value)


def gpiochip_open(chip: int) -> int:
    return 0


def gpiochip_close(handle: int) -> None:
    claimed.clear()


def gpio_claim_input(handle: int, gpio: int, flags: int = 0) -> None:
    _claim(gpio, flags)


def gpio_claim_output(handle: int, gpio: int, level: int = 0, flags: int = 0) -> None:
    _claim(gpio, flags | IS_OUT)
    levels[gpio] = level


def gpio_claim_alert(handle: int, gpio: int, edges: int, flags: int = 0) -> None:
    _claim(gpio, flags | IS_ALERT)


def gpio_free(handle: int, gpio: int) -> None:
    if gpio not in claimed:
        raise error("GPIO not allocated")
    del claimed[gpio]


def gpio_get_mode(handle: int, gpio: int) -> int:
    return claimed.get(gpio, 0)


def gpio_read(handle: int, gpio: int) -> int:
    if gpio not in claimed:
        _claim(gpio, 0)
    return levels.get(gpio, 1)


def gpio_write(handle: int, gpio: int, level: bool) -> None:
    levels[gpio] = level


def drive(gpio: int, level: int, ticks: int) -> None:
    """The outside world sets an input at a time in ns; who listens hears of it."""
    levels[gpio] = level
    if gpio in callbacks and claimed.get(gpio, 0) & IS_ALERT:
        callbacks[gpio](0, gpio, level, ticks)


class callback:  # lgpio calls it so
    def __init__(self, handle: int, gpio: int, edges: int, call: Callable[..., Any]) -> None:
        self._gpio = gpio
        callbacks[gpio] = call

    def cancel(self) -> None:
        callbacks.pop(self._gpio, None)


def _claim(gpio: int, mode: int) -> None:
    if not 0 <= gpio <= 53:
        raise error("bad GPIO number")
    if gpio in elsewhere:
        raise error("GPIO busy")
    claimed[gpio] = mode
