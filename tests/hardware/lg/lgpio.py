"""lgpio's rules: a line is its claimer's until it is freed or the chip is closed; one that is read is claimed, too."""

SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = 32, 64, 128
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3
IS_OUT, IS_ALERT = 1 << 1, 1 << 10

claimed: dict[int, int] = {}
"""Lines of this process and their modes."""

elsewhere: set[int] = set()
"""Lines of other processes."""

callbacks: dict[int, object] = {}
levels: dict[int, int] = {}


class error(Exception):  # lgpio calls it so
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return repr(self.value)


def gpiochip_open(chip):
    return 0


def gpiochip_close(handle):
    claimed.clear()


def gpio_claim_input(handle, gpio, flags=0):
    _claim(gpio, flags)


def gpio_claim_output(handle, gpio, level=0, flags=0):
    _claim(gpio, flags | IS_OUT)
    levels[gpio] = level


def gpio_claim_alert(handle, gpio, edges, flags=0):
    _claim(gpio, flags | IS_ALERT)


def gpio_free(handle, gpio):
    if gpio not in claimed:
        raise error("GPIO not allocated")
    del claimed[gpio]


def gpio_get_mode(handle, gpio):
    return claimed.get(gpio, 0)


def gpio_read(handle, gpio):
    if gpio not in claimed:
        _claim(gpio, 0)
    return levels.get(gpio, 1)


def gpio_write(handle, gpio, level):
    levels[gpio] = level


def drive(gpio, level, ticks):
    """The outside world sets an input at a time in ns; who listens hears of it."""
    levels[gpio] = level
    if gpio in callbacks and claimed.get(gpio, 0) & IS_ALERT:
        callbacks[gpio](0, gpio, level, ticks)


class callback:  # lgpio calls it so
    def __init__(self, handle, gpio, edges, call):
        self._gpio = gpio
        callbacks[gpio] = call

    def cancel(self):
        callbacks.pop(self._gpio, None)


def _claim(gpio, mode):
    if not 0 <= gpio <= 53:
        raise error("bad GPIO number")
    if gpio in elsewhere:
        raise error("GPIO busy")
    claimed[gpio] = mode
