"""lgpio's pins, given back to the kernel when they are closed: gpiozero's own keep their lines as long as it runs."""

from typing import Any

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from hardware.errors import PinError


class FreedPin(LGPIOPin):  # type: ignore[misc]  # gpiozero ships no types
    """A pin another program can have once it is closed here; then it has no state: lgpio would claim it to read it."""

    _is_free = False

    def close(self) -> None:
        """Switch the current off and give the pin's line back to the kernel."""
        if not self._is_free and self.factory._handle is not None:
            super().close()
            lgpio.gpio_free(self.factory._handle, self._number)
            self._is_free = True

    def _set_function(self, value: str) -> None:
        super()._set_function(value)
        self._is_free = False

    def _get_state(self) -> Any:
        if self._is_free:
            raise PinError(f"{self!r} is not claimed: another program may have it")
        return super()._get_state()


def factory() -> Any:
    """A factory of such pins. Raises lgpio.error where there is no chip."""
    made = LGPIOFactory()
    made.pin_class = FreedPin
    return made
